#pragma once
/// \file
/// Exact derivatives of x' = (q', u') of a mechanism with loops, with respect to its state (q, u) and to parameters:
/// the equations with multipliers, linearised (closed_data.hpp), and solved with one dense factorisation.
///
///   M u' = ... + Phi_q^T lambda,   Phi_q u' = ... - 2 alpha Phi' - beta^2 Phi;   where velocities are projected, first
///   M w = Phi_q^T sigma, Phi_q (u + w) = -Phi_t, and u + w in the place of u, in q' too
///
/// Of the rows of Phi_q as many count as its generic rank says, the largest that is left first. So derivatives along
/// changes that keep the constraints are those of every formulation with these states. Those along all other changes
/// are too where no row repeats others, or where rows that do are zero at all positions (planar loops). Elsewhere rows
/// contradict one another beside the constraints, x' is a compromise of the formulation's own, and derivatives along
/// changes that break constraints are those of a mechanism without the rows that are left out; products, whose solver
/// weighs all rows, have others there.
///
/// Cost: O(n^3) for all of them, by one dense factorisation. Products with a direction or with weights take O(n), with
/// what a LoopSolver needs; without one, as where velocities alone are held, they factorise too. Weights have those of
/// all joint forces, masses and lengths in the same pass, columns by parameters take a solution each.
#include <memory>
#include <span>
#include <string>

#include "formulations/derivatives/loops/loop_solver.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// What right-hand sides do beside the equations.
struct VelocityRules {
  bool projects = false;  ///< velocities are projected on the constraints before anything else
  double alpha = 0.0;     ///< Baumgarte's constants, 1/s
  double beta = 0.0;
};

/// Workspace of one mechanism.
class ClosedDerivatives final : public StateDerivatives {
 public:
  /// \param near as of LoadEvaluator, never nullptr, must outlive this
  /// \param solver of products with a direction or with weights, and of parameters
  ClosedDerivatives(const Mechanism& mechanism, const VelocityRules& rules, const CutReferences* near,
                    std::unique_ptr<LoopSolver> solver, const InstructionSet& set);
  ~ClosedDerivatives() override;
  ClosedDerivatives(const ClosedDerivatives&) = delete;
  ClosedDerivatives& operator=(const ClosedDerivatives&) = delete;
  ClosedDerivatives(ClosedDerivatives&&) = delete;
  ClosedDerivatives& operator=(ClosedDerivatives&&) = delete;

  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> rows) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> rows) override;
  [[nodiscard]] std::string without_jacobian() const override;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

}  // namespace mbdbench
