#pragma once
/// \file
/// Simplified Newton's method for the stages of an implicit Runge-Kutta method: one Jacobian for all stages.
///
/// Source: J. C. Butcher, On the implementation of implicit Runge-Kutta methods, BIT 16 (1976) 237-240; E. Hairer, G.
/// Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, section IV.8: the eigenvalues of A take
/// the system of s n equations apart into systems of n.
///
/// | book | here |
/// |---|---|
/// | (I - h A (x) J) dK = F(K) - K | solve: residuals become corrections |
/// | T^-1 A T = Lambda | Mode: one row of T^-1, one column of T, one entry of Lambda |
///
/// Of a pair of complex eigenvalues one is enough: the other's part is the conjugate.
///
/// Cost of s stages and n components: a factorisation takes n^3 / 3 multiply-adds for a real eigenvalue and four times
/// that for a pair; a solution n^2 and 4 n^2. Memory is taken by the constructor, that of the factors by the first
/// factorisation.
#include <Eigen/Core>
#include <Eigen/LU>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "integrators/jacobians/curtis_reid_jacobian.hpp"
#include "integrators/ode_run.hpp"

namespace mbdbench {

class StageNewton {
 public:
  /// \param a coefficients of the method, a row a stage; with distinct eigenvalues. \param options, size of the run
  StageNewton(const Eigen::MatrixXd& a, const OdeOptions& options, std::size_t size);

  /// \returns whether there is a Jacobian, which served the last step.
  [[nodiscard]] bool is_usable() const { return usable_; }
  void give_up_jacobian() { usable_ = false; }
  /// A new Jacobian: exact where the system gives one, else by differences. \param xdot f(t, x)
  Evaluation form(OdeRun& run, double t, std::span<const double> x, std::span<const double> xdot);
  /// Factorises for the step size h, unless that is done.
  void factor(OdeRun& run, double h);
  /// \param residuals F(K) - K, a column a stage; become corrections of K
  void solve(OdeRun& run, Eigen::MatrixXd& residuals);

 private:
  /// An eigenvalue of A with a non-negative imaginary part.
  struct Mode {
    std::complex<double> eigenvalue;
    Eigen::RowVectorXcd in;  // of T^-1
    Eigen::VectorXcd out;    // of T; twice that of a pair
    Eigen::PartialPivLU<Eigen::MatrixXd> real;
    Eigen::PartialPivLU<Eigen::MatrixXcd> complex;
    [[nodiscard]] bool is_real() const { return eigenvalue.imag() == 0.0; }
  };

  CurtisReidJacobian curtis_reid_jacobian_;
  Eigen::MatrixXd jacobian_;
  std::vector<Mode> modes_;
  Eigen::MatrixXd real_matrix_;
  Eigen::MatrixXcd complex_matrix_;
  Eigen::VectorXcd part_;
  Eigen::VectorXd real_part_;
  Eigen::MatrixXd corrections_;
  bool usable_ = false;
  double factored_step_ = 0.0;
};

}  // namespace mbdbench
