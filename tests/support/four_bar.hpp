#pragma once
/// \file
/// A planar four-bar linkage whose closed positions are known by hand.
#include <string>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench::test {

/// Crank 1 m on the ground at the origin, coupler 3 m, rocker 3 m whose far end is on the ground at (x, 0, 0): joints
/// `crank`, `coupler`, `rocker` and the cut joint `closure`, all about z, angles relative and zero when the bars lie
/// along x. For x = 3 the loop closes at crank = pi / 2 among others. \param guesses initial angles of the three tree
/// joints
inline MechanismDescription four_bar(double x, const std::vector<double>& guesses) {
  MechanismDescription description;
  description.name = "four_bar";
  const std::vector<std::string> names = {"crank", "coupler", "rocker"};
  const std::vector<double> lengths = {1.0, 3.0, 3.0};
  for (std::size_t i = 0; i < names.size(); ++i) {
    description.bodies.push_back(
        {names[i] + "_bar", 1.0, Vec3(0.5 * lengths[i], 0.0, 0.0), Vec3(0.01, 0.1, 0.1).asDiagonal()});
    JointDescription joint;
    joint.name = names[i];
    joint.a = i == 0 ? kGround : description.bodies[i - 1].name;
    joint.b = description.bodies[i].name;
    joint.frame_a.position = Vec3(i == 0 ? 0.0 : lengths[i - 1], 0.0, 0.0);
    joint.q0 = {guesses[i]};
    description.joints.push_back(joint);
  }
  JointDescription closure;
  closure.name = "closure";
  closure.cut = true;
  closure.b = description.bodies.back().name;
  closure.frame_a.position = Vec3(x, 0.0, 0.0);
  closure.frame_b.position = Vec3(lengths.back(), 0.0, 0.0);
  description.joints.push_back(closure);
  return description;
}

}  // namespace mbdbench::test
