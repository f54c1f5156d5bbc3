#pragma once
/// \file
/// A formulation in accelerations (state q, u) or momenta (q, p) whose right-hand side a LaneSolver evaluates.
#include <functional>
#include <memory>

#include "formulations/formulation.hpp"
#include "formulations/lanes/lane_solver.hpp"

namespace mbdbench {

/// Makes a solver of the mechanism; every clone of a formulation has its own.
using LaneSolverMaker = std::function<std::unique_ptr<LaneSolver>()>;

/// \param leak kappa in p' += kappa Phi_q^T sigma, 1/s (momenta)
std::unique_ptr<Formulation> make_lane_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                   LaneSolverMaker make_solver, double leak);

}  // namespace mbdbench
