#pragma once
/// \file
/// Pose and velocity of a body, and what two bodies make of the joint between them, in world axes.
///
/// A joint that holds has one origin O_k. Where a cut joint (or any joint in absolute coordinates) has drifted open,
/// its origins on a and on b lie apart, by the displacement. Both bodies then use the same point of space all the same,
/// as if a reached to b: the origin on b, or that on a where b is the ground. Relative velocities at one point do not
/// change when both bodies turn together, so that a loop which has drifted open constrains nothing but itself, and the
/// wrenches on both bodies are equal and opposite: drift takes no momentum. D^T (V_b - V_a) is the rate of the residual
/// as seen from a; in world axes a linear row changes by omega_a x displacement besides.
///
/// DEVIATES from two material points with a row each in world axes, whose D^T (V_b - V_a) is the rate of the residual
/// itself: where a planar loop turns with its base, drift of 1e-13 gave its redundant rows a pivot along the turn, and
/// `dense` ended after 4 ms (turning_loop_test).
#include "mechanisms/model/joint.hpp"

namespace mbdbench {

/// Pose and velocity of a body.
struct BodyKinematics {
  Mat3 rotation = Mat3::Identity();  ///< body axes to world axes
  Vec3 origin = Vec3::Zero();        ///< of the body's frame
  Vec3 com = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();          ///< J_C in world axes
  Mat3 inertia_inverse = Mat3::Zero();  ///< J_C^-1 in world axes
  Vec6 velocity = Vec6::Zero();         ///< [v_C; omega]

  /// \returns [v; omega] of the body's material point at `place` (world).
  [[nodiscard]] Vec6 velocity_at(const Vec3& place) const { return shift_velocity(place - com, velocity); }
};

/// Geometry of a joint: the handles of both bodies, H, D and their rates.
struct JointKinematics {
  Mat3 axes_a = Mat3::Identity();  ///< joint axes on a, columns in world axes
  Mat3 axes_b = Mat3::Identity();
  Vec3 point = Vec3::Zero();         ///< O_k, the handle of both bodies
  Vec3 displacement = Vec3::Zero();  ///< origin on b minus origin on a
  SpatialColumns h;
  SpatialColumns d;
  SpatialColumns h_rate;
  SpatialColumns d_rate;
  Vec3 velocity = Vec3::Zero();  ///< of O_k, along with the body that it is fixed in
};

/// Everything but the rates, from the poses of the two bodies of any joint, which need not hold.
void place_joint(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state);

/// Rates, from the velocities of the two bodies, after the joint has been placed.
void set_joint_rates(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state);

}  // namespace mbdbench
