#include "experiments/precise/tree/precise_joint.hpp"

#include <Eigen/Geometry>

namespace mbdbench::precise {
namespace {

Matrix turned_about(const Vec3& axis, const Real& angle) {
  return Eigen::AngleAxis<Real>(angle, unit(precise(axis))).toRotationMatrix();
}

Matrix of_quaternion(std::span<const Real> q) {
  return Eigen::Quaternion<Real>(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

}  // namespace

Matrix orthonormal(const Mat3& rotation) {
  Matrix made = rotation.cast<Real>();
  made.col(0) = unit(made.col(0));
  made.col(1) = unit(made.col(1) - made.col(0) * made.col(0).dot(made.col(1)));
  made.col(2) = made.col(0).cross(made.col(1));
  return made;
}

JointPose joint_pose(const Joint& joint, std::span<const Real> q) {
  JointPose pose;
  const Vector axis = unit(precise(joint.axis));
  switch (joint.type) {
    case JointType::revolute:
      pose.rotation = turned_about(joint.axis, q[0]);
      break;
    case JointType::prismatic:
      pose.translation = axis * q[0];
      break;
    case JointType::universal:
      pose.rotation = turned_about(joint.axis, q[0]) * turned_about(joint.axis2, q[1]);
      break;
    case JointType::cylindrical:
      pose.rotation = turned_about(joint.axis, q[0]);
      pose.translation = axis * q[1];
      break;
    case JointType::spherical:
      pose.rotation = of_quaternion(q);
      break;
    case JointType::planar:
      pose.rotation = turned_about(joint.axis, q[2]);
      pose.translation = precise(joint.normal1) * q[0] + precise(joint.normal2) * q[1];
      break;
    case JointType::free:
      pose.rotation = of_quaternion(q);
      pose.translation = Vector(q[4], q[5], q[6]);
      break;
    case JointType::screw:
      pose.rotation = turned_about(joint.axis, q[0]);
      pose.translation = axis * (Real(joint.pitch) * q[0]);
      break;
    default:
      break;
  }
  return pose;
}

JointAxes::JointAxes(const Joint& joint, const Matrix& axes_a, const Matrix& axes_b, const Vector& point)
    : axes_(6, joint.nu), from_b_(static_cast<std::size_t>(joint.nu)), point_(point) {
  const Vector axis = axes_a * unit(precise(joint.axis));
  switch (joint.type) {
    case JointType::revolute:
      turn(axis, false);
      break;
    case JointType::prismatic:
      slide(axis);
      break;
    case JointType::universal:
      turn(axis, false);
      turn(axes_b * unit(precise(joint.axis2)), true);
      break;
    case JointType::cylindrical:
      turn(axis, false);
      slide(axis);
      break;
    case JointType::planar:
      slide(axes_a * precise(joint.normal1));
      slide(axes_a * precise(joint.normal2));
      turn(axis, true);
      break;
    case JointType::spherical:
    case JointType::free:
      for (int i = 0; i < 3; ++i) {
        turn(axes_b.col(i), true);
      }
      for (int i = 3; i < joint.nu; ++i) {
        slide(axes_a.col(i - 3));
      }
      break;
    case JointType::screw:
      turn(axis, false, joint.pitch);
      break;
    default:
      break;
  }
}

void JointAxes::turn(const Vector& direction, bool carried_by_b, double pitch) {
  axes_.col(at_).head<3>() = point_.cross(direction) + direction * Real(pitch);
  axes_.col(at_).tail<3>() = direction;
  from_b_[static_cast<std::size_t>(at_++)] = carried_by_b;
}

void JointAxes::slide(const Vector& direction) {
  axes_.col(at_).head<3>() = direction;
  axes_.col(at_).tail<3>().setZero();
  from_b_[static_cast<std::size_t>(at_++)] = false;
}

Spatial JointAxes::rate(Eigen::Index column, const Spatial& velocity_a, const Spatial& velocity_b) const {
  return carried(from_b_[static_cast<std::size_t>(column)] ? velocity_b : velocity_a, axes_.col(column));
}

}  // namespace mbdbench::precise
