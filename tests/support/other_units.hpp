#pragma once
/// \file
/// The same mechanism in other units of length, mass and time.
#include <variant>

#include "mechanisms/model/characteristic_scales.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::test {

/// What a length, a mass and a time of 1 are in the other units.
struct Units {
  double length = 1.0;
  double mass = 1.0;
  double time = 1.0;

  /// \returns what a rate of a component of u is.
  [[nodiscard]] double rate(const Joint& joint, int component) const {
    return (is_displacement(joint, component) ? length : 1.0) / time;
  }
};

/// \param mechanism without formulas, tables, prescribed motions and loads on bodies
inline MechanismDescription in_units(const Mechanism& mechanism, const Units& units) {
  MechanismDescription description = mechanism.description();
  description.gravity *= units.length / (units.time * units.time);
  for (BodyDescription& body : description.bodies) {
    body.mass *= units.mass;
    body.com *= units.length;
    body.inertia *= units.mass * units.length * units.length;
  }
  const auto moves = [&](const std::string& joint, int component) {
    return is_displacement(mechanism.joint(*mechanism.find_joint(joint)), component);
  };
  for (JointDescription& joint : description.joints) {
    joint.frame_a.position *= units.length;
    joint.frame_b.position *= units.length;
    joint.pitch *= units.length;
    joint.length *= units.length;
    const int quaternion = has_quaternion(joint.type) ? 1 : 0;
    for (std::size_t i = 0; i < joint.q0.size(); ++i) {
      const int component = static_cast<int>(i) - quaternion;
      joint.q0[i] *= component >= 0 && moves(joint.name, component) ? units.length : 1.0;
    }
    for (std::size_t i = 0; i < joint.v0.size(); ++i) {
      joint.v0[i] *= (moves(joint.name, static_cast<int>(i)) ? units.length : 1.0) / units.time;
    }
  }
  for (CouplingDescription& coupling : description.couplings) {
    for (CouplingTerm& term : coupling.terms) {
      term.factor /= moves(term.joint, term.component) ? units.length : 1.0;
    }
  }
  const double stiffness = units.mass / (units.time * units.time);
  for (JointSpringDescription& spring : description.joint_springs) {
    const bool linear = moves(spring.joint, spring.component);
    const double square = linear ? 1.0 : units.length * units.length;
    spring.stiffness *= stiffness * square;
    spring.damping *= stiffness * square * units.time;
    spring.rest *= linear ? units.length : 1.0;
  }
  for (PointSpringDescription& spring : description.point_springs) {
    spring.stiffness *= stiffness;
    spring.damping *= stiffness * units.time;
    spring.rest *= units.length;
    spring.point1 *= units.length;
    spring.point2 *= units.length;
  }
  for (BushingDescription& bushing : description.bushings) {
    bushing.stiffness *= stiffness;
    bushing.damping *= stiffness * units.time;
    bushing.rotational_stiffness *= stiffness * units.length * units.length;
    bushing.rotational_damping *= stiffness * units.length * units.length * units.time;
    bushing.frame1.position *= units.length;
    bushing.frame2.position *= units.length;
  }
  for (JointFrictionDescription& friction : description.joint_frictions) {
    const bool linear = moves(friction.joint, friction.component);
    const double force = stiffness * (linear ? units.length : units.length * units.length);
    const double velocity = (linear ? units.length : 1.0) / units.time;
    friction.kinetic *= force;
    friction.breakaway *= force;
    friction.stribeck_velocity *= velocity;
    friction.regularisation_velocity *= velocity;
    friction.viscous *= force / velocity;
  }
  for (JointStopDescription& stop : description.joint_stops) {
    const double unit = moves(stop.joint, stop.component) ? units.length : 1.0;
    stop.lower = stop.lower ? std::optional(*stop.lower * unit) : std::nullopt;
    stop.upper = stop.upper ? std::optional(*stop.upper * unit) : std::nullopt;
    stop.stiffness *= stiffness * units.length * units.length / (unit * unit);
    stop.damping *= units.time / unit;
  }
  for (MarkerDescription& marker : description.markers) {
    marker.point *= units.length;
  }
  return description;
}

}  // namespace mbdbench::test
