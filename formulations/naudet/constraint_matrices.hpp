#pragma once
/// \file
/// The constraint matrices C_K of one loop and their rates [Naudet2005, Eq. (22), (23)], for any joints next to any cut
/// joint. The paper prints no formula for C; this one is the pseudoinverse form
///
///   G_K = D^T [X_cK E_K, X_c,K+1 E_K+1, ...] over joint K and the dependent joints outboard of it,
///   C_K = I - E_K g_K D^T X_cK,   g_K the rows of the pseudoinverse G_K^+ that belong to joint K's own components,
///   V_K = C_K S^T V_{K-1} + E_K g_K D^T X_r V_r,   V_r = 0 where the loop closes on the ground.
///
/// paper symbol -> name
///   Omega_K, T^V      -> V_K, S^T V_{K-1}
///   C_K               -> I - axes gain^T, ConstraintMatrix
///   (end of the loop) -> D, X_cK^T D = wrenches, X_r^T D = reference_wrenches
///
/// The columns of G are orthogonalised from the cut inward, W_K = (I - G_K+1 G_K+1^+) X_K with X_K = D^T X_cK E_K, so
/// that g_K = W_K^+ and one sweep serves all joints. With N_K = G_K' G_K^+, the pseudoinverse's derivative
///
///   (G^+)' = -G^+ G' G^+ + (G^T G)^-1 G'^T (I - G G^+)   gives   g_K' = -g_K N_K + g_K N_K^T (I - G_K G_K^+),
///   N_K = N_K+1 + (X_K' - N_K+1 X_K) g_K.
///
/// D has all directions of the cut joint: redundant ones agree with the others wherever the loop turns to, so that no
/// choice among them is made. Cost: O(m^3) a loop with m <= 6 independent constraints.
#include "formulations/formulation.hpp"
#include "formulations/naudet/dependents/loop_dependents.hpp"
#include "formulations/recursion/body_recursion.hpp"

namespace mbdbench {

/// Smallest over largest column of G below which the position counts as singular. C^T A C holds the square of the gain,
/// which is the reciprocal of the smallest column, so that eps over the square of this share is rounding beside the
/// inertia that remains: here half of the digits, eps^(1/2). Shares below lose energy visibly (singular_matrices_test).
inline constexpr double kMatricesSingular = 1e-4;

/// C_K = I - axes gain^T of one dependent joint and what its other end adds to V_K: axes reference_gain^T V_r.
struct ConstraintMatrix {
  SpatialColumns axes;            ///< E_K, dependent components, about O_K
  SpatialColumns axes_rate;       ///< E_K'
  SpatialColumns gain;            ///< X_cK^T D g_K^T, about O_K
  SpatialColumns gain_rate;       ///< its rate
  SpatialColumns reference_gain;  ///< X_r^T D g_K^T, about O of the other body
  SpatialColumns reference_gain_rate;
};

/// The constraint matrices of one loop. Allocates nothing after construction.
class ConstraintMatrices {
 public:
  ConstraintMatrices(const Mechanism& mechanism, DependentLoop loop);

  /// All C_K at the kinematics' positions. \returns which joint cannot close the loop here
  RhsStatus set_positions(const Kinematics& kinematics);
  /// Their rates at the kinematics' velocities, after set_positions.
  void set_velocities(const Kinematics& kinematics);

  [[nodiscard]] const DependentLoop& loop() const { return loop_; }
  /// \param i index into loop().joints
  [[nodiscard]] const ConstraintMatrix& matrix(std::size_t i) const { return joints_[i].matrix; }

 private:
  struct Column {
    ConstraintMatrix matrix;
    SpatialColumns wrenches;  // X_cK^T D, 6 x m
    JointMatrix along;        // X_K, m x n_d
    JointMatrix rows;         // g_K, n_d x m
    JointMatrix complement;   // I - G_K G_K^+, m x m
  };

  /// g_K = W^+ and what remains of the complement. \returns the smallest column of W after orthogonalisation
  double orthogonalise(const JointMatrix& outboard_complement, Column& joint) const;

  const Mechanism* mechanism_;
  DependentLoop loop_;
  std::vector<Column> joints_;
  SpatialColumns directions_;  // chosen columns of D
  SpatialColumns directions_rate_;
  SpatialColumns reference_wrenches_;  // X_r^T D
};

}  // namespace mbdbench
