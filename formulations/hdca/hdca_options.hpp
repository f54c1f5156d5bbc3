#pragma once
/// \file
/// Options of HDCA on closed loops: the axes of D_c and the control of the gauge.
///
/// (p, sigma) and (p + Phi_q^T mu, sigma - mu) are the same motion. As published, sigma of a cut joint integrates its
/// reaction and grows like |lambda| t; p follows, and an integrator with a relative tolerance on p loses accuracy.
#include <span>

#include "formulations/assembly/mechanism_assembly.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/options/gauge_option.hpp"
#include "mechanisms/model/description/parameters.hpp"

namespace mbdbench {

/// Options of one HDCA formulation.
struct HdcaOptions {
  AssemblyOptions assembly;
  GaugeControl gauge = GaugeControl::none;
  double leak = 0.0;            ///< kappa, 1/s
  double reset_interval = 0.0;  ///< s
  double feedback = 0.0;        ///< beta, 1/s: Phi_c' = -beta Phi_c instead of 0
};

/// \returns the specifications for the command line.
std::span<const ParameterSpecification> hdca_option_specifications();

/// \returns the options chosen.
HdcaOptions hdca_options(const Mechanism& mechanism, const Parameters& parameters, const Execution& execution);

}  // namespace mbdbench
