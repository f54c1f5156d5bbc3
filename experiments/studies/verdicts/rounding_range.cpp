#include "experiments/studies/verdicts/rounding_range.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench::studies {
namespace {

const std::vector<std::string> kColumns = {"mechanism", "formulation", "integrator", "parameters", "quantity",
                                           "lowest",    "highest",     "samples",    "missing"};

double number_in(const std::string& text, const std::string& file, std::size_t line) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) {
    throw FileError(file, line, fmt::format("'{}': must be a number", text));
  }
  return value;
}

}  // namespace

bool RoundingRange::holds(double value) const {
  if (lowest > 0.0) {
    // Errors at singular positions scatter over orders of magnitude: by ratios, which for counts are nearly the same.
    return value >= lowest * (lowest / highest) && value <= highest * (highest / lowest);
  }
  const double width = highest - lowest;
  return value >= lowest - width && value <= highest + width;
}

std::string record_name(std::string_view mechanism, std::string_view formulation, std::string_view integrator,
                        std::string_view parameters, std::string_view quantity) {
  std::string text;
  for (const std::string_view part : {mechanism, formulation, integrator, parameters, quantity}) {
    text += part.empty() ? "" : fmt::format("{}{}", text.empty() ? "" : ", ", part);
  }
  return text;
}

std::map<std::string, RoundingRange> read_rounding_ranges(const std::filesystem::path& file) {
  std::map<std::string, RoundingRange> ranges;
  if (!std::filesystem::exists(file)) {
    return ranges;
  }
  const CsvTable table = read_csv(file);
  if (table.columns != kColumns) {
    throw FileError(file.string(), 1, fmt::format("the columns should be {}", fmt::join(kColumns, ",")));
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<std::string>& row = table.rows[i];
    const auto number = [&](std::size_t column) { return number_in(row[column], file.string(), table.lines[i]); };
    ranges[record_name(row[0], row[1], row[2], row[3], row[4])] = {number(5), number(6), static_cast<int>(number(7)),
                                                                   row[8] == "yes"};
  }
  return ranges;
}

}  // namespace mbdbench::studies
