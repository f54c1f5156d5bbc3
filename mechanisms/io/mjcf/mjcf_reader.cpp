#include "mechanisms/io/mjcf/mjcf_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/io/mjcf/mjcf_equality.hpp"
#include "mechanisms/io/mjcf/mjcf_include.hpp"
#include "mechanisms/io/mjcf/mjcf_joints.hpp"
#include "mechanisms/io/mjcf/mjcf_unmodelled.hpp"

namespace mbdbench {
namespace mjcf {
namespace {

/// \returns the class of what stands in a body or frame.
std::string class_within(const XMLElement& element, const std::string& around) {
  const char* const own = element.Attribute("childclass");
  return own != nullptr ? own : around;
}

class MjcfReader {
 public:
  MjcfReader(const XMLElement& model, const RobotOptions& options, SourceLines& lines, Findings& findings)
      : model_(model),
        options_(options),
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
  void read_frame(const XMLElement& element, const std::string& childclass, const PlacedBody& place);
  void add_geoms(const XMLElement& element, const std::string& childclass, const Pose& around, const std::string& shown,
                 MassProperties& own);
  void compensate_gravity(const XMLElement& element, const MassProperties& own, const PlacedBody& place,
                          const std::string& shown);
  void add_mass(const XMLElement& element, const std::string& childclass, const PlacedBody& place,
                const std::string& shown);
  void add_marker(const XMLElement& element, const std::string& childclass, const PlacedBody& place);
  [[nodiscard]] BodyDescription* body_of(const PlacedBody& place);

  const XMLElement& model_;
  const RobotOptions& options_;
  SourceLines& lines_;
  Findings& findings_;
  Defaults defaults_;
  AngleConvention angles_;
  MechanismDescription description_;
  JointReader joints_;
  FittingNames body_names_;
  FittingNames marker_names_;
  FittingNames load_names_;
  std::map<std::string, PlacedBody> bodies_;  // by their names in the file
  std::map<std::string, PlacedBody> sites_;
  std::map<std::string, int> unread_;
  std::vector<std::string> renamed_;
  std::pair<double, double> groups_ = {0.0, 5.0};  // of geoms that have a mass
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
    if (const auto range = defaults_.numbers(*compiler, "inertiagrouprange", "", 2, 2)) {
      groups_ = {(*range)[0], (*range)[1]};
      if (groups_.first > groups_.second) {
        findings_.error(
            urdf::line_of(*compiler),
            fmt::format("<compiler inertiagrouprange=\"{:g} {:g}\">: the first group must not exceed the last",
                        groups_.first, groups_.second));
      }
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
  bool weightless = false;
  for (const XMLElement* option = model_.FirstChildElement("option"); option != nullptr;
       option = option->NextSiblingElement("option")) {
    if (const auto gravity = defaults_.numbers(*option, "gravity", "", 3, 3)) {
      description_.gravity = Vec3((*gravity)[0], (*gravity)[1], (*gravity)[2]);
    }
    weightless = read_flags(*option, defaults_, findings_) || weightless;
  }
  if (weightless) {
    description_.gravity.setZero();
  }
}

/// Elements that would move the robot otherwise are refused, others counted.
void MjcfReader::note_unread(const XMLElement& element) {
  static const std::array<std::string_view, 7> kLost = {"replicate",  "composite", "flexcomp", "attach",
                                                        "deformable", "extension", "plugin"};
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
    add_geoms(element, childclass, {}, shown, own);
  }
  if (element.Attribute("gravcomp") != nullptr) {
    compensate_gravity(element, own, place, shown);
  }
  if (BodyDescription* const body = body_of(place)) {
    MassProperties sum = {body->mass, body->com, body->inertia};
    add(sum, own, place.pose);
    body->mass = sum.mass;
    body->com = sum.com;
    body->inertia = sum.inertia;
  }
}

/// Geoms of a body, also those in frames, with a group that counts. \param around pose of the frame in the body
void MjcfReader::add_geoms(const XMLElement& element, const std::string& childclass, const Pose& around,
                           const std::string& shown, MassProperties& own) {
  for (const XMLElement* inner = element.FirstChildElement(); inner != nullptr; inner = inner->NextSiblingElement()) {
    const std::string_view kind = inner->Name();
    if (kind == "frame") {
      add_geoms(*inner, class_within(*inner, childclass),
                around * pose_of(*inner, childclass, defaults_, angles_, findings_), shown, own);
    } else if (kind == "geom") {
      const double group = defaults_.number(*inner, "group", childclass, 0.0);
      if (group >= groups_.first && group <= groups_.second) {
        add(own, geom_mass(*inner, shown, childclass, defaults_, angles_, findings_), around);
      }
    }
  }
}

/// MuJoCo's gravcomp: a force against the weight at the centre of mass. \param own of the body itself, in its frame
void MjcfReader::compensate_gravity(const XMLElement& element, const MassProperties& own, const PlacedBody& place,
                                    const std::string& shown) {
  const Vec3 force = -defaults_.number(element, "gravcomp", "", 0.0) * own.mass * description_.gravity;
  if (force.isZero(0.0)) {
    return;
  }
  BodyLoadDescription load;
  load.name = load_names_.fit(shown + "_gravcomp");
  load.body = place.body;
  load.point = place.pose.position + place.pose.rotation * own.com;
  load.force = {ConstantLaw{force.x()}, ConstantLaw{force.y()}, ConstantLaw{force.z()}};
  lines_.note({"body_loads", description_.body_loads.size(), ""}, urdf::line_of(element));
  description_.body_loads.push_back(std::move(load));
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
    } else if (name == "frame") {
      read_frame(*inner, childclass, place);
    } else if (std::find(kRead.begin(), kRead.end(), name) == kRead.end()) {
      note_unread(*inner);
    }
  }
}

void MjcfReader::read_frame(const XMLElement& element, const std::string& childclass, const PlacedBody& place) {
  for (const char* const kind : {"joint", "freejoint", "inertial"}) {
    if (const XMLElement* const inner = element.FirstChildElement(kind)) {
      findings_.error(urdf::line_of(*inner),
                      fmt::format("<{}> in a <frame> is not read; put it into the body itself", kind));
    }
  }
  const Pose own = pose_of(element, childclass, defaults_, angles_, findings_);
  read_contents(element, class_within(element, childclass), {place.body, place.pose * own, place.world * own});
}

void MjcfReader::read_body(const XMLElement& element, const std::string& childclass, const PlacedBody& around) {
  const std::string inner_class = class_within(element, childclass);
  const char* const given = element.Attribute("name");
  const std::string name = given != nullptr ? urdf::printable(given) : fmt::format("body_{}", bodies_.size() + 1);
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
    if (kind == "tendon") {
      refuse_tendon_forces(*part, defaults_, options_, findings_);
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
  std::deque<std::size_t> kept;
  mjcf::resolve_includes(model, file_name, lines, kept, findings);
  MechanismDescription description = mjcf::MjcfReader(*model.RootElement(), options, lines, findings).read();
  findings.throw_if_failed(file_name, lines);
  return description;
}

}  // namespace mbdbench
