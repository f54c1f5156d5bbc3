#pragma once
/// \file
/// Naudet's recursive Hamiltonian formulation [Naudet2005].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// Open trees: state (q, p). Closed loops: coordinates of all joints and reduced momenta, as the paper ran it.
FormulationEntry naudet_entry();

/// Closed loops: independent coordinates and reduced momenta. Open trees: as naudet.
FormulationEntry naudet_reduced_entry();

/// Coordinates and velocities of all joints, cut joints included; constraints at acceleration level.
FormulationEntry naudet_acceleration_entry();

/// Closed loops: independent coordinates and velocities. Open trees: (q, u).
FormulationEntry naudet_acceleration_reduced_entry();

}  // namespace mbdbench
