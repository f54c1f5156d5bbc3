#pragma once
/// \file
/// A validated joint and its geometry: relative pose, motion subspace H, constrained directions D, their rates,
/// closure residual of a cut, coordinates of a given relative pose.
///
/// The point O_k of a joint that holds is the origin of its frame on the outboard body b; of an open one see
/// joint_kinematics.hpp. V_B(O_k) - V_A(O_k) = H u, D^T H = 0.
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/description/joint_type.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// One angular constraint: scale (vector_a . vector_b - cosine) = 0 with vector_a fixed in joint axes of a, vector_b of
/// b. Its row on the relative angular velocity is scale (vector_b x vector_a)^T.
struct AngularConstraint {
  Vec3 vector_a;
  Vec3 vector_b;
  double cosine = 0.0;
  double scale = 1.0;
};

/// A scalar coordinate that follows a given function of time.
struct JointMotion {
  int component = 0;
  std::string position;
  std::string velocity;
  std::string acceleration;
};

/// A row of a cut joint's D along a component that follows a given function of time: Phi = coordinate - f(t) there.
struct DrivenRow {
  int row = 0;         ///< among those of the joint
  int place = 0;       ///< of f in PrescribedMotions
  bool turns = false;  ///< an angle, known to whole turns only
  JointMotion motion;
};

/// A joint of a validated mechanism. Bodies are indices, -1 is the ground.
struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  bool cut = false;
  int a = -1;
  int b = -1;
  Vec3 position_a = Vec3::Zero();      ///< origin on a, in a's frame
  Vec3 position_b = Vec3::Zero();      ///< origin on b, in b's frame
  Mat3 rotation_a = Mat3::Identity();  ///< joint axes to a's axes
  Mat3 rotation_b = Mat3::Identity();  ///< joint axes to b's axes
  Vec3 axis = Vec3::UnitZ();
  Vec3 axis2 = Vec3::UnitX();
  double pitch = 0.0;            ///< screws, m/rad
  Vec3 normal1 = Vec3::UnitX();  ///< unit, normal to axis
  Vec3 normal2 = Vec3::UnitY();  ///< axis x normal1
  int nq = 0;
  int nu = 0;
  int nc = 6;                           ///< rows: columns of D
  int q_offset = 0;                     ///< first coordinate in q (tree joints)
  int u_offset = 0;                     ///< first quasi-velocity in u (tree joints)
  int row_offset = 0;                   ///< first row in Phi (cut joints)
  bool world_linear = false;            ///< the linear rows are the world axes, else `linear_directions`
  std::vector<Vec3> linear_directions;  ///< fixed in joint axes of a
  double length = 0.0;                  ///< where positive, a row after them is the distance of the two origins less it
  double radius = 0.0;                  ///< of what rolls
  std::vector<AngularConstraint> angular;
  bool turn_row = false;  ///< the last row is the turn about the axis (driven cut joints)
  std::vector<double> q0;
  std::vector<JointMotion> motions;  ///< prescribed components (tree joints)
  int motion_offset = 0;             ///< first of their rows in Phi
  std::vector<DrivenRow> driven;     ///< prescribed components (cut joints), whose rows count in nc

  /// \returns whether a row holds a velocity alone: it has no equation of positions, and its Phi is zero.
  [[nodiscard]] bool holds_velocity_alone(int row) const { return rolls(type) && row > 0; }
  /// \returns how many of the rows are distances; the others are angles.
  [[nodiscard]] int linear_rows() const { return nc - static_cast<int>(angular.size()) - (turn_row ? 1 : 0); }
};

/// Pose of b's joint axes relative to a's.
struct RelativePose {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();  ///< in a's joint axes
};

/// \returns the relative pose at coordinates q (nq entries); the length of a quaternion does not matter.
RelativePose relative_pose(const Joint& joint, std::span<const double> q);

/// Motion subspace in world axes at O_k.
/// \param axes_a, axes_b joint axes of a and of b, columns in world axes
/// \param h receives H, 6 x nu
void motion_subspace(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b, SpatialColumns& h);

/// Rate of H when a and b turn with omega_a and omega_b: columns fixed in a turn with a, those fixed in b with b.
/// \param h H at this configuration
void motion_subspace_rate(const Joint& joint, const SpatialColumns& h, const Vec3& omega_a, const Vec3& omega_b,
                          SpatialColumns& h_rate);

/// Constrained directions D, 6 x nc, linear rows first (of a screw two, then the one that ties displacement to turn; of
/// a joint that keeps a length that one last, along the displacement).
/// That of a driven turn stands last. D^T (V_b - V_a) is the exact rate of `closure_residual` with the velocities of
/// the two origins; with those at O_k, see joint_kinematics.hpp.
/// \param displacement origin on b minus origin on a, in world axes
void constrained_directions(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b, const Vec3& displacement,
                            SpatialColumns& d);

/// How two bodies move that a joint connects, world axes.
struct RelativeMotion {
  Vec3 omega_a = Vec3::Zero();
  Vec3 omega_b = Vec3::Zero();
  Vec3 displacement = Vec3::Zero();       ///< origin on b minus origin on a
  Vec3 displacement_rate = Vec3::Zero();  ///< velocity of the origin on b minus that of the origin on a
};

/// Rate of D.
void constrained_directions_rate(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b,
                                 const RelativeMotion& motion, SpatialColumns& d_rate);

/// Constraint residual Phi of a joint whose ends need not meet (nc entries, order of the columns of D); of driven rows
/// the coordinate.
/// \param displacement origin on b minus origin on a, in world axes
void closure_residual(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b, const Vec3& displacement,
                      std::span<double> residual);

/// Driven rows of a cut joint's residual, which closure_residual leaves as coordinates: minus f(t), angles to the
/// nearest turn. \param motions f of all motions, as PrescribedMotions has them
void drive_residual(const Joint& joint, std::span<const double> motions, std::span<double> residual);

/// q' = N(q) u: nq rates from nu quasi-velocities; linear in the length of a quaternion, so that its direction is right
/// whatever its length.
void coordinate_rates(const Joint& joint, std::span<const double> q, std::span<const double> u,
                      std::span<double> rates);

/// Coordinates of a relative pose that satisfies the constraints of the joint at least roughly; angles are chosen
/// within half a turn of `near` (nq entries).
void joint_coordinates(const Joint& joint, const RelativePose& pose, std::span<const double> near, std::span<double> q);

/// \returns (H^T H)^-1, constant for every joint type. nu x nu, H of any configuration.
JointMatrix motion_gram_inverse(const Joint& joint);

}  // namespace mbdbench
