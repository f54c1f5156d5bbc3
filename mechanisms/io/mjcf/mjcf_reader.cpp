#include "mechanisms/io/mjcf/mjcf_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/io/mjcf/mjcf_equality.hpp"
#include "mechanisms/io/mjcf/mjcf_include.hpp"
#include "mechanisms/io/mjcf/mjcf_joints.hpp"

namespace mbdbench {
namespace mjcf {
namespace {

class MjcfReader {
 public:
  MjcfReader(const XMLElement& model, const RobotOptions& options, SourceLines& lines, Findings& findings)
      : model_(model),
        lines_(lines),
        findings_(findings),
        defaults_(model, findings),
        joints_(options, defaults_, angles_, description_, lines, findings) {
    body_names_.take(kGround);
  }

  MechanismDescription read();

 private:
  void read_settings();
  void note_unread(const XMLElement& element);
  void read_body(const XMLElement& element, const std::string& childclass, const PlacedBody& around);
  void read_contents(const XMLElement& element, const std::string& childclass, const PlacedBody& place);
  void add_mass(const XMLElement& element, const std::string& childclass, const PlacedBody& place,
                const std::string& shown);
  void add_marker(const XMLElement& element, const std::string& childclass, const PlacedBody& place);
  [[nodiscard]] BodyDescription* body_of(const PlacedBody& place);

  const XMLElement& model_;
  SourceLines& lines_;
  Findings& findings_;
  Defaults defaults_;
  AngleConvention angles_;
  MechanismDescription description_;
  JointReader joints_;
  FittingNames body_names_;
  FittingNames marker_names_;
  std::map<std::string, PlacedBody> bodies_;  // by their names in the file
  std::map<std::string, PlacedBody> sites_;
  std::map<std::string, int> unread_;
  std::vector<std::string> renamed_;
  bool from_geoms_always_ = false;
  bool from_geoms_never_ = false;
};

void MjcfReader::read_settings() {
  for (const XMLElement* compiler = model_.FirstChildElement("compiler"); compiler != nullptr;
       compiler = compiler->NextSiblingElement("compiler")) {
    const auto is = [&](const char* attribute, const char* value) {
      const char* const given = compiler->Attribute(attribute);
      return given != nullptr && std::string_view(given) == value;
    };
    angles_.unit = is("angle", "radian") ? 1.0 : angles_.unit;
    if (const char* const sequence = compiler->Attribute("eulerseq")) {
      angles_.sequence = urdf::printable(sequence);
    }
    from_geoms_always_ = from_geoms_always_ || is("inertiafromgeom", "true");
    from_geoms_never_ = from_geoms_never_ || is("inertiafromgeom", "false");
    const auto changes = [&](const char* attribute) {
      return compiler->Attribute(attribute) != nullptr && defaults_.number(*compiler, attribute, "", 0.0) > 0.0;
    };
    for (const char* const attribute : {"settotalmass", "boundmass", "boundinertia"}) {
      if (changes(attribute)) {
        findings_.error(urdf::line_of(*compiler), fmt::format("<compiler {}>: masses that the compiler changes are not "
                                                              "treated; write them out (mujoco.mj_saveLastXML)",
                                                              attribute));
      }
    }
    if (is("coordinate", "global") || is("balanceinertia", "true")) {
      findings_.error(urdf::line_of(*compiler),
                      "<compiler>: global coordinates and balanceinertia are not treated; write the model out "
                      "(mujoco.mj_saveLastXML)");
    }
  }
  for (const XMLElement* option = model_.FirstChildElement("option"); option != nullptr;
       option = option->NextSiblingElement("option")) {
    if (const auto gravity = defaults_.numbers(*option, "gravity", "", 3, 3)) {
      description_.gravity = Vec3((*gravity)[0], (*gravity)[1], (*gravity)[2]);
    }
    for (const char* const attribute : {"density", "viscosity"}) {
      if (option->Attribute(attribute) != nullptr && defaults_.number(*option, attribute, "", 0.0) != 0.0) {
        findings_.error(urdf::line_of(*option), fmt::format("<option {}>: forces of a fluid are not modelled; take it "
                                                            "out, and add loads in the TOML format",
                                                            attribute));
      }
    }
  }
}

/// Elements that would move the robot otherwise are refused, others counted.
void MjcfReader::note_unread(const XMLElement& element) {
  static const std::array<std::string_view, 7> kLost = {"replicate",  "composite", "flexcomp", "attach",
                                                        "deformable", "extension", "frame"};
  const std::string name = urdf::printable(element.Name());
  if (std::find(kLost.begin(), kLost.end(), name) != kLost.end()) {
    findings_.error(urdf::line_of(element),
                    fmt::format("<{}> is not read, and what it stands for would be missing; write the compiled model "
                                "out (mujoco.mj_saveLastXML)",
                                name));
  } else {
    ++unread_[name];
  }
}

BodyDescription* MjcfReader::body_of(const PlacedBody& place) {
  const auto found = std::find_if(description_.bodies.begin(), description_.bodies.end(),
                                  [&](const BodyDescription& body) { return body.name == place.body; });
  return found == description_.bodies.end() ? nullptr : &*found;
}

void MjcfReader::add_mass(const XMLElement& element, const std::string& childclass, const PlacedBody& place,
                          const std::string& shown) {
  const XMLElement* const inertial = element.FirstChildElement("inertial");
  MassProperties own;
  if (inertial != nullptr && !from_geoms_always_) {
    own = inertial_of(*inertial, shown, childclass, defaults_, angles_, findings_);
  } else if (!from_geoms_never_) {
    for (const XMLElement* geom = element.FirstChildElement("geom"); geom != nullptr;
         geom = geom->NextSiblingElement("geom")) {
      add(own, geom_mass(*geom, shown, childclass, defaults_, angles_, findings_), {});
    }
  }
  if (BodyDescription* const body = body_of(place)) {
    MassProperties sum = {body->mass, body->com, body->inertia};
    add(sum, own, place.pose);
    body->mass = sum.mass;
    body->com = sum.com;
    body->inertia = sum.inertia;
  }
}

void MjcfReader::add_marker(const XMLElement& element, const std::string& childclass, const PlacedBody& place) {
  const std::string name = defaults_.text(element, "name", childclass).value_or("");
  if (name.empty()) {
    return;
  }
  const Pose own = pose_of(element, childclass, defaults_, angles_, findings_);
  const Pose pose = place.pose * own;
  sites_[name] = {place.body, pose, place.world * own};
  MarkerDescription marker{marker_names_.fit(name), place.body, pose.position};
  marker.rotation << pose.rotation.w(), pose.rotation.vec();
  lines_.note({"markers", description_.markers.size(), ""}, urdf::line_of(element));
  description_.markers.push_back(std::move(marker));
}

void MjcfReader::read_contents(const XMLElement& element, const std::string& childclass, const PlacedBody& place) {
  static const std::array<std::string_view, 6> kRead = {"body", "geom", "joint", "freejoint", "inertial", "site"};
  for (const XMLElement* inner = element.FirstChildElement(); inner != nullptr; inner = inner->NextSiblingElement()) {
    const std::string_view name = inner->Name();
    if (name == "body") {
      read_body(*inner, childclass, place);
    } else if (name == "site") {
      add_marker(*inner, childclass, place);
    } else if (std::find(kRead.begin(), kRead.end(), name) == kRead.end()) {
      note_unread(*inner);
    }
  }
}

void MjcfReader::read_body(const XMLElement& element, const std::string& childclass, const PlacedBody& around) {
  const char* const own_class = element.Attribute("childclass");
  const std::string inner_class = own_class != nullptr ? own_class : childclass;
  const char* const given = element.Attribute("name");
  const std::string name = given != nullptr ? urdf::printable(given) : fmt::format("body_{}", bodies_.size() + 1);
  if (element.Attribute("gravcomp") != nullptr && defaults_.number(element, "gravcomp", "", 0.0) != 0.0) {
    findings_.error(urdf::line_of(element), fmt::format("body '{}': gravcomp is not modelled; take it out, and add a "
                                                        "load in the TOML format",
                                                        name));
  }
  const Pose own = pose_of(element, "", defaults_, angles_, findings_);
  const Pose pose = around.pose * own;
  std::vector<const XMLElement*> joints;
  for (const XMLElement* joint = element.FirstChildElement(); joint != nullptr; joint = joint->NextSiblingElement()) {
    const std::string_view kind = joint->Name();
    if (kind == "joint" || kind == "freejoint") {
      joints.push_back(joint);
    }
  }
  PlacedBody place = {around.body, pose, around.world * own};
  if (!joints.empty()) {
    const std::string fitting = body_names_.fit(name);
    if (fitting != name && given != nullptr) {
      renamed_.push_back(fmt::format("'{}' is {}", name, fitting));
    }
    joints_.read(joints, inner_class, around.body, fitting, pose, body_names_);
    place = {fitting, {}, around.world * own};
    lines_.note({"bodies", description_.bodies.size(), ""}, urdf::line_of(element));
    description_.bodies.push_back({fitting, 0.0, Vec3::Zero(), Mat3::Zero()});
  } else if (given != nullptr) {
    MarkerDescription marker{marker_names_.fit(name), around.body, pose.position};
    marker.rotation << pose.rotation.w(), pose.rotation.vec();
    lines_.note({"markers", description_.markers.size(), ""}, urdf::line_of(element));
    description_.markers.push_back(std::move(marker));
  }
  bodies_[name] = place;
  if (place.body != kGround) {
    add_mass(element, inner_class, place, name);
  }
  read_contents(element, inner_class, place);
}

MechanismDescription MjcfReader::read() {
  static const std::array<std::string_view, 5> kRead = {"compiler", "option", "default", "worldbody", "equality"};
  const char* const name = model_.Attribute("model");
  description_.name = name != nullptr ? urdf::printable(name) : "MuJoCo model";
  description_.source = "MJCF";
  read_settings();
  for (const XMLElement* part = model_.FirstChildElement(); part != nullptr; part = part->NextSiblingElement()) {
    const std::string_view kind = part->Name();
    if (kind == "worldbody") {
      read_contents(*part, "", {kGround, {}, {}});
    } else if (std::find(kRead.begin(), kRead.end(), kind) == kRead.end()) {
      note_unread(*part);
    }
  }
  if (!findings_.failed() && description_.bodies.empty()) {
    findings_.error(urdf::line_of(model_), "nothing moves: no <body> in <worldbody> has a joint");
  }
  read_equality(model_, {bodies_, sites_, defaults_, joints_}, description_, lines_, findings_);
  joints_.finish();
  if (!renamed_.empty()) {
    findings_.note(fmt::format("bodies with names that formulas cannot have: {}", fmt::join(renamed_, ", ")));
  }
  if (!unread_.empty()) {
    std::vector<std::string> list;
    for (const auto& [kind, count] : unread_) {
      list.push_back(count == 1 ? fmt::format("<{}>", kind) : fmt::format("<{}> ({})", kind, count));
    }
    findings_.note(fmt::format("not read: {}", fmt::join(list, ", ")));
  }
  findings_.note("contacts are not modelled");
  description_.notes = findings_.notes();
  return std::move(description_);
}

}  // namespace
}  // namespace mjcf

MechanismDescription read_mjcf(tinyxml2::XMLDocument& model, std::string_view file_name, const RobotOptions& options,
                               SourceLines& lines) {
  Findings findings;
  if (options.floating || options.keep_fixed) {
    findings.error(0, "--floating and --fixed are for URDF; in MJCF a <freejoint> says that a body floats");
  }
  mjcf::resolve_includes(model, file_name, findings);
  MechanismDescription description = mjcf::MjcfReader(*model.RootElement(), options, lines, findings).read();
  findings.throw_if_failed(file_name);
  return description;
}

}  // namespace mbdbench
