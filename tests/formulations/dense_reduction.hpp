#pragma once
/// \file
/// Reduced momenta B^T M u of closed loops from dense matrices.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "formulations/dense/dense_dynamics.hpp"
#include "formulations/naudet/dependents/dependent_joints.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/validation/spectrum.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// B^T M u over the independent components, from dense matrices.
class DenseReduction {
 public:
  DenseReduction(const Mechanism& mechanism, const DependentChoice& choice)
      : choice_(choice), dynamics_(mechanism, nullptr), size_(mechanism.u_size()) {
    for (int i = 0; i < size_; ++i) {
      if (!std::binary_search(choice.dependent.begin(), choice.dependent.end(), i)) {
        independent_.push_back(i);
      }
    }
  }

  /// \returns B^T M u at q.
  Eigen::VectorXd momenta(const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
    const Eigen::MatrixXd b = independent_columns(q);
    return b.transpose() * (dynamics_.mass_matrix() * u);
  }

  /// \returns what a solution for u_i from momenta must lose in digits: the condition number of B^T M B at q times that
  /// of Phi_d, with which B itself is solved for.
  double condition(const Eigen::VectorXd& q) {
    const Eigen::MatrixXd b = independent_columns(q);
    const Eigen::MatrixXd phi_d = dynamics_.jacobians().constraints()(choice_.rows, choice_.dependent);
    return condition_of(b.transpose() * dynamics_.mass_matrix() * b) *
           std::sqrt(condition_of(phi_d.transpose() * phi_d));
  }

  /// \returns the condition number of Phi_q M^-1 Phi_q^T over the chosen rows, scaled to a unit diagonal: what a
  /// solution for impulses of the cut joints must lose in digits.
  double impulse_condition(const Eigen::VectorXd& q) {
    if (choice_.rows.empty()) {
      return 1.0;
    }
    EXPECT_TRUE(dynamics_.set_positions(0.0, view(q)).ok);
    const Eigen::MatrixXd rows = dynamics_.jacobians().constraints()(choice_.rows, Eigen::all);
    const Eigen::MatrixXd a = rows * dynamics_.mass_matrix().ldlt().solve(rows.transpose());
    const Eigen::VectorXd scale = a.diagonal().cwiseSqrt().cwiseInverse();
    return condition_of(scale.asDiagonal() * a * scale.asDiagonal());
  }

 private:
  static double condition_of(const Eigen::MatrixXd& matrix) {
    if (matrix.size() == 0) {
      return 1.0;
    }
    const Eigen::VectorXd values = symmetric_eigenvalues(matrix);
    return values.maxCoeff() / values.minCoeff();
  }

  /// B, with the mass matrix at q.
  Eigen::MatrixXd independent_columns(const Eigen::VectorXd& q) {
    EXPECT_TRUE(dynamics_.set_positions(0.0, view(q)).ok);
    const Eigen::MatrixXd& phi_q = dynamics_.jacobians().constraints();
    const Eigen::MatrixXd rows = phi_q(choice_.rows, Eigen::all);
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(size_, static_cast<Eigen::Index>(independent_.size()));
    b(independent_, Eigen::all).setIdentity();
    if (!choice_.rows.empty() && !independent_.empty()) {
      b(choice_.dependent, Eigen::all) =
          -Eigen::MatrixXd(rows(Eigen::all, choice_.dependent)).fullPivLu().solve(rows(Eigen::all, independent_));
    }
    return b;
  }

  DependentChoice choice_;
  DenseDynamics dynamics_;
  int size_;
  std::vector<int> independent_;
};

}  // namespace mbdbench::test
