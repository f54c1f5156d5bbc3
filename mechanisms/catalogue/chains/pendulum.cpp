/// \file
/// The multi-body pendulum of [Chadaj2015] and two spatial variants.
///
/// `bodies` links (link.hpp) in series from the world origin: body frames at the inboard joints, x along the links,
/// z up, gravity 9.81 m/s^2 along -z; body1..bodyN, joint1..jointN, marker `tip` at the free end of the last link.
/// Relative joint angles; a positive angle about +y lowers the chain. It starts at rest.
/// - pendulum: all axes along y, all angles zero (the chain lies along x).
/// - pendulum_yz, pendulum_xyz: the axes repeat y, z or x, y, z along the chain. With all angles zero the chain would
/// stay
///   in the vertical plane, so every angle starts at the parameter `angle`.
#include <fmt/format.h>

#include <array>

#include "mechanisms/catalogue/chains/link.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

MechanismDescription chain(std::string name, std::int64_t bodies, std::span<const Vec3> axes, double angle) {
  MechanismDescription description;
  description.name = std::move(name);
  description.gravity = Vec3(0.0, 0.0, -9.81);
  std::string inboard = kGround;
  for (std::int64_t i = 1; i <= bodies; ++i) {
    const std::string body = fmt::format("body{}", i);
    description.bodies.push_back(chain_link(body));
    const Vec3& axis = axes[static_cast<std::size_t>(i - 1) % axes.size()];
    description.joints.push_back(link_joint(fmt::format("joint{}", i), inboard, body, axis));
    description.joints.back().q0 = {angle};
    inboard = body;
  }
  description.markers.push_back({"tip", inboard, link_end()});
  return description;
}

MechanismDescription make_pendulum(const Parameters& parameters) {
  const std::array axes = {Vec3(0.0, 1.0, 0.0)};
  return chain("pendulum", parameters.integer("bodies"), axes, 0.0);
}

MechanismDescription make_pendulum_yz(const Parameters& parameters) {
  const std::array axes = {Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)};
  return chain("pendulum_yz", parameters.integer("bodies"), axes, parameters.number("angle"));
}

MechanismDescription make_pendulum_xyz(const Parameters& parameters) {
  const std::array axes = {Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)};
  return chain("pendulum_xyz", parameters.integer("bodies"), axes, parameters.number("angle"));
}

ParameterSpecification bodies_parameter() {
  return {"bodies", std::int64_t{16}, "number of links", 1, 4'000'000};
}

std::span<const ParameterSpecification> spatial_parameters() {
  static const std::array<ParameterSpecification, 2> parameters = {
      {bodies_parameter(), {"angle", 0.1, "initial angle of every joint, rad", -3.2, 3.2}}};
  return parameters;
}

}  // namespace

MechanismEntry pendulum_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {bodies_parameter()};
  return {"pendulum", "planar chain of links, released from the horizontal", "Chadaj2015", parameters, make_pendulum};
}

MechanismEntry pendulum_yz_entry() {
  return {"pendulum_yz", "spatial chain of links, revolute axes alternating y, z", "generated", spatial_parameters(),
          make_pendulum_yz};
}

MechanismEntry pendulum_xyz_entry() {
  return {"pendulum_xyz", "spatial chain of links, revolute axes repeating x, y, z", "generated", spatial_parameters(),
          make_pendulum_xyz};
}

}  // namespace mbdbench
