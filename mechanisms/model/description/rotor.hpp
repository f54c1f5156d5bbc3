#pragma once
/// \file
/// The rotor of a motor behind a gear, made of what a description has already: a body on the carrier and a coupling. So
/// its spin acts on a moving carrier as that of any body does, and formulations that take couplings take it.
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// A thin disc on body a of a joint, about the joint's axis, that turns `ratio` times as fast as the joint.
struct RotorDescription {
  std::string name;
  std::string joint;
  int component = 0;     ///< 0-based component of q, about or along the axis
  double inertia = 0.0;  ///< about its axis, kg m^2; half of it about the diameters
  double ratio = 1.0;    ///< angle of the rotor against a, over the coordinate: rad/rad, rad/m
  double mass = 0.0;     ///< kg, where the carrier's does not contain it; at the joint's origin on a
};

/// Adds body NAME, revolute joint NAME_spin and coupling NAME_gear, in agreement with the joint's start.
/// \throws std::invalid_argument where there is no such joint, it has no such axis fixed in a, or a number is not
/// usable
void add_rotor(MechanismDescription& description, const RotorDescription& rotor);

}  // namespace mbdbench
