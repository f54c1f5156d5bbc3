#include "mechanisms/model/start/motion_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {
namespace {

/// The largest difference from the motions, and its joint.
struct Difference {
  double size = 0.0;   ///< scaled
  double given = 0.0;  ///< in the coordinate's unit
  std::size_t joint = 0;
};

/// One of the two levels of a motion.
struct Level {
  std::span<const double> prescribed;  ///< f(0) or f'(0)
  int Joint::*offset;                  ///< q_offset or u_offset
};

Difference largest_difference(const Mechanism& mechanism, const Level& level, const Eigen::VectorXd& values) {
  Difference largest;
  std::size_t next = 0;
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    for (const JointMotion& motion : joint.motions) {
      const double given = std::abs(values[joint.*level.offset + motion.component] - level.prescribed[next++]);
      const double size = given / mechanism.scales().columns[joint.u_offset + motion.component];
      if (size > largest.size) {
        largest = {size, given, k};
      }
    }
  }
  return largest;
}

/// \returns the difference that remains where values may not be changed
Difference follow(const Mechanism& mechanism, const Level& level, Eigen::VectorXd& values) {
  const std::vector<bool> changeable = changeable_joints(mechanism);
  std::size_t next = 0;
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    for (const JointMotion& motion : joint.motions) {
      if (changeable[k]) {
        values[joint.*level.offset + motion.component] = level.prescribed[next];
      }
      ++next;
    }
  }
  return largest_difference(mechanism, level, values);
}

}  // namespace

std::vector<bool> changeable_joints(const Mechanism& mechanism) {
  const auto& joints = mechanism.description().joints;
  // Cut joints have no coordinates to change, marked or not.
  const auto tree_end = joints.begin() + static_cast<std::ptrdiff_t>(mechanism.tree_joints().size());
  const bool any = std::any_of(joints.begin(), tree_end, [](const JointDescription& j) { return j.dependent; });
  std::vector<bool> changeable;
  std::transform(joints.begin(), tree_end, std::back_inserter(changeable),
                 [any](const JointDescription& j) { return j.dependent || !any; });
  return changeable;
}

double rate_of_start(const Mechanism& mechanism, const PrescribedMotions& motions, const Eigen::VectorXd& u) {
  const CharacteristicScales& scales = mechanism.scales();
  double rate = std::max(scales.rate, scales.largest_rate(u));
  for (std::size_t m = 0; m < motions.rows().size(); ++m) {
    const double row = scales.rows[motions.rows()[m]];
    rate = std::max(
        {rate, row * std::abs(motions.velocities()[m]), std::sqrt(row * std::abs(motions.accelerations()[m]))});
  }
  return rate;
}

void start_motions(const Mechanism& mechanism, InitialState& state) {
  PrescribedMotions motions(mechanism);
  motions.evaluate(0.0);
  const Level position{motions.positions(), &Joint::q_offset};
  Difference difference = largest_difference(mechanism, position, state.q);
  // What agrees to rounding stays, so that a second start from the result changes no bit.
  if (difference.size > kClosed) {
    difference = follow(mechanism, position, state.q);
  }
  if (difference.size >= kOpen) {
    report_motion_position(difference.joint, mechanism.tree_joints()[difference.joint].name, difference.given);
  }
  const Level velocity{motions.velocities(), &Joint::u_offset};
  const auto relative_to_u = [&](double limit) { return limit * rate_of_start(mechanism, motions, state.u); };
  difference = largest_difference(mechanism, velocity, state.u);
  if (difference.size > relative_to_u(kClosed)) {
    difference = follow(mechanism, velocity, state.u);
  }
  if (difference.size > relative_to_u(kOpen)) {
    report_motion_velocity(difference.joint, mechanism.tree_joints()[difference.joint].name, difference.given);
  }
}

void report_motion_position(std::size_t index, const std::string& name, double difference) {
  throw ModelError({"joints", index, "q0"},
                   fmt::format("q0 of joint '{}' differs by {:.3g} (m or rad) from its prescribed motion at t = 0: "
                               "give the motion's value, or mark joints whose q0 may be changed with dependent = true",
                               name, difference));
}

void report_motion_velocity(std::size_t index, const std::string& name, double difference) {
  throw ModelError({"joints", index, "v0"},
                   fmt::format("v0 of joint '{}' differs by {:.3g} (m/s or rad/s) from its prescribed motion at t = 0: "
                               "give the motion's value, or mark joints whose v0 may be changed with dependent = true",
                               name, difference));
}

}  // namespace mbdbench
