/// \file
/// The walking robot of [Naudet2005] in double support: a planar tree of five links whose last ankle is on the ground.
///
/// Thin rods of L = 0.25 m and 1 kg, 1/48 kg m^2 about the joint axis, in the x-y plane; revolute joints about z;
/// gravity 9.80665 m/s^2 along -y (with 9.81 the paper's Table 1 is not reproduced); at rest. Ankle 1 at (0, 0), shin1,
/// thigh1; at the hip the torso and thigh2; shin2 ends at ankle 2, (0.25, 0), the cut joint. 3 degrees of freedom, 3
/// redundant constraints (and none in the plane). Coordinates as the paper integrates them: q1 (ankle1) from the
/// horizontal, the others relative: q1 = 1.7, q2 = -0.7 (knee1), q3 = 0.3 (torso); q4 (hip) and q5 (knee2) follow from
/// the loop, knee bent so that the shin's angle is below the thigh's, 2 pi above the angles nearest zero; the cut
/// joint's own angle is q6 = 1.534310672311. The turns matter only through relative error weights. The paper gives the
/// inertia about one axis; about the other two the motion does not need it: J_C = 1/192 about all.
#include <numbers>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kLinkLength = 0.25;
constexpr double kTurn = 2.0 * std::numbers::pi;

void add_rod(MechanismDescription& description, const std::string& joint_name, const std::string& inboard,
             const std::string& body, double angle) {
  description.bodies.push_back({body, 1.0, Vec3(0.5 * kLinkLength, 0.0, 0.0), Mat3::Identity() / 192.0});
  JointDescription joint;
  joint.name = joint_name;
  joint.a = inboard;
  joint.b = body;
  joint.frame_a.position = inboard == kGround ? Vec3::Zero() : Vec3(kLinkLength, 0.0, 0.0);
  joint.q0 = {angle};
  description.joints.push_back(joint);
}

MechanismDescription make_biped(const Parameters& /*parameters*/) {
  MechanismDescription description;
  description.name = "biped";
  description.gravity = Vec3(0.0, -9.80665, 0.0);
  add_rod(description, "ankle1", kGround, "shin1", 1.7);
  add_rod(description, "knee1", "shin1", "thigh1", -0.7);
  add_rod(description, "torso", "thigh1", "torso", 0.3);
  // Twelve digits; closing the loop gives the rest.
  add_rod(description, "hip", "thigh1", "thigh2", kTurn - 1.985957949431);
  add_rod(description, "knee2", "thigh2", "shin2", kTurn - 0.548352722879);
  description.joints[3].dependent = true;
  description.joints[4].dependent = true;
  JointDescription ankle;
  ankle.name = "ankle2";
  ankle.cut = true;
  ankle.a = "shin2";
  ankle.b = kGround;
  ankle.frame_a.position = Vec3(kLinkLength, 0.0, 0.0);
  ankle.frame_b.position = Vec3(kLinkLength, 0.0, 0.0);
  ankle.q0 = {1.534310672311};
  description.joints.push_back(ankle);
  description.markers.push_back({"hip", "thigh1", Vec3(kLinkLength, 0.0, 0.0)});
  return description;
}

}  // namespace

MechanismEntry biped_entry() {
  return {"biped", "planar walking robot of five links in double support", "Naudet2005", {}, make_biped};
}

}  // namespace mbdbench
