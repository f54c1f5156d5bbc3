#pragma once
/// \file
/// Right-hand sides of mechanisms whose parts go through the recursion side by side in lanes.
#include <span>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// One mechanism, ready to be evaluated. Allocates nothing after construction.
class LaneSolver {
 public:
  LaneSolver() = default;
  virtual ~LaneSolver() = default;
  LaneSolver(const LaneSolver&) = delete;
  LaneSolver& operator=(const LaneSolver&) = delete;
  LaneSolver(LaneSolver&&) = delete;
  LaneSolver& operator=(LaneSolver&&) = delete;

  /// u' from q and u. Fails where an articulated inertia H^T M H of a joint is not positive, and where something is no
  /// number.
  virtual RhsStatus accelerations(double t, std::span<const double> q, std::span<const double> u,
                                  std::span<double> udot) = 0;
  /// u and p' from q and p.
  /// \param leak kappa in p' += kappa Phi_q^T sigma, 1/s
  virtual RhsStatus momenta(double t, std::span<const double> q, std::span<const double> p, double leak,
                            std::span<double> u, std::span<double> pdot) = 0;
  /// \returns how many threads share a right-hand side.
  [[nodiscard]] virtual int threads() const = 0;
  /// \returns constraints of the cut joint that others repeat, and its largest multiplier, of the last call.
  [[nodiscard]] virtual int redundant_rows() const { return 0; }
  [[nodiscard]] virtual double largest_multiplier() const { return 0.0; }
  /// \returns how a right-hand side in accelerations or momenta falls into pieces (Formulation::stages).
  [[nodiscard]] virtual std::vector<WorkStage> stages(StateKind rate_kind) const = 0;
};

}  // namespace mbdbench
