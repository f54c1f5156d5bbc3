#include "experiments/records/verdict_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/terminal/text_table.hpp"

namespace mbdbench {
namespace {

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
  // The mechanism says nothing where all records are of the same one.
  const bool one_mechanism = std::all_of(records.begin(), records.end(), [&](const Record& record) {
    return record.mechanism == records.front().mechanism;
  });
  TextTable table;
  table.rows = {
      {"quantity", "mechanism", "formulation", "integrator", "parameters", "expected", "ours", "verdict", "source"}};
  table.numbers = {5, 6};
  for (const Record& record : records) {
    if (record.verdict != Verdict::no_published_value && record.verdict != Verdict::refused) {
      table.rows.push_back({record.quantity, record.mechanism, record.formulation, record.integrator, record.parameters,
                            short_number_text(record.compared_value()), short_number_text(record.value),
                            std::string(to_string(record.verdict)), source_text(record)});
    }
  }
  if (one_mechanism) {
    for (std::vector<std::string>& row : table.rows) {
      row.erase(row.begin() + 1);
    }
    table.numbers = {4, 5};
  }
  return table_text(table);
}

}  // namespace mbdbench
