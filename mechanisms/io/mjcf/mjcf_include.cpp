#include "mechanisms/io/mjcf/mjcf_include.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/text/file_text.hpp"
#include "mechanisms/io/urdf/urdf_element.hpp"

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

/// \returns how many elements stand around this one, itself included.
int levels_above(const tinyxml2::XMLNode& element) {
  int levels = 0;
  for (const tinyxml2::XMLNode* node = &element; node->ToElement() != nullptr; node = node->Parent()) {
    ++levels;
  }
  return levels;
}

/// \returns how many elements stand within one another in this one, itself included.
int levels_within(const XMLElement& outermost) {
  int deepest = 0;
  std::vector<std::pair<const XMLElement*, int>> open = {{&outermost, 1}};
  while (!open.empty()) {
    const auto [element, level] = open.back();
    open.pop_back();
    deepest = std::max(deepest, level);
    for (const XMLElement* inner = element->FirstChildElement(); inner != nullptr;
         inner = inner->NextSiblingElement()) {
      open.emplace_back(inner, level + 1);
    }
  }
  return deepest;
}

/// Reads what an <include> names into `part`. \returns what is wrong; empty where nothing is
std::string read_part(const std::filesystem::path& file, const XMLElement& include, tinyxml2::XMLDocument& part) {
  std::error_code ignored;
  // A pipe that a file names might wait for a writer for ever.
  if (std::filesystem::is_fifo(file, ignored) || std::filesystem::is_socket(file, ignored)) {
    return fmt::format("{} is a pipe; name an MJCF file", file.string());
  }
  std::string text;
  try {
    text = read_file_text(file, "an MJCF file");
  } catch (const FileError& error) {
    return error.what();
  }
  if (text.find('\0') != std::string::npos || part.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS ||
      part.RootElement() == nullptr) {
    part.Clear();
    return fmt::format("{} cannot be read as XML ({})", file.string(), part.ErrorName());
  }
  if (levels_above(include) + levels_within(*part.RootElement()) > TINYXML2_MAX_ELEMENT_DEPTH) {
    part.Clear();
    return fmt::format("with {} there would be more than {} elements within one another", file.string(),
                       TINYXML2_MAX_ELEMENT_DEPTH);
  }
  return "";
}

/// Copies know no lines. \param first what is added to those of the file
void keep_lines(const tinyxml2::XMLNode& original, tinyxml2::XMLNode& copy, std::size_t first,
                std::deque<std::size_t>& kept) {
  std::vector<std::pair<const tinyxml2::XMLNode*, tinyxml2::XMLNode*>> open = {{&original, &copy}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    kept.push_back(first + static_cast<std::size_t>(from->GetLineNum()));
    to->SetUserData(&kept.back());
    const tinyxml2::XMLNode* inner = from->FirstChild();
    for (tinyxml2::XMLNode* own = to->FirstChild(); own != nullptr; own = own->NextSibling()) {
      open.emplace_back(inner, own);
      inner = inner->NextSibling();
    }
  }
}

}  // namespace

void resolve_includes(tinyxml2::XMLDocument& model, std::string_view file_name, SourceLines& lines,
                      std::deque<std::size_t>& kept, Findings& findings) {
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
      } else if (!name.empty()) {
        if (const std::string wrong = read_part(file, *include, part); !wrong.empty()) {
          findings.error(urdf::line_of(*include), fmt::format("<include file=\"{}\">: {}", name, wrong));
        }
      }
      const std::size_t first = part.RootElement() == nullptr ? 0 : lines.add_included(file.string());
      tinyxml2::XMLNode* const parent = include->Parent();
      tinyxml2::XMLNode* before = include;
      for (const tinyxml2::XMLNode* inner = part.RootElement() == nullptr ? nullptr : part.RootElement()->FirstChild();
           inner != nullptr; inner = inner->NextSibling()) {
        before = parent->InsertAfterChild(before, inner->DeepClone(&model));
        keep_lines(*inner, *before, first, kept);
      }
      parent->DeleteChild(include);
    }
  }
}

}  // namespace mbdbench::mjcf
