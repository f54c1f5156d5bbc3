#pragma once
/// \file
/// The body at one end of a cut joint, as numbers that a process can tell another one, and the right side of the
/// joint's rows that both ends make.
#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Baumgarte's constants: Phi'' + 2 alpha Phi' + beta^2 Phi = 0 [Malczyk2008, Eq. (6)]. Zero: no stabilisation. 1/s.
struct BaumgarteConstants {
  double alpha = 0.0;
  double beta = 0.0;
};

/// Pose and velocity of a body, and of the joint that leads to it. At first: the ground at rest.
struct CutEnd {
  BodyKinematics body;
  Vec3 point_velocity = Vec3::Zero();  ///< of O_k

  /// Numbers of one end in a message: no inertias.
  static constexpr std::size_t kSize = 24;
  /// \param message receives kSize numbers
  void write(std::span<double> message) const;
  /// \returns the end that `write` wrote.
  static CutEnd read(std::span<const double> message);
};

/// The same where it stands: for arguments alone, since it may refer to what is gone after the call.
struct EndMotion {
  const BodyKinematics& body;
  const Vec3& point_velocity;  ///< of O_k

  EndMotion(const BodyKinematics& of_body, const Vec3& of_point) : body(of_body), point_velocity(of_point) {}
  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): an end is what it refers to
  EndMotion(const CutEnd& end) : EndMotion(end.body, end.point_velocity) {}
};

/// \returns the end on a body of the tree; -1 is the ground.
CutEnd cut_end(const Kinematics& kinematics, int body);

/// gamma* of the rows of one cut joint [Malczyk2008, Eq. (7)], with what the handles' own motion along their bodies
/// adds. \param state placed, with its rates \param right_side of all rows; those of this joint are set
void set_cut_right_side(const Joint& joint, const JointKinematics& state, const EndMotion& a, const EndMotion& b,
                        BaumgarteConstants baumgarte, Eigen::VectorXd& right_side);

/// Adds what prescribed motions of the joint's rows ask for beyond a closed joint's: their accelerations, and what
/// stabilisation makes of their velocities and of the gap between them and the joint. \param state placed
void add_drive_right_side(const Joint& joint, const JointKinematics& state, const PrescribedMotions& motions,
                          BaumgarteConstants baumgarte, Eigen::VectorXd& right_side);

}  // namespace mbdbench
