/// \file
/// Two chains in the manner of [Featherstone2004], made to be badly conditioned:
///
/// - coil: equal links whose axes are skewed by 0.1 rad from joint to joint, every joint turned by 2 pi / 10: the chain
///   coils, ten links a turn.
/// - dill: links that shrink outwards, the last one to `taper` of the first; mass with the third power of the length,
///   inertia with the fifth; axes skewed alike, every joint turned by 0.1 rad.
///
/// A link is the thin-walled tube of that author's model generator: 1 kg, 1 m along x, radius 0.05 m at full size.
/// Gravity 9.81 m/s^2 along -y, at rest, marker `tip`. The report's own sizes could not be had: skew, turns and the
/// taper, which is kept over the whole chain so that any length stays within the range of numbers, are ours.
/// The short defaults are what every formulation still solves to rounding; studies take long ones.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kAxisSkew = 0.1;     // rad
constexpr double kTubeRadius = 0.05;  // m, of a tube of 1 m

MechanismDescription skewed_chain(std::string name, std::int64_t bodies, double taper, double turn) {
  MechanismDescription description;
  description.name = std::move(name);
  description.gravity = Vec3(0.0, -9.81, 0.0);
  JointDescription joint;
  double inboard_length = 0.0;
  for (std::int64_t i = 0; i < bodies; ++i) {
    const double place = bodies > 1 ? static_cast<double>(i) / static_cast<double>(bodies - 1) : 0.0;
    const double length = std::pow(taper, place);
    const double mass = length * length * length;
    const double square = mass * length * length;
    const double across = square * (0.5 * kTubeRadius * kTubeRadius + 1.0 / 12.0);
    joint.name = fmt::format("joint{}", i + 1);
    joint.b = fmt::format("body{}", i + 1);
    joint.frame_a.position = Vec3(inboard_length, 0.0, 0.0);
    joint.q0 = {turn};
    description.bodies.push_back({joint.b, mass, Vec3(0.5 * length, 0.0, 0.0),
                                  Vec3(square * kTubeRadius * kTubeRadius, across, across).asDiagonal()});
    description.joints.push_back(joint);
    joint.a = joint.b;
    joint.frame_a.rotation = {std::cos(0.5 * kAxisSkew), std::sin(0.5 * kAxisSkew), 0.0, 0.0};
    inboard_length = length;
  }
  description.markers.push_back({"tip", joint.a, Vec3(inboard_length, 0.0, 0.0)});
  return description;
}

MechanismDescription make_coil(const Parameters& parameters) {
  return skewed_chain("coil", parameters.integer("bodies"), 1.0, 0.2 * std::numbers::pi);
}

MechanismDescription make_dill(const Parameters& parameters) {
  return skewed_chain("dill", parameters.integer("bodies"), parameters.number("taper"), 0.1);
}

ParameterSpecification links_parameter() {
  return {"bodies", std::int64_t{4}, "number of links", 1, 1'000'000};
}

}  // namespace

MechanismEntry coil_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {links_parameter()};
  return {"coil", "chain of equal links that coils, ten links a turn", "Featherstone2004", parameters, make_coil};
}

MechanismEntry dill_entry() {
  static const std::array<ParameterSpecification, 2> parameters = {
      {links_parameter(), {"taper", 0.3, "length of the last link over that of the first", 1e-6, 1.0}}};
  return {"dill", "chain of links that shrink outwards", "Featherstone2004", parameters, make_dill};
}

}  // namespace mbdbench
