#pragma once
/// \file
/// Closing of the handle between two neighbouring sub-chains A (proximal) and B (distal).
///
///   A:  F_A = K_A V_A + f_A + X_A F_B,   V_B = X_A^T V_A + v_A - C_A F_B
///   B:  F_B = K V_B + g                  (everything outboard of the handle)
///
/// With K = L D L^T and E = D^-1 + L^T C_A L:
///
///   w = X_A^T V_A + v_A - C_A g,  F_B = g + L E^-1 L^T w,  V_B = w - C_A L E^-1 L^T w
///   everything outboard of A's handle:  K_A + B^T E^-1 B,  f_A + X_A g + B^T E^-1 b,  [B b] = L^T [X_A^T  v_A - C_A g]
///
/// DEVIATES [Chadaj2017, Eq. (29)-(36)]: W = E^-1, with the distal side by its inertia, where its inverse xi is
/// printed. No inverse of a matrix that may be singular: K is semidefinite (it does not resist the joint's own motion),
/// pivots that are rounding count as zero, and C is never inverted (subchain_test: dense, and bodies as leaves).
///
/// Rows of the matrices are packs of 8 (six, a right side and nothing): a 6 x 6 product takes 36 instructions of
/// AVX-512. Numbers pass from rows to factors through memory, whole rows at a time: parts of a row would stall it.
/// Cost: 1100 operations inward, 220 outward.
#include "formulations/kernels/transpose.hpp"
#include "formulations/kernels/unrolled.hpp"

namespace mbdbench::kernels {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// A row of eight numbers in memory, read whole as a pack or one by one.
struct alignas(64) Row {
  double at[8];
};

template <int N, int W>
MBDBENCH_KERNEL Pack<N, W> load_numbers(const double* from) {
  if constexpr (N == W) {
    Pack<N, W> pack;
    pack.value = *reinterpret_cast<const typename Register<W>::Type*>(from);
    return pack;
  } else {
    return {load_numbers<N / 2, W>(from), load_numbers<N / 2, W>(from + N / 2)};
  }
}

template <int W>
MBDBENCH_KERNEL Pack<8, W> load(const Row& row) {
  return load_numbers<8, W>(row.at);
}

template <int N, int W>
MBDBENCH_KERNEL void store_numbers(const Pack<N, W>& pack, double* to) {
  if constexpr (N == W) {
    *reinterpret_cast<typename Register<W>::Type*>(to) = pack.value;
  } else {
    store_numbers(pack.low, to);
    store_numbers(pack.high, to + N / 2);
  }
}

template <int W>
MBDBENCH_KERNEL void store(const Pack<8, W>& pack, Row& row) {
  store_numbers(pack, row.at);
}

/// A sub-chain as a node with two handles, its matrices by rows.
struct ChainNode {
  Row inertia[6];     ///< K
  Row transposed[6];  ///< X^T; column 6 is v
  Row across[6];      ///< X
  Row compliance[6];  ///< C
  Row wrench;         ///< f
  Row free;           ///< v
};

/// What closing leaves for the way outward, of one handle.
struct ClosedHandle {
  Row lower[6];    ///< L by rows
  Row upper[6];    ///< L^T by rows
  Row inverse[6];  ///< E^-1
  Row wrench;      ///< g
  Row free;        ///< v_A - C_A g
};

/// Everything outboard of a handle.
struct OutboardNode {
  Row inertia[6];  ///< K
  Row wrench;      ///< g
};

/// Pivots of K below this share of their diagonal entry are rounding: of the joint's own direction, or of links without
/// mass.
inline constexpr double kZeroPivot = 1e-13;

/// Unit rows, and rows of ones from entry k on (to the sixth).
inline constexpr Row kUnitRow[8] = {{{1, 0, 0, 0, 0, 0, 0, 0}}, {{0, 1, 0, 0, 0, 0, 0, 0}}, {{0, 0, 1, 0, 0, 0, 0, 0}},
                                    {{0, 0, 0, 1, 0, 0, 0, 0}}, {{0, 0, 0, 0, 1, 0, 0, 0}}, {{0, 0, 0, 0, 0, 1, 0, 0}},
                                    {{0, 0, 0, 0, 0, 0, 1, 0}}, {{0, 0, 0, 0, 0, 0, 0, 1}}};
inline constexpr Row kUpperRow[6] = {{{1, 1, 1, 1, 1, 1, 0, 0}}, {{0, 1, 1, 1, 1, 1, 0, 0}},
                                     {{0, 0, 1, 1, 1, 1, 0, 0}}, {{0, 0, 0, 1, 1, 1, 0, 0}},
                                     {{0, 0, 0, 0, 1, 1, 0, 0}}, {{0, 0, 0, 0, 0, 1, 0, 0}}};

/// \returns sum_m factor[m] rows[m].
template <int W>
MBDBENCH_KERNEL Pack<8, W> combined(const Row& factors, const Row* rows) {
  using P = Pack<8, W>;
  // Two sums: a chain of additions would wait for each of them.
  P even = P(factors.at[0]) * load<W>(rows[0]);
  P odd = P(factors.at[1]) * load<W>(rows[1]);
  even += P(factors.at[2]) * load<W>(rows[2]);
  odd += P(factors.at[3]) * load<W>(rows[3]);
  even += P(factors.at[4]) * load<W>(rows[4]);
  odd += P(factors.at[5]) * load<W>(rows[5]);
  return even + odd;
}

/// K = L D L^T: rows of L^T and of L, zero where a pivot is rounding; column 6 of L's rows gets -g.
/// \param inverse_pivots D^-1, 1 where a pivot is rounding
template <int W>
MBDBENCH_KERNEL void factorise_inertia(const OutboardNode& node, ClosedHandle& handle, double (&inverse_pivots)[6]) {
  using P = Pack<8, W>;
  P rows[6];
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { rows[i] = load<W>(node.inertia[i]); });
  P columns[8];
  unrolled<0, 6>([&](auto k) MBDBENCH_INLINED {
    Row work;
    store(rows[k], work);
    const double pivot = work.at[k];
    const bool counts = pivot > kZeroPivot * node.inertia[k].at[k];
    const double inverse = counts ? 1.0 / pivot : 0.0;
    inverse_pivots[k] = counts ? inverse : 1.0;
    const P scaled = rows[k] * P(inverse);
    unrolled<k + 1, 6>([&](auto i) MBDBENCH_INLINED { rows[i] -= P(work.at[i]) * scaled; });
    columns[k] = scaled * load<W>(kUpperRow[k]);
    store(columns[k], handle.upper[k]);
  });
  columns[6] = -load<W>(node.wrench);
  columns[7] = P(0.0);
  transpose(columns);
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { store(columns[i], handle.lower[i]); });
}

/// Closes the handle: `outboard` is what lies outboard of it on entry, what lies outboard of A's handle on return.
template <int W>
MBDBENCH_KERNEL void close_handle(const ChainNode& a, OutboardNode& outboard, ClosedHandle& handle) {
  using P = Pack<8, W>;
  double inverse_pivots[6];
  factorise_inertia<W>(outboard, handle, inverse_pivots);
  handle.wrench = outboard.wrench;
  store(load<W>(a.free) - combined<W>(outboard.wrench, a.compliance), handle.free);
  // E = D^-1 + L^T C L, [B b] = L^T [X^T v - C g]; unit rows beside them for E^-1.
  P e[6];
  P b[6];
  P unit[6];
  unrolled<0, 6>([&](auto k) MBDBENCH_INLINED {
    Row work;
    store(combined<W>(handle.upper[k], a.compliance), work);
    e[k] = combined<W>(work, handle.lower) + P(inverse_pivots[k]) * load<W>(kUnitRow[k]);
    b[k] = combined<W>(handle.upper[k], a.transposed) + e[k] * load<W>(kUnitRow[6]);
    unit[k] = load<W>(kUnitRow[k]);
  });
  // Forward elimination of E, right sides along; then E^-1 = U^T D_E^-1 U, and B^T E^-1 [B b] likewise.
  P sum[7];
  P inverse_e[6];
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    sum[i] = load<W>(a.inertia[i]);
    inverse_e[i] = P(0.0);
  });
  sum[6] = load<W>(a.wrench) + combined<W>(outboard.wrench, a.transposed);
  unrolled<0, 6>([&](auto k) MBDBENCH_INLINED {
    Row work;
    store(e[k], work);
    const P inverse(1.0 / work.at[k]);
    const P scaled_e = inverse * e[k];
    const P scaled_b = inverse * b[k];
    const P scaled_unit = inverse * unit[k];
    unrolled<k + 1, 6>([&](auto i) MBDBENCH_INLINED {
      const P factor(work.at[i]);
      e[i] -= factor * scaled_e;
      b[i] -= factor * scaled_b;
      unit[i] -= factor * scaled_unit;
    });
    Row row_b;
    Row row_unit;
    store(b[k], row_b);
    store(unit[k], row_unit);
    unrolled<0, 7>([&](auto i) MBDBENCH_INLINED { sum[i] += P(row_b.at[i]) * scaled_b; });
    unrolled<0, k + 1>([&](auto i) MBDBENCH_INLINED { inverse_e[i] += P(row_unit.at[i]) * scaled_unit; });
  });
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    store(sum[i], outboard.inertia[i]);
    store(inverse_e[i], handle.inverse[i]);
  });
  store(sum[6], outboard.wrench);
}

/// The way outward: V_B and F_B at the closed handle from V_A.
/// \param known what else the wrench at the handle is known to have (tip_columns.hpp), or zero
template <int W>
MBDBENCH_KERNEL void open_handle(const ChainNode& a, const ClosedHandle& handle, const Row& motion_a,
                                 const Pack<8, W>& known, Row& motion_b, Row& wrench_b) {
  const Pack<8, W> w = load<W>(handle.free) + combined<W>(motion_a, a.across);
  Row work;
  store(w, work);
  Row projected;
  store(combined<W>(work, handle.lower), projected);  // L^T w
  store(combined<W>(projected, handle.inverse), work);
  const Pack<8, W> step = combined<W>(work, handle.upper) + known;  // L E^-1 L^T w
  store(step, work);
  store(load<W>(handle.wrench) + step, wrench_b);
  store(w - combined<W>(work, a.compliance), motion_b);
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
