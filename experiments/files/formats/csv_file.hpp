#pragma once
/// \file
/// Tables as CSV files (RFC 4180, lines end with \n): comment lines with '#', a row of column names, rows.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// A table of texts.
struct CsvTable {
  std::vector<std::string> comments;  ///< without '#'
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  /// Line on which each row begins, counted from 1; filled by `read_csv` only.
  std::vector<std::size_t> lines;
};

/// \returns the number in the shortest form that reads back as the same double.
std::string csv_number(double value);

/// \returns fields joined by commas, quoted where they must be, without a line end. A text that begins with = + - or @
/// and is no number gets an apostrophe in front, so that spreadsheets show it instead of running it; `read_csv` takes
/// that off again.
std::string csv_line(const std::vector<std::string>& fields);

/// \returns the comment and header lines of a file.
std::string csv_header(const std::vector<std::string>& comments, const std::vector<std::string>& columns);

/// Writes a table to a new file that replaces the old one at once. \throws WriteError
void write_csv(const std::filesystem::path& file, const CsvTable& table);

/// \throws FileError with file and line for bad syntax, control characters or a row whose length differs from the
/// header's.
CsvTable read_csv(const std::filesystem::path& file);

/// Replaces a file at once: writes a neighbour and renames it, so that no reader sees half a file. \throws WriteError
void replace_file(const std::filesystem::path& file, std::string_view content);

}  // namespace mbdbench
