#pragma once
/// \file
/// Handles closed while the wrench F_t at the far end of the outboard sub-chains stays open: where a loop closes there,
/// or where others go on with the result. The outboard node then has a distal handle too:
///
///   F_B = K V_B + g + G F_t,   V_t = G^T V_B + v_t - C_t F_t
///
/// With w = X_A^T V_A + v_A - C_A F_B as in closing.hpp, E and L of its K, w_0 = v_A - C_A g:
///
///   U = C_A G,  Z = G - L E^-1 L^T U          (F_B of unit wrenches at the tip while A's handle does not move)
///   G' = X_A Z,  C_t' = C_t + Z^T U,  v_t' = v_t + Z^T w_0
///   outward:  F_B gets Z F_t
///
/// Two sub-chains joined in this way are the node of the papers with two handles [Chadaj2017, Eq. (29)-(36)].
/// Cost: 1000 operations inward, 70 outward.
#include "formulations/kernels/closing.hpp"

namespace mbdbench::kernels {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// The distal handle of everything outboard of a handle.
struct TipRows {
  Row wrench[6];      ///< G
  Row compliance[6];  ///< C_t; column 6 is -v_t
};

/// What closing leaves for the way outward.
struct TipHandle {
  Row transposed[6];  ///< Z^T
};

/// Carries the tip inward over a handle that `close_handle` has closed.
template <int W>
MBDBENCH_KERNEL void close_tip(const ChainNode& a, const ClosedHandle& handle, TipRows& tip, TipHandle& kept) {
  using P = Pack<8, W>;
  Row u[6];
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    store(combined<W>(a.compliance[i], tip.wrench) - P(handle.free.at[i]) * load<W>(kUnitRow[6]), u[i]);
  });
  Row projected[6];
  unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { store(combined<W>(handle.upper[k], u), projected[k]); });
  Row solved[6];
  unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { store(combined<W>(handle.inverse[k], projected), solved[k]); });
  P columns[8];
  Row z[6];
  const P six = load<W>(kUpperRow[0]);
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    columns[i] = load<W>(tip.wrench[i]) - combined<W>(handle.lower[i], solved) * six;
    store(columns[i], z[i]);
  });
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    store(combined<W>(a.across[i], z), tip.wrench[i]);
    P sum = load<W>(tip.compliance[i]);
    unrolled<0, 6>([&](auto m) MBDBENCH_INLINED { sum += P(z[m].at[i]) * load<W>(u[m]); });
    store(sum, tip.compliance[i]);
  });
  columns[6] = P(0.0);
  columns[7] = P(0.0);
  transpose(columns);
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { store(columns[i], kept.transposed[i]); });
}

template <int W>
MBDBENCH_KERNEL void open_plain(const ChainNode& a, const ClosedHandle& handle, const Row& motion_a, Row& motion_b,
                                Row& wrench_b) {
  open_handle<W>(a, handle, motion_a, Pack<8, W>(0.0), motion_b, wrench_b);
}

/// The way outward where F_t is known.
template <int W>
MBDBENCH_KERNEL void open_with_tip(const ChainNode& a, const ClosedHandle& handle, const TipHandle& kept,
                                   const Row& tip_wrench, const Row& motion_a, Row& motion_b, Row& wrench_b) {
  open_handle<W>(a, handle, motion_a, combined<W>(tip_wrench, kept.transposed), motion_b, wrench_b);
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
