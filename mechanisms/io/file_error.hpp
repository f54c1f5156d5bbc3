#pragma once
/// \file
/// The one exception of readers: file, line, what is wrong and what would be right.
#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mbdbench {

/// A file that cannot be used; what() reads "FILE:LINE: message".
class FileError : public std::runtime_error {
 public:
  /// \param line counted from 1; 0 when the file as a whole is meant
  FileError(std::string_view file, std::size_t line, std::string_view message)
      : std::runtime_error(line > 0 ? fmt::format("{}:{}: {}", file, line, message)
                                    : fmt::format("{}: {}", file, message)),
        line_(line) {}
  /// \returns the line, 0 for the file as a whole.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::size_t line_;
};

}  // namespace mbdbench
