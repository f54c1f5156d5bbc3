#include "experiments/drawing/view.hpp"

#include <cmath>
#include <optional>

namespace mbdbench {
namespace {

// Directions that are given to fewer digits still make a planar mechanism.
constexpr double kParallel = 1e-9;

bool parallel(const Vec3& first, const Vec3& second) {
  return first.cross(second).norm() < kParallel;
}

/// \returns whether the joint lets its bodies move in the plane with this normal only.
bool stays_in_plane(const Joint& joint, const Vec3& axis, const Vec3& normal) {
  switch (joint.type) {
    case JointType::revolute:
    case JointType::planar:
      return parallel(axis, normal);
    case JointType::prismatic:
      return std::abs(axis.dot(normal)) < kParallel;
    case JointType::fixed:
      return true;
    default:
      return false;
  }
}

/// \returns the normal of the plane in which all bodies move, if there is one.
std::optional<Vec3> plane_of_motion(const Kinematics& kinematics) {
  const auto joints = kinematics.mechanism().tree_joints();
  const auto axis = [&](std::size_t k) {
    return Vec3(kinematics.tree_joint(static_cast<int>(k)).axes_a * joints[k].axis);
  };
  std::optional<Vec3> normal;
  for (std::size_t k = 0; k < joints.size() && !normal; ++k) {
    if (joints[k].type == JointType::revolute || joints[k].type == JointType::planar) {
      normal = axis(k);
    }
  }
  for (std::size_t k = 0; k < joints.size() && normal; ++k) {
    if (!stays_in_plane(joints[k], axis(k), *normal)) {
      return std::nullopt;
    }
  }
  return normal;
}

/// \returns the world axis that is the closest to a right angle with `normal`, z before y before x.
Vec3 upright_axis(const Vec3& normal) {
  constexpr double kClearly = 0.5;
  for (const Vec3& axis : {Vec3(Vec3::UnitZ()), Vec3(Vec3::UnitY())}) {
    if (std::abs(axis.dot(normal)) < kClearly) {
      return axis;
    }
  }
  return Vec3::UnitX();
}

}  // namespace

View view_of(const Kinematics& kinematics) {
  const Vec3& gravity = kinematics.mechanism().gravity();
  View view;
  const std::optional<Vec3> plane = plane_of_motion(kinematics);
  view.planar = plane.has_value();
  Vec3 normal = Vec3::UnitX();
  if (plane) {
    normal = *plane;
    const Vec3 down = gravity - normal * normal.dot(gravity);
    view.up = down.norm() > kParallel * (1.0 + gravity.norm()) ? Vec3(-down) : upright_axis(normal);
  } else {
    const Vec3 above = gravity.norm() > 0.0 ? Vec3(-gravity.normalized()) : Vec3(Vec3::UnitZ());
    const Vec3 front = upright_axis(above).cross(above).normalized();
    const Vec3 side = above.cross(front);
    // No two of the three axes are seen alike, and squares do not become lines.
    constexpr double kAzimuth = 0.6;
    constexpr double kElevation = 0.4;
    normal =
        std::cos(kElevation) * (std::cos(kAzimuth) * front + std::sin(kAzimuth) * side) + std::sin(kElevation) * above;
    view.up = above;
  }
  view.up = (view.up - normal * normal.dot(view.up)).normalized();
  view.right = view.up.cross(normal).normalized();
  Eigen::Index largest = 0;
  view.right.cwiseAbs().maxCoeff(&largest);
  if (view.right[largest] < 0.0 && plane) {
    view.right = -view.right;
  }
  return view;
}

}  // namespace mbdbench
