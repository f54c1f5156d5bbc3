#pragma once
/// \file
/// Long tables of numbers written row by row in constant memory: trajectories.
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace mbdbench {

/// Writes FILE.part, which is given to the operating system every second, and renames it to FILE at `finish`: a file
/// with the final name is complete, and a run that was killed leaves what it had computed in FILE.part.
class CsvStream {
 public:
  /// \param comments lines for the head of the file, without '#'
  /// \throws WriteError when the file cannot be written
  CsvStream(std::filesystem::path file, const std::vector<std::string>& comments,
            const std::vector<std::string>& columns);

  /// Appends a row, one number a column, in shortest round-trip form. \throws WriteError
  void write(std::span<const double> row);
  /// Completes the file; nothing may be written afterwards. \throws WriteError
  void finish();
  /// \returns how many rows were written.
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  void check() const;

  std::filesystem::path file_;
  std::filesystem::path part_;
  std::ofstream stream_;
  std::size_t columns_;
  std::size_t rows_ = 0;
  std::vector<char> line_;  ///< with room for the longest numbers
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace mbdbench
