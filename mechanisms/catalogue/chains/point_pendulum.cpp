/// \file
/// Problem A01 of the IFToMM library, the simple pendulum [Gonzalez2006]: a point mass of 1 kg on a massless rod of 1
/// m, hinged at the origin about z; gravity 9.81 m/s^2 along -y; at rest at (-1, 0). Marker `mass`.
///
/// A body here needs a moment of inertia of its own, the parameter `inertia`: it slows the swing by half of its share
/// in 1 kg m^2 and stands in the reference. With 1e-6, a bead of 1.6 mm, hdca-printed loses six digits of the
/// reactions; the default is what every formulation solves to rounding. The library asks for 10 s and an energy within
/// 5e-5 J.
#include <array>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_point_pendulum(const Parameters& parameters) {
  const Vec3 mass(-1.0, 0.0, 0.0);
  MechanismDescription description;
  description.name = "point_pendulum";
  description.gravity = Vec3(0.0, -9.81, 0.0);
  description.bodies.push_back({"bob", 1.0, mass, parameters.number("inertia") * Mat3::Identity()});
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.b = "bob";
  description.joints.push_back(hinge);
  description.markers.push_back({"mass", "bob", mass});
  return description;
}

}  // namespace

MechanismEntry point_pendulum_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"inertia", 0.01, "moment of inertia of the bob about itself, kg m^2", 1e-12, 1.0}}};
  return {"point_pendulum", "point mass on a massless rod (A01)", "Gonzalez2006", parameters, make_point_pendulum};
}

}  // namespace mbdbench
