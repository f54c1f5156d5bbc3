#pragma once
/// \file
/// Exact derivatives of the right-hand sides of dca-alm, dca-alm-proj and dca-alm-printed, of as many passes as these
/// take.
///
/// With B = (A + I / alpha)^-1, A = D M^-1 D^T, pass k sets lambda_k = lambda_(k-1) + B (r - D a_(k-1)), a_k = M^-1 (f
/// + D^T lambda_k). Since dB = -B dA B, the pass changes by what AbsoluteSlopes has at a_k and lambda_k:
///
///   dlambda_k = dlambda_(k-1) + B (h_k - D M^-1 (g_k + D^T dlambda_(k-1))),   da_k = M^-1 (g_k + D^T dlambda_k)
///
/// which are passes too (LinearPasses), with right sides of their own; B stands factorised. Weights go through them the
/// other way, B being symmetric. Where their number cuts the passes of x' off, these are as many, each with slopes of
/// its own; where they converge, those of every direction go on to its limit, with the slopes of the limit: at rest,
/// say, a state leaves in peace what its neighbours do not. What rows that repeat others have against one another is
/// dropped there. Conjugate residuals have the same limit, and derivatives where they reach it: before, what they make
/// of right sides is not linear.
///
/// Where ranks are limited (AssemblyEngine::limit_loop_ranks) B is a solution of least squares, whose limit alone has
/// these derivatives, along the constraints.
///
/// Cost: of a product about k passes and one set of slopes of all joints, O(k n); of all derivatives O(k n^2).
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "formulations/augmented_lagrangian/augmented_options.hpp"
#include "formulations/augmented_lagrangian/derivatives/linear_passes.hpp"
#include "formulations/derivatives/spring_forces.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

struct AbsoluteChange;

/// The workspace is made when something is first asked for.
class AbsoluteDerivatives final : public StateDerivatives {
 public:
  /// \param near as of LoadEvaluator, never nullptr \param coordinates gives those next to which angles of tree joints
  /// are looked for
  AbsoluteDerivatives(const Mechanism& mechanism, const AugmentedOptions& options, IterationForm form,
                      const CutReferences* near, std::function<std::span<const double>()> coordinates);
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
  /// Everything at a state, in work_.
  RhsStatus linearise(double t, std::span<const double> x);
  /// After linearise. \param springs at that state
  void set_parameter(const RateParameter& parameter, const SpringForces& springs, AbsoluteChange& change) const;

  const Mechanism* mechanism_;
  AugmentedOptions options_;
  IterationForm form_;
  const CutReferences* near_;
  std::function<std::span<const double>()> coordinates_;
  std::unique_ptr<Workspace> work_;
  mutable std::optional<std::string> without_;  // once it is asked for: formulas are read
};

}  // namespace mbdbench
