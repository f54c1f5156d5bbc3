#pragma once
/// \file
/// Ranks of scaled constraint Jacobians, and the smallest change that answers them: Eigen's decompositions with a
/// threshold that is not relative to rounding.
#include <Eigen/Core>

namespace mbdbench {

/// \param a R Phi_q C (characteristic_scales.hpp), of any size
/// \param smallest pivots up to this share of the largest one, or of 1 where that is smaller, are zero: where all rows
/// are redundant all pivots are rounding
/// \returns the numerical rank
int rank_of_scaled(const Eigen::MatrixXd& a, double smallest);

/// \returns x of least norm with A x next to b; zero where A has no pivot that counts. O(m^2 n).
Eigen::VectorXd least_change(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, double smallest);

}  // namespace mbdbench
