#include "experiments/studies/declaration/readers/expectation_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "experiments/files/formats/csv_file.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::studies {
namespace {

const std::vector<std::string> kExpectationColumns = {"mechanism",      "variant",         "integrator",     "control",
                                                      "observer",       "published_value", "expected_value", "source",
                                                      "relative_limit", "reason"};

/// Reads one row.
class ExpectationRow {
 public:
  ExpectationRow(std::string file, std::size_t line, const std::vector<std::string>& fields, const Study& study)
      : file_(std::move(file)), line_(line), fields_(fields), study_(study) {}

  Expectation read() const {
    Expectation made;
    made.cell.mechanism = place(0, study_.mechanisms, [](const StudyMechanism& m) { return m.label; });
    made.cell.variant = place(1, study_.variants, [](const StudyVariant& v) { return v.label; });
    made.cell.integrator = place(2, study_.integrators, [](const OdeEntry* i) { return std::string(i->key); });
    made.cell.control = place(3, study_.controls, [](const Control& c) { return c.text(); });
    made.observer = observer();
    const std::optional<double> published = number(5);
    const std::optional<double> expected = number(6);
    if (published.has_value() == expected.has_value()) {
      fail("one of published_value (a number that a paper prints) and expected_value (anything else) must be given");
    }
    made.published = published.has_value();
    made.value = published ? *published : *expected;
    made.source = fields_[7];
    if (made.source.empty()) {
      fail("source is empty: where the number stands in print, or where an expected one comes from");
    }
    made.limit = limit();
    made.reason = fields_[9];
    if (made.limit.kind != LimitKind::equal && made.reason.empty()) {
      fail("a limit other than equality needs a reason");
    }
    if (!study_.has(made.cell)) {
      fail(fmt::format("the study does not run {} on {} with {} and {}", fields_[1], fields_[0], fields_[2],
                       fields_[3]));
    }
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw FileError(file_, line_, message); }

  template <class Entries, class NameOf>
  std::size_t place(std::size_t column, const Entries& entries, const NameOf& name_of) const {
    std::vector<std::string> names;
    names.reserve(std::size(entries));
    for (const auto& entry : entries) {
      names.push_back(name_of(entry));
    }
    const auto found = std::find(names.begin(), names.end(), fields_[column]);
    if (found == names.end()) {
      const std::string& noun = kExpectationColumns[column];
      fail(fmt::format("the study has no {} '{}'; {}", noun, fields_[column],
                       suggest_name(fields_[column], names, noun + "s")));
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  Observer observer() const {
    try {
      Observer read = parse_observer(fields_[4]);
      if (std::find(study_.observers.begin(), study_.observers.end(), read) == study_.observers.end()) {
        fail(fmt::format("the study does not observe {}", fields_[4]));
      }
      return read;
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  Limit limit() const {
    if (fields_[8] == "trend" || fields_[8] == "fitted" || fields_[8] == "below") {
      return {fields_[8] == "trend"    ? LimitKind::trend
              : fields_[8] == "fitted" ? LimitKind::fitted
                                       : LimitKind::below,
              0.0};
    }
    constexpr std::string_view kFinding = "finding ";
    const bool finding = fields_[8].starts_with(kFinding);
    const double relative = number_in(finding ? fields_[8].substr(kFinding.size()) : fields_[8], 8).value_or(0.0);
    if (relative < 0.0) {
      fail(
          "relative_limit must be a number that is not negative, finding and such a number, trend, fitted, below, or "
          "empty for equality");
    }
    return finding ? Limit{LimitKind::finding, relative} : Limit::within(relative);
  }

  std::optional<double> number(std::size_t column) const { return number_in(fields_[column], column); }

  std::optional<double> number_in(const std::string& text, std::size_t column) const {
    if (text.empty()) {
      return std::nullopt;
    }
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end) {
      fail(fmt::format("{} should be a number or empty, not '{}'", kExpectationColumns[column], text));
    }
    return value;
  }

  std::string file_;
  std::size_t line_;
  const std::vector<std::string>& fields_;
  const Study& study_;
};

}  // namespace

std::vector<Expectation> read_expectations(const std::filesystem::path& file, const Study& study) {
  const CsvTable table = read_csv(file);
  if (table.columns != kExpectationColumns) {
    throw FileError(file.string(), table.comments.size() + 1,
                    fmt::format("the columns should be {}", fmt::join(kExpectationColumns, ",")));
  }
  std::vector<Expectation> expectations;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    expectations.push_back(ExpectationRow(file.string(), table.lines[i], table.rows[i], study).read());
  }
  return expectations;
}

}  // namespace mbdbench::studies
