#pragma once
/// \file
/// MATLAB's ode45: Dormand-Prince 5(4) with MATLAB's step size control.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with the Dormand-Prince 5(4) pair, local extrapolation, and samples from its continuous extension of
/// order 4.
///
/// Samples: 4 a step by default. Evaluations: 1 + 6 (nsteps + nfailed) + the number of states that after_step changed.
/// A NaN or Inf inside an attempt ends that attempt early (its remaining evaluations are saved) and rejects it as an
/// infinite error would; the run ends with OdeStatus::not_finite when the step cannot shrink further. \throws
/// std::invalid_argument as validate does.
OdeResult ode45(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
