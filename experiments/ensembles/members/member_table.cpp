#include "experiments/ensembles/members/member_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

double number_in(const std::filesystem::path& file, const CsvTable& table, std::size_t row, std::size_t column) {
  const std::string& field = table.rows[row][column];
  double value = 0.0;
  // from_chars takes no plus.
  const bool plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
  const auto [end, error] = std::from_chars(field.data() + (plus ? 1 : 0), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value)) {
    throw FileError(
        file.string(), table.lines[row],
        fmt::format("column {} ('{}') holds '{}': must be a finite number", column + 1, table.columns[column], field));
  }
  return value;
}

/// \throws FileError for what is there and no file, as a pipe, which has no end
CsvTable member_rows(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored)) {
    throw FileError(file.string(), 0, "is no file; write the table to one");
  }
  CsvTable table = read_csv(file);
  // Some programs mark UTF-8 so.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (table.columns.front().starts_with(kByteOrderMark)) {
    table.columns.front().erase(0, kByteOrderMark.size());
  }
  return table;
}

}  // namespace

MemberTable::MemberTable(const std::filesystem::path& file, const MemberVariables& variables) {
  const CsvTable table = member_rows(file);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::string origin = fmt::format("{}: column {}", file.string(), column + 1);
    columns_.push_back(&variables.find(table.columns[column], origin));
    const auto first = std::find(columns_.begin(), columns_.end(), columns_.back()) - columns_.begin();
    if (static_cast<std::size_t>(first) != column) {
      throw std::invalid_argument(
          fmt::format("{}: '{}' is column {} already", origin, table.columns[column], first + 1));
    }
  }
  if (table.rows.empty()) {
    throw FileError(file.string(), 0, "has no rows; each is a member");
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<double> numbers;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      numbers.push_back(number_in(file, table, row, column));
    }
    rows_.push_back(std::move(numbers));
  }
}

MemberChange MemberTable::change(std::size_t member) const {
  MemberChange change;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    change.values.emplace_back(columns_[column], rows_[member][column]);
  }
  return change;
}

std::vector<const MemberVariable*> MemberTable::parameters() const {
  std::vector<const MemberVariable*> found;
  std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(found),
               [](const MemberVariable* variable) { return variable->kind != VariableKind::start; });
  return found;
}

std::string MemberTable::digest() const {
  std::string text;
  for (const MemberVariable* const column : columns_) {
    text += column->name + ',';
  }
  for (const std::vector<double>& row : rows_) {
    text += '\n';
    for (const double value : row) {
      text += csv_number(value) + ',';
    }
  }
  return text_digest(text);
}

}  // namespace mbdbench
