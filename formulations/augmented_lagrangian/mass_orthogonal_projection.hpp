#pragma once
/// \file
/// Mass-orthogonal projections of absolute coordinates and velocities on the constraints [Malczyk2012, Sect. 3].
///
/// paper symbol        -> name
///   q_*               -> anchor_: y at the start; matrices are those of q_*, also later (option `refresh`: of q_i)
///   Delta q           -> one pass of the engine with right side -Phi(q_i)
///   lambda, lambda*   -> sum of the passes' multipliers: M (q - q_*) = Phi_q^T lambda
///   eps_p, eps_v      -> AugmentedOptions
///
/// DEVIATES [Malczyk2012, Eq. (41)-(56)]: a pass solves (A + I / alpha) delta = -Phi(y_i), y_{i+1} = y_i + M^-1 B
/// delta: the paper's iteration in terms of what changes, which loses no digits in M (y_i - y_*)
/// (mass_orthogonal_projection_test: M (y - y_*) = Phi_q^T lambda at the end). Euler parameters leave e_* by L(e_*)^T
/// Theta / 2 and stay on the unit sphere: e = sqrt(1 - |Theta|^2 / 4) e_* + L^T Theta / 2, so that 4 L^T J' L (e - e_*)
/// = 2 L^T J' Theta holds exactly.
///
/// Cost: one assembly and k passes a level, O(k n); the matrices of the projected position serve the velocities and the
/// next accelerations.
#include <vector>

#include "formulations/augmented_lagrangian/augmented_system.hpp"

namespace mbdbench {

/// How one level went.
struct LevelOutcome {
  RhsStatus status;
  int passes = 0;       ///< 0: nothing to do
  double before = 0.0;  ///< max |Phi| or max |Phi'|
  double after = 0.0;
};

/// Projects states of one system. No allocation after construction.
class MassOrthogonalProjection {
 public:
  /// \param system outlives the projection
  MassOrthogonalProjection(AugmentedSystem& system, const AugmentedOptions& options);

  /// Moves y to Phi(y, t) = 0. Leaves y alone where passes do not bring it nearer.
  LevelOutcome project_positions(double t, std::span<double> y);
  /// Moves velocities [v_C; omega] to Phi' = 0 at the positions y, with the matrices there.
  LevelOutcome project_velocities(double t, std::span<const double> y, std::span<Vec6> velocities);

 private:
  /// Passes from y on; \returns false when they leave the neighbourhood of y.
  bool iterate(double t, std::span<double> y, LevelOutcome& outcome);
  /// y = y_* and the displacements.
  bool move_to(std::span<double> y) const;

  AugmentedSystem* system_;
  AugmentedOptions options_;
  std::vector<double> anchor_;
  std::vector<double> start_;
  std::vector<Vec6> displacements_;  // sum of the passes: shift and Theta, world axes
  std::vector<Vec6> step_;
  std::vector<double> residual_;
  std::vector<double> multipliers_;
};

}  // namespace mbdbench
