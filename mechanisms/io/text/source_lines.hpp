#pragma once
/// \file
/// Where in a file every element and field of a mechanism was read, so that errors of the model can name the line.
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {

/// Lines by element and key; keys of nested tables are written as "frame_a.rotation", "motions[0].velocity".
class SourceLines {
 public:
  /// Notes the line of a field, or with an empty key of the element itself.
  void note(const ElementReference& where, std::size_t line);

  /// \returns the line of the field; where it was not given, of what contains it, at last 1.
  [[nodiscard]] std::size_t line_of(const ElementReference& where) const;

  /// Of a file that the first one includes. \returns what is added to its lines, so that they can be told from others
  std::size_t add_included(std::string file);
  /// \returns file and line within it. \param first the file that includes the others
  [[nodiscard]] std::pair<std::string, std::size_t> place(std::string_view first, std::size_t line) const;

 private:
  std::map<std::tuple<std::string, std::size_t, std::string>, std::size_t> lines_;
  std::vector<std::string> included_;
};

}  // namespace mbdbench
