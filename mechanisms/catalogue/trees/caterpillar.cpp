/// \file
/// A chain with short branches everywhere: a spine of links in series, `legs` further links on the end of each.
///
/// Links as in link.hpp; the spine starts at the world origin with axes y, z in turn. Leg c of a spine link leaves at
/// 90 deg to it, turned about its x axis by c / legs of a full turn; leg axes are y, z in turn, in the
/// leg's own axes. Every joint starts at 0.1 rad, at rest; gravity 9.81 m/s^2 along -z. Bodies spine1.., leg1_1..;
/// marker `tip` on the last spine link.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mechanisms/catalogue/chains/link.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kLegAngle = 0.1;

/// Rotation about x by the leg's share of a turn, then about y by -90 deg, which turns x into z.
Eigen::Vector4d leg_rotation(std::int64_t leg, std::int64_t legs) {
  const double half = std::numbers::pi * static_cast<double>(leg) / static_cast<double>(legs);
  const double c = std::cos(half) * std::numbers::sqrt2 / 2.0;
  const double s = std::sin(half) * std::numbers::sqrt2 / 2.0;
  return {c, s, -c, -s};
}

Vec3 alternating_axis(std::int64_t index) {
  return index % 2 == 0 ? Vec3(0.0, 1.0, 0.0) : Vec3(0.0, 0.0, 1.0);
}

void add_link(MechanismDescription& description, const std::string& body, const std::string& inboard, const Vec3& axis,
              const Eigen::Vector4d& rotation) {
  description.bodies.push_back(chain_link(body));
  JointDescription joint = link_joint("joint_" + body, inboard, body, axis);
  joint.frame_a.rotation = rotation;
  joint.q0 = {kLegAngle};
  description.joints.push_back(joint);
}

MechanismDescription make_caterpillar(const Parameters& parameters) {
  const std::int64_t legs = parameters.integer("legs");
  const Eigen::Vector4d straight(1.0, 0.0, 0.0, 0.0);
  MechanismDescription description;
  description.name = "caterpillar";
  std::string inboard = kGround;
  for (std::int64_t i = 1; i <= parameters.integer("spine"); ++i) {
    const std::string body = fmt::format("spine{}", i);
    add_link(description, body, inboard, alternating_axis(i - 1), straight);
    for (std::int64_t c = 0; c < legs; ++c) {
      add_link(description, fmt::format("leg{}_{}", i, c + 1), body, alternating_axis(c), leg_rotation(c, legs));
    }
    inboard = body;
  }
  description.markers.push_back({"tip", inboard, link_end()});
  return description;
}

}  // namespace

MechanismEntry caterpillar_entry() {
  static const std::array<ParameterSpecification, 2> parameters = {
      {{"spine", std::int64_t{8}, "number of links in the spine", 1, 100'000},
       {"legs", std::int64_t{2}, "links that hang on the end of each spine link", 0, 1000}}};
  return {"caterpillar", "chain of links with short branches on every link", "generated", parameters, make_caterpillar};
}

}  // namespace mbdbench
