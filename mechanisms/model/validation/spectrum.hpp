#pragma once
/// \file
/// Singular values and eigenvalues of matrices of any size. One file compiles Eigen's decompositions for all others:
/// each file that includes them itself takes half a minute to compile.
#include <Eigen/Core>

namespace mbdbench {

/// A = U diag(values) V^T.
struct SingularDecomposition {
  Eigen::VectorXd values;  ///< largest first, as many as A has rows or columns, whichever are fewer
  Eigen::MatrixXd v;       ///< V, square: its last columns span the null space of A
};

/// A = W diag(values) W^T, A symmetric.
struct SymmetricDecomposition {
  Eigen::VectorXd values;   ///< smallest first
  Eigen::MatrixXd vectors;  ///< W, orthogonal
};

/// \returns the singular values of A, largest first; none of an empty matrix. O(n^3).
Eigen::VectorXd singular_values(const Eigen::MatrixXd& a);
/// \returns singular values and all right singular vectors of A. O(n^3).
SingularDecomposition singular_decomposition(const Eigen::MatrixXd& a);
/// \returns the eigenvalues of A, smallest first. \param a symmetric; only its lower half is read
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);
/// \returns eigenvalues and eigenvectors of A. \param a symmetric; only its lower half is read
SymmetricDecomposition symmetric_decomposition(const Eigen::MatrixXd& a);

}  // namespace mbdbench
