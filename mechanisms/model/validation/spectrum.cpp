#include "mechanisms/model/validation/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace mbdbench {

// Not BDCSVD: Eigen 3.4.0's is wrong by tenths on some rank-deficient matrices of 16 and more columns (spectrum_test).
// Jacobi's takes some ten times as long, half a second at 381 x 387.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& a) {
  if (a.size() == 0) {
    return {};
  }
  return Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
}

SingularDecomposition singular_decomposition(const Eigen::MatrixXd& a) {
  if (a.size() == 0) {
    return {Eigen::VectorXd(), Eigen::MatrixXd::Identity(a.cols(), a.cols())};
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> decomposition(a, Eigen::ComputeFullV);
  return {decomposition.singularValues(), decomposition.matrixV()};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a) {
  if (a.size() == 0) {
    return {};
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricDecomposition symmetric_decomposition(const Eigen::MatrixXd& a) {
  if (a.size() == 0) {
    return {};
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> decomposition(a);
  return {decomposition.eigenvalues(), decomposition.eigenvectors()};
}

}  // namespace mbdbench
