/// \file
/// Andrews' squeezing mechanism of the test set for initial value problem solvers [Mazzia2008], after [Schiehlen1990]:
/// seven bodies in the plane, no gravity, a constant torque on the crank, one spring, three loops; one degree of
/// freedom.
///
/// The test set's angles are the joint coordinates, joints being named after them: beta (K1 about the origin), Theta
/// (K2 on K1), gamma (K3 about B), delta (K5 about A), Phi (K4 on K5), epsilon (K7 about A), Omega (K6 on K7). The ends
/// of K2, K3, K4 and K6 meet in P: three cut joints, on K2. Inertias about z are the test set's; the others do not
/// enter the motion. Markers P and D (where the spring from C pulls K3). Angles to all digits of the test set, at rest;
/// its interval ends at 0.03 s.
#include <array>
#include <string>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

// Lengths in m by the test set's names.
constexpr double kD = 0.028;
constexpr double kDa = 0.0115;
constexpr double kE = 0.02;
constexpr double kEa = 0.01421;
constexpr double kRr = 0.007;
constexpr double kRa = 0.00092;
constexpr double kSs = 0.035;
constexpr double kSa = 0.01874;
constexpr double kSb = 0.01043;
constexpr double kSc = 0.018;
constexpr double kSd = 0.02;
constexpr double kTa = 0.02308;
constexpr double kTb = 0.00916;
constexpr double kU = 0.04;
constexpr double kUa = 0.01228;
constexpr double kUb = 0.00449;
constexpr double kZf = 0.02;
constexpr double kZt = 0.04;
constexpr double kFa = 0.01421;
constexpr double kTorque = 0.033;      // N m
constexpr double kStiffness = 4530.0;  // N/m
constexpr double kRest = 0.07785;      // m

const Vec3 kPointA(-0.06934, -0.00227, 0.0);
const Vec3 kPointB(-0.03635, 0.03273, 0.0);
const Vec3 kPointC(0.014, 0.072, 0.0);

BodyDescription body(const char* name, double mass, double inertia, double x, double y) {
  return {name, mass, Vec3(x, y, 0.0), inertia * Mat3::Identity()};
}

JointDescription hinge(const char* name, const std::string& a, const std::string& b, const Vec3& on_a, double angle) {
  JointDescription joint;
  joint.name = name;
  joint.a = a;
  joint.b = b;
  joint.frame_a.position = on_a;
  joint.q0 = {angle};
  return joint;
}

/// \returns the cut joint in P between the end of a body and that of K2.
JointDescription meeting(const std::string& name, const std::string& body_name, double x, double y) {
  JointDescription joint;
  joint.name = name;
  joint.a = "K2";
  joint.b = body_name;
  joint.frame_a.position = Vec3(-kD, 0.0, 0.0);
  joint.frame_b.position = Vec3(x, y, 0.0);
  joint.cut = true;
  return joint;
}

MechanismDescription make_squeezer(const Parameters& /*parameters*/) {
  MechanismDescription description;
  description.name = "squeezer";
  description.gravity = Vec3::Zero();
  description.bodies = {body("K1", 0.04325, 2.194e-6, kRa, 0.0),          //
                        body("K2", 0.00365, 4.410e-7, -kDa, 0.0),         //
                        body("K3", 0.02373, 5.255e-6, kSa, kSb),          //
                        body("K5", 0.07050, 1.169e-5, kTa, kTb),          //
                        body("K4", 0.00706, 5.667e-7, 0.0, -(kE - kEa)),  //
                        body("K7", 0.05498, 1.912e-5, kUa, kUb),          //
                        body("K6", 0.00706, 5.667e-7, kZf - kFa, 0.0)};
  const Vec3 origin = Vec3::Zero();
  description.joints = {
      hinge("beta", kGround, "K1", origin, -0.0617138900142764496358948458001),
      hinge("Theta", "K1", "K2", Vec3(kRr, 0.0, 0.0), 0.0),
      hinge("gamma", kGround, "K3", kPointB, 0.455279819163070380255912382449),
      hinge("delta", kGround, "K5", kPointA, 0.487364979543842550225598953530),
      hinge("Phi", "K5", "K4", Vec3(kZt, 0.0, 0.0), 0.222668390165885884674473185609),
      hinge("epsilon", kGround, "K7", kPointA, 1.23054744454982119249735015568),
      hinge("Omega", "K7", "K6", Vec3(0.0, -kU, 0.0), -0.222668390165885884674473185609),
      meeting("P3", "K3", 0.0, -kSs),
      meeting("P4", "K4", 0.0, -kE),
      meeting("P6", "K6", kZf, 0.0),
  };
  description.joint_loads.push_back({"drive", "beta", 0, ConstantLaw{kTorque}});
  description.point_springs.push_back({"spring", kGround, "K3", kPointC, Vec3(kSd, -kSc, 0.0), kStiffness, 0.0, kRest});
  description.markers.push_back({"P", "K2", Vec3(-kD, 0.0, 0.0)});
  description.markers.push_back({"D", "K3", Vec3(kSd, -kSc, 0.0)});
  return description;
}

}  // namespace

MechanismEntry squeezer_entry() {
  return {
      "squeezer", "Andrews' squeezing mechanism: seven bodies, three loops, a spring", "Mazzia2008", {}, make_squeezer};
}

}  // namespace mbdbench
