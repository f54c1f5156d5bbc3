#pragma once
/// \file
/// Columns of the loops of a part: their way over joints, what they have in common, and their closing at a link. The
/// rows of a loop are the lanes of a pack.
#include "formulations/kernels/pack.hpp"
#include "formulations/kernels/unrolled.hpp"
#include "formulations/parts/sweeps/part_joints.hpp"

namespace mbdbench::part_sweeps {

/// M += Z^T Z of the link.
MBDBENCH_KERNEL void change_inertia(const PartData& part, const LoopClosing& closing) {
  Inertia& m = part.inertias[closing.row];
  for (int i = 0; i < closing.rank; ++i) {
    const double* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
    m.axx += z[0] * z[0];
    m.axy += z[0] * z[1];
    m.axz += z[0] * z[2];
    m.ayy += z[1] * z[1];
    m.ayz += z[1] * z[2];
    m.azz += z[2] * z[2];
    m.bxx += z[0] * z[3];
    m.bxy += z[0] * z[4];
    m.bxz += z[0] * z[5];
    m.byx += z[1] * z[3];
    m.byy += z[1] * z[4];
    m.byz += z[1] * z[5];
    m.bzx += z[2] * z[3];
    m.bzy += z[2] * z[4];
    m.bzz += z[2] * z[5];
    m.cxx += z[3] * z[3];
    m.cxy += z[3] * z[4];
    m.cxz += z[3] * z[5];
    m.cyy += z[4] * z[4];
    m.cyz += z[4] * z[5];
    m.czz += z[5] * z[5];
  }
}

/// \tparam W doubles a register
template <int W>
struct Columns {
  using Lanes8 = Pack<kLoopLanes, W>;

  static MBDBENCH_KERNEL Lanes8* packs(double* memory, int place) { return reinterpret_cast<Lanes8*>(memory) + place; }
  static MBDBENCH_KERNEL double sum_of_lanes(const Lanes8& value) {
    double lanes[kLoopLanes];
    __builtin_memcpy(lanes, &value, sizeof lanes);
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }

  /// Y -= gain y for y = Y[kComponent] + factor. \returns y
  template <int kComponent>
  static MBDBENCH_KERNEL Lanes8 eliminate_direction(const EliminatedDirection& by, const Lanes8& factor, Lanes8* y) {
    const Lanes8 along = y[kComponent] + factor;
    unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
      if constexpr (i == kComponent) {
        y[i] = Lanes8(0.0) - factor;
      } else {
        y[i] -= Lanes8(by.gain[i]) * along;
      }
    });
    return along;
  }

  /// The same for any component: turns and slides first, which are most.
  static MBDBENCH_KERNEL Lanes8 any_direction(const EliminatedDirection& by, const Lanes8& factor, Lanes8* y) {
    if (by.slide != 0.0) {
      const Lanes8 along = y[5] + Lanes8(by.slide) * y[2] + factor;
      unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { y[i] -= Lanes8(by.gain[i]) * along; });
      return along;
    }
    switch (by.component) {
      case 5:
        return eliminate_direction<5>(by, factor, y);
      case 2:
        return eliminate_direction<2>(by, factor, y);
      case 3:
        return eliminate_direction<3>(by, factor, y);
      case 4:
        return eliminate_direction<4>(by, factor, y);
      case 0:
        return eliminate_direction<0>(by, factor, y);
      default:
        return eliminate_direction<1>(by, factor, y);
    }
  }

  /// Adds the wrenches y, about O_k in the link's axes, to those of the inboard link.
  static MBDBENCH_KERNEL void carry(const PassedJoint& joint, const Lanes8* y, Lanes8* inward) {
    const double* const r = joint.rotation;
    const double* const way = joint.way;
    Lanes8 f[3];
    unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
      f[i] = Lanes8(r[3 * i]) * y[0] + Lanes8(r[3 * i + 1]) * y[1] + Lanes8(r[3 * i + 2]) * y[2];
      inward[i] += f[i];
    });
    unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
      constexpr int kNext = (i + 1) % 3;
      constexpr int kLast = (i + 2) % 3;
      inward[3 + i] += Lanes8(r[3 * i]) * y[3] + Lanes8(r[3 * i + 1]) * y[4] + Lanes8(r[3 * i + 2]) * y[5] +
                       Lanes8(way[kNext]) * f[kLast] - Lanes8(way[kLast]) * f[kNext];
    });
  }

  /// Columns cross the joint of a row.
  static MBDBENCH_KERNEL void pass(const PartData& part, const PartRow& own) {
    const PassedJoint& joint = part.joints[own.joint];
    for (int p = own.first_pass; p < own.last_pass; ++p) {
      const LoopPass& through = part.passes[p];
      Lanes8* const at = packs(part.columns, 6 * through.columns);
      Lanes8 y[6];
      unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { y[i] = at[i]; });
      for (int d = 0; d < joint.direction_count; ++d) {
        const Lanes8 factor(through.factors >= 0 ? part.factors[through.factors + d] : 0.0);
        *packs(part.along, through.along + d) = any_direction(joint.directions[d], factor, y);
      }
      unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { at[i] = y[i]; });
      if (through.inward >= 0) {
        carry(joint, y, packs(part.columns, 6 * through.inward));
      }
    }
    add_products(part, own, joint);
  }

  /// C += y_p^T D^-1 y_q of all pairs of loops that pass a joint.
  static MBDBENCH_KERNEL void add_products(const PartData& part, const PartRow& own, const PassedJoint& joint) {
    int block = own.first_block;
    for (int p = own.first_pass; p < own.last_pass; ++p) {
      const LoopPass& one = part.passes[p];
      const int rows = part.loop_rows[one.loop];
      for (int q = own.first_pass; q <= p; ++q) {
        const int other = part.passes[q].along;
        Lanes8* const to = packs(part.products, part.blocks[block++]);
        for (int d = 0; d < joint.direction_count; ++d) {
          const double inverse = joint.directions[d].inverse;
          const double* const mine = part.along + static_cast<long>(one.along + d) * kLoopLanes;
          const Lanes8 theirs = *packs(part.along, other + d);
          for (int row = 0; row < rows; ++row) {
            to[row] += Lanes8(mine[row] * inverse) * theirs;
          }
        }
      }
    }
  }

  static void close(const PartData& part, int which) {
    const LoopClosing& closing = part.closings[which];
    const PartRow& own = part.parts[closing.row];
    const int open_count = own.last_pass - own.first_pass;
    for (int i = 0; i < closing.rank; ++i) {
      const double* const half = part.halves + closing.half + static_cast<long>(i) * closing.rows;
      double z[kLoopLanes] = {};
      int row = 0;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const double* const y = part.columns + static_cast<long>(6 * part.closed_columns[l]) * kLoopLanes;
        const int rows = part.loop_rows[part.closed_loops[l]];
        for (int j = 0; j < rows; ++j) {
          const double factor = half[row++];
          for (int a = 0; a < 6; ++a) {
            z[a] += factor * y[a * kLoopLanes + j];
          }
        }
      }
      __builtin_memcpy(part.across + static_cast<long>(closing.across + i) * kLoopLanes, z, sizeof z);
      for (int k = 0; k < open_count; ++k) {
        gather_open(part, closing, own, half, k, i);
      }
    }
    change_inertia(part, closing);
    const int* block = part.blocks + own.first_block;
    for (int p = 0; p < open_count; ++p) {
      const LoopPass& one = part.passes[own.first_pass + p];
      const Lanes8* const mine = packs(part.across, closing.open + p * closing.rows);
      Lanes8* const y = packs(part.columns, 6 * one.columns);
      for (int i = 0; i < closing.rank; ++i) {
        const double* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
        for (int a = 0; a < 6; ++a) {
          y[a] -= Lanes8(z[a]) * mine[i];
        }
      }
      const int rows = part.loop_rows[one.loop];
      for (int q = 0; q <= p; ++q) {
        const Lanes8* const theirs = packs(part.across, closing.open + q * closing.rows);
        Lanes8* const to = packs(part.products, *block++);
        for (int i = 0; i < closing.rank; ++i) {
          const double* const own_lanes = reinterpret_cast<const double*>(mine + i);
          for (int row = 0; row < rows; ++row) {
            to[row] -= Lanes8(own_lanes[row]) * theirs[i];
          }
        }
      }
    }
  }

  /// Z_k of a loop that goes on: H_c C_ck, one pack a row of H_c.
  static MBDBENCH_KERNEL void gather_open(const PartData& part, const LoopClosing& closing, const PartRow& own,
                                          const double* half, int k, int i) {
    const int open_loop = part.passes[own.first_pass + k].loop;
    const int columns = part.loop_rows[open_loop];
    double z[kLoopLanes] = {};
    int row = 0;
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      const int loop = part.closed_loops[l];
      const int rows = part.loop_rows[loop];
      const LoopCross& cross =
          part.crosses[closing.first_cross + (l - closing.first_loop) * (own.last_pass - own.first_pass) + k];
      const double* const block = part.products + static_cast<long>(cross.block) * kLoopLanes;
      for (int j = 0; j < rows; ++j) {
        const double factor = half[row++];
        for (int column = 0; column < columns; ++column) {
          z[column] += factor * (cross.transposed ? block[column * kLoopLanes + j] : block[j * kLoopLanes + column]);
        }
      }
    }
    __builtin_memcpy(part.across + static_cast<long>(closing.open + k * closing.rows + i) * kLoopLanes, z, sizeof z);
  }
};

}  // namespace mbdbench::part_sweeps
