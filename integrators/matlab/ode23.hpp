#pragma once
/// \file
/// MATLAB's ode23: Bogacki-Shampine 3(2) with MATLAB's step size control.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with the Bogacki-Shampine 3(2) pair, local extrapolation, and samples from the cubic Hermite
/// interpolant.
///
/// Samples: at the end of every step by default. Evaluations: 1 + 3 (nsteps + nfailed) + the number of states that
/// after_step changed. A NaN or Inf inside an attempt ends that attempt early (its remaining evaluations are saved) and
/// rejects it as an infinite error would; the run ends with OdeStatus::not_finite when the step cannot shrink further.
/// \throws std::invalid_argument as validate does.
OdeResult ode23(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
