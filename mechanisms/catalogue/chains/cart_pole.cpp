/// \file
/// A pole on a cart that is lighter than it by a ratio: what unequal masses do to a formulation's digits. Ours.
///
/// The cart slides along x, the pole, 1 kg, 1 m, uniform and thin, is hinged to it about y and stands 0.5 rad from
/// upright; gravity 9.81 m/s^2 along -z; at rest. The cart has 1 kg over the ratio. Marker `tip`.
#include <array>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_cart_pole(const Parameters& parameters) {
  const double cart = 1.0 / parameters.number("ratio");
  MechanismDescription description;
  description.name = "cart_pole";
  // Only the pole turns, and only about y.
  description.bodies = {{"cart", cart, Vec3::Zero(), cart * Mat3::Identity()},
                        {"pole", 1.0, Vec3(0.0, 0.0, 0.5), Mat3::Identity() / 12.0}};
  JointDescription track;
  track.name = "track";
  track.type = JointType::prismatic;
  track.b = "cart";
  track.axis = Vec3::UnitX();
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.a = "cart";
  hinge.b = "pole";
  hinge.axis = Vec3::UnitY();
  hinge.q0 = {0.5};
  description.joints = {track, hinge};
  description.markers.push_back({"tip", "pole", Vec3(0.0, 0.0, 1.0)});
  return description;
}

}  // namespace

MechanismEntry cart_pole_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"ratio", 1000.0, "mass of the pole over that of the cart", 1e-6, 1e12}}};
  return {"cart_pole", "pole on a cart that is lighter than it", "generated", parameters, make_cart_pole};
}

}  // namespace mbdbench
