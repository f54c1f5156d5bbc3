#pragma once
/// \file
/// Which quasi-velocities of closed loops depend on the others, by complete pivoting on Phi_q,s.
#include <Eigen/Core>
#include <optional>
#include <vector>

#include "mechanisms/model/characteristic_scales.hpp"

namespace mbdbench {

/// What elimination leaves of redundant rows is rounding of the terms that Phi_q is made of, or what typed digits leave
/// open: below this share it is zero, as everywhere where loops are closed. A smaller one took the tenth digit of a
/// planar linkage for a constraint, and it stood still (metamorphic class planar_digits, seed 1158).
inline constexpr double kDependentRank = kRankWhereClosed;
/// Marked joints are taken while others are not a hundred times better.
inline constexpr double kDependentPreference = 0.01;
/// \returns whether a candidate is larger by more than rounding. Candidates of a symmetric mechanism are equal; the
/// first of them is then chosen on every machine and by every compiler.
inline bool is_clearly_larger(double candidate, double best) {
  return candidate > (1.0 + 1e-6) * best;
}

/// Independent rows of Phi_q and as many components of u that follow from them.
struct DependentChoice {
  std::vector<int> rows;
  std::vector<int> dependent;  ///< ascending
};

/// Complete pivoting on Phi_q. \param size what its entries are made of, see DependentJoints::size
/// \param allowed one entry a component of u
/// \param preferred components that are taken while no other has a pivot that is a hundred times larger
/// \param reach see DependentJoints::reach: among pivots within a factor of a hundred, the one that is largest in these
/// units. The slow side of a gear depends on the fast one: the other way round, the tolerance of the slow one, an angle
/// like any other, would be the error of a fast one that turns 1e8 times as far.
/// \param most how many components depend at most: none, as many as the rank of Phi_q
DependentChoice choose_dependents(const Eigen::MatrixXd& phi_q, double size, const std::vector<bool>& allowed,
                                  const std::vector<bool>& preferred, const Eigen::VectorXd& reach,
                                  std::optional<std::size_t> most = {});

}  // namespace mbdbench
