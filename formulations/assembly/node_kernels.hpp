#pragma once
/// \file
/// The arithmetic of one node of the assembly tree, as pure functions on small dense arrays, templated on the scalar.
///
/// With T_h = e_h D sigma (e_h = +1 at the b-end, -1 at the a-end of a joint) every handle is stored in its constrained
/// directions only: y_h = e_h D^T V_h and Xi_hg -> e_h e_g D_h^T Xi_hg D_g. Then closing a joint is adding the rows of its two
/// ends, and the node formula [Chadaj2017, Eq. (26)-(36)] is a partial Cholesky factorisation of
///
///   front = [ F_JJ  .    ]   J: closed joints (A = G^T Xi G),  E: external handles
///           [ F_EJ  F_EE ]
///
///   F_JJ = L L^T,  X = F_EJ L^-T,  Xi^C = F_EE - X X^T,  z = L^-1 (xi_0J - r_J),  xi_0^C = xi_0E - X z,
///   sigma_J = -L^-T (z + X^T sigma_E).
///
/// paper symbol        -> here
///   xi11..xi22 (A, B) -> rows and columns of the children's blocks, extended and added into `front`
///   W = D C D^T       -> L^-T L^-1 (C = -F_JJ^-1)
///   beta              -> z
///   xi10, xi20        -> right side
#include <cmath>

namespace mbdbench {

/// Partial Cholesky of the first c columns of a symmetric (c + w) x (c + w) front; lower triangle, column-major with leading
/// dimension c + w. On return the first c columns hold [L; X], the rest Xi^C.
/// \tparam kClosed, kWidth c and w where known at compile time, -1 otherwise
/// \returns -1, or the column whose pivot is not positive. Cost c^3/3 + c^2 w + c w^2 flops.
template <typename Scalar, int kClosed = -1, int kWidth = -1>
int factorise_front(Scalar* front, int closed, int width) {
  const int c = kClosed >= 0 ? kClosed : closed;
  const int m = c + (kWidth >= 0 ? kWidth : width);
  for (int j = 0; j < c; ++j) {
    Scalar* column = front + j * m;
    if (!(column[j] > Scalar(0))) {
      return j;
    }
    using std::sqrt;
    const Scalar scale = Scalar(1) / sqrt(column[j]);
    for (int i = j; i < m; ++i) {
      column[i] *= scale;
    }
    for (int k = j + 1; k < m; ++k) {
      Scalar* target = front + k * m;
      const Scalar factor = column[k];
      for (int i = k; i < m; ++i) {
        target[i] -= factor * column[i];
      }
    }
  }
  return -1;
}

/// Forward pass of the right side [xi_0J - r_J; xi_0E] in place: [z; xi_0^C].
template <typename Scalar, int kClosed = -1, int kWidth = -1>
void eliminate_right_side(const Scalar* front, int closed, int width, Scalar* right) {
  const int c = kClosed >= 0 ? kClosed : closed;
  const int m = c + (kWidth >= 0 ? kWidth : width);
  for (int j = 0; j < c; ++j) {
    const Scalar* column = front + j * m;
    right[j] /= column[j];
    const Scalar factor = right[j];
    for (int i = j + 1; i < m; ++i) {
      right[i] -= factor * column[i];
    }
  }
}

/// Backward pass: sigma_J = -L^-T (z + X^T sigma_E). \param sigma [receives sigma_J; given sigma_E] \param z c entries
template <typename Scalar, int kClosed = -1, int kWidth = -1>
void recover_closed(const Scalar* front, int closed, int width, const Scalar* z, Scalar* sigma) {
  const int c = kClosed >= 0 ? kClosed : closed;
  const int m = c + (kWidth >= 0 ? kWidth : width);
  for (int j = c - 1; j >= 0; --j) {
    const Scalar* column = front + j * m;
    Scalar sum = -z[j];
    for (int i = j + 1; i < m; ++i) {
      sum -= column[i] * sigma[i];
    }
    sigma[j] = sum / column[j];
  }
}

}  // namespace mbdbench
