#include "mechanisms/io/urdf/urdf_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "mechanisms/io/text/xml_writer.hpp"

namespace mbdbench {
namespace {

using xml::spaced;

const std::map<JointType, const char*>& urdf_types() {
  static const std::map<JointType, const char*> types = {
      {JointType::revolute, "continuous"}, {JointType::prismatic, "prismatic"}, {JointType::free, "floating"},
      {JointType::planar, "planar"},       {JointType::fixed, "fixed"},
  };
  return types;
}

void check(const Mechanism& mechanism) {
  if (!mechanism.cut_joints().empty()) {
    throw ModelError({}, fmt::format("{}: joint '{}' closes a loop, and URDF describes trees; write TOML or MJCF",
                                     mechanism.name(), mechanism.cut_joints().front().name));
  }
  if (!mechanism.held_by_velocity().empty()) {
    throw ModelError({}, fmt::format("{}: '{}' holds velocities alone, which URDF cannot say; write TOML",
                                     mechanism.name(), mechanism.held_by_velocity()));
  }
  for (const Joint& joint : mechanism.tree_joints()) {
    if (!urdf_types().contains(joint.type)) {
      throw ModelError({}, fmt::format("{}: joint '{}' is {}; URDF has revolute, prismatic, planar, free and fixed "
                                       "joints; write TOML or MJCF",
                                       mechanism.name(), joint.name, to_string(joint.type)));
    }
    if (!joint.motions.empty()) {
      throw ModelError({}, fmt::format("{}: the motion of joint '{}' is prescribed, which URDF cannot say; write TOML",
                                       mechanism.name(), joint.name));
    }
  }
}

/// \returns roll, pitch, yaw about fixed axes; roll is what the other two leave, so that it is right at a pitch of 90
/// degrees too.
Vec3 roll_pitch_yaw(const Mat3& r) {
  const double yaw = std::atan2(r(1, 0), r(0, 0));
  const double s = std::sin(yaw);
  const double c = std::cos(yaw);
  return {std::atan2(s * r(0, 2) - c * r(1, 2), c * r(1, 1) - s * r(0, 1)),
          std::atan2(-r(2, 0), std::hypot(r(0, 0), r(1, 0))), yaw};
}

void write_origin(xml::Writer& writer, const Vec3& position, const Mat3& rotation) {
  writer.element("origin", {{"xyz", spaced(position)}, {"rpy", spaced(roll_pitch_yaw(rotation))}});
}

/// A body in the axes and from the origin of the joint that leads to it.
void write_link(xml::Writer& writer, const Body& body, const Joint& joint) {
  const Mat3 turn = joint.rotation_b.transpose();
  const Mat3 inertia = turn * body.inertia * joint.rotation_b;
  writer.open("link", {{"name", body.name}});
  writer.open("inertial");
  write_origin(writer, turn * (body.com - joint.position_b), Mat3::Identity());
  writer.element("mass", {{"value", spaced(body.mass)}});
  writer.element("inertia", {{"ixx", spaced(inertia(0, 0))},
                             {"ixy", spaced(inertia(0, 1))},
                             {"ixz", spaced(inertia(0, 2))},
                             {"iyy", spaced(inertia(1, 1))},
                             {"iyz", spaced(inertia(1, 2))},
                             {"izz", spaced(inertia(2, 2))}});
  writer.close();
  writer.close();
}

/// q = multiplier q of the other joint + offset.
struct Mimic {
  std::string other;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// \returns what follows what. \throws ModelError where a coupling is none of two turns or displacements, or both of
/// its joints follow others already
std::map<std::string, Mimic> mimics_of(const Mechanism& mechanism) {
  std::map<std::string, Mimic> mimics;
  for (const CouplingDescription& coupling : mechanism.description().couplings) {
    bool written = false;
    for (std::size_t own = 0; own < coupling.terms.size() && coupling.terms.size() == 2 && !written; ++own) {
      const CouplingTerm& term = coupling.terms[own];
      const CouplingTerm& other = coupling.terms[1 - own];
      const auto is_scalar = [&](const CouplingTerm& one) {
        return mechanism.joint(*mechanism.find_joint(one.joint)).nq == 1;
      };
      written =
          is_scalar(term) && is_scalar(other) && term.joint != other.joint &&
          mimics.try_emplace(term.joint, Mimic{other.joint, -other.factor / term.factor, *coupling.value / term.factor})
              .second;
    }
    if (!written) {
      throw ModelError({},
                       fmt::format("{}: coupling '{}': in URDF one joint follows one other, each of one coordinate, "
                                   "and each joint follows once; write TOML",
                                   mechanism.name(), coupling.name));
    }
  }
  return mimics;
}

void write_joint(xml::Writer& writer, const Mechanism& mechanism, const Joint& joint, double damping,
                 const std::map<std::string, Mimic>& mimics) {
  const bool grounded = joint.a < 0;
  const Joint inboard = grounded ? Joint() : mechanism.tree_joints()[static_cast<std::size_t>(joint.a)];
  const Mat3 turn = inboard.rotation_b.transpose();
  writer.open("joint", {{"name", joint.name}, {"type", urdf_types().at(joint.type)}});
  writer.element("parent", {{"link", grounded ? kGround : mechanism.bodies()[static_cast<std::size_t>(joint.a)].name}});
  writer.element("child", {{"link", mechanism.bodies()[static_cast<std::size_t>(joint.b)].name}});
  write_origin(writer, turn * (joint.position_a - inboard.position_b), turn * joint.rotation_a);
  if (joint.type != JointType::fixed && joint.type != JointType::free) {
    writer.element("axis", {{"xyz", spaced(joint.axis)}});
  }
  if (joint.type == JointType::prismatic) {  // which URDF wants of it
    writer.element("limit", {{"lower", "-1e9"}, {"upper", "1e9"}, {"effort", "1e9"}, {"velocity", "1e9"}});
  }
  if (damping != 0.0) {
    writer.element("dynamics", {{"damping", spaced(damping)}});
  }
  if (const auto mimic = mimics.find(joint.name); mimic != mimics.end()) {
    writer.element("mimic", {{"joint", mimic->second.other},
                             {"multiplier", spaced(mimic->second.multiplier)},
                             {"offset", spaced(mimic->second.offset)}});
  }
  writer.close();
}

}  // namespace

std::string write_urdf(const Mechanism& mechanism) {
  check(mechanism);
  const std::map<std::string, Mimic> mimics = mimics_of(mechanism);
  std::map<std::string, double> damping;
  std::vector<std::string> left_out;
  for (const JointSpringDescription& spring : mechanism.description().joint_springs) {
    const JointType type = mechanism.joint(*mechanism.find_joint(spring.joint)).type;
    if (spring.stiffness == 0.0 && (type == JointType::revolute || type == JointType::prismatic)) {
      damping[spring.joint] += spring.damping;
    } else {
      left_out.push_back(spring.name);
    }
  }
  xml::Writer writer;
  writer.open("robot", {{"name", mechanism.name()}});
  xml::note_left_out(writer, mechanism, left_out);
  writer.element("link", {{"name", kGround}});
  for (const Joint& joint : mechanism.tree_joints()) {
    write_link(writer, mechanism.bodies()[static_cast<std::size_t>(joint.b)], joint);
    write_joint(writer, mechanism, joint, damping[joint.name], mimics);
  }
  writer.close();
  return writer.text();
}

}  // namespace mbdbench
