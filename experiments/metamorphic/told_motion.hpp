#pragma once
/// \file
/// Where the bodies of a told mechanism are, how they move and what their joints allow, by the definitions of
/// docs/using/mechanisms/mechanisms.md alone.
#include <array>
#include <span>
#include <vector>

#include "experiments/metamorphic/told_mechanism.hpp"

namespace mbdbench::metamorphic {

/// A body in the world.
struct BodyState {
  Frame frame;
  Vec3 spin = Vec3::Zero();      ///< world axes
  Vec3 velocity = Vec3::Zero();  ///< of the frame's origin
  [[nodiscard]] Vec3 velocity_of(const Vec3& world_point) const {
    return velocity + spin.cross(world_point - frame.position);
  }
};

/// What a joint does: frame on b relative to that on a, in joint axes on a.
struct JointMotion {
  Frame frame;
  Vec3 spin = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
};

/// \returns the two directions of a planar joint.
std::array<Vec3, 2> planar_directions(const Vec3& normal);

/// \param v as many as the joint has quasi-velocities, in place of its own
JointMotion joint_motion(const ToldJoint& joint, std::span<const double> v);

/// \returns every body, placed by the joints that are not cut.
std::vector<BodyState> body_states(const Told& told);

/// The ground where `body` says so.
BodyState state_of(std::span<const BodyState> bodies, int body);

/// How far a joint is from what it allows: m, and rad.
struct JointGap {
  double linear = 0.0;
  double angular = 0.0;
};
JointGap joint_gap(const ToldJoint& joint, const Frame& body_a, const Frame& body_b);

/// \returns the turn of b against a about the axis, of a revolute joint.
double joint_angle(const ToldJoint& joint, const Frame& body_a, const Frame& body_b);

/// \returns a basis of the velocities of all joints (in their order) that loops and couplings allow, a column each;
///          nothing where their rank is not clear.
Eigen::MatrixXd velocity_basis(const Told& told);

}  // namespace mbdbench::metamorphic
