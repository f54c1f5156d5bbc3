#include "mechanisms/model/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace mbdbench {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& a) {
  if (a.size() == 0) {
    return {};
  }
  return Eigen::BDCSVD<Eigen::MatrixXd>(a).singularValues();
}

SingularDecomposition singular_decomposition(const Eigen::MatrixXd& a) {
  if (a.size() == 0) {
    return {Eigen::VectorXd(), Eigen::MatrixXd::Identity(a.cols(), a.cols())};
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> decomposition(a, Eigen::ComputeFullV);
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
