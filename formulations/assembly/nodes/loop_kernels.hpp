#pragma once
/// \file
/// The node formula where a loop closes: A = G^T Xi G may be singular, because constraints repeat one another or the
/// position is singular. DEVIATES [Chadaj2017, Eq. (45)]: a pseudo-inverse of the rank that is found, where an inverse
/// is printed (loop_kernels_test, minimum_norm_test).
///
/// With the front of node_kernels.hpp, scaled to a unit diagonal of F_JJ (Jacobi): pivoted Cholesky, stopped at rank r,
/// F_JJ = L L^T with the pivots' rows L_1 and the other rows L_2 = T L_1. Then L = [I; T] L_1, and
///
///   F_JJ^+ = W W^T,  W = [I; T]^+T L_1^-T,  [I; T]^+ = [I - T^T K T, T^T K],  K = (I + T T^T)^-1,
///
/// so that W_2 = K T L_1^-T, W_1 = L_1^-T - T^T W_2: the pseudo-inverse, with no more than r^2 operations for each
/// redundant row. Pivoting keeps the entries of T near 1 at most, however small the pivots.
///
/// Velocities, u and all bodies' motion do not depend on which generalised inverse is taken: Xi is positive
/// semidefinite and every xi_0 lies in its range. sigma does, and so do accelerations whose right side the constraints
/// contradict (after drift, or at a singular position with incompatible velocities): these are met in the sense of
/// least squares over the scaled rows.
#include <cmath>

#include "formulations/assembly/nodes/node_kernels.hpp"

namespace mbdbench::node_kernels {

/// L, c x r, of the scaled matrix: rows keep their places, so that L needs no permutation. `vectors` receive the
/// scale of every row, and after two more vectors 1 for rows that move and are no pivots
template <typename T>
MBDBENCH_KERNEL NodeRank pivoted_factor(const NodePlan& node, const ClosingScratch& scratch, int most) {
  const int rows = node.closed_rows;
  const int padded = node.padded_rows();
  double* const scale = scratch.vectors;
  double* const diagonal = scale + padded;
  double* const waits = diagonal + padded;  // 1: may become a pivot
  for (int i = 0; i < padded; ++i) {
    const double value = i < rows ? scratch.matrix[i * padded + i] : 0.0;
    if (!std::isfinite(value)) {
      return {-1, value, i};
    }
    const bool moves = i < rows && value > RankLimits::kImmobile * scratch.shift[i];
    scale[i] = moves ? 1.0 / std::sqrt(value) : 0.0;
    diagonal[i] = moves ? 1.0 : 0.0;
    waits[i] = diagonal[i];
  }
  NodeRank found;
  for (; found.rank < rows && found.rank < most; ++found.rank) {
    int pivot = 0;
    for (int i = 1; i < rows; ++i) {
      pivot = diagonal[i] > diagonal[pivot] ? i : pivot;
    }
    if (!(diagonal[pivot] > RankLimits::kSmallestPivot)) {
      break;
    }
    found.smallest_pivot = diagonal[pivot];
    double* const column = scratch.factor + found.rank * padded;
    const double inverse_root = 1.0 / std::sqrt(diagonal[pivot]);
    waits[pivot] = 0.0;
    for (int p = 0; p < padded; p += kHandle) {
      T sum = scale[pivot] * load<T>(scale + p) * load<T>(scratch.matrix + pivot * padded + p);
      for (int m = 0; m < found.rank; ++m) {
        sum -= scratch.factor[m * padded + pivot] * load<T>(scratch.factor + m * padded + p);
      }
      sum = inverse_root * load<T>(waits + p) * sum;
      store(sum, column + p);
      store(load<T>(diagonal + p) - sum * sum, diagonal + p);
    }
    column[pivot] = found.smallest_pivot * inverse_root;
    diagonal[pivot] = 0.0;
    scratch.order[found.rank] = pivot;
  }
  return found;
}

template <typename T>
NodeRank close_loops(const NodePlan& node, const ClosingScratch& scratch, int most) {
  take_closed<T>(node, scratch);
  const int rows = node.closed_rows;
  const int padded = node.padded_rows();
  const NodeRank found = pivoted_factor<T>(node, scratch, most);
  if (found.rank < 0) {
    return found;
  }
  const int rank = found.rank;
  const double* const scale = scratch.vectors;
  const double* const waits = scale + 2 * padded;
  const int width = (rank + kHandle - 1) / kHandle * kHandle;
  invert<T>(scratch, rank, padded);
  // T and T L_1^-T of the rows that follow from the pivots' ones.
  int* const redundant = scratch.order + rank;
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    if (waits[i] == 0.0) {
      continue;  // a pivot, or a row that cannot move
    }
    redundant[count] = i;
    double* const t = scratch.follow + count * padded;
    double* const w = scratch.followed + count * padded;
    for (int p = 0; p < width; p += kHandle) {
      T sum(0.0);
      for (int m = p; m < rank; ++m) {
        sum += scratch.factor[m * padded + i] * load<T>(scratch.inverse + m * padded + p);
      }
      store(sum, t + p);
    }
    for (int p = 0; p < width; p += kHandle) {
      T sum(0.0);
      for (int m = 0; m < rank && m < p + kHandle; ++m) {
        sum += t[m] * load<T>(scratch.upper + m * padded + p);
      }
      store(sum, w + p);
    }
    ++count;
  }
  // I + T T^T = L L^T, and W_2 = L^-T L^-1 (T L_1^-T).
  double* const gram = scratch.gram;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum(0.0);
      for (int p = 0; p < width; p += kHandle) {
        sum += load<T>(scratch.follow + i * padded + p) * load<T>(scratch.follow + j * padded + p);
      }
      double value = Numbers<T>::sum(sum) + (i == j ? 1.0 : 0.0);
      for (int m = 0; m < j; ++m) {
        value -= gram[i * rows + m] * gram[j * rows + m];
      }
      gram[i * rows + j] = i == j ? std::sqrt(value) : value / gram[j * rows + j];
    }
  }
  const auto subtract = [&](int from, double factor, double* to) MBDBENCH_INLINED {
    const double* const w = scratch.followed + from * padded;
    for (int p = 0; p < width; p += kHandle) {
      store(load<T>(to + p) - factor * load<T>(w + p), to + p);
    }
  };
  const auto divide = [&](int row, double divisor) MBDBENCH_INLINED {
    double* const w = scratch.followed + row * padded;
    for (int p = 0; p < width; p += kHandle) {
      store(load<T>(w + p) / T(divisor), w + p);
    }
  };
  for (int i = 0; i < count; ++i) {
    for (int m = 0; m < i; ++m) {
      subtract(m, gram[i * rows + m], scratch.followed + i * padded);
    }
    divide(i, gram[i * rows + i]);
  }
  for (int i = count - 1; i >= 0; --i) {
    for (int m = i + 1; m < count; ++m) {
      subtract(m, gram[m * rows + i], scratch.followed + i * padded);
    }
    divide(i, gram[i * rows + i]);
  }
  for (int j = 0; j < rank; ++j) {
    for (int i = 0; i < count; ++i) {
      subtract(i, scratch.follow[i * padded + j], scratch.upper + j * padded);
    }
  }
  // Back to the places of the rows, and unscaled. Rows that cannot move have none.
  for (int i = 0; i < rows * padded; i += kHandle) {
    store(T(0.0), node.weights + i);
  }
  for (int k = 0; k < rank + count; ++k) {
    const double* const from = k < rank ? scratch.upper + k * padded : scratch.followed + (k - rank) * padded;
    const int row = scratch.order[k];
    for (int p = 0; p < width; p += kHandle) {
      store(scale[row] * load<T>(from + p), node.weights + row * padded + p);
    }
  }
  take_outside<T>(node, scratch, rank);
  reduce<T>(node, rank);
  return found;
}

}  // namespace mbdbench::node_kernels
