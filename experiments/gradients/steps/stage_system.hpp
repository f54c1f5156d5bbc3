#pragma once
/// \file
/// The linear equations of the stages of an implicit step.
///
/// Changes k' of the rates at the stages with those of the start, x', and of all else, p_i: k'_i = J_i (x' + h sum_j
/// a_ij k'_j) + p_i. Weights w of the rates with those of the end, l: w_i = h (b_i l + sum_j a_ji J_j^T w_j) (E.
/// Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., Springer 2006, section VI.4, has the same of
/// variational equations). The matrix of the first is I - h diag(J_i) (A (x) I), that of the second its transpose.
///
/// Cost of s implicit stages and n components: s Jacobians, (s n)^3 / 3 for the factors, (s n)^2 a solution.
#include <Eigen/Core>
#include <Eigen/LU>
#include <cstddef>
#include <span>
#include <vector>

#include "experiments/gradients/steps/step_method.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

/// Of the implicit stages of a method, which are those behind the explicit ones. Formulation and method must outlive
/// it; of explicit methods it does nothing.
class StageSystem {
 public:
  StageSystem(Formulation& formulation, const StepMethod& method);

  /// Factorises at the states of the stages. \param stages a row a stage, explicit ones among them
  /// \throws RunFailure where a stage has no derivatives
  void factorise(const StepInterval& step, std::span<const double> stages);
  /// \param rates J_i (x' + what explicit stages add) + p_i, become k'_i; rows of the implicit stages
  void solve(std::span<double> rates) const;
  /// \param weights h b_i l, become w_i; rows of the implicit stages
  void solve_transposed(std::span<double> weights) const;

 private:
  Formulation* formulation_;
  const StepMethod* method_;
  std::size_t stages_;
  std::vector<double> rows_;
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
};

}  // namespace mbdbench::gradients
