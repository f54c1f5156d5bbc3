#pragma once
/// \file
/// Spatial algebra: 6-vectors [linear; angular], all in WORLD axes.
///
/// A velocity V_O = [v_O; omega] and a wrench (or momentum) P_O = [f; n_O] belong to a point O. The shift matrix
/// S_12 = [I 0; l~_12 I] with l_12 = O2 - O1 carries a wrench from O2 to O1, its transpose a velocity from O1 to O2
/// [Chadaj2015, Eq. (2)-(3)].
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace mbdbench {

template <typename Scalar>
using Vector3 = Eigen::Matrix<Scalar, 3, 1>;
template <typename Scalar>
using Vector6 = Eigen::Matrix<Scalar, 6, 1>;
template <typename Scalar>
using Matrix3 = Eigen::Matrix<Scalar, 3, 3>;
template <typename Scalar>
using Matrix6 = Eigen::Matrix<Scalar, 6, 6>;

using Vec3 = Vector3<double>;
using Vec6 = Vector6<double>;
using Mat3 = Matrix3<double>;
using Mat6 = Matrix6<double>;
/// Up to six spatial columns (a joint's H or D), stored in place.
using SpatialColumns = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
/// Matrix of at most six rows and columns (over the quasi-velocities of a joint), stored in place.
using JointMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

/// \returns the cross-product matrix a~ with a~ b = a x b.
inline Mat3 skew(const Vec3& a) {
  Mat3 matrix;
  matrix << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return matrix;
}

/// \returns S_12 for l_12 = O2 - O1 (6 x 6).
inline Mat6 shift_matrix(const Vec3& l_12) {
  Mat6 matrix = Mat6::Identity();
  matrix.bottomLeftCorner<3, 3>() = skew(l_12);
  return matrix;
}

/// \returns S_12 P_2: the wrench or momentum P_2 at O2, taken about O1.
inline Vec6 shift_wrench(const Vec3& l_12, const Vec6& wrench_2) {
  Vec6 wrench_1 = wrench_2;
  wrench_1.tail<3>() += l_12.cross(wrench_2.head<3>());
  return wrench_1;
}

/// \returns S_12^T V_1: the velocity of the point O2 of the body that moves with V_1 at O1.
inline Vec6 shift_velocity(const Vec3& l_12, const Vec6& velocity_1) {
  Vec6 velocity_2 = velocity_1;
  velocity_2.head<3>() += velocity_1.tail<3>().cross(l_12);
  return velocity_2;
}

/// \returns Sdot_O P, the moving-point term of the momentum balance.
/// DEVIATES [Chadaj2015, Eq. (32)]: printed without the tilde; it is Sdot_O = [0 0; v_O~ 0] (conservation_test: energy
/// rate).
inline Vec6 shift_rate_wrench(const Vec3& point_velocity, const Vec6& wrench) {
  Vec6 result = Vec6::Zero();
  result.tail<3>() = point_velocity.cross(wrench.head<3>());
  return result;
}

/// \returns the rotation matrix of the quaternion (w, x, y, z), which may have any non-zero length.
inline Mat3 rotation_of_quaternion(double w, double x, double y, double z) {
  const double scale = 2.0 / (w * w + x * x + y * y + z * z);
  Mat3 rotation;
  rotation << 1.0 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y),  //
      scale * (x * y + w * z), 1.0 - scale * (x * x + z * z), scale * (y * z - w * x),          //
      scale * (x * z - w * y), scale * (y * z + w * x), 1.0 - scale * (x * x + y * y);
  return rotation;
}

/// \returns the rotation by `angle` about the unit vector `axis`; exact for angle 0.
inline Mat3 rotation_about(const Vec3& axis, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return c * Mat3::Identity() + s * skew(axis) + (1.0 - c) * axis * axis.transpose();
}

}  // namespace mbdbench
