/// \file
/// The car axis of the test set for initial value problem solvers [Mazzia2008], index 3 there: a rod of 1 m with masses
/// of 0.0005 kg at its ends on two springs of 1 N/m, 0.5 m without force, over a road whose right end rises and falls
/// by 0.1 sin(10 t); gravity 1 m/s^2 along -y. The left mass stays on the normal to the road in its left end, the
/// origin. 3 s. Markers `left` and `right`.
///
/// The test set's four coordinates have two constraints; here the road is a body that turns as prescribed by
/// asin(0.1 sin(10 t)), the left mass slides along its normal and the rod hangs on that: the same motion without a
/// loop. The road's mass does not enter it. Half of the left mass is the sliding body, the rest belongs to the rod.
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kEndMass = 5e-4;      // mass at each end, kg
constexpr double kSlidingShare = 0.5;  // share of the left one that slides and does not turn with the rod

BodyDescription rod_of_two_masses() {
  const double left = (1.0 - kSlidingShare) * kEndMass;
  const double mass = left + kEndMass;
  const double across = left * kEndMass / mass;  // kg m^2, 1 m apart
  // What turns it about its own axis does not enter plane motion.
  return {"rod", mass, Vec3(kEndMass / mass, 0.0, 0.0), Vec3(across, across, across).asDiagonal()};
}

MechanismDescription make_car_axis(const Parameters& /*parameters*/) {
  MechanismDescription description;
  description.name = "car_axis";
  description.gravity = Vec3(0.0, -1.0, 0.0);
  description.bodies = {{"road", 1e-3, Vec3(0.5, 0.0, 0.0), 1e-4 * Mat3::Identity()},
                        {"slider", kSlidingShare * kEndMass, Vec3::Zero(), 1e-5 * Mat3::Identity()},
                        rod_of_two_masses()};
  JointDescription road;
  road.name = "road";
  road.b = "road";
  road.v0 = {1.0};
  road.motions.push_back(
      {0, "asin(0.1*sin(10*t))", "cos(10*t)/sqrt(1-(0.1*sin(10*t))^2)",
       "-10*sin(10*t)/sqrt(1-(0.1*sin(10*t))^2)+0.1*sin(10*t)*cos(10*t)^2/(1-(0.1*sin(10*t))^2)^1.5"});
  JointDescription normal;
  normal.name = "normal";
  normal.type = JointType::prismatic;
  normal.a = "road";
  normal.b = "slider";
  normal.axis = Vec3::UnitY();
  normal.q0 = {0.5};
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.a = "slider";
  hinge.b = "rod";
  hinge.v0 = {-1.0};  // the rod does not turn at the start
  description.joints = {road, normal, hinge};
  description.point_springs = {
      {"left_spring", kGround, "slider", Vec3::Zero(), Vec3::Zero(), 1.0, 0.0, 0.5},
      {"right_spring", "road", "rod", Vec3(1.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0), 1.0, 0.0, 0.5}};
  description.markers = {{"left", "rod", Vec3::Zero()}, {"right", "rod", Vec3(1.0, 0.0, 0.0)}};
  return description;
}

}  // namespace

MechanismEntry car_axis_entry() {
  return {"car_axis", "rod on two springs over a driven road", "Mazzia2008", {}, make_car_axis};
}

}  // namespace mbdbench
