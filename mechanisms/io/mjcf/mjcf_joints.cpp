#include "mechanisms/io/mjcf/mjcf_joints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <stdexcept>
#include <utility>

namespace mbdbench::mjcf {

using urdf::line_of;

/// One joint of the file.
struct JointReader::Part {
  std::string shown;  ///< its name there, or a word for it
  std::string name;   ///< there; may be empty
  std::size_t line = 0;
  JointType type = JointType::revolute;
  Vec3 position = Vec3::Zero();
  Vec3 axis = Vec3::UnitZ();
  double stiffness = 0.0;
  double damping = 0.0;
  double rest = 0.0;
  double reference = 0.0;
  double friction = 0.0;
  double armature = 0.0;
  std::optional<std::pair<double, double>> range;  ///< of a hinge or slide that stops, in our coordinates
};

JointReader::Part JointReader::part_of(const XMLElement& element, const std::string& childclass) {
  Part part;
  part.line = line_of(element);
  part.name = defaults_.text(element, "name", childclass).value_or("");
  part.shown = part.name.empty() ? "without name" : fmt::format("'{}'", part.name);
  const bool is_free = std::string_view(element.Name()) == "freejoint";
  const std::string type = is_free ? "free" : defaults_.text(element, "type", childclass).value_or("hinge");
  static const std::map<std::string, JointType> kTypes = {{"hinge", JointType::revolute},
                                                          {"slide", JointType::prismatic},
                                                          {"ball", JointType::spherical},
                                                          {"free", JointType::free}};
  if (const auto known = kTypes.find(type); known != kTypes.end()) {
    part.type = known->second;
  } else {
    findings_.error(part.line, fmt::format("joint {}: there is no joint type '{}'; types: hinge, slide, ball, free",
                                           part.shown, type));
  }
  if (is_free) {
    return part;
  }
  const auto vector = [&](const char* attribute, const Vec3& otherwise) {
    const auto given = defaults_.numbers(element, attribute, childclass, 3, 3);
    return given ? Vec3((*given)[0], (*given)[1], (*given)[2]) : otherwise;
  };
  part.position = vector("pos", Vec3::Zero());
  part.axis = vector("axis", Vec3::UnitZ());
  const bool scalar = part.type == JointType::revolute || part.type == JointType::prismatic;
  if (scalar && !(part.axis.norm() > 1e-10)) {
    findings_.error(part.line, fmt::format("joint {}: the axis has no direction", part.shown));
    part.axis = Vec3::UnitZ();
  }
  part.axis.normalize();
  const double unit = part.type == JointType::revolute ? angles_.unit : 1.0;
  part.stiffness = defaults_.number(element, "stiffness", childclass, 0.0);
  part.damping = defaults_.number(element, "damping", childclass, 0.0);
  part.rest = unit * defaults_.number(element, "springref", childclass, 0.0);
  part.reference = unit * defaults_.number(element, "ref", childclass, 0.0);
  const auto refuse = [&](const char* what, double value, const char* option) {
    findings_.error(part.line, fmt::format("joint {}: {} ({}) is not modelled; leave it out with --ignore {}",
                                           part.shown, what, value, option));
  };
  if (const double friction = defaults_.number(element, "frictionloss", childclass, 0.0); friction != 0.0) {
    if (options_.friction_velocity > 0.0) {
      part.friction = friction;
    } else {
      rubbing_.push_back(part.shown);
    }
    if (!options_.ignore_friction && options_.friction_velocity == 0.0) {
      refuse("frictionloss", friction, "friction, or model it with --friction VELOCITY");
    }
  }
  if (const double armature = defaults_.number(element, "armature", childclass, 0.0); armature != 0.0) {
    if (options_.armature_ratio > 0.0 && scalar) {
      part.armature = armature;
    } else {
      armoured_.push_back(part.shown);
      if (!options_.ignore_armature) {
        refuse("armature", armature, "armature, or model it with --armature RATIO (of a hinge or slide)");
      }
    }
  }
  if (!scalar && part.stiffness != 0.0) {
    findings_.error(
        part.line,
        fmt::format("joint {}: stiffness is for hinge and slide; take it out, and add loads in the TOML format",
                    part.shown));
  }
  if (defaults_.text(element, "springdamper", childclass)) {
    findings_.error(part.line,
                    fmt::format("joint {}: springdamper is not read; give stiffness and damping", part.shown));
  }
  const std::string limited = defaults_.text(element, "limited", childclass).value_or("auto");
  if (limited == "true" || (limited == "auto" && defaults_.text(element, "range", childclass))) {
    if (options_.stop_stiffness > 0.0 && scalar) {
      if (const auto given = defaults_.numbers(element, "range", childclass, 2, 2)) {
        part.range = {unit * (*given)[0] - part.reference, unit * (*given)[1] - part.reference};
      }
    } else {
      limited_.push_back(part.shown);
    }
  }
  return part;
}

void JointReader::add_resistance(const Part& part, const std::string& joint, int component) {
  const auto name = [&](int own, const char* what) {
    return load_names_.fit(fmt::format("{}{}_{}", joint, own > 0 ? fmt::format("_{}", own + 1) : "", what));
  };
  const bool ball = part.type == JointType::spherical;
  for (int own = 0; part.friction != 0.0 && own < (ball ? 3 : 1); ++own) {
    JointFrictionDescription friction;
    friction.joint = joint;
    friction.component = ball ? own : component;
    friction.name = name(friction.component, "friction");
    friction.kinetic = part.friction;
    friction.breakaway = part.friction;
    friction.regularisation_velocity = options_.friction_velocity;
    lines_.note({"joint_frictions", description_.joint_frictions.size(), ""}, part.line);
    description_.joint_frictions.push_back(std::move(friction));
  }
  if (part.armature != 0.0) {
    const double ratio = options_.armature_ratio;
    rotors_.emplace_back(part.line, RotorDescription{name(component, "rotor"), joint, component,
                                                     part.armature / (ratio * ratio), ratio, 0.0});
  }
  if (part.range) {
    JointStopDescription stop;
    stop.name = name(component, "stop");
    stop.joint = joint;
    stop.component = component;
    stop.lower = part.range->first;
    stop.upper = part.range->second;
    stop.stiffness = options_.stop_stiffness;
    lines_.note({"joint_stops", description_.joint_stops.size(), ""}, part.line);
    description_.joint_stops.push_back(std::move(stop));
  }
}

void JointReader::add_loads(const Part& part, const std::string& joint, int component) {
  add_resistance(part, joint, component);
  if (part.stiffness == 0.0 && part.damping == 0.0) {
    return;
  }
  if (part.type == JointType::spherical || part.type == JointType::free) {
    // Velocities are MuJoCo's: about the body's axes, along the ground's.
    for (int own = 0; own < velocity_count(part.type); ++own) {
      lines_.note({"joint_loads", description_.joint_loads.size(), ""}, part.line);
      description_.joint_loads.push_back({load_names_.fit(fmt::format("{}_{}_damping", joint, own + 1)), joint, own,
                                          ExpressionLaw{fmt::format("-{}*v", part.damping)}});
    }
    return;
  }
  JointSpringDescription spring;
  spring.name =
      load_names_.fit(fmt::format("{}{}_spring", joint, component > 0 ? fmt::format("_{}", component + 1) : ""));
  spring.joint = joint;
  spring.component = component;
  spring.stiffness = part.stiffness;
  spring.damping = part.damping;
  spring.rest = part.rest - part.reference;
  lines_.note({"joint_springs", description_.joint_springs.size(), ""}, part.line);
  description_.joint_springs.push_back(std::move(spring));
}

namespace {

/// Two hinges with one point: the second axis turns with the outer body.
bool is_universal(JointType first, JointType second, const Vec3& between, const Vec3& axis, const Vec3& axis2) {
  return first == JointType::revolute && second == JointType::revolute && between.isZero(0.0) &&
         axis.cross(axis2).norm() > 1e-6;
}

/// A turn and a displacement along one axis, in either order.
bool is_cylindrical(JointType first, JointType second, const Vec3& between, const Vec3& axis, const Vec3& axis2) {
  return first != second && (first == JointType::revolute || first == JointType::prismatic) &&
         (second == JointType::revolute || second == JointType::prismatic) && axis == axis2 &&
         between.cross(axis).isZero(0.0);
}

}  // namespace

void JointReader::read(const std::vector<const XMLElement*>& joints, const std::string& childclass,
                       const std::string& parent, const std::string& body, const Pose& pose, FittingNames& body_names) {
  std::vector<Part> parts;
  parts.reserve(joints.size());
  for (const XMLElement* joint : joints) {
    parts.push_back(part_of(*joint, childclass));
  }
  std::string from = parent;
  Pose frame = pose;
  for (std::size_t i = 0; i < parts.size();) {
    const Part& part = parts[i];
    JointDescription joint;
    joint.type = part.type;
    std::size_t used = 1;
    if (i + 1 < parts.size()) {
      const Part& next = parts[i + 1];
      const Vec3 between = next.position - part.position;
      if (is_universal(part.type, next.type, between, part.axis, next.axis)) {
        joint.type = JointType::universal;
        joint.axis2 = next.axis;
        used = 2;
      } else if (is_cylindrical(part.type, next.type, between, part.axis, next.axis)) {
        joint.type = JointType::cylindrical;
        used = 2;
      }
    }
    const bool last = i + used == parts.size();
    joint.name = names_.fit(part.name.empty() ? body + "_joint" : part.name, position_count(joint.type));
    joint.a = from;
    joint.b = last ? body : body_names.fit(fmt::format("{}_between", body));
    joint.axis = part.type == JointType::revolute || part.type == JointType::prismatic ? part.axis : Vec3::UnitZ();
    if (part.type == JointType::free) {
      joint.q0 = {frame.rotation.w(), frame.rotation.x(), frame.rotation.y(), frame.rotation.z(),
                  frame.position.x(), frame.position.y(), frame.position.z()};
    } else {
      joint.frame_a.position = frame.position + frame.rotation * part.position;
      joint.frame_a.rotation << frame.rotation.w(), frame.rotation.vec();
      joint.frame_b.position = part.position;
    }
    for (std::size_t k = 0; k < used; ++k) {
      const Part& own = parts[i + k];
      // A cylindrical joint has its angle first.
      const int component = joint.type != JointType::cylindrical ? static_cast<int>(k)
                            : own.type == JointType::revolute    ? 0
                                                                 : 1;
      add_loads(own, joint.name, component);
      if (!own.name.empty()) {
        const bool scalar = own.type == JointType::revolute || own.type == JointType::prismatic;
        read_[own.name] = {joint.name, scalar ? component : -1, own.reference};
        if (own.name != joint.name) {
          renamed_.push_back(fmt::format("'{}' is {}{}", own.name, joint.name,
                                         used > 1 ? fmt::format(" (coordinate {})", component + 1) : ""));
        }
      }
    }
    if (!last) {
      description_.bodies.push_back({joint.b, 0.0, Vec3::Zero(), Mat3::Zero()});
    }
    lines_.note({"joints", description_.joints.size(), ""}, part.line);
    from = joint.b;
    description_.joints.push_back(std::move(joint));
    frame = {};
    i += used;
  }
}

const ReadJoint* JointReader::find(const std::string& name) const {
  const auto found = read_.find(name);
  return found == read_.end() ? nullptr : &found->second;
}

void JointReader::finish() {
  for (const auto& [line, rotor] : rotors_) {
    try {
      add_rotor(description_, rotor);
    } catch (const std::invalid_argument& error) {
      findings_.error(line, error.what());
    }
  }
  const auto tell = [&](const char* what, const std::vector<std::string>& joints) {
    if (!joints.empty()) {
      findings_.note(fmt::format("{}: {}", what, fmt::join(joints, ", ")));
    }
  };
  tell("joints with other names", renamed_);
  tell("frictionloss is ignored", rubbing_);
  tell("armature is ignored", armoured_);
  if (!options_.ignore_limits) {
    tell("joint stops are not modelled", limited_);
  }
}

}  // namespace mbdbench::mjcf
