#pragma once
/// \file
/// Exact derivatives of the right-hand sides of dca-alm and dca-alm-proj, of as many passes as these take.
///
/// With B = (A + I / alpha)^-1, A = D M^-1 D^T, pass k sets lambda_k = lambda_(k-1) + B (r - D a_(k-1)), a_k = M^-1 (f
/// + D^T lambda_k). Since dB = -B dA B, the pass changes by what AbsoluteSlopes has at a_k and lambda_k:
///
///   dlambda_k = dlambda_(k-1) + B (h_k - D M^-1 (g_k + D^T dlambda_(k-1))),   da_k = M^-1 (g_k + D^T dlambda_k)
///
/// which are passes too, with right sides of their own; B stands factorised. Weights go through them the other way,
/// B being symmetric. Passes that have converged have the slopes of the last one all.
///
/// Cost: of a product about k passes and k slopes of all joints, one where they converge; O(k n) each.
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "formulations/augmented_lagrangian/augmented_options.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// The workspace is made when something is first asked for.
class AbsoluteDerivatives final : public StateDerivatives {
 public:
  /// \param near as of LoadEvaluator, never nullptr \param coordinates gives those next to which angles of tree joints
  /// are looked for
  AbsoluteDerivatives(const Mechanism& mechanism, const AugmentedOptions& options, const CutReferences* near,
                      std::function<std::span<const double>()> coordinates);
  ~AbsoluteDerivatives() override;
  AbsoluteDerivatives(const AbsoluteDerivatives&) = delete;
  AbsoluteDerivatives& operator=(const AbsoluteDerivatives&) = delete;
  AbsoluteDerivatives(AbsoluteDerivatives&&) = delete;
  AbsoluteDerivatives& operator=(AbsoluteDerivatives&&) = delete;

  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override;
  [[nodiscard]] std::string without_jacobian() const override;

 private:
  struct Workspace;
  Workspace& work();

  const Mechanism* mechanism_;
  AugmentedOptions options_;
  const CutReferences* near_;
  std::function<std::span<const double>()> coordinates_;
  std::unique_ptr<Workspace> work_;
};

}  // namespace mbdbench
