#pragma once
/// \file
/// The one exception of the model: what is wrong, in which element, and what would be right.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace mbdbench {

/// Points at an element of a MechanismDescription, so that a reader of files can add the line.
struct ElementReference {
  std::string
      section;  ///< name of the list as in the TOML format: "bodies", "joints", "joint_loads", ...; empty: the whole
  std::size_t index = 0;  ///< place in that list
  std::string key;        ///< the guilty field ("mass", "q0"), may be empty
};

/// A mechanism that cannot be used.
class ModelError : public std::runtime_error {
 public:
  ModelError(ElementReference where, const std::string& message)
      : std::runtime_error(message), where_(std::move(where)) {}
  /// \returns the element that is wrong.
  [[nodiscard]] const ElementReference& where() const { return where_; }

 private:
  ElementReference where_;
};

}  // namespace mbdbench
