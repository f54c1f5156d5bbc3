#pragma once
/// \file
/// Tables on the console: columns as wide as their widest cell, as long as the terminal has room.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/terminal/terminal.hpp"

namespace mbdbench {

/// Rows of cells, the heading first. A row may have fewer cells than the heading: its last one runs on to the end.
struct TextTable {
  std::vector<std::vector<std::string>> rows;
  /// Columns of numbers, which stand at the right of their place and are never cut.
  std::vector<std::size_t> numbers;
};

/// \returns the table, a line each row. Where it is wider than `columns`, its widest cells of text are cut and end in
/// "~", and what still has no room goes into a second line of the row. Cells that say how something ended are coloured
/// (terminal.hpp).
std::string table_text(const TextTable& table, std::optional<std::size_t> columns = table_columns());

/// \returns text broken at blanks into lines of at most so many columns (nothing: one line), those behind the first
/// `indent` columns in.
std::string wrapped(const std::string& text, std::size_t indent, std::optional<std::size_t> columns = table_columns());

}  // namespace mbdbench
