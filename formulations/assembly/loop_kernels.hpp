#pragma once
/// \file
/// The node formula where a loop closes: A = G^T Xi G may be singular, because constraints repeat one another or the
/// position is singular. Pure functions on small dense arrays, templated on the scalar.
///
/// With the front of node_kernels.hpp, scaled to a unit diagonal of F_JJ (Jacobi):
///
///   F_JJ = L L^T (pivoted Cholesky, stopped at rank r),  L = Q R (Gram-Schmidt),  W = Q R^-T,  so that F_JJ^+ = W W^T
///   X = F_EJ W,  Xi^C = F_EE - X X^T,  z = W^T (xi_0J - r_J),  xi_0^C = xi_0E - X z,
///   sigma_J = -W (z + X^T sigma_E).
///
/// Velocities, u and all bodies' motion do not depend on which generalised inverse is taken: Xi is positive
/// semidefinite and every xi_0 lies in its range. sigma does, and so do accelerations whose right side the constraints
/// contradict (after drift, or at a singular position with incompatible velocities): these are met in the sense of
/// least squares over the scaled rows.
///
/// Cost of the factorisation: 4 c^3 + c^2 w + c w^2 flops at most.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace mbdbench {

/// Limits of the numerical rank.
struct RankLimits {
  /// Smallest pivot of the scaled matrix. Pivots are squares of singular values: 1e-12 keeps those down to 1e-6. With
  /// 1e-10 a five-bar already loses its constraint at a distance of 1e-4 from the folded position.
  static constexpr double kSmallestPivot = 1e-12;
  /// A row whose diagonal fell below this part of its value at the bodies themselves cannot move at all; what is left
  /// is rounding, and scaling would blow it up.
  static constexpr double kImmobile = 1e-13;
};

/// Scratch for fronts of at most `largest` closed rows.
template <typename Scalar>
constexpr std::size_t loop_scratch_size(std::size_t largest) {
  return largest * (2 * largest + 2);
}

/// What a factorisation found.
template <typename Scalar>
struct LoopRank {
  int rank = 0;                         ///< r, or -1 if F_JJ is not finite
  Scalar smallest_pivot = Scalar(1.0);  ///< of those kept, of the scaled matrix
};

/// Factorises a front in which loops close; on return its first r columns hold [W; X], column-major with leading
/// dimension c + w, and its lower right corner Xi^C. Columns r .. c - 1 are left over.
/// \param front lower triangle \param free_diagonal c entries: the diagonal of F_JJ if no body were connected
/// \param scratch loop_scratch_size(c) entries
/// \param most r is not larger than this: rows that are redundant where the loops are closed only gain pivots of
/// |Phi|^2
template <typename Scalar>
LoopRank<Scalar> factorise_loop_front(Scalar* front, int closed, int width, const Scalar* free_diagonal,
                                      Scalar* scratch, int most = std::numeric_limits<int>::max()) {
  using std::isfinite;
  using std::sqrt;
  const int m = closed + width;
  Scalar* const scale = scratch;
  Scalar* const diagonal = scale + closed;
  Scalar* const l = diagonal + closed;    // L, c x r; then W
  Scalar* const r = l + closed * closed;  // R, upper triangle, column-major
  const auto f = [&](int i, int j) { return i >= j ? front[j * m + i] : front[i * m + j]; };

  for (int i = 0; i < closed; ++i) {
    const Scalar value = front[i * m + i];
    if (!isfinite(value)) {
      return {-1};
    }
    const bool moves = value > Scalar(RankLimits::kImmobile) * free_diagonal[i];
    scale[i] = moves ? Scalar(1) / sqrt(value) : Scalar(0);
    diagonal[i] = moves ? Scalar(1) : Scalar(0);
  }
  // Pivoted Cholesky, left-looking: rows keep their places, so that L needs no permutation.
  int rank = 0;
  Scalar smallest_pivot(1.0);
  for (; rank < std::min(closed, most); ++rank) {
    const int pivot = static_cast<int>(std::max_element(diagonal, diagonal + closed) - diagonal);
    if (!(diagonal[pivot] > Scalar(RankLimits::kSmallestPivot))) {
      break;
    }
    Scalar* const column = l + rank * closed;
    for (int i = 0; i < closed; ++i) {
      column[i] = scale[i] * f(i, pivot) * scale[pivot];
    }
    for (int k = 0; k < rank; ++k) {
      const Scalar factor = l[k * closed + pivot];
      for (int i = 0; i < closed; ++i) {
        column[i] -= factor * l[k * closed + i];
      }
    }
    smallest_pivot = diagonal[pivot];
    const Scalar root = sqrt(diagonal[pivot]);
    for (int i = 0; i < closed; ++i) {
      column[i] = diagonal[i] == Scalar(0) ? Scalar(0) : column[i] / root;
      diagonal[i] -= column[i] * column[i];
    }
    diagonal[pivot] = Scalar(0);
  }
  // L = Q R; two sweeps keep Q orthonormal to rounding.
  for (int j = 0; j < rank; ++j) {
    Scalar* const column = l + j * closed;
    std::fill_n(r + j * closed, closed, Scalar(0));
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (int k = 0; k < j; ++k) {
        const Scalar projection = std::inner_product(column, column + closed, l + k * closed, Scalar(0));
        r[j * closed + k] += projection;
        for (int i = 0; i < closed; ++i) {
          column[i] -= projection * l[k * closed + i];
        }
      }
    }
    const Scalar norm = sqrt(std::inner_product(column, column + closed, column, Scalar(0)));
    r[j * closed + j] = norm;
    for (int i = 0; i < closed; ++i) {
      column[i] /= norm;
    }
  }
  // W R^T = Q, from the last column.
  for (int j = rank - 1; j >= 0; --j) {
    Scalar* const column = l + j * closed;
    for (int k = j + 1; k < rank; ++k) {
      for (int i = 0; i < closed; ++i) {
        column[i] -= r[k * closed + j] * l[k * closed + i];
      }
    }
    for (int i = 0; i < closed; ++i) {
      column[i] /= r[j * closed + j];
    }
  }
  for (int j = 0; j < rank; ++j) {
    for (int i = 0; i < closed; ++i) {
      l[j * closed + i] *= scale[i];
    }
  }
  // X takes the place of F_EJ row by row; R is no longer needed and holds the row.
  Scalar* const row = r;
  for (int e = closed; e < m; ++e) {
    for (int j = 0; j < rank; ++j) {
      row[j] = Scalar(0);
      for (int i = 0; i < closed; ++i) {
        row[j] += front[i * m + e] * l[j * closed + i];
      }
    }
    for (int j = 0; j < rank; ++j) {
      front[j * m + e] = row[j];
    }
  }
  for (int j = 0; j < rank; ++j) {
    std::copy_n(l + j * closed, closed, front + j * m);
  }
  for (int j = 0; j < rank; ++j) {
    const Scalar* const column = front + j * m;
    for (int k = closed; k < m; ++k) {
      for (int i = k; i < m; ++i) {
        front[k * m + i] -= column[k] * column[i];
      }
    }
  }
  return {rank, smallest_pivot};
}

/// Forward pass of the right side [xi_0J - r_J; xi_0E] in place: [z (r entries); -; xi_0^C].
/// \param scratch r entries
template <typename Scalar>
void eliminate_loop_right_side(const Scalar* front, int closed, int width, int rank, Scalar* right, Scalar* scratch) {
  const int m = closed + width;
  for (int j = 0; j < rank; ++j) {
    scratch[j] = std::inner_product(right, right + closed, front + j * m, Scalar(0));
  }
  for (int j = 0; j < rank; ++j) {
    right[j] = scratch[j];
    for (int e = closed; e < m; ++e) {
      right[e] -= front[j * m + e] * scratch[j];
    }
  }
}

/// Backward pass: sigma_J = -W (z + X^T sigma_E). \param sigma [receives sigma_J; given sigma_E] \param z r entries
template <typename Scalar>
void recover_loop(const Scalar* front, int closed, int width, int rank, const Scalar* z, Scalar* sigma) {
  const int m = closed + width;
  std::fill_n(sigma, closed, Scalar(0));
  for (int j = 0; j < rank; ++j) {
    const Scalar* const column = front + j * m;
    const Scalar weight = z[j] + std::inner_product(column + closed, column + m, sigma + closed, Scalar(0));
    for (int i = 0; i < closed; ++i) {
      sigma[i] -= weight * column[i];
    }
  }
}

}  // namespace mbdbench
