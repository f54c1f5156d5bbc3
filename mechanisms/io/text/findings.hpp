#pragma once
/// \file
/// All that is wrong with a file, gathered before it is refused, so that one round of mending is enough; and what its
/// reader left out or renamed.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/io/text/source_lines.hpp"

namespace mbdbench {

/// Errors and notes of one file.
class Findings {
 public:
  /// \param line counted from 1; 0 for the file as a whole
  void error(std::size_t line, std::string message);
  /// Something that was read otherwise than it stands, or not at all, and does not forbid the file.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  [[nodiscard]] bool failed() const { return !errors_.empty(); }
  /// \returns how many errors there are, to see whether a passage was read without any.
  [[nodiscard]] std::size_t error_count() const { return errors_.size(); }
  /// \returns whether there are more than are shown: what names are nearest to a wrong one need not be looked for.
  [[nodiscard]] bool enough() const;
  /// \returns the notes, in the order that they came.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// \throws FileError with all errors by line, if there are any; the same words stand once for a line
  /// \param lines knows which of them are those of files that this one includes
  void throw_if_failed(std::string_view file_name, const SourceLines& lines) const;

 private:
  struct Error {
    std::size_t line;
    std::string message;
  };
  std::vector<Error> errors_;
  std::vector<std::string> notes_;
};

}  // namespace mbdbench
