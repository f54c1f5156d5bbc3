#pragma once
/// \file
/// What the long runs are about: a conservative system, its energy, how long, and how much work.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "integrators/ode.hpp"

namespace mbdbench::integrator_study {

/// A conservative system over a long time.
struct DriftCase {
  std::string mechanism;
  std::string formulation;  ///< key; empty for a problem
  std::string energy_unit;
  OdeSystem system;
  std::vector<double> x0;
  double duration = 0.0;  ///< s
  /// Every method gets the step or tolerance with which it needs about so many evaluations.
  double evaluations = 0.0;
  std::function<double(double t, std::span<const double> x)> energy;
  /// Theory promises that symplectic methods keep the energy error bounded here: the motion is regular and the steps
  /// are small against its fastest change. Elsewhere it is measured.
  bool regular = false;
};

/// Kepler's problem, eccentricity 0.6, 500 revolutions; quick: 50.
DriftCase kepler_drift(bool quick);

/// `hdca`, whose state (q, p) is canonical for open chains, on pendulum:N. \param duration s; quick: a twentieth
/// \param evaluations quick: a twentieth
DriftCase pendulum_drift(const Registries& registries, int bodies, double duration, double evaluations, bool quick);

}  // namespace mbdbench::integrator_study
