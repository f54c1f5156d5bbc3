#pragma once
/// \file
/// Who solves M v = p + Phi_q^T sigma, Phi_q v = w in O(n) for the derivatives of one mechanism.
#include <Eigen/Core>
#include <span>
#include <string_view>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// Why there are no derivatives where rows depend on others that elsewhere do not.
inline constexpr std::string_view kSingularPosition =
    "the position is singular, derivatives of the accelerations do not exist: a constraint depends on others that "
    "elsewhere does not, its pivot is";

class LoopSolver {
 public:
  LoopSolver() = default;
  virtual ~LoopSolver() = default;
  LoopSolver(const LoopSolver&) = delete;
  LoopSolver& operator=(const LoopSolver&) = delete;
  LoopSolver(LoopSolver&&) = delete;
  LoopSolver& operator=(LoopSolver&&) = delete;

  /// \returns why there is no solution: which joint stops it, or loses a rank that the rows have elsewhere
  virtual RhsStatus set_positions(std::span<const double> q) = 0;
  /// \param v p, receives v \param wanted w, by row of Phi \param sigma receives multipliers, by row of Phi; zero for
  /// prescribed motions of tree joints
  virtual void solve(Eigen::VectorXd& v, const Eigen::VectorXd& wanted, Eigen::VectorXd& sigma) = 0;
};

}  // namespace mbdbench
