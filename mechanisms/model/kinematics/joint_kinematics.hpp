#pragma once
/// \file
/// Pose and velocity of a body, and what two bodies make of the joint between them, in world axes.
///
/// A joint that holds has one origin O_k. Where a cut joint has drifted open, its origins on a and on b lie apart, by
/// the displacement d. Both bodies then use one point of space all the same: the middle between the two origins; the
/// origin on the moving body where the other one is the ground; that on b where the joint slides; what rolls: the place
/// where it touches the plane. Relative velocities
/// at one point do not change when both bodies turn together, so that a loop which has drifted open constrains nothing
/// but itself, and the wrenches on both bodies are equal and opposite: drift takes no momentum.
///
/// Phi' = Phi_q u = D^T (V_b - V_a) is then the rate of Phi as seen from axes that turn with the mean of omega_a and
/// omega_b; linear rows in world axes change by turn x d besides (nothing where one body is the ground). Phi'' = 0 and
/// Baumgarte's equation are meant in the same axes: for the linear part W of V_b - V_a, W' = turn x W + ..., so that
/// redundant rows ask for the same whatever has drifted.
///
/// DEVIATES [Chadaj2017, Eq. (23)]: one point of space for both bodies, not two material points, one on each body,
/// whose D^T (V_b - V_a) is the rate in world axes: where a planar loop turns with its base, drift of 1e-13 gave its
/// redundant rows a pivot along the turn, and `dense` broke down (turning_loop_test). The middle, because mirror images
/// stay mirror images: with the origin on b, `double_loop` left its symmetry sooner and took up to 29 % more
/// evaluations. Absolute coordinates keep two points (absolute_kinematics.hpp).
#include "mechanisms/model/description/joint.hpp"

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
  Vec3 velocity = Vec3::Zero();  ///< of O_k
  Vec3 turn = Vec3::Zero();      ///< angular velocity of the axes in which Phi is differentiated
};

/// Everything but the rates, from the poses of the two bodies of any joint, which need not hold.
void place_joint(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state);

/// Rates, from the velocities of the two bodies, after the joint has been placed.
void set_joint_rates(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state);

/// \param direction a column of D \param relative V_b - V_a at O_k
/// \returns D^T (turn x W), part of the right side of a row of Phi'' = 0 beside the bias of the handles. Linear rows of
///          joints that do not slide have it in the place of -D'^T (V_b - V_a).
inline double turning_term(const JointKinematics& state, const Vec6& direction, const Vec6& relative) {
  return direction.head<3>().dot(state.turn.cross(relative.head<3>()));
}

}  // namespace mbdbench
