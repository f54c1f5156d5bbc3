#include "mechanisms/io/mjcf/mjcf_unmodelled.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "mechanisms/io/urdf/urdf_element.hpp"

namespace mbdbench::mjcf {

using urdf::line_of;

bool read_flags(const XMLElement& option, const Defaults& defaults, Findings& findings) {
  for (const char* const attribute : {"density", "viscosity"}) {
    if (option.Attribute(attribute) != nullptr && defaults.number(option, attribute, "", 0.0) != 0.0) {
      findings.error(line_of(option), fmt::format("<option {}>: forces of a fluid are not modelled; take it "
                                                  "out, and add loads in the TOML format",
                                                  attribute));
    }
  }
  bool weightless = false;
  for (const XMLElement* flag = option.FirstChildElement("flag"); flag != nullptr;
       flag = flag->NextSiblingElement("flag")) {
    const auto disables = [&](const char* attribute) {
      const char* const given = flag->Attribute(attribute);
      return given != nullptr && std::string_view(given) == "disable";
    };
    weightless = weightless || disables("gravity");
    for (const tinyxml2::XMLAttribute* given = flag->FirstAttribute(); given != nullptr; given = given->Next()) {
      const std::string_view value = given->Value();
      if (value != "enable" && value != "disable") {
        findings.error(line_of(*flag), fmt::format("<flag {}=\"{}\"> must be \"enable\" or \"disable\"",
                                                   urdf::printable(given->Name()), urdf::printable(given->Value())));
      }
    }
    for (const char* const attribute : {"passive", "spring", "damper", "constraint", "equality"}) {
      if (disables(attribute)) {
        findings.error(line_of(*flag),
                       fmt::format("<flag {}=\"disable\"> is not obeyed; take it out together with what "
                                   "it switches off (stiffness, damping, <equality>)",
                                   attribute));
      }
    }
  }
  return weightless;
}

void refuse_tendon_forces(const XMLElement& tendons, const Defaults& defaults, const RobotOptions& options,
                          Findings& findings) {
  for (const XMLElement* tendon = tendons.FirstChildElement(); tendon != nullptr;
       tendon = tendon->NextSiblingElement()) {
    const std::string name = tendon->Attribute("name") != nullptr ? urdf::printable(tendon->Attribute("name")) : "";
    for (const char* const attribute : {"stiffness", "damping", "frictionloss", "armature"}) {
      const std::string_view kind = attribute;
      const bool left_out =
          (kind == "frictionloss" && options.ignore_friction) || (kind == "armature" && options.ignore_armature);
      if (!left_out && defaults.number(*tendon, attribute, "", 0.0) != 0.0) {
        findings.error(line_of(*tendon),
                       fmt::format("tendon '{}': its {} is not modelled; take it out, and add loads in the TOML format",
                                   name, attribute));
      }
    }
  }
}

}  // namespace mbdbench::mjcf
