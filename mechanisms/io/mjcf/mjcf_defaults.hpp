#pragma once
/// \file
/// Attributes of MJCF elements with the defaults of their class.
#include <tinyxml2.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechanisms/io/text/findings.hpp"

namespace mbdbench::mjcf {

using tinyxml2::XMLElement;

/// What `<default>` says of each class. An element has the defaults of its own `class`, else of the `childclass` of the
/// innermost body around it that has one, else of the outermost class.
class Defaults {
 public:
  /// \param model the outermost element, whose `<default>` elements are read \param findings must outlive it
  Defaults(const XMLElement& model, Findings& findings);

  /// \returns the attribute's text, also that of a default. \param childclass of the bodies around the element
  [[nodiscard]] std::optional<std::string> text(const XMLElement& element, const char* attribute,
                                                const std::string& childclass) const;
  /// \returns its numbers; nothing where it is missing. \param least, most how many there may be
  [[nodiscard]] std::optional<std::vector<double>> numbers(const XMLElement& element, const char* attribute,
                                                           const std::string& childclass, std::size_t least,
                                                           std::size_t most) const;
  [[nodiscard]] double number(const XMLElement& element, const char* attribute, const std::string& childclass,
                              double otherwise) const;

 private:
  using Attributes = std::map<std::string, std::string>;  // "joint.damping"

  void read(const XMLElement& element, const std::string& name, const Attributes& inherited);

  std::map<std::string, Attributes> classes_;
  Findings& findings_;
};

}  // namespace mbdbench::mjcf
