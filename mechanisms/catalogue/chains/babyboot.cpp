/// \file
/// The swinging plate known as the baby boot, chaotic, of Mitiguy and Banerjee, as Drake tests it [Tedrake2019]: a
/// light arm A on a hinge about x at the origin, a plate B that turns about the arm's z axis. Gravity 9.81 m/s^2 along
/// -z.
///
/// Arm: 0.01 kg, 0.075 m below the hinge, moments of inertia 5e-6 kg m^2. Plate: 0.1 kg, 0.2 m below it, (2.5e-4, 5e-5,
/// 2e-4) kg m^2. From rest with the arm horizontal (pi/2) and the plate turned by one degree. Marker `plate` at the
/// plate's centre of mass. 10 s, in which rounding grows by about 1e6.
#include <numbers>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_babyboot(const Parameters& /*parameters*/) {
  MechanismDescription description;
  description.name = "babyboot";
  description.bodies = {{"arm", 0.01, Vec3(0.0, 0.0, -0.075), 5e-6 * Mat3::Identity()},
                        {"plate", 0.1, Vec3(0.0, 0.0, -0.2), Vec3(2.5e-4, 5e-5, 2e-4).asDiagonal()}};
  JointDescription swing;
  swing.name = "swing";
  swing.b = "arm";
  swing.axis = Vec3::UnitX();
  swing.q0 = {0.5 * std::numbers::pi};
  JointDescription turn;
  turn.name = "turn";
  turn.a = "arm";
  turn.b = "plate";
  turn.q0 = {std::numbers::pi / 180.0};
  description.joints = {swing, turn};
  description.markers.push_back({"plate", "plate", Vec3(0.0, 0.0, -0.2)});
  return description;
}

}  // namespace

MechanismEntry babyboot_entry() {
  return {"babyboot", "plate on a swinging arm, chaotic", "Tedrake2019", {}, make_babyboot};
}

}  // namespace mbdbench
