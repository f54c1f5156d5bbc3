#pragma once
/// \file
/// Columns of the loops of a part: their way over joints, what they have in common, and their closing at a link.
#include "formulations/kernels/pack.hpp"
#include "formulations/kernels/unrolled.hpp"
#include "formulations/parts/sweeps/part_joints.hpp"

namespace mbdbench::part_sweeps {

/// One state: the rows of a loop are the lanes of a pack. \tparam W doubles a register
template <int W>
struct OneState {
  using Number = double;
  using Rows = Pack<kLoopLanes, W>;  ///< numbers of rows that go side by side
  static constexpr int kTogether = kLoopLanes;
};

/// A state a lane: a loop has one row after another. \tparam W doubles a register, and states
template <int W>
struct StateLanes {
  using Number = Pack<W, W>;
  using Rows = Pack<W, W>;
  static constexpr int kTogether = 1;
};

/// M += Z^T Z of the link.
template <typename T>
MBDBENCH_KERNEL void change_inertia(const PartData<T>& part, const LoopClosing& closing) {
  Inertia<T>& m = part.inertias[closing.row];
  for (int i = 0; i < closing.rank; ++i) {
    const T* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
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

/// \tparam Numbers OneState or StateLanes
template <typename Numbers>
struct Columns {
  using T = typename Numbers::Number;
  using Rows = typename Numbers::Rows;
  /// Rows are groups of as many as go side by side; a place of a pack has so many groups.
  static constexpr int kGroups = kLoopLanes / Numbers::kTogether;
  static constexpr bool kOneState = kGroups == 1;

  static MBDBENCH_KERNEL int groups(int rows) { return kOneState ? 1 : rows; }
  static MBDBENCH_KERNEL Rows* groups_at(T* memory, int place) {
    return reinterpret_cast<Rows*>(memory) + static_cast<long>(place) * kGroups;
  }
  /// Y -= gain y for y = Y[kComponent] + factor. \returns y
  template <int kComponent>
  static MBDBENCH_KERNEL Rows eliminate_direction(const EliminatedDirection<T>& by, const Rows& factor, Rows* y) {
    const Rows along = y[kComponent] + factor;
    unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
      if constexpr (i == kComponent) {
        y[i] = Rows(0.0) - factor;
      } else {
        y[i] -= Rows(by.gain[i]) * along;
      }
    });
    return along;
  }

  /// The same for any component: turns and slides first, which are most.
  static MBDBENCH_KERNEL Rows any_direction(const EliminatedDirection<T>& by, const Rows& factor, Rows* y) {
    if (by.slide != 0.0) {
      const Rows along = y[5] + Rows(by.slide) * y[2] + factor;
      unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { y[i] -= Rows(by.gain[i]) * along; });
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

  /// Adds the wrenches y, about O_k in the link's axes, to those of the inboard link, or puts them there.
  /// \tparam kMoments whether y has moments; without, what stands in their places is not read
  template <bool kAdds, bool kMoments>
  static MBDBENCH_KERNEL void carry(const PassedJoint<T>& joint, const Rows* y, Rows* inward) {
    const auto put = [&](int place, const Rows& value) MBDBENCH_INLINED {
      inward[place * kGroups] = kAdds ? inward[place * kGroups] + value : value;
    };
    const T* const r = joint.rotation;
    const T* const way = joint.way;
    Rows f[3];
    unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
      f[i] = Rows(r[3 * i]) * y[0] + Rows(r[3 * i + 1]) * y[1] + Rows(r[3 * i + 2]) * y[2];
      put(i, f[i]);
    });
    unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
      constexpr int kNext = (i + 1) % 3;
      constexpr int kLast = (i + 2) % 3;
      if constexpr (kMoments) {
        put(3 + i, Rows(r[3 * i]) * y[3] + Rows(r[3 * i + 1]) * y[4] + Rows(r[3 * i + 2]) * y[5] +
                       Rows(way[kNext]) * f[kLast] - Rows(way[kLast]) * f[kNext]);
      } else {
        put(3 + i, Rows(way[kNext]) * f[kLast] - Rows(way[kLast]) * f[kNext]);
      }
    });
  }

  /// The same over a turn, of a state a lane: nothing is described for it but 1 / D.
  static MBDBENCH_KERNEL void pass_turn(const PartData<T>& part, int i) {
    const PartRow& own = part.parts[i];
    const auto& link = constant<T>(part.links[i]);
    const JointGain<T>& gain = part.turn_gains[i];
    for (int p = own.first_pass; p < own.last_pass; ++p) {
      const LoopPass& through = part.passes[p];
      const T factor = T(through.factors >= 0 ? part.factors[through.factors] : 0.0);
      for (int g = 0; g < part.loop_rows[through.loop]; ++g) {
        T* const at = part.columns + static_cast<long>(6 * through.columns) * kLoopLanes + g;
        const T along = at[5 * kLoopLanes] + factor;
        const Wrench<T> y{at[0] - gain.bx * along,
                          at[kLoopLanes] - gain.by * along,
                          at[2 * kLoopLanes] - gain.bz * along,
                          at[3 * kLoopLanes] - gain.cx * along,
                          at[4 * kLoopLanes] - gain.cy * along,
                          T(0.0) - factor};
        part.along[static_cast<long>(through.along) * kLoopLanes + g] = along;
        put_wrench<false>(y, at);
        if (through.inward >= 0) {
          Wrench<T> carried = carried_inward(link, part.cosines[i], part.sines[i], y);
          if (own.starts) {
            carried = across_start(constant<T>(part.starts[i]), carried);
          }
          T* const inward = part.columns + static_cast<long>(6 * through.inward) * kLoopLanes + g;
          through.adds ? put_wrench<true>(carried, inward) : put_wrench<false>(carried, inward);
        }
      }
    }
  }

  template <bool kAdds>
  static MBDBENCH_KERNEL void put_wrench(const Wrench<T>& w, T* to) {
    const T values[6] = {w.fx, w.fy, w.fz, w.nx, w.ny, w.nz};
    unrolled<0, 6>([&](auto i)
                       MBDBENCH_INLINED { to[i * kLoopLanes] = kAdds ? to[i * kLoopLanes] + values[i] : values[i]; });
  }

  /// \returns whether columns cross a spherical joint that no coupling names: they have no moment then any more.
  static MBDBENCH_KERNEL bool passes_sphere_alone(const PartData<T>& part, int row) {
    const PartRow& own = part.parts[row];
    bool alone = part.rows[row].kind == RowKind::spherical;
    for (int p = own.first_pass; alone && p < own.last_pass; ++p) {
      alone = part.passes[p].factors < 0;
    }
    return alone;
  }

  /// Over a spherical joint y = L^-1 n of the moments n about O_k, with C = L D L^T, and Y has f - B C^-1 n alone. What
  /// stands in the places of the moments is not read again.
  static MBDBENCH_KERNEL void pass_sphere(const PartData<T>& part, int row, PassedJoint<T>& joint) {
    const PartRow& own = part.parts[row];
    const int sphere = part.rows[row].ordinal;
    const Cholesky3<T>& cholesky = part.spheres[sphere].turns;
    const kernels::Matrix3<T>& gain = part.sphere_gains[sphere];
    const T inverse[3] = {cholesky.inverse1, cholesky.inverse2, cholesky.inverse3};
    for (int d = 0; d < 3; ++d) {
      joint.directions[d].component = 3 + d;
      joint.directions[d].inverse = inverse[d];
    }
    describe_way(part, row, joint);
    for (int p = own.first_pass; p < own.last_pass; ++p) {
      const LoopPass& through = part.passes[p];
      for (int g = 0; g < groups(part.loop_rows[through.loop]); ++g) {
        Rows* const at = groups_at(part.columns, 6 * through.columns) + g;
        const Rows n[3] = {at[3 * kGroups], at[4 * kGroups], at[5 * kGroups]};
        const Rows second = n[1] - Rows(cholesky.l21) * n[0];
        groups_at(part.along, through.along)[g] = n[0];
        groups_at(part.along, through.along + 1)[g] = second;
        groups_at(part.along, through.along + 2)[g] = n[2] - Rows(cholesky.l31) * n[0] - Rows(cholesky.l32) * second;
        const Rows f[3] = {at[0] - Rows(gain.xx) * n[0] - Rows(gain.xy) * n[1] - Rows(gain.xz) * n[2],
                           at[kGroups] - Rows(gain.yx) * n[0] - Rows(gain.yy) * n[1] - Rows(gain.yz) * n[2],
                           at[2 * kGroups] - Rows(gain.zx) * n[0] - Rows(gain.zy) * n[1] - Rows(gain.zz) * n[2]};
        unrolled<0, 3>([&](auto i) MBDBENCH_INLINED { at[i * kGroups] = f[i]; });
        if (through.inward >= 0) {
          Rows* const inward = groups_at(part.columns, 6 * through.inward) + g;
          through.adds ? carry<true, false>(joint, f, inward) : carry<false, false>(joint, f, inward);
        }
      }
    }
  }

  /// Columns cross the joint of a row.
  static MBDBENCH_KERNEL void pass(const PartData<T>& part, int row) {
    const PartRow& own = part.parts[row];
    PassedJoint<T>& joint = part.joints[own.joint];
    if constexpr (!kOneState) {
      if (part.rows[row].kind == RowKind::revolute) {
        joint.directions[0].inverse = part.turns[row].inverse;
        pass_turn(part, row);
        add_products(part, own, joint);
        return;
      }
    }
    if (passes_sphere_alone(part, row)) {
      pass_sphere(part, row, joint);
      add_products(part, own, joint);
      return;
    }
    describe_directions(part, row, joint);
    describe_way(part, row, joint);
    for (int p = own.first_pass; p < own.last_pass; ++p) {
      const LoopPass& through = part.passes[p];
      for (int g = 0; g < groups(part.loop_rows[through.loop]); ++g) {
        Rows* const at = groups_at(part.columns, 6 * through.columns) + g;
        Rows y[6];
        unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { y[i] = at[i * kGroups]; });
        for (int d = 0; d < joint.direction_count; ++d) {
          const Rows factor(through.factors >= 0 ? part.factors[through.factors + d] : 0.0);
          groups_at(part.along, through.along + d)[g] = any_direction(joint.directions[d], factor, y);
        }
        unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { at[i * kGroups] = y[i]; });
        if (through.inward >= 0) {
          Rows* const inward = groups_at(part.columns, 6 * through.inward) + g;
          through.adds ? carry<true, true>(joint, y, inward) : carry<false, true>(joint, y, inward);
        }
      }
    }
    add_products(part, own, joint);
  }

  /// \returns the end of the groups that a row of a block needs: of a loop with itself the lower triangle does.
  static MBDBENCH_KERNEL int block_end(int row, bool own_block, int rows) {
    return kOneState ? 1 : own_block ? row + 1 : rows;
  }

  /// C += y_p^T D^-1 y_q of all pairs of loops that pass a joint.
  static MBDBENCH_KERNEL void add_products(const PartData<T>& part, const PartRow& own, const PassedJoint<T>& joint) {
    int block = own.first_block;
    for (int p = own.first_pass; p < own.last_pass; ++p) {
      const LoopPass& one = part.passes[p];
      const int rows = part.loop_rows[one.loop];
      for (int q = own.first_pass; q <= p; ++q) {
        const int other = part.passes[q].along;
        Rows* const to = groups_at(part.products, part.blocks[block++]);
        for (int d = 0; d < joint.direction_count; ++d) {
          const T inverse = joint.directions[d].inverse;
          const T* const mine = part.along + static_cast<long>(one.along + d) * kLoopLanes;
          const Rows* const theirs = groups_at(part.along, other + d);
          for (int row = 0; row < rows; ++row) {
            const Rows factor(mine[row] * inverse);
            for (int g = 0; g < block_end(row, p == q, part.loop_rows[part.passes[q].loop]); ++g) {
              to[row * kGroups + g] += factor * theirs[g];
            }
          }
        }
      }
    }
  }

  static MBDBENCH_KERNEL void close(const PartData<T>& part, int which) {
    const LoopClosing& closing = part.closings[which];
    const PartRow& own = part.parts[closing.part];
    const int open_count = own.last_pass - own.first_pass;
    for (int i = 0; i < closing.rank; ++i) {
      const T* const half = part.halves + closing.half + static_cast<long>(i) * closing.rows;
      T z[kLoopLanes] = {};
      int row = 0;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const T* const y = part.columns + static_cast<long>(6 * part.closed_columns[l]) * kLoopLanes;
        const int rows = part.loop_rows[part.closed_loops[l]];
        for (int j = 0; j < rows; ++j) {
          const T factor = half[row++];
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
      const int rows = part.loop_rows[one.loop];
      const Rows* const mine = groups_at(part.across, closing.open + p * closing.rows);
      Rows* const y = groups_at(part.columns, 6 * one.columns);
      for (int i = 0; i < closing.rank; ++i) {
        const T* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
        for (int a = 0; a < 6; ++a) {
          for (int g = 0; g < groups(rows); ++g) {
            y[a * kGroups + g] -= Rows(z[a]) * mine[i * kGroups + g];
          }
        }
      }
      for (int q = 0; q <= p; ++q) {
        const Rows* const theirs = groups_at(part.across, closing.open + q * closing.rows);
        const int columns = part.loop_rows[part.passes[own.first_pass + q].loop];
        Rows* const to = groups_at(part.products, *block++);
        for (int i = 0; i < closing.rank; ++i) {
          const T* const own_rows = reinterpret_cast<const T*>(mine + i * kGroups);
          for (int row = 0; row < rows; ++row) {
            for (int g = 0; g < block_end(row, p == q, columns); ++g) {
              to[row * kGroups + g] -= Rows(own_rows[row]) * theirs[i * kGroups + g];
            }
          }
        }
      }
    }
  }

  /// Z_k of a loop that goes on: H_c C_ck, one pack a row of H_c.
  static MBDBENCH_KERNEL void gather_open(const PartData<T>& part, const LoopClosing& closing, const PartRow& own,
                                          const T* half, int k, int i) {
    const int open_loop = part.passes[own.first_pass + k].loop;
    const int columns = part.loop_rows[open_loop];
    T z[kLoopLanes] = {};
    int row = 0;
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      const int loop = part.closed_loops[l];
      const int rows = part.loop_rows[loop];
      const LoopCross& cross =
          part.crosses[closing.first_cross + (l - closing.first_loop) * (own.last_pass - own.first_pass) + k];
      const T* const block = part.products + static_cast<long>(cross.block) * kLoopLanes;
      for (int j = 0; j < rows; ++j) {
        const T factor = half[row++];
        for (int column = 0; column < columns; ++column) {
          z[column] += factor * (cross.transposed ? block[column * kLoopLanes + j] : block[j * kLoopLanes + column]);
        }
      }
    }
    __builtin_memcpy(part.across + static_cast<long>(closing.open + k * closing.rows + i) * kLoopLanes, z, sizeof z);
  }
};

}  // namespace mbdbench::part_sweeps
