#include "experiments/records/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "experiments/files/formats/csv_file.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

constexpr std::array kVerdicts = {Verdict::exact,
                                  Verdict::within_limit,
                                  Verdict::trend_only,
                                  Verdict::direction_only,
                                  Verdict::below_published_error,
                                  Verdict::fitted,
                                  Verdict::not_reproduced,
                                  Verdict::no_published_value,
                                  Verdict::not_measured,
                                  Verdict::refused,
                                  Verdict::failed};

const std::vector<std::string> kColumns = {
    "experiment",      "mechanism", "formulation",    "integrator",    "parameters", "quantity", "unit", "value",
    "published_value", "source",    "expected_value", "expected_from", "limit",      "verdict",  "note"};

constexpr std::string_view kRelative = "relative ";
constexpr std::string_view kFinding = "finding ";

std::string number_text(const std::optional<double>& value) {
  return value ? csv_number(*value) : "";
}

/// Gives the fields of one row as what they mean.
class RowReader {
 public:
  RowReader(std::string file, std::size_t line, const std::vector<std::string>& fields)
      : file_(std::move(file)), line_(line), fields_(fields) {}

  const std::string& text() { return fields_[next_++]; }

  std::optional<double> number() {
    const std::string& field = text();
    if (field.empty()) {
      return std::nullopt;
    }
    double value = 0.0;
    const char* const end = field.data() + field.size();
    const auto [stopped, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc{} || stopped != end) {
      throw FileError(file_, line_,
                      fmt::format("{} should be a number or empty, not '{}'", kColumns[next_ - 1], field));
    }
    return value;
  }

  Limit limit() {
    const std::string& field = text();
    for (const LimitKind kind :
         {LimitKind::none, LimitKind::equal, LimitKind::trend, LimitKind::fitted, LimitKind::below}) {
      if (field == Limit{kind, 0.0}.text()) {
        return {kind, 0.0};
      }
    }
    double relative = 0.0;
    const char* const end = field.data() + field.size();
    const bool finding = field.starts_with(kFinding);
    const std::size_t begin = finding ? kFinding.size() : field.starts_with(kRelative) ? kRelative.size() : 0;
    const auto [stopped, error] = std::from_chars(field.data() + begin, end, relative);
    if (begin == 0 || error != std::errc{} || stopped != end) {
      throw FileError(
          file_, line_,
          fmt::format("limit should be equal, relative NUMBER, finding NUMBER, trend, fitted, below or empty, not '{}'",
                      field));
    }
    return {finding ? LimitKind::finding : LimitKind::relative, relative};
  }

  Verdict verdict() {
    const std::string& field = text();
    const auto* const found =
        std::find_if(kVerdicts.begin(), kVerdicts.end(), [&](Verdict v) { return to_string(v) == field; });
    if (found == kVerdicts.end()) {
      std::vector<std::string_view> known;
      std::transform(kVerdicts.begin(), kVerdicts.end(), std::back_inserter(known),
                     [](Verdict v) { return to_string(v); });
      throw FileError(file_, line_,
                      fmt::format("verdict should be one of {}, not '{}'", fmt::join(known, ", "), field));
    }
    return *found;
  }

 private:
  std::string file_;
  std::size_t line_;
  const std::vector<std::string>& fields_;
  std::size_t next_ = 0;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::exact:
      return "exact";
    case Verdict::within_limit:
      return "within limit";
    case Verdict::trend_only:
      return "trend only";
    case Verdict::direction_only:
      return "direction only";
    case Verdict::below_published_error:
      return "below the published error";
    case Verdict::not_reproduced:
      return "not reproduced";
    case Verdict::fitted:
      return "fitted";
    case Verdict::no_published_value:
      return "no published value";
    case Verdict::not_measured:
      return "not measured";
    case Verdict::refused:
      return "refused";
    case Verdict::failed:
      break;
  }
  return "failed";
}

Limit Limit::within(double relative_limit) {
  return relative_limit == 0.0 ? Limit{LimitKind::equal, 0.0} : Limit{LimitKind::relative, relative_limit};
}

std::string Limit::text() const {
  switch (kind) {
    case LimitKind::equal:
      return "equal";
    case LimitKind::relative:
      return std::string(kRelative) + csv_number(relative);
    case LimitKind::finding:
      return std::string(kFinding) + csv_number(relative);
    case LimitKind::trend:
      return "trend";
    case LimitKind::fitted:
      return "fitted";
    case LimitKind::below:
      return "below";
    case LimitKind::none:
      break;
  }
  return {};
}

Verdict judge_error(double value, double other) {
  return value <= other ? Verdict::below_published_error : Verdict::not_reproduced;
}

Verdict judge(const std::optional<double>& value, const std::optional<double>& other, double relative_limit) {
  if (!value || std::isnan(*value)) {
    return Verdict::failed;
  }
  if (!other) {
    return Verdict::no_published_value;
  }
  if (*value == *other) {
    return Verdict::exact;
  }
  const bool close = std::abs(*value - *other) <= relative_limit * std::abs(*other);
  return close ? Verdict::within_limit : Verdict::not_reproduced;
}

void write_records(const std::filesystem::path& file, const std::vector<Record>& records) {
  CsvTable table;
  table.columns = kColumns;
  for (const Record& record : records) {
    table.rows.push_back({record.experiment, record.mechanism, record.formulation, record.integrator, record.parameters,
                          record.quantity, record.unit, number_text(record.value), number_text(record.published_value),
                          record.source, number_text(record.expected_value), record.expected_from, record.limit.text(),
                          std::string(to_string(record.verdict)), record.note});
  }
  write_csv(file, table);
}

std::vector<Record> read_records(const std::filesystem::path& file) {
  const CsvTable table = read_csv(file);
  if (table.columns != kColumns) {
    throw FileError(file.string(), table.comments.size() + 1,
                    fmt::format("the columns should be {}", fmt::join(kColumns, ",")));
  }
  std::vector<Record> records;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    RowReader row(file.string(), table.lines[i], table.rows[i]);
    Record record;
    for (std::string* const text : {&record.experiment, &record.mechanism, &record.formulation, &record.integrator,
                                    &record.parameters, &record.quantity, &record.unit}) {
      *text = row.text();
    }
    record.value = row.number();
    record.published_value = row.number();
    record.source = row.text();
    record.expected_value = row.number();
    record.expected_from = row.text();
    record.limit = row.limit();
    record.verdict = row.verdict();
    record.note = row.text();
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace mbdbench
