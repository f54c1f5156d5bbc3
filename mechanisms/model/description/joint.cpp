#include "mechanisms/model/description/joint.hpp"

#include <cmath>
#include <numbers>

namespace mbdbench {
namespace {

/// Signed angle from `from` to `to` about the unit vector `axis`.
double angle_about(const Vec3& axis, const Vec3& from, const Vec3& to) {
  return std::atan2(axis.dot(from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to));
}

double nearest_turn(double angle, double near) {
  const double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((near - angle) / turn);
}

/// \returns the share of the radius by which the centre of what rolls is above the plane: the cosine of a disc's lean.
double rolling_upright(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b) {
  const double along = (axes_a * joint.axis).dot(axes_b * joint.axis2);
  return joint.type == JointType::rolling_disc ? std::sqrt(1.0 - along * along) : 1.0;
}

/// Unit length of a screw's row: (axis . displacement - pitch angle) / sqrt(1 + pitch^2).
double screw_scale(const Joint& joint) {
  return 1.0 / std::sqrt(1.0 + joint.pitch * joint.pitch);
}

/// The turn of b relative to a about the axis and its gradient: angle' = gradient . (omega_b - omega_a), exact also
/// where the axes of a and b are not parallel.
struct AxisTurn {
  Vec3 across1;  // normals of the axis, fixed in a
  Vec3 across2;
  Vec3 pointer;  // fixed in b
  double x;      // of the pointer along the normals
  double y;

  AxisTurn(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b)
      : across1(axes_a * joint.normal1),
        across2(axes_a * joint.normal2),
        pointer(axes_b * joint.normal1),
        x(across1.dot(pointer)),
        y(across2.dot(pointer)) {}

  [[nodiscard]] double angle() const { return std::atan2(y, x); }
  [[nodiscard]] Vec3 gradient() const { return pointer.cross(x * across2 - y * across1) / (x * x + y * y); }
  [[nodiscard]] Vec3 gradient_rate(const Vec3& omega_a, const Vec3& omega_b) const {
    const Vec3 pointer_rate = omega_b.cross(pointer);
    const double x_rate = omega_a.cross(across1).dot(pointer) + across1.dot(pointer_rate);
    const double y_rate = omega_a.cross(across2).dot(pointer) + across2.dot(pointer_rate);
    const Vec3 level = x * across2 - y * across1;
    const Vec3 level_rate = x_rate * across2 - y_rate * across1 + omega_a.cross(level);
    const double square = x * x + y * y;
    const double square_rate = 2.0 * (x * x_rate + y * y_rate);
    return (pointer_rate.cross(level) + pointer.cross(level_rate)) / square - (square_rate / square) * gradient();
  }
};

/// Zeros, column by column: all of them together are a call of memset for 240 bytes.
void clear(int columns, SpatialColumns& directions) {
  directions.resize(6, columns);
  for (int column = 0; column < columns; ++column) {
    directions.col(column).setZero();
  }
}

void angular_columns(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b, int first, SpatialColumns& d) {
  for (const AngularConstraint& constraint : joint.angular) {
    d.col(first).tail<3>() = constraint.scale * (axes_b * constraint.vector_b).cross(axes_a * constraint.vector_a);
    ++first;
  }
}

}  // namespace

RelativePose relative_pose(const Joint& joint, std::span<const double> q) {
  RelativePose pose;
  switch (joint.type) {
    case JointType::revolute:
      pose.rotation = rotation_about(joint.axis, q[0]);
      break;
    case JointType::prismatic:
      pose.translation = q[0] * joint.axis;
      break;
    case JointType::universal:
      pose.rotation = rotation_about(joint.axis, q[0]) * rotation_about(joint.axis2, q[1]);
      break;
    case JointType::cylindrical:
      pose.rotation = rotation_about(joint.axis, q[0]);
      pose.translation = q[1] * joint.axis;
      break;
    case JointType::spherical:
      pose.rotation = rotation_of_quaternion(q[0], q[1], q[2], q[3]);
      break;
    case JointType::planar:
      pose.rotation = rotation_about(joint.axis, q[2]);
      pose.translation = q[0] * joint.normal1 + q[1] * joint.normal2;
      break;
    case JointType::free:
      pose.rotation = rotation_of_quaternion(q[0], q[1], q[2], q[3]);
      pose.translation = Vec3(q[4], q[5], q[6]);
      break;
    case JointType::fixed:
      break;
    case JointType::screw:
      pose.rotation = rotation_about(joint.axis, q[0]);
      pose.translation = joint.pitch * q[0] * joint.axis;
      break;
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      break;  // no coordinates: the other joints place both bodies
  }
  return pose;
}

void motion_subspace(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b, SpatialColumns& h) {
  h.setZero(6, joint.nu);
  switch (joint.type) {
    case JointType::revolute:
      h.col(0).tail<3>() = axes_a * joint.axis;
      break;
    case JointType::prismatic:
      h.col(0).head<3>() = axes_a * joint.axis;
      break;
    case JointType::universal:
      h.col(0).tail<3>() = axes_a * joint.axis;
      h.col(1).tail<3>() = axes_b * joint.axis2;
      break;
    case JointType::cylindrical:
      h.col(0).tail<3>() = axes_a * joint.axis;
      h.col(1).head<3>() = axes_a * joint.axis;
      break;
    case JointType::spherical:
      h.bottomRows<3>() = axes_b;
      break;
    case JointType::planar:
      h.col(0).head<3>() = axes_a * joint.normal1;
      h.col(1).head<3>() = axes_a * joint.normal2;
      h.col(2).tail<3>() = axes_a * joint.axis;
      break;
    case JointType::free:
      h.bottomLeftCorner<3, 3>() = axes_b;
      h.topRightCorner<3, 3>() = axes_a;
      break;
    case JointType::fixed:
      break;
    case JointType::screw:
      h.col(0).tail<3>() = axes_a * joint.axis;
      h.col(0).head<3>() = joint.pitch * h.col(0).tail<3>();
      break;
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      break;
  }
}

void motion_subspace_rate(const Joint& joint, const SpatialColumns& h, const Vec3& omega_a, const Vec3& omega_b,
                          SpatialColumns& h_rate) {
  h_rate.resize(6, joint.nu);
  for (int column = 0; column < joint.nu; ++column) {
    const bool fixed_in_b = joint.type == JointType::spherical || (joint.type == JointType::universal && column == 1) ||
                            (joint.type == JointType::free && column < 3);
    const Vec3& omega = fixed_in_b ? omega_b : omega_a;
    const double* const from = h.data() + 6 * column;
    double* const to = h_rate.data() + 6 * column;
    for (int part = 0; part < 6; part += 3) {
      to[part] = omega[1] * from[part + 2] - omega[2] * from[part + 1];
      to[part + 1] = omega[2] * from[part] - omega[0] * from[part + 2];
      to[part + 2] = omega[0] * from[part + 1] - omega[1] * from[part];
    }
  }
}

void constrained_directions(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b, const Vec3& displacement,
                            SpatialColumns& d) {
  clear(joint.nc, d);
  int column = 0;
  if (joint.world_linear) {
    d.topLeftCorner<3, 3>().setIdentity();
    column = 3;
  }
  for (const Vec3& direction : joint.linear_directions) {
    d.col(column++).head<3>() = axes_a * direction;
  }
  if (joint.length > 0.0) {
    d.col(column++).head<3>() = displacement.normalized();
  }
  if (joint.type == JointType::screw) {
    d.col(column).head<3>() = screw_scale(joint) * (axes_a * joint.axis);
    d.col(column++).tail<3>() = -screw_scale(joint) * joint.pitch * AxisTurn(joint, axes_a, axes_b).gradient();
  }
  angular_columns(joint, axes_a, axes_b, column, d);
  if (joint.turn_row) {
    d.col(joint.nc - 1).tail<3>() = AxisTurn(joint, axes_a, axes_b).gradient();
  }
}

void constrained_directions_rate(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b,
                                 const RelativeMotion& motion, SpatialColumns& d_rate) {
  const Vec3& omega_a = motion.omega_a;
  const Vec3& omega_b = motion.omega_b;
  clear(joint.nc, d_rate);
  int column = joint.world_linear ? 3 : 0;
  for (const Vec3& direction : joint.linear_directions) {
    d_rate.col(column++).head<3>() = omega_a.cross(axes_a * direction);
  }
  if (joint.length > 0.0) {
    const Vec3 along = motion.displacement.normalized();
    const Vec3& rate = motion.displacement_rate;
    d_rate.col(column++).head<3>() = (rate - along.dot(rate) * along) / motion.displacement.norm();
  }
  if (joint.type == JointType::screw) {
    d_rate.col(column).head<3>() = screw_scale(joint) * omega_a.cross(axes_a * joint.axis);
    d_rate.col(column++).tail<3>() =
        -screw_scale(joint) * joint.pitch * AxisTurn(joint, axes_a, axes_b).gradient_rate(omega_a, omega_b);
  }
  for (const AngularConstraint& constraint : joint.angular) {
    const Vec3 a = axes_a * constraint.vector_a;
    const Vec3 b = axes_b * constraint.vector_b;
    d_rate.col(column++).tail<3>() = constraint.scale * (omega_b.cross(b).cross(a) + b.cross(omega_a.cross(a)));
  }
  if (joint.turn_row) {
    d_rate.col(column).tail<3>() = AxisTurn(joint, axes_a, axes_b).gradient_rate(omega_a, omega_b);
  }
}

void closure_residual(const Joint& joint, const Mat3& axes_a, const Mat3& axes_b, const Vec3& displacement,
                      std::span<double> residual) {
  std::size_t row = 0;
  if (joint.world_linear) {
    for (int axis = 0; axis < 3; ++axis) {
      residual[row++] = displacement[axis];
    }
  }
  for (const Vec3& direction : joint.linear_directions) {
    residual[row++] = (axes_a * direction).dot(displacement);
  }
  if (rolls(joint.type)) {  // how high the lowest point is; where it touches is no equation
    residual[0] -= joint.radius * rolling_upright(joint, axes_a, axes_b);
    residual[1] = 0.0;
    residual[2] = 0.0;
  }
  if (joint.length > 0.0) {
    residual[row++] = displacement.norm() - joint.length;
  }
  if (joint.type == JointType::screw) {
    // A whole turn is another place of the same thread: what is left is less than half the lead.
    const double turn = AxisTurn(joint, axes_a, axes_b).angle();
    const double along = (axes_a * joint.axis).dot(displacement);
    residual[row++] =
        screw_scale(joint) * joint.pitch * (along / joint.pitch - nearest_turn(turn, along / joint.pitch));
  }
  for (const AngularConstraint& constraint : joint.angular) {
    const double cosine = (axes_a * constraint.vector_a).dot(axes_b * constraint.vector_b);
    residual[row++] = constraint.scale * (cosine - constraint.cosine);
  }
  if (joint.turn_row) {
    residual[row] = AxisTurn(joint, axes_a, axes_b).angle();
  }
}

void drive_residual(const Joint& joint, std::span<const double> motions, std::span<double> residual) {
  for (const DrivenRow& driven : joint.driven) {
    double& row = residual[static_cast<std::size_t>(driven.row)];
    row -= motions[static_cast<std::size_t>(driven.place)];
    row = driven.turns ? nearest_turn(row, 0.0) : row;
  }
}

void coordinate_rates(const Joint& joint, std::span<const double> q, std::span<const double> u,
                      std::span<double> rates) {
  if (has_coordinate_rates(joint.type)) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(joint.nq); ++i) {
      rates[i] = u[i];
    }
    return;
  }
  // e' = e o (0, omega) / 2 for omega in b's axes.
  rates[0] = 0.5 * (-q[1] * u[0] - q[2] * u[1] - q[3] * u[2]);
  rates[1] = 0.5 * (q[0] * u[0] + q[2] * u[2] - q[3] * u[1]);
  rates[2] = 0.5 * (q[0] * u[1] + q[3] * u[0] - q[1] * u[2]);
  rates[3] = 0.5 * (q[0] * u[2] + q[1] * u[1] - q[2] * u[0]);
  if (joint.type == JointType::free) {
    for (std::size_t i = 0; i < 3; ++i) {
      rates[4 + i] = u[3 + i];
    }
  }
}

void joint_coordinates(const Joint& joint, const RelativePose& pose, std::span<const double> near,
                       std::span<double> q) {
  const auto turn_near = [&](double expected) {
    return nearest_turn(angle_about(joint.axis, joint.normal1, pose.rotation * joint.normal1), expected);
  };
  const auto turn = [&](std::size_t component) { q[component] = turn_near(near[component]); };
  switch (joint.type) {
    case JointType::revolute:
      turn(0);
      break;
    case JointType::prismatic:
      q[0] = joint.axis.dot(pose.translation);
      break;
    case JointType::universal:
      // R axis2 = Rot(axis, q1) axis2 and R^T axis = Rot(axis2, -q2) axis.
      q[0] = nearest_turn(angle_about(joint.axis, joint.axis2, pose.rotation * joint.axis2), near[0]);
      q[1] = nearest_turn(angle_about(joint.axis2, pose.rotation.transpose() * joint.axis, joint.axis), near[1]);
      break;
    case JointType::cylindrical:
      turn(0);
      q[1] = joint.axis.dot(pose.translation);
      break;
    case JointType::planar:
      q[0] = joint.normal1.dot(pose.translation);
      q[1] = joint.normal2.dot(pose.translation);
      turn(2);
      break;
    case JointType::spherical:
    case JointType::free: {
      const Eigen::Quaterniond quaternion(pose.rotation);
      Eigen::Vector4d e(quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z());
      if (e.dot(Eigen::Map<const Eigen::Vector4d>(near.data())) < 0.0) {
        e = -e;
      }
      for (int i = 0; i < 4; ++i) {
        q[static_cast<std::size_t>(i)] = e[i];
      }
      if (joint.type == JointType::free) {
        for (int i = 0; i < 3; ++i) {
          q[static_cast<std::size_t>(4 + i)] = pose.translation[i];
        }
      }
      break;
    }
    case JointType::fixed:
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      break;
    case JointType::screw:
      q[0] = turn_near(joint.axis.dot(pose.translation) / joint.pitch);
      break;
  }
}

JointMatrix motion_gram_inverse(const Joint& joint) {
  JointMatrix inverse = JointMatrix::Identity(joint.nu, joint.nu);
  if (joint.type == JointType::universal) {
    const double c = joint.axis.dot(joint.axis2);
    const double determinant = 1.0 - c * c;
    inverse << 1.0 / determinant, -c / determinant, -c / determinant, 1.0 / determinant;
  } else if (joint.type == JointType::screw) {
    inverse << 1.0 / (1.0 + joint.pitch * joint.pitch);
  }
  return inverse;
}

}  // namespace mbdbench
