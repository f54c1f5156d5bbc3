#include "mechanisms/catalogue/grids/spherical_grid.hpp"

#include <fmt/format.h>

#include <utility>

namespace mbdbench {
namespace {

constexpr double kRowJointHeight = 0.3;
constexpr double kColumnJointHeight = 0.15;

std::string plate(std::int64_t i, std::int64_t j) {
  return fmt::format("body{}_{}", i, j);
}

JointDescription spherical(std::string name, std::string a, std::string b, const Vec3& on_a, const Vec3& on_b) {
  JointDescription joint;
  joint.name = std::move(name);
  joint.type = JointType::spherical;
  joint.a = std::move(a);
  joint.b = std::move(b);
  joint.frame_a.position = on_a;
  joint.frame_b.position = on_b;
  return joint;
}

}  // namespace

MechanismDescription spherical_grid(std::string name, std::int64_t rows, std::int64_t columns) {
  MechanismDescription description;
  description.name = std::move(name);
  for (std::int64_t i = 1; i <= rows; ++i) {
    for (std::int64_t j = 1; j <= columns; ++j) {
      description.bodies.push_back({plate(i, j), 1.0, Vec3::Zero(), Mat3::Identity()});
      // Parity of the plate before this one, in the row as in the column.
      const double sign = (i + j) % 2 == 0 ? -1.0 : 1.0;
      if (j > 1) {
        const double height = sign * kRowJointHeight;
        description.joints.push_back(spherical(fmt::format("row{}_{}", i, j), plate(i, j - 1), plate(i, j),
                                               Vec3(0.5, 0.0, height), Vec3(-0.5, 0.0, height)));
        description.joints.back().cut = i > 1;
      } else if (i == 1) {
        description.joints.push_back(
            spherical("hanger", kGround, plate(1, 1), Vec3(-0.5, 0.0, 0.0), Vec3(-0.5, 0.0, 0.0)));
      }
      if (i > 1) {
        const double height = sign * kColumnJointHeight;
        description.joints.push_back(spherical(fmt::format("column{}_{}", i, j), plate(i - 1, j), plate(i, j),
                                               Vec3(0.0, 0.5, height), Vec3(0.0, -0.5, height)));
      }
    }
  }
  description.markers.push_back({"tip", plate(rows, columns), Vec3::Zero()});
  return description;
}

}  // namespace mbdbench
