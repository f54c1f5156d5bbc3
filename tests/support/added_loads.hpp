#pragma once
/// \file
/// Bushings, friction and stops for mechanisms that tests draw; the catalogue's random mechanisms have none.
#include <optional>
#include <string>
#include <utility>

#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::test {

inline Vec3 random_coefficients(RandomSource& random, double largest) {
  return {random.uniform(0.0, largest), random.uniform(0.0, largest), random.uniform(0.0, largest)};
}

/// A bushing at the end of every other body, at random places and in random axes, with turns of up to 2.5 rad between
/// its frames at the start: at half a turn the torque jumps, and differences across it say nothing.
/// \param damping 0 leaves the dampers out
inline void add_bushings(RandomSource& random, MechanismDescription& description, double damping = 1.0) {
  const Mechanism mechanism(description);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const auto axes_of = [&](const std::string& body) {
    return Eigen::Quaterniond(kinematics.body(*mechanism.find_body(body)).rotation);
  };
  for (std::size_t k = 0; k < description.bodies.size(); k += 2) {
    const std::size_t other = random.index(description.bodies.size());
    BushingDescription bushing;
    bushing.name = "bushing_" + description.bodies[k].name;
    bushing.body1 = other == k ? kGround : description.bodies[other].name;
    bushing.body2 = description.bodies[k].name;
    if (random.chance(0.3)) {
      std::swap(bushing.body1, bushing.body2);
    }
    bushing.frame1 = {random.point(0.5), random.quaternion()};
    const Eigen::Vector4d& e = bushing.frame1.rotation;
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(random.uniform(0.0, 2.5), random.direction()));
    const Eigen::Quaterniond second = (axes_of(bushing.body2).conjugate() * axes_of(bushing.body1) *
                                       Eigen::Quaterniond(e[0], e[1], e[2], e[3]) * turn)
                                          .normalized();
    bushing.frame2 = {random.point(0.5), Eigen::Vector4d(second.w(), second.x(), second.y(), second.z())};
    bushing.stiffness = random_coefficients(random, 10.0);
    bushing.damping = damping * random_coefficients(random, 0.5);
    bushing.rotational_stiffness = random_coefficients(random, 10.0);
    bushing.rotational_damping = damping * random_coefficients(random, 0.5);
    description.bushings.push_back(bushing);
  }
}

/// Stops that some coordinates of the start are beyond, in every scalar component of every joint, cut ones included. No
/// coordinate is near the edge of a stop, where the force has a kink.
inline void add_stops(RandomSource& random, MechanismDescription& description, double damping = 1.0) {
  for (const JointDescription& joint : description.joints) {
    for (int i = 0; has_coordinate_rates(joint.type) && i < velocity_count(joint.type); ++i) {
      const double here = joint.q0[static_cast<std::size_t>(i)];
      const double near = random.uniform(0.1, 0.5);
      const double far = random.uniform(0.5, 1.0);
      const std::size_t where = random.index(3);  // beyond the lower stop, between both, beyond the upper one
      const double lower = where == 0 ? here + near : where == 1 ? here - near : here - far;
      const double upper = where == 0 ? here + far : where == 1 ? here + near : here - near;
      description.joint_stops.push_back({"stop_" + joint.name + "_" + std::to_string(i), joint.name, i, lower,
                                         where != 2 && random.chance(0.3) ? std::nullopt : std::optional(upper),
                                         random.uniform(1.0, 20.0), damping * random.uniform(0.0, 0.5)});
    }
  }
}

/// Friction in every component of every other joint.
inline void add_friction(RandomSource& random, MechanismDescription& description) {
  for (std::size_t k = 0; k < description.joints.size(); k += 2) {
    const JointDescription& joint = description.joints[k];
    for (int i = 0; i < velocity_count(joint.type); ++i) {
      const double kinetic = random.uniform(0.0, 2.0);
      const double extra = random.chance(0.5) ? random.uniform(0.0, 2.0) : 0.0;
      description.joint_frictions.push_back({"friction_" + joint.name + "_" + std::to_string(i), joint.name, i, kinetic,
                                             kinetic + extra, extra > 0.0 ? random.uniform(0.1, 0.5) : 0.0,
                                             random.uniform(0.1, 1.0), random.uniform(0.0, 0.3)});
    }
  }
}

}  // namespace mbdbench::test
