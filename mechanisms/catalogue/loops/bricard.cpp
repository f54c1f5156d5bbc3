/// \file
/// Bricard's mechanism of the IFToMM library of benchmark problems [Gonzalez2006]: one loop of five bars and the
/// ground, six revolute joints whose axes follow the edges of a cube.
///
/// Pivots P0 (0, 0, 0), P1 (1, 0, 0), P2 (1, -1, 0), P3 (1, -1, 1), P4 (0, -1, 1), P5 (0, 0, 1), m; bars of 1 kg and
/// 1 m between them, P5 to P0 being the ground; axes y, z, x, y, z, x at P0 .. P5; gravity 9.81 m/s^2 along -y; at
/// rest. Inertia of a bar about its centre of mass: (1 + 0.01) / 12 kg m^2 across, 0.02 / 12 along. The joint at P5 is
/// the cut. Marker P3.
///
/// Six joints in space leave no freedom by counting; this geometry leaves one, with one redundant constraint. It is
/// redundant where the loop is closed only: once it has drifted open, all five rows are independent.
#include <array>
#include <string>

#include "mechanisms/catalogue/chains/square_bar.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

const std::array<Vec3, 6> kPivots = {Vec3(0.0, 0.0, 0.0),  Vec3(1.0, 0.0, 0.0),  Vec3(1.0, -1.0, 0.0),
                                     Vec3(1.0, -1.0, 1.0), Vec3(0.0, -1.0, 1.0), Vec3(0.0, 0.0, 1.0)};
const std::array<Vec3, 6> kAxes = {Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX(),
                                   Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX()};

/// \returns the inertia of a bar along one of the world's axes, in axes parallel to them.
Mat3 inertia_along(const Vec3& direction) {
  const Vec3 principal = square_bar_inertia(1.0).diagonal();
  const Vec3 along = direction.cwiseAbs();
  return Vec3(principal[1] * Vec3::Ones() + (principal[0] - principal[1]) * along).asDiagonal();
}

MechanismDescription make_bricard(const Parameters& /*parameters*/) {
  MechanismDescription description;
  description.name = "bricard";
  description.gravity = Vec3(0.0, -9.81, 0.0);
  // A bar's frame stands at its first pivot, parallel to the world's axes at the start.
  for (std::size_t i = 0; i < kPivots.size(); ++i) {
    const bool last = i + 1 == kPivots.size();
    JointDescription joint;
    joint.name = "joint" + std::to_string(i);
    joint.axis = kAxes[i];
    if (i > 0) {
      joint.a = description.bodies.back().name;
      joint.frame_a.position = kPivots[i] - kPivots[i - 1];
    }
    if (last) {
      joint.b = kGround;
      joint.frame_b.position = kPivots[i];
      joint.cut = true;
    } else {
      const Vec3 along = kPivots[i + 1] - kPivots[i];
      description.bodies.push_back({"bar" + std::to_string(i + 1), 1.0, 0.5 * along, inertia_along(along)});
      joint.b = description.bodies.back().name;
    }
    description.joints.push_back(joint);
  }
  description.markers.push_back({"P3", "bar3", kPivots[3] - kPivots[2]});
  return description;
}

}  // namespace

MechanismEntry bricard_entry() {
  return {"bricard", "six revolute joints in space, mobile by their geometry alone", "Gonzalez2006", {}, make_bricard};
}

}  // namespace mbdbench
