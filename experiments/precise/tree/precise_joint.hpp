#pragma once
/// \file
/// Joints in 113 bits: poses, and axes of what they leave free.
#include <cstddef>
#include <span>
#include <vector>

#include "experiments/precise/numbers/precise_number.hpp"
#include "mechanisms/model/description/joint.hpp"

namespace mbdbench::precise {

/// Axes of a joint's quasi-velocities, in the joint's place, and which body carries each.
class JointAxes {
 public:
  JointAxes() = default;
  /// \param axes_a, axes_b the joint's axes on either body in world axes \param point where it is on b
  JointAxes(const Joint& joint, const Matrix& axes_a, const Matrix& axes_b, const Vector& point);

  [[nodiscard]] const Columns& columns() const { return axes_; }
  /// \returns the rate of a column where bodies a and b have these velocities.
  [[nodiscard]] Spatial rate(Eigen::Index column, const Spatial& velocity_a, const Spatial& velocity_b) const;

 private:
  /// \param pitch advance along the direction, m/rad
  void turn(const Vector& direction, bool carried_by_b, double pitch = 0.0);
  void slide(const Vector& direction);

  Columns axes_;
  std::vector<bool> from_b_;
  Vector point_ = Vector::Zero();
  Eigen::Index at_ = 0;
};

/// \returns the nearest axes that are orthonormal, but for the order in which they are made so: what those of a file
/// lack in double precision counts as rounding of whoever uses them.
Matrix orthonormal(const Mat3& rotation);

/// Pose of b's joint axes in a's.
struct JointPose {
  Matrix rotation = Matrix::Identity();
  Vector translation = Vector::Zero();
};

/// \param q nq entries; the length of a quaternion does not matter
JointPose joint_pose(const Joint& joint, std::span<const Real> q);

}  // namespace mbdbench::precise
