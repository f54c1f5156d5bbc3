#include "mechanisms/io/mjcf_include.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <vector>

#include "mechanisms/io/urdf_element.hpp"

namespace mbdbench::mjcf {
namespace {

using tinyxml2::XMLElement;

/// \returns all <include> elements, in the file's order.
std::vector<XMLElement*> includes_of(tinyxml2::XMLDocument& model) {
  std::vector<XMLElement*> found;
  std::vector<XMLElement*> open = {model.RootElement()};
  while (!open.empty()) {
    XMLElement* const element = open.back();
    open.pop_back();
    for (XMLElement* inner = element->FirstChildElement(); inner != nullptr; inner = inner->NextSiblingElement()) {
      if (std::string_view(inner->Name()) == "include") {
        found.push_back(inner);
      } else {
        open.push_back(inner);
      }
    }
  }
  return found;
}

}  // namespace

void resolve_includes(tinyxml2::XMLDocument& model, std::string_view file_name, Findings& findings) {
  const std::filesystem::path folder = std::filesystem::path(file_name).parent_path();
  std::set<std::filesystem::path> known;
  // Included files may include others; each is there once at most, so that this ends.
  for (std::vector<XMLElement*> includes = includes_of(model); !includes.empty(); includes = includes_of(model)) {
    for (XMLElement* const include : includes) {
      const std::string name = urdf::text_of(*include, "file", findings);
      const std::filesystem::path file = (folder / name).lexically_normal();
      tinyxml2::XMLDocument part;
      if (!name.empty() && !known.insert(file).second) {
        findings.error(urdf::line_of(*include), fmt::format("<include file=\"{}\">: is included twice", name));
      } else if (!name.empty() &&
                 (part.LoadFile(file.c_str()) != tinyxml2::XML_SUCCESS || part.RootElement() == nullptr)) {
        findings.error(urdf::line_of(*include), fmt::format("<include file=\"{}\">: {} cannot be read as XML ({})",
                                                            name, file.string(), part.ErrorName()));
      }
      tinyxml2::XMLNode* const parent = include->Parent();
      tinyxml2::XMLNode* before = include;
      for (const tinyxml2::XMLNode* inner = part.RootElement() == nullptr ? nullptr : part.RootElement()->FirstChild();
           inner != nullptr && part.ErrorID() == tinyxml2::XML_SUCCESS; inner = inner->NextSibling()) {
        before = parent->InsertAfterChild(before, inner->DeepClone(&model));
      }
      parent->DeleteChild(include);
    }
  }
}

}  // namespace mbdbench::mjcf
