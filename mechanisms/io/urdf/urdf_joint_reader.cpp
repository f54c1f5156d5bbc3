#include "mechanisms/io/urdf/urdf_joint_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::urdf {
namespace {

const std::map<std::string, JointType>& joint_types() {
  static const std::map<std::string, JointType> types = {
      {"revolute", JointType::revolute},  {"continuous", JointType::revolute}, {"prismatic", JointType::prismatic},
      {"floating", JointType::free},      {"planar", JointType::planar},       {"fixed", JointType::fixed},
      {"spherical", JointType::spherical}};
  return types;
}

bool has_axis(JointType type) {
  return type == JointType::revolute || type == JointType::prismatic || type == JointType::planar;
}

}  // namespace

void JointReader::prepare() {
  FittingNames fitting;
  std::vector<std::string> known;
  known.reserve(joint_types().size());
  std::transform(joint_types().begin(), joint_types().end(), std::back_inserter(known),
                 [](const auto& type) { return type.first; });
  for (const UrdfJoint& joint : graph_.joints) {
    const auto type = joint_types().find(joint.type);
    if (type == joint_types().end() && !joint.type.empty()) {
      findings_.error(line_of(*joint.element), fmt::format("joint '{}': there is no joint type '{}'; {}", joint.name,
                                                           joint.type, suggest_name(joint.type, known, "types")));
    }
    names_.push_back(fitting.fit(joint.name, type == joint_types().end() ? 1 : position_count(type->second)));
  }
}

bool JointReader::has_one_coordinate(int joint) const {
  const std::string& type = graph_.joints[static_cast<std::size_t>(joint)].type;
  return type == "revolute" || type == "continuous" || type == "prismatic";
}

void JointReader::read(int index, const std::string& a, const std::string& b, const Pose& frame) {
  const UrdfJoint& from = graph_.joints[static_cast<std::size_t>(index)];
  const auto known = joint_types().find(from.type);
  if (known == joint_types().end()) {
    return;  // an error already
  }
  JointDescription joint;
  joint.name = name(index);
  joint.type = known->second;
  joint.a = a;
  joint.b = b;
  joint.frame_a.position = frame.position;
  joint.frame_a.rotation << frame.rotation.w(), frame.rotation.vec();
  if (has_axis(joint.type)) {
    joint.axis = Vec3::UnitX();
    if (const XMLElement* const axis = from.element->FirstChildElement("axis")) {
      const Vec3 given = vector(*axis, "xyz", findings_).value_or(Vec3::UnitX());
      if (given.norm() > 1e-6) {
        joint.axis = given.normalized();
      } else {
        findings_.error(line_of(*axis), fmt::format("joint '{}': the axis has no direction; give it a length, such "
                                                    "as xyz=\"0 0 1\"",
                                                    from.name));
      }
    }
  }
  places_[index] = description_.joints.size();
  lines_.note({"joints", description_.joints.size(), ""}, line_of(*from.element));
  if (joint.type != JointType::fixed) {
    read_dynamics(from, joint);
    const XMLElement* const limit = from.element->FirstChildElement("limit");
    if (limit != nullptr && from.type != "continuous" &&
        (limit->Attribute("lower") != nullptr || limit->Attribute("upper") != nullptr)) {
      read_limit(from, joint, *limit);
    }
  }
  description_.joints.push_back(std::move(joint));
}

void JointReader::read_limit(const UrdfJoint& from, const JointDescription& joint, const XMLElement& limit) {
  if (options_.stop_stiffness == 0.0 || (joint.type != JointType::revolute && joint.type != JointType::prismatic)) {
    limited_.push_back(from.name);
    return;
  }
  JointStopDescription stop;
  stop.name = load_names_.fit(joint.name + "_stop");
  stop.joint = joint.name;
  stop.lower = number(limit, "lower", findings_, 0.0).value_or(0.0);
  stop.upper = number(limit, "upper", findings_, 0.0).value_or(0.0);
  stop.stiffness = options_.stop_stiffness;
  if (*stop.lower > *stop.upper) {
    findings_.error(line_of(limit), fmt::format("joint '{}': the limit's lower = {} is above upper = {}; swap them",
                                                from.name, *stop.lower, *stop.upper));
  }
  lines_.note({"joint_stops", description_.joint_stops.size(), ""}, line_of(limit));
  description_.joint_stops.push_back(std::move(stop));
}

void JointReader::read_friction(const UrdfJoint& from, const JointDescription& joint, const XMLElement& dynamics,
                                double friction) {
  if (options_.friction_velocity == 0.0) {
    rubbing_.push_back(from.name);
    if (!options_.ignore_friction) {
      findings_.error(line_of(dynamics),
                      fmt::format("joint '{}': dry friction ({}) is not modelled; leave it out with --ignore friction, "
                                  "model it with --friction VELOCITY, or give damping in its place",
                                  from.name, friction));
    }
    return;
  }
  if (friction < 0.0) {
    findings_.error(line_of(dynamics),
                    fmt::format("joint '{}': friction {} is negative; give a number >= 0", from.name, friction));
  } else if (joint.type != JointType::revolute && joint.type != JointType::prismatic) {
    findings_.error(line_of(dynamics), fmt::format("joint '{}': friction is for joints with one coordinate, and this "
                                                   "one is {}; take it out, and add loads in the TOML format",
                                                   from.name, from.type));
  }
  JointFrictionDescription modelled;
  modelled.name = load_names_.fit(joint.name + "_friction");
  modelled.joint = joint.name;
  modelled.kinetic = friction;
  modelled.breakaway = friction;
  modelled.regularisation_velocity = options_.friction_velocity;
  lines_.note({"joint_frictions", description_.joint_frictions.size(), ""}, line_of(dynamics));
  description_.joint_frictions.push_back(std::move(modelled));
}

void JointReader::read_dynamics(const UrdfJoint& from, const JointDescription& joint) {
  const XMLElement* const dynamics = from.element->FirstChildElement("dynamics");
  if (dynamics == nullptr) {
    return;
  }
  const double friction = number(*dynamics, "friction", findings_, 0.0).value_or(0.0);
  if (friction != 0.0) {
    read_friction(from, joint, *dynamics, friction);
  }
  const double damping = number(*dynamics, "damping", findings_, 0.0).value_or(0.0);
  if (damping == 0.0) {
    return;
  }
  if (damping < 0.0) {
    findings_.error(line_of(*dynamics),
                    fmt::format("joint '{}': damping {} is negative; give a number >= 0", from.name, damping));
  } else if (joint.type != JointType::revolute && joint.type != JointType::prismatic) {
    findings_.error(line_of(*dynamics), fmt::format("joint '{}': damping is for joints with one coordinate, and this "
                                                    "one is {}; take it out, and add loads in the TOML format",
                                                    from.name, from.type));
  }
  JointSpringDescription damper;
  damper.name = load_names_.fit(joint.name + "_damping");
  damper.joint = joint.name;
  damper.damping = damping;
  lines_.note({"joint_springs", description_.joint_springs.size(), ""}, line_of(*dynamics));
  description_.joint_springs.push_back(std::move(damper));
}

/// q = multiplier * q of the other joint + offset: a coupling, whose own joint is changed where they do not agree.
void JointReader::read_mimic(int follower, const XMLElement& mimic) {
  const UrdfJoint& own = graph_.joints[static_cast<std::size_t>(follower)];
  const std::string owner = fmt::format("<mimic> of joint '{}'", own.name);
  const auto fail = [&](const std::string& message) {
    findings_.error(line_of(mimic), fmt::format("{}: {}", owner, message));
  };
  const std::optional<double> multiplier = number(mimic, "multiplier", findings_, 1.0);
  const std::optional<double> offset = number(mimic, "offset", findings_, 0.0);
  const std::string followed = text_of(mimic, "joint", findings_);
  if (followed.empty() || !multiplier || !offset) {
    return;
  }
  const auto found = std::find_if(graph_.joints.begin(), graph_.joints.end(),
                                  [&](const UrdfJoint& joint) { return joint.name == followed; });
  if (found == graph_.joints.end()) {
    if (findings_.enough()) {
      return fail(fmt::format("there is no joint '{}'", followed));
    }
    std::vector<std::string> known;
    for (const UrdfJoint& joint : graph_.joints) {
      known.push_back(joint.name);
    }
    return fail(fmt::format("there is no joint '{}'; {}", followed, suggest_name(followed, known, "joints")));
  }
  const int leader = static_cast<int>(found - graph_.joints.begin());
  if (leader == follower) {
    return fail("it follows itself; name another joint, or take <mimic> out");
  }
  if (!has_one_coordinate(follower)) {
    return fail(
        fmt::format("only revolute, continuous and prismatic joints can follow others, and this one is {}", own.type));
  }
  if (!has_one_coordinate(leader)) {
    return fail(
        fmt::format("it follows joint '{}', which is {} and has no coordinate to follow; {}", followed, found->type,
                    is_fixed(*found) ? "make both of them fixed" : "let it follow a revolute or prismatic one"));
  }
  if (*multiplier == 0.0) {
    return fail("with the multiplier 0 it stands still; make the joint fixed");
  }
  CouplingDescription coupling;
  coupling.name = coupling_names_.fit(name(follower) + "_mimic");
  coupling.terms = {{name(follower), 0, 1.0}, {name(leader), 0, -*multiplier}};
  coupling.value = *offset;
  description_.joints[places_.at(follower)].dependent = true;
  lines_.note({"couplings", description_.couplings.size(), ""}, line_of(mimic));
  description_.couplings.push_back(std::move(coupling));
}

void JointReader::finish() {
  std::vector<std::string> renamed;
  std::vector<std::string> fixed;
  for (std::size_t i = 0; i < graph_.joints.size(); ++i) {
    const UrdfJoint& joint = graph_.joints[i];
    const XMLElement* const mimic = joint.element->FirstChildElement("mimic");
    if (is_fixed(joint)) {
      const bool ignored = mimic != nullptr || joint.element->FirstChildElement("dynamics") != nullptr;
      if (ignored) {
        fixed.push_back(joint.name);
      }
    } else if (mimic != nullptr && places_.contains(static_cast<int>(i))) {
      read_mimic(static_cast<int>(i), *mimic);
    }
    if (places_.contains(static_cast<int>(i)) && names_[i] != joint.name) {
      renamed.push_back(fmt::format("'{}' is {}", joint.name, names_[i]));
    }
  }
  if (!renamed.empty()) {
    findings_.note(fmt::format("joints with names that formulas cannot have: {}", fmt::join(renamed, ", ")));
  }
  if (!fixed.empty()) {
    findings_.note(fmt::format("<dynamics> and <mimic> of fixed joints mean nothing: {}", fmt::join(fixed, ", ")));
  }
  if (!rubbing_.empty()) {
    findings_.note(fmt::format("dry friction is ignored: {}", fmt::join(rubbing_, ", ")));
  }
  if (!limited_.empty() && !options_.ignore_limits) {
    findings_.note(fmt::format("joint stops are not modelled: {}", fmt::join(limited_, ", ")));
  }
}

}  // namespace mbdbench::urdf
