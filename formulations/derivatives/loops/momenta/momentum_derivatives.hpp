#pragma once
/// \file
/// Exact derivatives of x' = (q', p') of a mechanism with loops in canonical momenta, with respect to its state (q, p)
/// and to parameters (closed_data.hpp has the equations).
///
///   M u = p + Phi_q^T sigma, Phi_q u = -Phi_t;   as published p' = tau + S' . P + S . G with mu = 0
///
/// With the tangent gauge (formulations/options/gauge_option.hpp) p' = M z - kappa p, where z is w + kappa u:
///
///   M z = p'_published + kappa p + Phi_q^T mu,   Phi_q z = -kappa Phi_t
///
/// so that z is another flow of the same kind, and its momenta are linearised by the same pass; with gauge=leak
/// p' = p'_published + kappa (M u - p). With feedback Phi' = -beta Phi stands in the place of Phi' = 0. Which rows
/// count, and what derivatives beside the constraints are, is as of ClosedDerivatives.
///
/// Cost: O(n^3) for all of them, by one dense factorisation. Products with a direction or with weights take O(n)
/// with a LoopSolver.
#include <memory>
#include <span>
#include <string>

#include "formulations/derivatives/loops/momenta/momentum_workspace.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// Workspace of one mechanism.
class MomentumDerivatives final : public StateDerivatives {
 public:
  /// \param near as of LoadEvaluator, never nullptr, must outlive this
  /// \param solver of products with a direction or with weights, and of parameters
  MomentumDerivatives(const Mechanism& mechanism, MomentumRules rules, const CutReferences* near,
                      std::unique_ptr<LoopSolver> solver, const InstructionSet& set);
  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> rows) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> rows) override;
  [[nodiscard]] std::string without_jacobian() const override;

 private:
  MomentumWorkspace work_;
};

}  // namespace mbdbench
