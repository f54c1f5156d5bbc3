#pragma once
/// \file
/// The arithmetic of one node of the assembly tree, as pure functions on small dense arrays, templated on the scalar.
///
/// With T_h = e_h D sigma (e_h = +1 at the b-end, -1 at the a-end of a joint) every handle is stored in its constrained
/// directions only: y_h = e_h D^T V_h and Xi_hg -> e_h e_g D_h^T Xi_hg D_g. Then closing a joint is adding the rows of
/// its two ends, and the node formula [Chadaj2017, Eq. (26)-(36)] is a partial Cholesky factorisation of
///
///   front = [ F_JJ  .    ]   J: closed joints (A = G^T Xi G),  E: external handles
///           [ F_EJ  F_EE ]
///
///   F_JJ = L L^T,  X = F_EJ L^-T,  Xi^C = F_EE - X X^T,  z = L^-1 (xi_0J - r_J),  xi_0^C = xi_0E - X z,
///   sigma_J = -L^-T (z + X^T sigma_E).
///
/// paper symbol        -> here
///   xi11..xi22 (A, B) -> rows and columns of the children's blocks, extended and added into `front`
///   W = D C D^T       -> -L^-T L^-1 between the two D (C = -F_JJ^-1)                [Chadaj2015, Eq. (13)]
///   beta              -> -L^-T z                                                    [Chadaj2015, Eq. (14)]
///   xi10, xi20        -> right side
#include <cmath>
#include <type_traits>
#include <utility>

namespace mbdbench {

/// Calls body(0), ..., body(count - 1). With kCount >= 0 the indices are compile-time constants, so that inner loops
/// which begin at an index have a fixed length; that is what lets the compiler vectorise triangles of a few rows.
template <int kCount, typename Body>
constexpr void for_each_index(int count, Body body) {
  if constexpr (kCount >= 0) {
    [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) {
      (body(std::integral_constant<int, kIndex>{}), ...);
    }
    (std::make_integer_sequence<int, kCount>{});
  } else {
    for (int i = 0; i < count; ++i) {
      body(i);
    }
  }
}

/// Leaf of a body: B^T M_C^-1 B, lower triangle, column-major, with M_C^-1 = diag(1/m I, J_C^-1) at the centre of mass.
/// \param handles B, 6 x rows, row-major: the inner loops run over the handles at unit stride
/// \param inertia_inverse J_C^-1, 3 x 3, symmetric
/// \tparam kRows rows where known at compile time, -1 otherwise. Cost 6 rows^2 flops.
template <typename Scalar, int kRows = -1>
void fill_leaf(const Scalar* handles, Scalar inverse_mass, const Scalar* inertia_inverse, int row_count, Scalar* leaf) {
  const int rows = kRows >= 0 ? kRows : row_count;
  for_each_index<kRows>(row_count, [&](auto c) {
    const Scalar torque[3] = {handles[3 * rows + c], handles[4 * rows + c], handles[5 * rows + c]};
    Scalar velocity[6];
    for (int i = 0; i < 3; ++i) {
      velocity[i] = inverse_mass * handles[i * rows + c];
      velocity[3 + i] = inertia_inverse[3 * i] * torque[0] + inertia_inverse[3 * i + 1] * torque[1] +
                        inertia_inverse[3 * i + 2] * torque[2];
    }
    Scalar* column = leaf + c * rows;
    for (int r = c; r < rows; ++r) {
      Scalar sum = velocity[0] * handles[r];
      for (int k = 1; k < 6; ++k) {
        sum += velocity[k] * handles[k * rows + r];
      }
      column[r] = sum;
    }
  });
}

/// result = B^T v, the handles' constrained velocities of a body with v = [v_C; omega].
template <typename Scalar, int kRows = -1>
void project_velocity(const Scalar* handles, const Scalar* velocity, int row_count, Scalar* result) {
  const int rows = kRows >= 0 ? kRows : row_count;
  for (int r = 0; r < rows; ++r) {
    result[r] = velocity[0] * handles[r];
  }
  for (int k = 1; k < 6; ++k) {
    for (int r = 0; r < rows; ++r) {
      result[r] += velocity[k] * handles[k * rows + r];
    }
  }
}

/// target += block of `rows` x `columns`, both column-major; `transposed` adds the block's transpose.
/// \tparam kSize rows and columns where both are known at compile time, -1 otherwise
/// \param lower only the block's lower triangle (a diagonal block)
template <typename Scalar, int kSize = -1>
void add_block(const Scalar* block, int block_stride, int row_count, int column_count, bool transposed, bool lower,
               Scalar* target, int target_stride) {
  const int rows = kSize >= 0 ? kSize : row_count;
  const int columns = kSize >= 0 ? kSize : column_count;
  for (int j = 0; j < columns; ++j) {
    const Scalar* source = block + j * block_stride;
    if (transposed) {
      for (int i = 0; i < rows; ++i) {
        target[i * target_stride + j] += source[i];
      }
    } else {
      for (int i = lower ? j : 0; i < rows; ++i) {
        target[j * target_stride + i] += source[i];
      }
    }
  }
}

/// Partial Cholesky of the first c columns of a symmetric (c + w) x (c + w) front; lower triangle, column-major with
/// leading dimension c + w. On return the first c columns hold [L; X], the rest Xi^C. \tparam kClosed, kWidth c and w
/// where known at compile time, -1 otherwise \returns -1, or the column whose pivot is not positive. Cost c^3/3 + c^2 w
/// + c w^2 flops.
template <typename Scalar, int kClosed = -1, int kWidth = -1>
int factorise_front(Scalar* front, int closed, int width) {
  constexpr int kRows = kClosed >= 0 && kWidth >= 0 ? kClosed + kWidth : -1;
  const int m = kRows >= 0 ? kRows : closed + width;
  int failed = -1;
  for_each_index<kClosed>(closed, [&](auto j) {
    Scalar* column = front + j * m;
    if (!(column[j] > Scalar(0))) {
      failed = failed < 0 ? static_cast<int>(j) : failed;
      return;
    }
    using std::sqrt;
    const Scalar scale = Scalar(1) / sqrt(column[j]);
    for (int i = j; i < m; ++i) {
      column[i] *= scale;
    }
    for_each_index<kRows>(m, [&](auto k) {
      if (k <= j) {
        return;
      }
      Scalar* target = front + k * m;
      const Scalar factor = column[k];
      for (int i = k; i < m; ++i) {
        target[i] -= factor * column[i];
      }
    });
  });
  return failed;
}

/// Forward pass of the right side [xi_0J - r_J; xi_0E] in place: [z; xi_0^C].
template <typename Scalar, int kClosed = -1, int kWidth = -1>
void eliminate_right_side(const Scalar* front, int closed, int width, Scalar* right) {
  constexpr int kRows = kClosed >= 0 && kWidth >= 0 ? kClosed + kWidth : -1;
  const int m = kRows >= 0 ? kRows : closed + width;
  for_each_index<kClosed>(closed, [&](auto j) {
    const Scalar* column = front + j * m;
    right[j] /= column[j];
    const Scalar factor = right[j];
    for (int i = j + 1; i < m; ++i) {
      right[i] -= factor * column[i];
    }
  });
}

/// \returns a^T b in four partial sums: a single one would wait for every addition. \tparam kCount length where known
template <typename Scalar, int kCount = -1>
Scalar inner_product(const Scalar* a, const Scalar* b, int count) {
  constexpr int kLanes = 4;
  const int length = kCount >= 0 ? kCount : count;
  Scalar partial[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      partial[lane] += a[i + lane] * b[i + lane];
    }
  }
  for (int lane = 0; i < length; ++i, ++lane) {
    partial[lane] += a[i] * b[i];
  }
  return (partial[0] + partial[1]) + (partial[2] + partial[3]);
}

/// Backward pass: sigma_J = -L^-T (z + X^T sigma_E). \param sigma [receives sigma_J; given sigma_E] \param z c entries
template <typename Scalar, int kClosed = -1, int kWidth = -1>
void recover_closed(const Scalar* front, int closed, int width, const Scalar* z, Scalar* sigma) {
  constexpr int kRows = kClosed >= 0 && kWidth >= 0 ? kClosed + kWidth : -1;
  const int m = kRows >= 0 ? kRows : closed + width;
  const int c = kClosed >= 0 ? kClosed : closed;
  for_each_index<kClosed>(
      closed, [&](auto j) { sigma[j] = -z[j] - inner_product<Scalar, kWidth>(front + j * m + c, sigma + c, width); });
  // Backward, each value taken from all rows above it as soon as it is known.
  for_each_index<kClosed>(closed, [&](auto step) {
    const int j = c - 1 - step;
    sigma[j] /= front[j * m + j];
    for (int i = 0; i < j; ++i) {
      sigma[i] -= front[i * m + j] * sigma[j];
    }
  });
}

}  // namespace mbdbench
