/// \file
/// Sarrus' linkage [Sarrus1853]: a platform on two chains of three hinges each, in planes at a right angle. It moves
/// straight up and down without turning: one degree of freedom by geometry alone, one redundant constraint.
///
/// The lower links stand on the ground at (0.5, 0, 0), hinged about y, and at (0, 0.5, 0), hinged about -x, and are
/// tilted outward by `angle` from the vertical; the upper links lead back to the platform above. Links of 1 m and 1 kg
/// with a square section of 0.1 m; platform of 1 kg, J_C = diag(1, 1, 2) / 12 kg m^2, its frame and centre of mass at
/// (0, 0, 2 cos(angle)). Gravity 9.81 m/s^2 along -z; at rest. The upper hinge of the second chain is the cut. Marker P
/// at the platform's centre. Sizes, masses and start are ours.
///
/// With both chains flat (angle pi/2) or stretched (angle 0, pi) Phi_q loses rank; under its weight it passes both in
/// every turn.
#include <array>
#include <cmath>
#include <string>

#include "mechanisms/catalogue/chains/square_bar.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kHingeRadius = 0.5;
constexpr double kLegLength = 1.0;

JointDescription hinge_about(const std::string& name, const std::string& a, const std::string& b, const Vec3& axis,
                             double angle) {
  JointDescription joint;
  joint.name = name;
  joint.a = a;
  joint.b = b;
  joint.axis = axis;
  joint.q0 = {angle};
  return joint;
}

MechanismDescription make_sarrus(const Parameters& parameters) {
  const double angle = parameters.number("angle");
  // Along the link: z. The bar's inertia has x along it.
  const Vec3 bar = square_bar_inertia(kLegLength).diagonal();
  const Mat3 link = Vec3(bar[1], bar[2], bar[0]).asDiagonal();
  const Vec3 end(0.0, 0.0, kLegLength);
  const Vec3 hinge_a(kHingeRadius, 0.0, 0.0);
  const Vec3 hinge_b(0.0, kHingeRadius, 0.0);

  MechanismDescription description;
  description.name = "sarrus";
  for (const char* name : {"lower_a", "upper_a", "lower_b", "upper_b"}) {
    description.bodies.push_back({name, 1.0, 0.5 * end, link});
  }
  description.bodies.push_back({"platform", 1.0, Vec3::Zero(), (Vec3(1.0, 1.0, 2.0) / 12.0).asDiagonal()});

  // Frames are parallel to the world's with all links upright.
  JointDescription base_a = hinge_about("base_a", kGround, "lower_a", Vec3::UnitY(), angle);
  base_a.frame_a.position = hinge_a;
  JointDescription knee_a = hinge_about("knee_a", "lower_a", "upper_a", Vec3::UnitY(), -2.0 * angle);
  knee_a.frame_a.position = end;
  JointDescription top_a = hinge_about("top_a", "upper_a", "platform", Vec3::UnitY(), angle);
  top_a.frame_a.position = end;
  top_a.frame_b.position = hinge_a;
  JointDescription base_b = hinge_about("base_b", kGround, "lower_b", -Vec3::UnitX(), angle);
  base_b.frame_a.position = hinge_b;
  JointDescription knee_b = hinge_about("knee_b", "lower_b", "upper_b", -Vec3::UnitX(), -2.0 * angle);
  knee_b.frame_a.position = end;
  JointDescription top_b = hinge_about("top_b", "upper_b", "platform", -Vec3::UnitX(), angle);
  top_b.frame_a.position = end;
  top_b.frame_b.position = hinge_b;
  top_b.cut = true;
  description.joints = {base_a, knee_a, top_a, base_b, knee_b, top_b};
  description.markers.push_back({"P", "platform", Vec3::Zero()});
  return description;
}

}  // namespace

MechanismEntry sarrus_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"angle", 0.5, "initial angle of the links from the vertical, rad", 0.0, 3.1}}};
  return {"sarrus", "platform on two chains of hinges, straight motion by geometry alone", "Sarrus1853", parameters,
          make_sarrus};
}

}  // namespace mbdbench
