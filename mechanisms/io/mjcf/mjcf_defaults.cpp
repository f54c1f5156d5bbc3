#include "mechanisms/io/mjcf/mjcf_defaults.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "mechanisms/io/urdf/urdf_element.hpp"

namespace mbdbench::mjcf {
namespace {

/// The class that has no name of its own, and the one around all.
constexpr const char* kOutermost = "main";

}  // namespace

Defaults::Defaults(const XMLElement& model, Findings& findings) : findings_(findings) {
  classes_[kOutermost];
  for (const XMLElement* element = model.FirstChildElement("default"); element != nullptr;
       element = element->NextSiblingElement("default")) {
    const char* const name = element->Attribute("class");
    const std::string known = name == nullptr ? kOutermost : name;
    if (known != kOutermost) {
      classes_.try_emplace(kOutermost);
    }
    read(*element, kOutermost, classes_[kOutermost]);
    if (known != kOutermost) {
      classes_[known] = classes_[kOutermost];
    }
  }
}

void Defaults::read(const XMLElement& element, const std::string& name, const Attributes& inherited) {
  Attributes own = inherited;
  for (const XMLElement* given = element.FirstChildElement(); given != nullptr; given = given->NextSiblingElement()) {
    const std::string kind = given->Name();
    for (const tinyxml2::XMLAttribute* attribute = given->FirstAttribute(); attribute != nullptr && kind != "default";
         attribute = attribute->Next()) {
      own[fmt::format("{}.{}", kind, attribute->Name())] = attribute->Value();
    }
  }
  classes_[name] = own;
  for (const XMLElement* inner = element.FirstChildElement("default"); inner != nullptr;
       inner = inner->NextSiblingElement("default")) {
    const char* const inner_name = inner->Attribute("class");
    if (inner_name == nullptr) {
      findings_.error(urdf::line_of(*inner), "<default> within another one needs the attribute class=\"...\"");
    } else {
      read(*inner, inner_name, own);
    }
  }
}

std::optional<std::string> Defaults::text(const XMLElement& element, const char* attribute,
                                          const std::string& childclass) const {
  if (const char* const own = element.Attribute(attribute)) {
    return urdf::printable(own);
  }
  const char* const name = element.Attribute("class");
  const std::string known = name != nullptr ? name : childclass.empty() ? kOutermost : childclass;
  const auto found = classes_.find(known);
  if (found == classes_.end()) {
    findings_.error(urdf::line_of(element), fmt::format("<{}>: there is no <default> of the class '{}'", element.Name(),
                                                        urdf::printable(known)));
    return {};
  }
  std::string_view kind = element.Name();
  if (kind == "spatial" || kind == "fixed") {
    kind = "tendon";
  }
  const auto given = found->second.find(fmt::format("{}.{}", kind, attribute));
  return given == found->second.end() ? std::nullopt : std::optional(urdf::printable(given->second));
}

std::optional<std::vector<double>> Defaults::numbers(const XMLElement& element, const char* attribute,
                                                     const std::string& childclass, std::size_t least,
                                                     std::size_t most) const {
  const std::optional<std::string> given = text(element, attribute, childclass);
  if (!given) {
    return {};
  }
  std::vector<double> values;
  const char* next = given->data();
  const char* const end = given->data() + given->size();
  bool right = true;
  while (right) {
    while (next != end && (*next == ' ' || *next == '?' || *next == '+')) {  // '?' was a line break or a tab
      ++next;
    }
    if (next == end) {
      break;
    }
    double value = 0.0;
    const auto [after, error] = std::from_chars(next, end, value);
    right = error == std::errc() && after != next && std::isfinite(value);
    values.push_back(value);
    next = after;
  }
  if (!right || values.size() < least || values.size() > most) {
    findings_.error(
        urdf::line_of(element),
        fmt::format("<{} {}=\"{}\">: wants {} finite number{} with spaces between them", element.Name(), attribute,
                    *given, least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
                    most == 1 ? "" : "s"));
    return {};
  }
  return values;
}

double Defaults::number(const XMLElement& element, const char* attribute, const std::string& childclass,
                        double otherwise) const {
  const auto found = numbers(element, attribute, childclass, 1, 1);
  return found ? found->front() : otherwise;
}

}  // namespace mbdbench::mjcf
