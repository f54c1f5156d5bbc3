/// \file
/// A star: a hub with arms all around, for hubs of high degree.
///
/// The hub (1 kg, J_C = diag(1, 1, 1) kg m^2) turns about z on the ground at the origin. `arms` links (link.hpp) point
/// outward from points 1 m from the axis, evenly spaced, each on a revolute joint about the horizontal tangent;
/// positive angles lower them. Gravity 9.81 m/s^2 along -z. The arms start horizontal; every joint turns at 1 rad/s.
/// Joints `hub`, arm1..; bodies `hub`, arm1..; marker `tip` at the end of the last arm.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "mechanisms/catalogue/chains/link.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kInitialRate = 1.0;

MechanismDescription make_star(const Parameters& parameters) {
  const std::int64_t arms = parameters.integer("arms");
  MechanismDescription description;
  description.name = "star";
  description.bodies.push_back({"hub", 1.0, Vec3::Zero(), Mat3::Identity()});
  description.joints.push_back(link_joint("hub", kGround, "hub", Vec3::UnitZ()));
  description.joints.back().v0 = {kInitialRate};
  for (std::int64_t i = 0; i < arms; ++i) {
    const std::string arm = fmt::format("arm{}", i + 1);
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(arms);
    description.bodies.push_back(chain_link(arm));
    JointDescription joint = link_joint(arm, "hub", arm, Vec3::UnitY());
    joint.frame_a.position = Vec3(std::cos(angle), std::sin(angle), 0.0);
    joint.frame_a.rotation = Eigen::Vector4d(std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle));
    joint.v0 = {kInitialRate};
    description.joints.push_back(std::move(joint));
  }
  description.markers.push_back({"tip", description.bodies.back().name, link_end()});
  return description;
}

}  // namespace

MechanismEntry star_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"arms", std::int64_t{8}, "number of arms", 1, 100'000}}};
  return {"star", "turning hub with hinged arms all around", "generated", parameters, make_star};
}

}  // namespace mbdbench
