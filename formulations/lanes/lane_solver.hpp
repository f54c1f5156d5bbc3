#pragma once
/// \file
/// Right-hand sides of mechanisms whose parts go through the recursion side by side in lanes.
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"
#include "formulations/options/gauge_option.hpp"

namespace mbdbench {

/// Why there are no derivatives of accelerations where velocities are not projected.
inline constexpr const char* kNoDerivativesInLanes =
    "there are no exact derivatives of accelerations where sub-chains close a loop as published: where it is open, or "
    "velocities pull it open, they close it in a way of their own; without leaf=subchain, or with "
    "projection=velocities, there are";

/// What keeps a loop closed in the right-hand side, besides Phi'' = 0 (Phi' = 0).
struct LoopRules {
  bool projects = false;                    ///< velocities are projected on the constraints first (accelerations)
  GaugeControl gauge = GaugeControl::none;  ///< none, leak or tangent (momenta)
  double leak = 0.0;                        ///< kappa, 1/s
};

/// One mechanism, ready to be evaluated. Allocates nothing after construction.
class LaneSolver {
 public:
  LaneSolver() = default;
  virtual ~LaneSolver() = default;
  LaneSolver(const LaneSolver&) = delete;
  LaneSolver& operator=(const LaneSolver&) = delete;
  LaneSolver(LaneSolver&&) = delete;
  LaneSolver& operator=(LaneSolver&&) = delete;

  /// u' from q and the u of the state. Fails where an articulated inertia H^T M H of a joint is not positive, and where
  /// something is no number.
  /// \param velocities receives those in use: projected ones, or those of the state
  virtual RhsStatus accelerations(double t, std::span<const double> q, std::span<const double> u,
                                  std::span<double> velocities, std::span<double> udot) = 0;
  /// u and p' from q and p.
  virtual RhsStatus momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                            std::span<double> pdot) = 0;
  /// \returns how many threads share a right-hand side.
  [[nodiscard]] virtual int threads() const = 0;
  /// \returns whether processes share it, so that all have to ask together.
  [[nodiscard]] virtual bool is_divided() const { return false; }
  /// \returns constraints of the cut joint that others repeat, and its largest multiplier, of the last call.
  [[nodiscard]] virtual int redundant_rows() const { return 0; }
  [[nodiscard]] virtual double largest_multiplier() const { return 0.0; }
  /// \returns how a right-hand side in accelerations or momenta falls into pieces (Formulation::stages).
  [[nodiscard]] virtual std::vector<WorkStage> stages(StateKind rate_kind) const = 0;
};

/// Makes a solver of a mechanism; every clone of a formulation has its own. Empty: there are no lanes.
using LaneSolverMaker = std::function<std::unique_ptr<LaneSolver>()>;

}  // namespace mbdbench
