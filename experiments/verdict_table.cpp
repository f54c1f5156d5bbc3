#include "experiments/verdict_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace mbdbench {
namespace {

constexpr std::size_t kTableColumns = 9;
constexpr std::size_t kMechanismColumn = 1;
using TableRow = std::array<std::string, kTableColumns>;

std::string short_number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", *value) : "-";
}

/// Whose number it is compared with, else what was asserted or went wrong.
std::string source_text(const Record& record) {
  if (record.published_value) {
    return record.source;
  }
  return record.expected_value ? fmt::format("{} (not published)", record.expected_from) : record.note;
}

}  // namespace

std::string verdict_table(const std::vector<Record>& records) {
  std::vector<TableRow> rows = {
      {"quantity", "mechanism", "formulation", "integrator", "parameters", "expected", "ours", "verdict", "source"}};
  for (const Record& record : records) {
    if (record.verdict != Verdict::no_published_value && record.verdict != Verdict::refused) {
      rows.push_back({record.quantity, record.mechanism, record.formulation, record.integrator, record.parameters,
                      short_number_text(record.compared_value()), short_number_text(record.value),
                      std::string(to_string(record.verdict)), source_text(record)});
    }
  }
  // The mechanism says nothing where all records are of the same one.
  const bool one_mechanism = std::all_of(records.begin(), records.end(), [&](const Record& record) {
    return record.mechanism == records.front().mechanism;
  });
  std::array<std::size_t, kTableColumns> widths{};
  for (std::size_t column = 0; column < kTableColumns; ++column) {
    for (const TableRow& row : rows) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string table;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < kTableColumns; ++column) {
      if (one_mechanism && column == kMechanismColumn) {
        continue;
      }
      line += fmt::format("{:<{}}  ", row[column], widths[column]);
    }
    table += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return table;
}

bool all_reproduced(const std::vector<Record>& records) {
  return std::none_of(records.begin(), records.end(), [](const Record& record) {
    const bool asserted = record.limit.kind != LimitKind::trend;
    return record.verdict == Verdict::failed || (asserted && record.verdict == Verdict::not_reproduced);
  });
}

}  // namespace mbdbench
