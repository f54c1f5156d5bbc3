#pragma once
/// \file
/// The node of the papers' assembly tree for serial chains: a handle between two neighbouring nodes is closed
/// [Chadaj2017, Eq. (34)-(36)], [Featherstone1999], and opened again on the way back [Chadaj2017, Eq. (29)].
///
/// With y_1, y_2 of body_leaf.hpp the joint between A and B says y_2^A + y_1^B = 0. A = xi_22^A + xi_11^B = L D L^T,
/// and with E the two handles that stay:
///
///   Y = xi_EJ L^-T,  X = Y D^-1,  xi = xi_EE - X Y^T,  z = L^-1 (xi_20^A + xi_10^B),  xi_0 = xi_E0 - X z
///   sigma_J = -L^-T (D^-1 z + X^T sigma_E)
///
/// paper symbol    -> here
///   C, W, beta    -> -L^-T D^-1 L^-1 between the two D, and with z
///   xi_11 .. xi_20 -> TwoHandles
///
/// Cost: 1050 operations to close, 160 to open.
#include "formulations/kernels/body_leaf.hpp"
#include "formulations/kernels/pack.hpp"

namespace mbdbench::kernels {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// A = L D L^T of one closed handle.
template <typename T>
struct HandleFactor {
  T lower[triangle(kHandleRows - 1)];  ///< L below its diagonal of ones, by rows
  T inverse[kHandleRows];              ///< D^-1
};

/// What closing leaves for the way back.
template <typename T>
struct ClosedNode {
  HandleFactor<T> factor;
  T across[2 * kHandleRows * kHandleRows];  ///< X by rows
  T z[kHandleRows];                         ///< D^-1 z
};

/// \returns where row i of L begins.
constexpr int strict_row(int i) {
  return i * (i - 1) / 2;
}

/// A = L D L^T. \param a lower triangle by rows; overwritten \param smallest receives the smaller of itself and D
template <typename T>
MBDBENCH_KERNEL void factorise_handle(T (&a)[triangle(kHandleRows)], HandleFactor<T>& factor, T& smallest) {
  unrolled<0, kHandleRows>([&](auto j) MBDBENCH_INLINED {
    const T pivot = a[triangle(j) + j];
    smallest = smaller(pivot, smallest);
    const T inverse = static_cast<T>(1.0) / pivot;
    factor.inverse[j] = inverse;
    unrolled<j + 1, kHandleRows>([&](auto i) MBDBENCH_INLINED {
      const T l = a[triangle(i) + j] * inverse;
      factor.lower[strict_row(i) + j] = l;
      // Columns j + 1 .. i: their own L is known by now, or is this one.
      unrolled<j + 1, i + 1>([&](auto k) MBDBENCH_INLINED { a[triangle(i) + k] -= l * a[triangle(k) + j]; });
    });
  });
}

/// y <- L^-1 y.
template <typename T>
MBDBENCH_KERNEL void eliminate(const HandleFactor<T>& factor, T (&y)[kHandleRows]) {
  unrolled<1, kHandleRows>([&](auto j) MBDBENCH_INLINED {
    unrolled<0, j>([&](auto k) MBDBENCH_INLINED { y[j] -= factor.lower[strict_row(j) + k] * y[k]; });
  });
}

/// y <- -L^-T y.
template <typename T>
MBDBENCH_KERNEL void substitute_back(const HandleFactor<T>& factor, T (&y)[kHandleRows]) {
  unrolled<0, kHandleRows>([&](auto step) MBDBENCH_INLINED {
    constexpr int kJ = kHandleRows - 1 - step;
    y[kJ] = -y[kJ];
    unrolled<kJ + 1, kHandleRows>([&](auto i) MBDBENCH_INLINED { y[kJ] -= factor.lower[strict_row(i) + kJ] * y[i]; });
  });
}

/// Closes the handle between a and b; `a` becomes both together.
template <typename T>
MBDBENCH_KERNEL void close_node(TwoHandles<T>& a, const TwoHandles<T>& b, ClosedNode<T>& kept, T& smallest) {
  constexpr int kRows = kHandleRows;
  T joint[triangle(kRows)];
  unrolled<0, kRows>([&](auto i) MBDBENCH_INLINED {
    unrolled<0, i + 1>([&](auto j) MBDBENCH_INLINED {
      joint[triangle(i) + j] = a.matrix[triangle(kRows + i) + kRows + j] + b.matrix[triangle(i) + j];
    });
  });
  HandleFactor<T> factor;
  factorise_handle(joint, factor, smallest);
  T z[kRows];
  unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED { z[j] = a.right[kRows + j] + b.right[j]; });
  eliminate(factor, z);
  kept.factor = factor;
  unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED { kept.z[j] = z[j] * factor.inverse[j]; });
  // Y, X and xi_0 a row at a time: proximal handle of a, then distal one of b.
  T y[2 * kRows][kRows];
  const auto eliminate_row = [&](int e, T(&row)[kRows], const T& right) MBDBENCH_INLINED {
    eliminate(factor, row);
    T sum = right;
    unrolled<0, kRows>([&](auto k) MBDBENCH_INLINED {
      y[e][k] = row[k];
      const T x = row[k] * factor.inverse[k];
      kept.across[e * kRows + k] = x;
      sum -= x * z[k];
    });
    a.right[e] = sum;
  };
  for (int e = 0; e < kRows; ++e) {
    T row[kRows];
    unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED { row[j] = a.matrix[triangle(kRows + j) + e]; });
    eliminate_row(e, row, a.right[e]);
  }
  for (int e = 0; e < kRows; ++e) {
    T row[kRows];
    unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED { row[j] = b.matrix[triangle(kRows + e) + j]; });
    eliminate_row(kRows + e, row, b.right[kRows + e]);
  }
  // xi = xi_EE - X Y^T
  for (int e = 0; e < 2 * kRows; ++e) {
    T x[kRows];
    unrolled<0, kRows>([&](auto k) MBDBENCH_INLINED { x[k] = kept.across[e * kRows + k]; });
    T* const to = a.matrix + triangle(e);
    const auto reduced = [&](const T& from, int f) MBDBENCH_INLINED {
      T even = from - x[0] * y[f][0];
      T odd = x[1] * y[f][1];
      even -= x[2] * y[f][2];
      odd += x[3] * y[f][3];
      even -= x[4] * y[f][4];
      return even - odd;
    };
    if (e < kRows) {
      for (int f = 0; f <= e; ++f) {
        to[f] = reduced(to[f], f);
      }
    } else {
      const T* const from = b.matrix + triangle(e);
      for (int f = 0; f < kRows; ++f) {
        to[f] = reduced(static_cast<T>(0.0), f);
      }
      for (int f = kRows; f <= e; ++f) {
        to[f] = reduced(from[f], f);
      }
    }
  }
}

/// The way back over a closed handle: its sigma from those of the two handles that stayed.
template <typename T>
MBDBENCH_KERNEL void open_node(const ClosedNode<T>& kept, const T* proximal, const T* distal, T* sigma) {
  T w[kHandleRows];
  unrolled<0, kHandleRows>([&](auto j) MBDBENCH_INLINED { w[j] = kept.z[j]; });
  for (int e = 0; e < kHandleRows; ++e) {
    const T first = proximal[e];
    const T second = distal[e];
    unrolled<0, kHandleRows>([&](auto j) MBDBENCH_INLINED {
      w[j] += kept.across[e * kHandleRows + j] * first + kept.across[(kHandleRows + e) * kHandleRows + j] * second;
    });
  }
  substitute_back(kept.factor, w);
  unrolled<0, kHandleRows>([&](auto j) MBDBENCH_INLINED { sigma[j] = w[j]; });
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
