#pragma once
/// \file
/// The sweep of a ColumnPlan for one kind of registers: included by one file an instruction set (column_sweep_*.cpp).
///
///   PhiM_j^T += S (I - gain_k H_k^T) PhiM_k^T,   A = sum_k (H_k^T Y_k)^T pivot_k^-1 (H_k^T Y_k)   [Bae1988]
///
/// Cost for each link and cut joint: 12 operations on a pack for every free direction, 42 for the way inward, nc for
/// every direction and other cut joint that passes there.
#include <cstddef>

#include "formulations/closed_links/column_plan.hpp"
#include "formulations/kernels/pack.hpp"
#include "formulations/kernels/unrolled.hpp"

namespace mbdbench::column_kernels {

using namespace kernels;

/// Y -= gain y for y = Y[kComponent]. \returns y
template <int kComponent, typename T>
MBDBENCH_KERNEL T step(const ColumnStep& by, T* y) {
  const T along = y[kComponent];
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    if constexpr (i == kComponent) {
      y[i] = T(0.0);
    } else {
      y[i] -= T(by.gain[i]) * along;
    }
  });
  return along;
}

/// The same for any component: turns and slides first, which are most.
template <typename T>
MBDBENCH_KERNEL T any_step(const ColumnStep& by, T* y) {
  switch (by.component) {
    case 5:
      return step<5>(by, y);
    case 2:
      return step<2>(by, y);
    case 3:
      return step<3>(by, y);
    case 4:
      return step<4>(by, y);
    case 0:
      return step<0>(by, y);
    default:
      return step<1>(by, y);
  }
}

/// Adds the wrenches y, about O_k in the link's axes, to those of the inboard link.
template <typename T>
MBDBENCH_KERNEL void carry(const ColumnLink& link, const T* y, T* inward) {
  const double* const r = link.rotation;
  const double* const way = link.way;
  T f[3];
  unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
    f[i] = T(r[3 * i]) * y[0] + T(r[3 * i + 1]) * y[1] + T(r[3 * i + 2]) * y[2];
    inward[i] += f[i];
  });
  unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
    constexpr int kNext = (i + 1) % 3;
    constexpr int kLast = (i + 2) % 3;
    inward[3 + i] += T(r[3 * i]) * y[3] + T(r[3 * i + 1]) * y[4] + T(r[3 * i + 2]) * y[5] + T(way[kNext]) * f[kLast] -
                     T(way[kLast]) * f[kNext];
  });
}

/// A += y_p^T y_q / D of all pairs of cut joints that pass a link.
template <typename T>
MBDBENCH_KERNEL void add_products(const ColumnPlan& plan, const ColumnLink& link, const double* along, T* a) {
  int block = link.first_block;
  for (int p = link.first_pass; p < link.last_pass; ++p) {
    const ColumnPass& one = plan.passes[p];
    const int rows = plan.rows[one.cut];
    for (int q = link.first_pass; q <= p; ++q) {
      const int other = plan.passes[q].along;
      T* const to = a + plan.blocks[block++];
      for (int s = 0; s < link.step_count; ++s) {
        const double inverse = link.steps[s].inverse;
        const double* const mine = along + static_cast<std::ptrdiff_t>(one.along + s) * kColumns;
        const T theirs = reinterpret_cast<const T*>(along)[other + s];
        for (int row = 0; row < rows; ++row) {
          to[row] += T(mine[row] * inverse) * theirs;
        }
      }
    }
  }
}

/// \tparam W doubles a register
template <int W>
void sweep(const ColumnPlan& plan, double* wrenches, double* along, double* a) {
  using T = Pack<kColumns, W>;
  T* const packs = reinterpret_cast<T*>(wrenches);
  for (int l = 0; l < plan.link_count; ++l) {
    const ColumnLink& link = plan.links[l];
    for (int p = link.first_pass; p < link.last_pass; ++p) {
      const ColumnPass& pass = plan.passes[p];
      T y[6];
      unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { y[i] = packs[6 * pass.wrench + i]; });
      for (int s = 0; s < link.step_count; ++s) {
        reinterpret_cast<T*>(along)[pass.along + s] = any_step(link.steps[s], y);
      }
      if (pass.inward >= 0) {
        carry(link, y, packs + static_cast<std::ptrdiff_t>(6) * pass.inward);
      }
    }
    add_products(plan, link, along, reinterpret_cast<T*>(a));
  }
}

}  // namespace mbdbench::column_kernels
