#pragma once
/// \file
/// Options of the two augmented Lagrangian formulations.
#include <span>

#include "formulations/assembly/assembly_tree.hpp"
#include "formulations/execution/execution.hpp"
#include "mechanisms/model/description/parameters.hpp"

namespace mbdbench {

/// Options of one formulation; the defaults are the values of [Malczyk2012, Sect. 4.1].
struct AugmentedOptions {
  GroundClosure ground = GroundClosure::root;
  double alpha = 1e6;           ///< penalty, the same in every constraint row
  double mu = 1.0;              ///< damping ratio
  double omega = 1.0;           ///< natural frequency, 1/s
  bool projections = false;     ///< of positions and velocities after every step
  bool refresh = false;         ///< new Jacobians in every pass of a position projection
  int most_iterations = 10;     ///< passes of each level
  bool conjugate = false;       ///< passes after the fourth are conjugate residuals
  double position = 1e-14;      ///< eps_p: change of y at which passes end, m and 1
  double velocity = 1e-12;      ///< eps_v, m/s and rad/s
  double acceleration = 1e-10;  ///< eps_a, m/s^2 and rad/s^2
  Execution execution;          ///< of the branches of the assembly tree
};

/// \returns the specifications for the command line. \param projections of dca-alm-proj, whose omega is 0 where none is
/// given
std::span<const ParameterSpecification> augmented_option_specifications(bool projections);

/// \returns those of dca-alm-printed.
std::span<const ParameterSpecification> printed_option_specifications();
AugmentedOptions printed_options(const Parameters& parameters, const Execution& execution);

/// \returns the options chosen.
AugmentedOptions augmented_options(const Parameters& parameters, bool projections, const Execution& execution);

}  // namespace mbdbench
