#pragma once
/// \file
/// What a user says of a mechanism: plain data, not yet checked. `Mechanism` is made from it and checks everything.
/// SI units, angles in rad.
#include <Eigen/Core>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mechanisms/model/description/joint_type.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// Name of the inertial frame wherever a body is expected.
inline constexpr const char* kGround = "ground";

/// A constant value.
struct ConstantLaw {
  double value = 0.0;
  bool operator==(const ConstantLaw&) const = default;
};

/// Piecewise linear between the points, constant outside them.
struct TableLaw {
  /// What the abscissa is: "t", or for loads in a joint also "q" or "v" (that joint component's own).
  std::string over = "t";
  std::vector<double> abscissa;  ///< strictly increasing, at least two
  std::vector<double> values;    ///< as many
  bool operator==(const TableLaw&) const = default;
};

/// A formula in muParser's syntax. Variables: t; q and v of the joint component that it loads; q_JOINT, v_JOINT (or
/// q_JOINT_2, ... for the further components) of every tree joint; x_MARKER, y_MARKER, z_MARKER, vx_MARKER, vy_MARKER,
/// vz_MARKER of every marker, in world axes.
struct ExpressionLaw {
  std::string text;
  bool operator==(const ExpressionLaw&) const = default;
};

/// A number that may depend on time and state.
using Law = std::variant<ConstantLaw, TableLaw, ExpressionLaw>;

/// A rigid body. Its own frame is where joints and markers are given.
struct BodyDescription {
  std::string name;
  double mass = 0.0;            ///< kg
  Vec3 com = Vec3::Zero();      ///< centre of mass, in the body's frame, m
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, in the body's axes, kg m^2
};

/// Where a joint sits on a body: origin and axes, in the body's frame (in the world's for the ground).
struct JointFrame {
  Vec3 position = Vec3::Zero();
  /// Unit quaternion (w, x, y, z), joint axes to body axes.
  Eigen::Vector4d rotation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
};

/// Prescribed motion of one scalar joint coordinate: position, velocity and acceleration as formulas in t.
struct PrescribedMotion {
  int component = 0;  ///< 0-based component of q
  std::string position;
  std::string velocity;
  std::string acceleration;
};

/// A joint leads from body a (inboard) to body b (outboard).
struct JointDescription {
  std::string name;
  JointType type = JointType::revolute;
  std::string a = kGround;
  std::string b;
  JointFrame frame_a;
  JointFrame frame_b;
  /// The joint's axis (normal of a planar joint) in joint axes; unit. Universal: first axis, fixed in a.
  Vec3 axis = Vec3::UnitZ();
  /// Discs that roll: their axis, fixed in b. Universal joints: second axis, fixed in b, in b's joint axes at q = 0
  /// equal to a's; unit, not parallel to `axis`.
  Vec3 axis2 = Vec3::UnitX();
  double length = 0.0;  ///< types that keep one: between the two origins, m
  double radius = 0.0;  ///< types that roll: of the ball or disc about b's origin, m
  double pitch = 0.0;   ///< screws: advance along the axis, m/rad; of the same sign as the turn for a right-hand thread
  /// A cut joint is left out of the spanning tree. Without any mark, joints that close a loop are cut in file order.
  bool cut = false;
  /// Tree joints: initial coordinates and quasi-velocities; empty means zero (identity). Cut joints: a
  /// guess that chooses the turn of an angle; the mechanism replaces it by the coordinates of the closed loop.
  std::vector<double> q0;
  std::vector<double> v0;
  /// The initial coordinates and velocities are guesses that may be changed to close the loops.
  bool dependent = false;
  std::vector<PrescribedMotion> motions;
};

/// A share of a coupling: factor times one scalar coordinate of a tree joint.
struct CouplingTerm {
  std::string joint;
  int component = 0;  ///< 0-based component of q
  double factor = 1.0;
};

/// Coordinates of several joints tied to one another: sum of factor q = value. Two turns: gears; a turn and a
/// displacement: rack and pinion.
struct CouplingDescription {
  std::string name;
  std::vector<CouplingTerm> terms;
  std::optional<double> value;  ///< without one, what q0 gives
};

/// A share of a velocity constraint: a factor, which may be a formula in coordinates, times one component of u.
struct VelocityTerm {
  std::string joint;
  int component = 0;  ///< 0-based component of u
  Law factor = ConstantLaw{1.0};
};

/// Quasi-velocities tied to one another where no equation of positions need exist: sum of factor(q) u = 0.
struct VelocityConstraintDescription {
  std::string name;
  std::vector<VelocityTerm> terms;
};

/// Generalised force on one joint component, along u.
struct JointLoadDescription {
  std::string name;
  std::string joint;
  int component = 0;  ///< 0-based component of u
  Law law;
};

/// Force (N) at a point of a body and torque (N m) on it.
struct BodyLoadDescription {
  std::string name;
  std::string body;
  Vec3 point = Vec3::Zero();  ///< in the body's frame
  bool in_body_axes = false;  ///< components in the body's axes, otherwise in world axes
  std::vector<Law> force;     ///< three components, or empty
  std::vector<Law> torque;    ///< three components, or empty
};

/// Linear spring and damper on one scalar joint coordinate: -stiffness (q - rest) - damping v.
struct JointSpringDescription {
  std::string name;
  std::string joint;
  int component = 0;
  double stiffness = 0.0;
  double damping = 0.0;
  double rest = 0.0;
};

/// Linear spring and damper between two points.
struct PointSpringDescription {
  std::string name;
  std::string body1 = kGround;
  std::string body2;
  Vec3 point1 = Vec3::Zero();  ///< in the frame of body 1
  Vec3 point2 = Vec3::Zero();
  double stiffness = 0.0;  ///< N/m
  double damping = 0.0;    ///< N s/m
  double rest = 0.0;       ///< length without force, m
};

/// Springs and dampers in six directions between a frame on each of two bodies. d is the displacement of frame 2's
/// origin from frame 1's, theta the rotation vector of frame 2's axes against frame 1's, both in the axes of frame 1.
/// The potential is sum of k_i d_i^2 / 2 + c_i theta_i^2 / 2; dampers resist the velocity of frame 2's origin and the
/// angular velocity of body 2 as seen from body 1.
struct BushingDescription {
  std::string name;
  std::string body1 = kGround;
  std::string body2;
  JointFrame frame1;                         ///< on body 1; its axes are those of all coefficients
  JointFrame frame2;                         ///< on body 2
  Vec3 stiffness = Vec3::Zero();             ///< k, N/m
  Vec3 damping = Vec3::Zero();               ///< N s/m
  Vec3 rotational_stiffness = Vec3::Zero();  ///< c, N m/rad
  Vec3 rotational_damping = Vec3::Zero();    ///< N m s/rad
};

/// Dry friction on one joint component, regularised: the generalised force
/// -(kinetic + (breakaway - kinetic) exp(-(v / stribeck_velocity)^2)) tanh(v / regularisation_velocity) - viscous v.
struct JointFrictionDescription {
  std::string name;
  std::string joint;
  int component = 0;                     ///< 0-based component of u
  double kinetic = 0.0;                  ///< N or N m
  double breakaway = 0.0;                ///< at least as large
  double stribeck_velocity = 0.0;        ///< 0: no Stribeck effect, breakaway is kinetic
  double regularisation_velocity = 0.0;  ///< positive: below it the joint creeps
  double viscous = 0.0;                  ///< N s/m or N m s/rad
};

/// Stops of one scalar joint coordinate: one-sided springs beyond `lower` and `upper`. Of the depth d beyond a stop the
/// force is stiffness d max(0, 1 + damping d'), which never pulls and starts from zero.
struct JointStopDescription {
  std::string name;
  std::string joint;
  int component = 0;
  std::optional<double> lower;
  std::optional<double> upper;
  double stiffness = 0.0;
  double damping = 0.0;  ///< s/m or s/rad
};

/// A named frame whose place and velocity are outputs.
struct MarkerDescription {
  std::string name;
  std::string body;
  Vec3 point = Vec3::Zero();  ///< in the body's frame
  /// Unit quaternion (w, x, y, z), the marker's axes to body axes.
  Eigen::Vector4d rotation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
};

/// The whole mechanism as its author wrote it.
struct MechanismDescription {
  std::string name;
  std::string source;  ///< where the model comes from, free text
  /// What a reader of another format left out or renamed, a sentence each.
  std::vector<std::string> notes;
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<CouplingDescription> couplings;
  std::vector<VelocityConstraintDescription> velocity_constraints;
  std::vector<JointLoadDescription> joint_loads;
  std::vector<BodyLoadDescription> body_loads;
  std::vector<JointSpringDescription> joint_springs;
  std::vector<PointSpringDescription> point_springs;
  std::vector<BushingDescription> bushings;
  std::vector<JointFrictionDescription> joint_frictions;
  std::vector<JointStopDescription> joint_stops;
  std::vector<MarkerDescription> markers;
};

}  // namespace mbdbench
