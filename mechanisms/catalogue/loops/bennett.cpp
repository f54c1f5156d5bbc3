/// \file
/// Bennett's linkage [Bennett1903]: one loop of three bars and the ground, four revolute joints in space, mobile by
/// its geometry alone: one degree of freedom, three redundant constraints.
///
/// Link i leads from axis i along the common normal, of length a_i, to axis i + 1, which is twisted by alpha_i.
/// Opposite links are equal: a = 1 m and alpha = pi/3, b = a sin beta / sin alpha and beta = pi/2. With the joint
/// angles q_i the loop
///
///   product over i of R_z(q_i) T_x(a_i) R_x(alpha_i) = 1
///
/// is closed by tan(q_1/2) tan(q_2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2), q_3 = -q_1, q_4 = -q_2.
///
/// The second link of length b is the ground, axis 1 along z at the origin; the joint at axis 4 is the cut. Bars of
/// 1 kg with a square section of 0.1 m; gravity 9.81 m/s^2 along -y; at rest with q_1 = `angle`. Marker K on axis 3.
/// Masses, gravity and the start are ours.
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "mechanisms/catalogue/chains/square_bar.hpp"
#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

constexpr double kAlpha = std::numbers::pi / 3.0;
constexpr double kBeta = std::numbers::pi / 2.0;
constexpr double kLinkA = 1.0;

/// Unit quaternion of a turn about x.
Eigen::Vector4d twist(double angle) {
  return {std::cos(0.5 * angle), std::sin(0.5 * angle), 0.0, 0.0};
}

MechanismDescription make_bennett(const Parameters& parameters) {
  const double length_b = kLinkA * std::sin(kBeta) / std::sin(kAlpha);
  const std::array<double, 4> lengths = {kLinkA, length_b, kLinkA, length_b};
  const std::array<double, 4> twists = {kAlpha, kBeta, kAlpha, kBeta};
  const double q1 = parameters.number("angle");
  const double product = std::sin(0.5 * (kBeta + kAlpha)) / std::sin(0.5 * (kBeta - kAlpha));
  const double q2 = 2.0 * std::atan(product / std::tan(0.5 * q1));
  const std::array<double, 3> angles = {q1, q2, -q1};

  MechanismDescription description;
  description.name = "bennett";
  description.gravity = Vec3(0.0, -9.81, 0.0);
  // A link's frame stands on its first axis, z along it and x along the common normal.
  for (std::size_t i = 0; i < 4; ++i) {
    JointDescription joint;
    joint.name = "joint" + std::to_string(i + 1);
    if (i > 0) {
      joint.a = description.bodies.back().name;
      joint.frame_a.position = Vec3(lengths[i - 1], 0.0, 0.0);
      joint.frame_a.rotation = twist(twists[i - 1]);
    }
    if (i < 3) {
      description.bodies.push_back(
          {"bar" + std::to_string(i + 1), 1.0, Vec3(0.5 * lengths[i], 0.0, 0.0), square_bar_inertia(lengths[i])});
      joint.b = description.bodies.back().name;
      joint.q0 = {angles[i]};
    } else {
      joint.b = kGround;
      // The ground's frame stands on axis 1, where the fourth link ends.
      joint.frame_b.position = Vec3(-lengths[i], 0.0, 0.0);
      joint.frame_b.rotation = twist(-twists[i]);
      joint.cut = true;
    }
    description.joints.push_back(joint);
  }
  description.markers.push_back({"K", "bar2", Vec3(length_b, 0.0, 0.0)});
  return description;
}

}  // namespace

MechanismEntry bennett_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"angle", 0.5, "initial angle of the first joint, rad", 0.1, 3.0}}};
  return {"bennett", "four revolute joints in space, mobile by their geometry alone", "Bennett1903", parameters,
          make_bennett};
}

}  // namespace mbdbench
