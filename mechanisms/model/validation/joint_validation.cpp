#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <set>

#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

// Rounding of a normalised vector is a few 1e-16; anything larger comes from digits that were not typed.
constexpr double kUnitSlack = 1e-12;
// Initial quaternions may come from the end of another run, where integration has let the length drift a little.
constexpr double kQuaternionSlack = 1e-8;
// Below this sine the two axes of a universal joint are one axis, and its mass matrix is singular.
constexpr double kParallelAxes = 1e-6;
// m/rad; the thread of the finest screws has some 1e-5, and positions are known to 1e-12.
constexpr double kLeastPitch = 1e-9;

void check_unit(const Eigen::Ref<const Eigen::VectorXd>& vector, double slack, const ElementReference& where,
                const std::string& joint, const char* what) {
  const double norm = vector.norm();
  if (!(std::abs(norm - 1.0) <= slack)) {
    throw ModelError(
        where, fmt::format("joint '{}': {} has the length {:.15g}, it must be 1 (within {:g}); divide it by its length "
                           "and give all digits",
                           joint, what, norm, slack));
  }
}

void check_frame(const JointFrame& frame, std::size_t index, const std::string& joint, const std::string& key) {
  if (!frame.position.allFinite()) {
    throw ModelError({"joints", index, key + ".position"},
                     fmt::format("joint '{}': {}.position holds a number that is not finite", joint, key));
  }
  check_unit(frame.rotation, kUnitSlack, {"joints", index, key + ".rotation"}, joint,
             fmt::format("the quaternion {}.rotation", key).c_str());
}

void check_pitch(const JointDescription& joint, std::size_t index) {
  const ElementReference where{"joints", index, "pitch"};
  if (joint.type != JointType::screw && joint.pitch != 0.0) {
    throw ModelError(where,
                     fmt::format("joint '{}': pitch is for screw joints, this one is {}; leave it out or make the "
                                 "type \"screw\"",
                                 joint.name, to_string(joint.type)));
  }
  if (joint.type == JointType::screw && !(std::abs(joint.pitch) >= kLeastPitch && std::isfinite(joint.pitch))) {
    throw ModelError(where,
                     fmt::format("joint '{}': a screw needs a pitch (advance in m/rad: its lead over 2 pi), of at "
                                 "least {:g} either way, not {:g}; without any it is a revolute joint",
                                 joint.name, kLeastPitch, joint.pitch));
  }
}

void check_length(const JointDescription& joint, std::size_t index) {
  const ElementReference where{"joints", index, "length"};
  if (!has_length(joint.type) && joint.length != 0.0) {
    throw ModelError(where, fmt::format("joint '{}': length is for distance and revolute_spherical joints, this one is "
                                        "{}; leave it out",
                                        joint.name, to_string(joint.type)));
  }
  if (has_length(joint.type) && !(joint.length > 0.0 && std::isfinite(joint.length))) {
    throw ModelError(where, fmt::format("joint '{}': a {} joint needs a positive length (m) between its two origins, "
                                        "not {:g}; origins that coincide are a spherical joint",
                                        joint.name, to_string(joint.type), joint.length));
  }
}

void check_radius(const JointDescription& joint, std::size_t index) {
  const ElementReference where{"joints", index, "radius"};
  if (!rolls(joint.type) && joint.radius != 0.0) {
    throw ModelError(where,
                     fmt::format("joint '{}': radius is for rolling_ball and rolling_disc joints, this one is {}; "
                                 "leave it out",
                                 joint.name, to_string(joint.type)));
  }
  if (rolls(joint.type) && !(joint.radius > 0.0 && std::isfinite(joint.radius))) {
    throw ModelError(where, fmt::format("joint '{}': a {} joint needs a positive radius (m), not {:g}", joint.name,
                                        to_string(joint.type), joint.radius));
  }
}

void check_axes(const JointDescription& joint, std::size_t index) {
  check_unit(joint.axis, kUnitSlack, {"joints", index, "axis"}, joint.name, "axis");
  check_pitch(joint, index);
  check_length(joint, index);
  check_radius(joint, index);
  if (joint.type != JointType::universal && joint.type != JointType::rolling_disc) {
    return;
  }
  check_unit(joint.axis2, kUnitSlack, {"joints", index, "axis2"}, joint.name, "axis2");
  if (joint.type == JointType::rolling_disc) {
    return;  // fixed in b, it has nothing to do with axis
  }
  if (joint.axis.cross(joint.axis2).norm() < kParallelAxes) {
    throw ModelError(
        {"joints", index, "axis2"},
        fmt::format("joint '{}': axis2 is parallel to axis; a universal joint needs two directions, usually at right "
                    "angles",
                    joint.name));
  }
}

void check_initial(const std::vector<double>& values, int expected, const char* key, const JointDescription& joint,
                   std::size_t index) {
  const ElementReference where{"joints", index, key};
  if (!values.empty() && values.size() != static_cast<std::size_t>(expected)) {
    throw ModelError(where, fmt::format("joint '{}': {} has {} numbers, a {} joint has {}", joint.name, key,
                                        values.size(), to_string(joint.type), expected));
  }
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw ModelError(where,
                       fmt::format("joint '{}': {} holds {}; initial values are finite", joint.name, key, value));
    }
  }
}

void check_motions(const JointDescription& joint, std::size_t index) {
  const ElementReference where{"joints", index, "motions"};
  if (joint.motions.empty()) {
    return;
  }
  if (!has_coordinate_rates(joint.type)) {
    throw ModelError(
        where, fmt::format("joint '{0}': the coordinates of a {1} joint are a quaternion and cannot be prescribed one "
                           "by one; use revolute, prismatic, universal, cylindrical or planar joints",
                           joint.name, to_string(joint.type)));
  }
  std::set<int> prescribed;
  for (std::size_t m = 0; m < joint.motions.size(); ++m) {
    const int component = joint.motions[m].component;
    const ElementReference here{"joints", index, fmt::format("motions[{}].component", m)};
    const int count = position_count(joint.type);
    if (component < 0 || component >= count) {
      throw ModelError(here, fmt::format("joint '{}': a motion of component {} (counted from 1), but a {} joint has {}",
                                         joint.name, component + 1LL, to_string(joint.type), count));
    }
    if (!prescribed.insert(component).second) {
      throw ModelError(
          here, fmt::format("joint '{}': component {} (counted from 1) has two prescribed motions; leave one out",
                            joint.name, component + 1));
    }
    validate_motion(joint, index, m);
  }
}

}  // namespace

void validate_joint(const JointDescription& joint, std::size_t index) {
  check_frame(joint.frame_a, index, joint.name, "frame_a");
  check_frame(joint.frame_b, index, joint.name, "frame_b");
  check_axes(joint, index);
  check_initial(joint.q0, position_count(joint.type), "q0", joint, index);
  check_initial(joint.v0, velocity_count(joint.type), "v0", joint, index);
  if (has_quaternion(joint.type) && !joint.q0.empty()) {
    check_unit(Eigen::Map<const Eigen::Vector4d>(joint.q0.data()), kQuaternionSlack, {"joints", index, "q0"},
               joint.name, "the quaternion in q0");
  }
  check_motions(joint, index);
}

void validate_cut_joint(const JointDescription& joint, std::size_t index) {
  const bool drivable = joint.type == JointType::revolute || joint.type == JointType::prismatic ||
                        joint.type == JointType::cylindrical || joint.type == JointType::planar;
  if (!joint.motions.empty() && !drivable) {
    throw ModelError({"joints", index, "motions"},
                     fmt::format("joint '{}' closes a loop and is cut, and a {} joint cannot have a prescribed motion "
                                 "there (revolute, prismatic, cylindrical and planar ones can); mark another joint of "
                                 "the loop cut = true",
                                 joint.name, to_string(joint.type)));
  }
  if (!joint.v0.empty()) {
    throw ModelError({"joints", index, "v0"},
                     fmt::format("joint '{}' closes a loop and is cut, its velocities follow from the other joints; "
                                 "leave v0 out or mark another joint of the loop cut = true",
                                 joint.name));
  }
}

}  // namespace mbdbench
