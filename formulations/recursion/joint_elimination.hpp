#pragma once
/// \file
/// Elimination of the unknown components of a joint from an articulated inertia M about O_k [Featherstone1983],
/// [Bae1987]:
///
///   N = H (H^T M H)^-1 H^T,   what the joint lets through is M - M N M
#include <Eigen/Cholesky>
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "mechanisms/model/description/joint.hpp"

namespace mbdbench {

/// Which components of a joint are unknown, and what their elimination leaves. Allocates nothing after `choose`.
struct JointElimination {
  std::vector<int> free;      ///< unknown components of u, ascending
  SpatialColumns axes;        ///< H, free components
  SpatialColumns gain;        ///< M H (H^T M H)^-1
  JointMatrix pivot_inverse;  ///< (H^T M H)^-1

  /// All components are unknown that neither follow a prescribed motion nor from others. \param dependent ascending
  void choose(const Joint& joint, std::span<const int> dependent = {}) {
    free.clear();
    for (int i = 0; i < joint.nu; ++i) {
      const bool prescribed = std::any_of(joint.motions.begin(), joint.motions.end(),
                                          [i](const JointMotion& motion) { return motion.component == i; });
      if (!prescribed && !std::binary_search(dependent.begin(), dependent.end(), i)) {
        free.push_back(i);
      }
    }
    const auto count = static_cast<Eigen::Index>(free.size());
    axes.setZero(6, count);
    gain.setZero(6, count);
    pivot_inverse.setIdentity(count, count);
  }

  /// \param h motion subspace of the whole joint
  void set_axes(const SpatialColumns& h) {
    for (std::size_t i = 0; i < free.size(); ++i) {
      axes.col(static_cast<Eigen::Index>(i)) = h.col(free[i]);
    }
  }

  /// \param inertia M; receives M - M N M
  /// \returns nothing if H^T M H is positive definite, otherwise its smallest diagonal entry, which may be no number
  std::optional<double> eliminate(Mat6& inertia) {
    if (free.empty()) {
      return {};
    }
    const SpatialColumns moved = inertia.lazyProduct(axes);
    const JointMatrix pivot = axes.transpose().lazyProduct(moved);
    const Eigen::LLT<JointMatrix> cholesky(pivot);
    // Eigen's test for a positive pivot lets NaN pass.
    if (cholesky.info() != Eigen::Success || !cholesky.matrixLLT().diagonal().allFinite()) {
      return pivot.diagonal().minCoeff<Eigen::PropagateNaN>();
    }
    pivot_inverse.setIdentity(pivot.rows(), pivot.rows());
    cholesky.solveInPlace(pivot_inverse);
    gain = moved.lazyProduct(pivot_inverse);
    inertia -= gain.lazyProduct(moved.transpose());
    return {};
  }
};

}  // namespace mbdbench
