#pragma once
/// \file
/// Exact derivatives of the right-hand sides of one open tree with respect to the state: its recursion with numbers
/// that carry derivatives along as many directions as a register has doubles (kernels/directed.hpp).
///
/// Cost: of n state components, n / 8 (AVX-512; AVX2 n / 4) recursions of about three right-hand sides each.
#include "formulations/batches/batch_tree.hpp"

namespace mbdbench {

/// Workspace of one mechanism. Allocates nothing after construction.
class TreeDerivatives {
 public:
  /// Parameters as of BatchTree; a mechanism for which `loads_without_lanes` is empty.
  TreeDerivatives(const Mechanism& mechanism, StateKind kind, const CutReferences* near);

  /// \param rows state_size() rows of as many numbers: (i, j) is the derivative of x'_i by x_j
  /// \returns whether all are right for sure: pivots positive, numbers finite, angles moderate
  bool evaluate(double t, std::span<const double> x, std::span<double> rows);

 private:
  DirectionSweeps sweeps_;
  BatchTree tree_;
  std::vector<double> x_;
};

}  // namespace mbdbench
