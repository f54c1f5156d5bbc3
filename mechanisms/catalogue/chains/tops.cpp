/// \file
/// Two gyroscopes whose motions are known in elliptic functions and quadratures [Whittaker1937].
///
/// - euler_top: a free body with moments of inertia 2, 3, 4 kg m^2, 1 kg, no gravity, that tumbles about its middle
/// axis:
///   (0.1, 2, 0.15) rad/s in its axes. On a spherical joint in its centre of mass, or free.
/// - lagrange_top: 1 kg on a spherical joint 0.5 m below its centre of mass, moments of inertia about that 0.02, 0.02,
///   0.01 kg m^2; gravity 9.81 m/s^2 along -z; it starts tilted by 0.5 rad about x and spins with 120 rad/s about its
///   axis. Marker `centre` at its centre of mass.
///
/// Numbers and starts are ours.
#include <array>
#include <cmath>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_euler_top(const Parameters& parameters) {
  MechanismDescription description;
  description.name = "euler_top";
  description.gravity = Vec3::Zero();
  description.bodies.push_back({"top", 1.0, Vec3::Zero(), Vec3(2.0, 3.0, 4.0).asDiagonal()});
  JointDescription joint;
  joint.name = "joint";
  joint.b = "top";
  joint.type = parameters.text("joint") == "free" ? JointType::free : JointType::spherical;
  joint.v0 = {0.1, 2.0, 0.15};
  if (joint.type == JointType::free) {
    joint.v0.resize(6, 0.0);
  }
  description.joints.push_back(joint);
  description.markers.push_back({"head", "top", Vec3(1.0, 0.0, 0.0)});
  return description;
}

MechanismDescription make_lagrange_top(const Parameters& /*parameters*/) {
  constexpr double kTilt = 0.5;    // rad
  constexpr double kSpin = 120.0;  // rad/s
  const Vec3 centre(0.0, 0.0, 0.5);
  MechanismDescription description;
  description.name = "lagrange_top";
  description.bodies.push_back({"top", 1.0, centre, Vec3(0.02, 0.02, 0.01).asDiagonal()});
  JointDescription joint;
  joint.name = "joint";
  joint.b = "top";
  joint.type = JointType::spherical;
  joint.q0 = {std::cos(0.5 * kTilt), std::sin(0.5 * kTilt), 0.0, 0.0};
  joint.v0 = {0.0, 0.0, kSpin};
  description.joints.push_back(joint);
  description.markers.push_back({"centre", "top", centre});
  return description;
}

}  // namespace

MechanismEntry euler_top_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"joint", std::string("spherical"), "joint to the ground", 0.0, 0.0, {"spherical", "free"}}}};
  return {"euler_top", "free body that tumbles about its middle axis", "Whittaker1937", parameters, make_euler_top};
}

MechanismEntry lagrange_top_entry() {
  return {"lagrange_top", "heavy symmetric top", "Whittaker1937", {}, make_lagrange_top};
}

}  // namespace mbdbench
