#include "mechanisms/io/robot_file.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cstddef>

#include <string>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/mjcf/mjcf_reader.hpp"
#include "mechanisms/io/urdf/urdf_element.hpp"
#include "mechanisms/io/urdf/urdf_reader.hpp"

namespace mbdbench {

int deepest_xml_level() {
  return TINYXML2_MAX_ELEMENT_DEPTH - 1;  // the limit itself is too much
}

MechanismDescription parse_robot(std::string_view text, std::string_view file_name, const RobotOptions& options,
                                 SourceLines& lines) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    // The parser would stop there and keep what is behind it to itself.
    throw FileError(
        file_name,
        1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n')),
        "is not XML: it holds a NUL");
  }
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS || document.RootElement() == nullptr) {
    throw FileError(file_name, static_cast<std::size_t>(document.ErrorLineNum()),
                    document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED
                        ? fmt::format("has elements nested too deeply: more than {} levels, which is all that the XML "
                                      "library of this installation takes",
                                      deepest_xml_level())
                        : fmt::format("is not XML ({})", document.ErrorName()));
  }
  const tinyxml2::XMLElement& outermost = *document.RootElement();
  const std::string name = urdf::printable(outermost.Name());
  if (name == "robot") {
    return read_urdf(outermost, file_name, options, lines);
  }
  if (name == "mujoco") {
    return read_mjcf(document, file_name, options, lines);
  }
  throw FileError(
      file_name, urdf::line_of(outermost),
      fmt::format("is neither URDF nor MJCF: the outermost element is not <robot> or <mujoco>, but <{}>", name));
}

}  // namespace mbdbench
