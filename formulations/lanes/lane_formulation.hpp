#pragma once
/// \file
/// A formulation in accelerations (state q, u) or momenta (q, p) whose right-hand side a LaneSolver evaluates.
#include <functional>
#include <memory>

#include "formulations/execution/instruction_set.hpp"
#include "formulations/formulation.hpp"
#include "formulations/lanes/lane_solver.hpp"

namespace mbdbench {

/// Makes a solver of the mechanism; every clone of a formulation has its own.
using LaneSolverMaker = std::function<std::unique_ptr<LaneSolver>()>;

/// Derivatives of open trees are those of the recursion over one piece: the right-hand side is the same function.
/// \param leak kappa in p' += kappa Phi_q^T sigma, 1/s (momenta) \param set of the kernels of derivatives
std::unique_ptr<Formulation> make_lane_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                   LaneSolverMaker make_solver, double leak, const InstructionSet& set);

}  // namespace mbdbench
