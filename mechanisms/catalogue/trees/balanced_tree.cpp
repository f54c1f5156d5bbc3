/// \file
/// A balanced tree of revolute joints, for the depth of assembly trees and for branching.
///
/// Link i (from 0) hangs on the end of link (i - 1) / branching; link 0 starts at the world origin. Links as in
/// link.hpp. The children of a link fan out in its x-y plane, 60 deg in all; axes are y, z, x in turn along the
/// numbering, so that the motion is spatial. Every joint starts at 0.1 rad, at rest; gravity 9.81 m/s^2 along -z.
/// Marker `tip` on the last link.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "mechanisms/catalogue/chains/link.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kFan = std::numbers::pi / 3.0;
constexpr double kInitialAngle = 0.1;

Eigen::Vector4d fan_rotation(std::int64_t child, std::int64_t branching) {
  if (branching == 1) {
    return {1.0, 0.0, 0.0, 0.0};
  }
  const double angle = kFan * (static_cast<double>(child) / static_cast<double>(branching - 1) - 0.5);
  return {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)};
}

MechanismDescription make_balanced_tree(const Parameters& parameters) {
  const std::int64_t branching = parameters.integer("branching");
  const std::array axes = {Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0)};
  MechanismDescription description;
  description.name = "balanced_tree";
  for (std::int64_t i = 0; i < parameters.integer("bodies"); ++i) {
    const std::string body = fmt::format("body{}", i + 1);
    const std::string inboard = i == 0 ? kGround : fmt::format("body{}", (i - 1) / branching + 1);
    description.bodies.push_back(chain_link(body));
    JointDescription joint =
        link_joint(fmt::format("joint{}", i + 1), inboard, body, axes[static_cast<std::size_t>(i) % axes.size()]);
    if (i > 0) {
      joint.frame_a.rotation = fan_rotation((i - 1) % branching, branching);
    }
    joint.q0 = {kInitialAngle};
    description.joints.push_back(joint);
  }
  description.markers.push_back({"tip", description.bodies.back().name, link_end()});
  return description;
}

}  // namespace

MechanismEntry balanced_tree_entry() {
  static const std::array<ParameterSpecification, 2> parameters = {
      {{"bodies", std::int64_t{15}, "number of links", 1, 1'000'000},
       {"branching", std::int64_t{2}, "links that hang on the end of each link", 1, 1000}}};
  return {"balanced_tree", "balanced tree of links with revolute joints", "generated", parameters, make_balanced_tree};
}

}  // namespace mbdbench
