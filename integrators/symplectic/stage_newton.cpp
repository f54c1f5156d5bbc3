#include "integrators/symplectic/stage_newton.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

namespace mbdbench {

StageNewton::StageNewton(const Eigen::MatrixXd& a, const OdeOptions& options, std::size_t size)
    : curtis_reid_jacobian_(options, size),
      jacobian_(size, size),
      part_(size),
      real_part_(size),
      corrections_(static_cast<Eigen::Index>(size), a.rows()) {
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(a);
  const Eigen::MatrixXcd inverse = eigen.eigenvectors().inverse();
  for (Eigen::Index j = 0; j < a.rows(); ++j) {
    Mode mode;
    mode.eigenvalue = eigen.eigenvalues()[j];
    if (mode.eigenvalue.imag() < 0.0) {
      continue;
    }
    mode.in = inverse.row(j);
    mode.out = (mode.is_real() ? 1.0 : 2.0) * eigen.eigenvectors().col(j);
    modes_.push_back(mode);
  }
}

Evaluation StageNewton::form(OdeRun& run, double t, std::span<const double> x, std::span<const double> xdot) {
  const Evaluation outcome = curtis_reid_jacobian_.form(run, t, x, xdot, jacobian_);
  usable_ = outcome == Evaluation::ok;
  factored_step_ = 0.0;
  return outcome;
}

void StageNewton::factor(OdeRun& run, double h) {
  if (h == factored_step_) {
    return;
  }
  for (Mode& mode : modes_) {
    if (mode.is_real()) {
      real_matrix_ = -h * mode.eigenvalue.real() * jacobian_;
      real_matrix_.diagonal().array() += 1.0;
      mode.real.compute(real_matrix_);
    } else {
      complex_matrix_ = -h * mode.eigenvalue * jacobian_;
      complex_matrix_.diagonal().array() += 1.0;
      mode.complex.compute(complex_matrix_);
    }
  }
  factored_step_ = h;
  ++run.statistics().ndecomps;
}

void StageNewton::solve(OdeRun& run, Eigen::MatrixXd& residuals) {
  corrections_.setZero();
  for (const Mode& mode : modes_) {
    if (mode.is_real()) {
      real_part_.noalias() = residuals * mode.in.real().transpose();
      real_part_ = mode.real.solve(real_part_);
      corrections_.noalias() += real_part_ * mode.out.real().transpose();
    } else {
      part_.noalias() = residuals * mode.in.transpose();
      part_ = mode.complex.solve(part_);
      corrections_.noalias() += part_.real() * mode.out.real().transpose();
      corrections_.noalias() -= part_.imag() * mode.out.imag().transpose();
    }
  }
  residuals.swap(corrections_);
  ++run.statistics().nsolves;
}

}  // namespace mbdbench
