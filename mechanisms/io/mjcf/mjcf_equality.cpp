#include "mechanisms/io/mjcf/mjcf_equality.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::mjcf {
namespace {

using urdf::line_of;

class EqualityReader {
 public:
  EqualityReader(const NamedParts& parts, MechanismDescription& description, SourceLines& lines, Findings& findings)
      : parts_(parts), description_(description), lines_(lines), findings_(findings) {
    for (const JointDescription& joint : description.joints) {
      joint_names_.take(joint.name);
    }
  }

  void read(const XMLElement& element);

 private:
  void read_loop(const XMLElement& element, bool weld);
  void read_coupling(const XMLElement& element);
  std::optional<PlacedBody> named(const XMLElement& element, const char* attribute,
                                  const std::map<std::string, PlacedBody>& known, const char* noun);
  [[nodiscard]] std::string name_of(const XMLElement& element) const {
    return element.Attribute("name") != nullptr ? urdf::printable(element.Attribute("name")) : element.Name();
  }

  const NamedParts& parts_;
  MechanismDescription& description_;
  SourceLines& lines_;
  Findings& findings_;
  FittingNames joint_names_;
  FittingNames coupling_names_;
};

std::optional<PlacedBody> EqualityReader::named(const XMLElement& element, const char* attribute,
                                                const std::map<std::string, PlacedBody>& known, const char* noun) {
  const char* const given = element.Attribute(attribute);
  const std::string name = given == nullptr ? "world" : urdf::printable(given);
  if (name == "world") {
    return PlacedBody{kGround, {}, {}};
  }
  const auto found = known.find(name);
  if (found != known.end()) {
    return found->second;
  }
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const auto& [one, place] : known) {
    names.push_back(one);
  }
  findings_.error(line_of(element), fmt::format("<{} {}=\"{}\">: there is no such {}; {}", element.Name(), attribute,
                                                name, noun, suggest_name(name, names, fmt::format("names"))));
  return {};
}

/// Sites say where both bodies meet. An anchor is given on body 1, and on body 2 it is where that is at rest; so is the
/// pose that a weld keeps, unless relpose gives another one.
void EqualityReader::read_loop(const XMLElement& element, bool weld) {
  const bool by_sites = element.Attribute("site1") != nullptr;
  const auto& known = by_sites ? parts_.sites : parts_.bodies;
  std::optional<PlacedBody> one = named(element, by_sites ? "site1" : "body1", known, by_sites ? "site" : "body");
  std::optional<PlacedBody> two = named(element, by_sites ? "site2" : "body2", known, by_sites ? "site" : "body");
  if (!one || !two) {
    return;
  }
  if (!by_sites) {
    Pose anchor;
    if (const auto given = parts_.defaults.numbers(element, "anchor", "", 3, 3); given && !weld) {
      anchor.position = {(*given)[0], (*given)[1], (*given)[2]};
    }
    const auto relative = parts_.defaults.numbers(element, "relpose", "", 7, 7);
    const Eigen::Quaterniond turn =
        relative ? Eigen::Quaterniond((*relative)[3], (*relative)[4], (*relative)[5], (*relative)[6])
                 : Eigen::Quaterniond(0.0, 0.0, 0.0, 0.0);
    if (weld && turn.norm() > 0.0) {
      one->pose = one->pose * Pose{{(*relative)[0], (*relative)[1], (*relative)[2]}, turn.normalized()};
    } else {
      const Eigen::Quaterniond back = two->world.rotation.conjugate();
      const Pose at_rest = one->world * anchor;
      two->pose = two->pose * Pose{back * (at_rest.position - two->world.position), back * at_rest.rotation};
      one->pose = one->pose * anchor;
    }
  }
  JointDescription joint;
  joint.type = weld ? JointType::fixed : JointType::spherical;
  joint.name = joint_names_.fit(name_of(element), position_count(joint.type));
  joint.cut = true;
  const auto frame = [](const Pose& pose) {
    JointFrame made;
    made.position = pose.position;
    made.rotation << pose.rotation.w(), pose.rotation.vec();
    return made;
  };
  if (two->body == kGround) {
    std::swap(one, two);
  }
  if (one->body == two->body) {
    findings_.error(line_of(element), fmt::format("<{}> ties body '{}' to itself", element.Name(), one->body));
    return;
  }
  joint.a = one->body;
  joint.b = two->body;
  joint.frame_a = frame(one->pose);
  joint.frame_b = frame(two->pose);
  lines_.note({"joints", description_.joints.size(), ""}, line_of(element));
  description_.joints.push_back(std::move(joint));
}

void EqualityReader::read_coupling(const XMLElement& element) {
  std::array<const ReadJoint*, 2> ends = {};
  for (const auto& [place, attribute] : {std::pair(0U, "joint1"), {1U, "joint2"}}) {
    const char* const given = element.Attribute(attribute);
    const std::string name = given == nullptr ? std::string() : urdf::printable(given);
    ends[place] = parts_.joints.find(name);
    if (ends[place] == nullptr || ends[place]->component < 0) {
      findings_.error(line_of(element),
                      fmt::format("<joint {}=\"{}\">: wants a hinge or slide of this model", attribute, name));
      return;
    }
  }
  std::vector<double> coefficients =
      parts_.defaults.numbers(element, "polycoef", "", 1, 5).value_or(std::vector<double>{0.0, 1.0});
  coefficients.resize(5, 0.0);
  if (coefficients[2] != 0.0 || coefficients[3] != 0.0 || coefficients[4] != 0.0 || coefficients[1] == 0.0) {
    findings_.error(line_of(element),
                    "<joint polycoef>: joints are coupled by a line here: the second number is not "
                    "zero, the third to fifth are");
    return;
  }
  CouplingDescription coupling;
  coupling.name = coupling_names_.fit(name_of(element));
  coupling.terms = {{ends[0]->name, ends[0]->component, 1.0}, {ends[1]->name, ends[1]->component, -coefficients[1]}};
  coupling.value = coefficients[0];
  lines_.note({"couplings", description_.couplings.size(), ""}, line_of(element));
  description_.couplings.push_back(std::move(coupling));
}

void EqualityReader::read(const XMLElement& element) {
  const std::string_view kind = element.Name();
  const char* const active = element.Attribute("active");
  if (active != nullptr && std::string_view(active) == "false") {
    return;
  }
  if (kind == "connect" || kind == "weld") {
    read_loop(element, kind == "weld");
  } else if (kind == "joint" && element.Attribute("joint2") != nullptr) {
    read_coupling(element);
  } else {
    findings_.error(line_of(element), fmt::format("<{}> in <equality> is not read; connect, weld and joint (of two "
                                                  "joints) are",
                                                  urdf::printable(kind)));
  }
}

}  // namespace

void read_equality(const XMLElement& model, const NamedParts& parts, MechanismDescription& description,
                   SourceLines& lines, Findings& findings) {
  EqualityReader reader(parts, description, lines, findings);
  bool any = false;
  for (const XMLElement* list = model.FirstChildElement("equality"); list != nullptr;
       list = list->NextSiblingElement("equality")) {
    for (const XMLElement* element = list->FirstChildElement(); element != nullptr;
         element = element->NextSiblingElement()) {
      reader.read(*element);
      any = true;
    }
  }
  if (any) {
    findings.note("equality constraints hold exactly here, and are soft in MuJoCo");
  }
}

}  // namespace mbdbench::mjcf
