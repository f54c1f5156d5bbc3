#pragma once
/// \file
/// The sweeps over a part (part_data.hpp) for one kind of registers: compiled once an instruction set
/// (part_sweeps_for_sets.cpp). Only functions that are inlined may be called: a function that stood on its own could be
/// taken by the linker from a file for other machines.
///
/// Inward at a link, after what comes from outboard [Featherstone1983], [Bae1987]:
///
///   closing    M += Z^T Z,   p -= Z^T z,   Y_k -= Z^T Z_k,   C_kk' -= Z_k^T Z_k',   v_k += Z_k^T z
///   joint      D = H^T M H,  U = M H,  y = H^T Y,  M -= U D^-1 U^T,  p += U D^-1 u,  Y -= U D^-1 y,  C += y^T D^-1 y
///
/// with Z = H_c Y^T, Z_k = H_c C_ck, z = H_c (w - v) and C_cc^+ = H_c^T H_c of the closed loops c. Outward
/// F_c = H_c^T (z - Z V - sum Z_k F_k).
///
/// Cost: about 300 operations a turn for the positions, 110 for loads, 60 outward; for every loop that passes 12 packs
/// a free direction and 42 for the way inward.
#include "formulations/kernels/chains/chain_links.hpp"
#include "formulations/parts/sweeps/part_columns.hpp"
#include "formulations/parts/sweeps/part_momenta.hpp"
#include "formulations/parts/sweeps/part_rates.hpp"

namespace mbdbench::part_sweeps {

/// \tparam Numbers OneState or StateLanes
template <typename Numbers>
struct Sweeps : Columns<Numbers> {
  using Columns<Numbers>::groups;
  using Columns<Numbers>::groups_at;
  using Columns<Numbers>::kGroups;
  using Columns<Numbers>::kOneState;
  using typename Columns<Numbers>::Rows;
  using typename Columns<Numbers>::T;

  static MBDBENCH_KERNEL int eliminate(const PartData<T>& part, int first, int last) {
    // Of states in lanes what the next row receives stays here: memory that is read once costs more than arithmetic.
    Inertia<T> held = no_inertia<T>();
    bool holds = false;
    for (int i = last; i-- > first;) {
      const LinkRow& row = part.rows[i];
      const PartRow& own = part.parts[i];
      Inertia<T> inertia = holds ? held : part.inertias[i];
      if (holds && part.parts[i + 1].adds) {
        add_inertia(part.inertias[i], inertia);
      }
      holds = !kOneState && own.receiver == i - 1 && i > first && row.inboard >= 0;
      if (!row.massless) {
        add_rigid(constant<T>(part.links[i]), inertia);
      }
      const T pivot = eliminate_joint(part, i, inertia);
      if constexpr (kOneState) {
        *part.pivot = pivot;
        if (!(pivot > 0.0)) {
          return i;
        }
      } else {
        part.verdict->see_pivot(pivot);
      }
      if (own.joint >= 0) {
        Columns<Numbers>::pass(part, i);
      }
      if (row.inboard >= 0) {
        const Inertia<T> carried = own.starts ? across_start(constant<T>(part.starts[i]), inertia) : inertia;
        if (holds) {
          held = carried;
        } else if (own.adds) {
          add_inertia(carried, part.inertias[own.receiver]);
        } else {
          part.inertias[own.receiver] = carried;
        }
      }
    }
    return -1;
  }

  static MBDBENCH_KERNEL void set_velocities(const PartData<T>& part, const T* u, Turning<T>* turnings,
                                             const PartRightSide<T>& side) {
    Turning<T> turning{};
    for (int i = part.first_row; i < part.last_row; ++i) {
      const int source = part.parts[i].source;
      if (source < 0) {
        turning = Turning<T>{no_vector<T>(), T(0.0)};
      } else if (kOneState || source != i - 1) {
        turning = turnings[source];
      }
      set_velocity(part, i, u, turning, side);
      if (kOneState || part.parts[i].keeps) {
        turnings[i] = turning;
      }
    }
  }

  /// Wrenches that rows and roots of the range receive: none, but the trunk those that branches have left.
  static MBDBENCH_KERNEL void start_wrenches(const PartData<T>& part, Wrench<T>* wrenches) {
    for (int i = part.first_row; i < part.last_row; ++i) {
      wrenches[i] = no_wrench<T>();
    }
    for (int k = part.first_root; k < part.last_root; ++k) {
      wrenches[part.row_count + k] = no_wrench<T>();
    }
    for (int k = 0; k < part.joined_roots; ++k) {
      add_wrench(wrenches[part.row_count + k], wrenches[part.rows[part.roots[k]].inboard]);
    }
  }

  /// Of lanes of states the wrenches of rows that nobody writes first, and what unloaded rows leave, are zero already.
  static MBDBENCH_KERNEL void inward(const PartData<T>& part, const PartRightSide<T>& side) {
    if (kOneState) {
      start_wrenches(part, side.wrenches);
    }
    Wrench<T> held = no_wrench<T>();
    bool holds = false;  // as in eliminate; where some rows are left out all is in memory
    for (int i = part.last_row; i-- > part.first_row;) {
      if (side.loaded != nullptr && !side.loaded[i]) {
        if (kOneState) {
          rest_row(part, side, i);
        }
        continue;
      }
      const LinkRow& row = part.rows[i];
      const PartRow& own = part.parts[i];
      Wrench<T> wrench = holds ? held : side.wrenches[i];
      if (holds && part.parts[i + 1].adds) {
        add_wrench(side.wrenches[i], wrench);
      }
      holds = !kOneState && side.loaded == nullptr && row.inboard >= 0 && own.receiver == i - 1;
      if (side.moves) {
        add_wrench(is_sphere(row.kind) ? side.spheres[row.ordinal].needed : side.rows[i].needed, wrench);
      }
      if (side.loads != nullptr) {
        subtract_wrench(side.loads[i], wrench);
      }
      if (own.closing >= 0) {
        close_right(part, side, part.closings[own.closing], own, wrench);
      }
      T reduced[6];
      T bias[6];
      cross_joint(part, side, i, wrench, reduced, bias);
      if (side.weighs && row.inboard < 0) {
        add_ground(part, i, bias);
      }
      const int components = Columns<Numbers>::passes_sphere_alone(part, i) ? 3 : row.kind == RowKind::revolute ? 5 : 6;
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        add_rates(part, side, part.joints[own.joint], part.passes[p], reduced, bias, components);
      }
      if (row.inboard >= 0) {
        const Wrench<T> carried = own.starts ? across_start(constant<T>(part.starts[i]), wrench) : wrench;
        if (holds) {
          held = carried;
        } else if (kOneState || own.adds || side.loaded != nullptr) {
          add_wrench(carried, side.wrenches[own.receiver]);
        } else {
          side.wrenches[own.receiver] = carried;
        }
      }
    }
  }

  static MBDBENCH_KERNEL void close_right(const PartData<T>& part, const PartRightSide<T>& side,
                                          const LoopClosing& closing, const PartRow& own, Wrench<T>& wrench) {
    for (int i = 0; i < closing.rank; ++i) {
      const T* const half = part.halves + closing.half + static_cast<long>(i) * closing.rows;
      T sum = T(0.0);
      int row = 0;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const long at = static_cast<long>(part.closed_loops[l]) * kLoopLanes;
        const int rows = part.loop_rows[part.closed_loops[l]];
        for (int j = 0; j < rows; ++j) {
          sum += half[row++] * (side.wanted[at + j] - side.rates[at + j]);
        }
      }
      side.right[closing.right + i] = sum;
      const T* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
      wrench = {wrench.fx - z[0] * sum, wrench.fy - z[1] * sum, wrench.fz - z[2] * sum,
                wrench.nx - z[3] * sum, wrench.ny - z[4] * sum, wrench.nz - z[5] * sum};
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        Rows* const to = groups_at(side.rates, part.passes[p].rates);
        const Rows* const open = groups_at(part.across, closing.open + (p - own.first_pass) * closing.rows + i);
        for (int g = 0; g < groups(part.loop_rows[part.passes[p].loop]); ++g) {
          to[g] += open[g] * Rows(sum);
        }
      }
    }
  }

  /// v += sum y D^-1 u + Y^T c.
  static MBDBENCH_KERNEL void add_rates(const PartData<T>& part, const PartRightSide<T>& side,
                                        const PassedJoint<T>& joint, const LoopPass& through, const T* reduced,
                                        const T* bias, int components) {
    for (int g = 0; g < groups(part.loop_rows[through.loop]); ++g) {
      Rows& to = groups_at(side.rates, through.rates)[g];
      Rows sum = to;
      for (int d = 0; d < joint.direction_count; ++d) {
        sum += groups_at(part.along, through.along + d)[g] * Rows(reduced[d] * joint.directions[d].inverse);
      }
      if (side.moves || side.driven != nullptr) {
        const Rows* const y = groups_at(part.columns, 6 * through.columns) + g;
        for (int a = 0; a < (kOneState && components > 3 ? 6 : components); ++a) {
          sum += y[a * kGroups] * Rows(bias[a]);
        }
      }
      to = sum;
    }
  }

  static MBDBENCH_KERNEL void outward(const PartData<T>& part, const PartRightSide<T>& side) {
    Vector<T> linear = no_vector<T>();
    Vector<T> angular = no_vector<T>();
    for (int i = part.first_row; i < part.last_row; ++i) {
      const LinkRow& row = part.rows[i];
      const PartRow& own = part.parts[i];
      if (row.inboard < 0) {
        linear = no_vector<T>();
        angular = no_vector<T>();
        if (side.weighs) {
          const Vector<T> g = constant<T>(part.gravity[i]);
          linear = {-g.x, -g.y, -g.z};
        }
      } else if (kOneState || own.source != i - 1) {
        linear = side.linear[own.source];
        angular = side.angular[own.source];
      }
      if (own.starts) {
        linear = moved_into_start(constant<T>(part.starts[i]), linear, angular);
        angular = into_start(constant<T>(part.starts[i]), angular);
      }
      T pushed[6] = {};
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        const LoopPass& through = part.passes[p];
        const T* const force = side.multipliers + static_cast<long>(through.loop) * kLoopLanes;
        const int directions = part.joints[own.joint].direction_count;
        for (int d = 0; d < directions; ++d) {
          const T* const along = part.along + static_cast<long>(through.along + d) * kLoopLanes;
          for (int j = 0; j < part.loop_rows[through.loop]; ++j) {
            pushed[d] += along[j] * force[j];
          }
        }
      }
      move_link(part, side, i, pushed, linear, angular);
      if (kOneState || own.keeps) {
        side.linear[i] = linear;
        side.angular[i] = angular;
      }
      if (own.closing >= 0) {
        close_outward(part, side, part.closings[own.closing], own, linear, angular);
      }
    }
  }

  static MBDBENCH_KERNEL void close_outward(const PartData<T>& part, const PartRightSide<T>& side,
                                            const LoopClosing& closing, const PartRow& own, const Vector<T>& linear,
                                            const Vector<T>& angular) {
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      for (int g = 0; g < kGroups; ++g) {
        groups_at(side.multipliers, part.closed_loops[l])[g] = Rows(0.0);
      }
    }
    for (int i = 0; i < closing.rank; ++i) {
      const T* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
      T left = side.right[closing.right + i] - (z[0] * linear.x + z[1] * linear.y + z[2] * linear.z + z[3] * angular.x +
                                                z[4] * angular.y + z[5] * angular.z);
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        const T* const open =
            part.across + static_cast<long>(closing.open + (p - own.first_pass) * closing.rows + i) * kLoopLanes;
        const T* const force = side.multipliers + static_cast<long>(part.passes[p].loop) * kLoopLanes;
        for (int j = 0; j < part.loop_rows[part.passes[p].loop]; ++j) {
          left -= open[j] * force[j];
        }
      }
      const T* half = part.halves + closing.half + static_cast<long>(i) * closing.rows;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const int loop = part.closed_loops[l];
        T* const force = side.multipliers + static_cast<long>(loop) * kLoopLanes;
        for (int j = 0; j < part.loop_rows[loop]; ++j) {
          force[j] += *half++ * left;
        }
      }
    }
  }

  /// p = E^T P of everything outboard, and p' = E^T (T - Omega x P) + tau with P what the joint transmits: less the
  /// impulses of loops outboard of it [Chadaj2017, Eq. (70)-(77)], [Naudet2005, Eq. (21)].
  static MBDBENCH_KERNEL void momenta(const PartData<T>& part, const PartMomenta<T>& side) {
    const long places = part.row_count + part.root_count;
    InwardWrenches<T> own{side.carried, no_wrench<T>()};
    InwardWrenches<T> impulses{side.carried + places, no_wrench<T>()};
    InwardWrenches<T> loads{side.carried + 2 * places, no_wrench<T>()};
    if (kOneState) {
      Wrench<T>* const all[3] = {own.at, impulses.at, loads.at};
      for (Wrench<T>* const wrenches : all) {
        start_wrenches(part, wrenches);
        for (int k = part.first_child; k < part.last_child; ++k) {
          const int root = part.children[k];
          add_wrench(wrenches[part.row_count + root], wrenches[part.rows[part.roots[root]].inboard]);
        }
      }
    }
    bool held = false;  // as in eliminate
    for (int i = part.last_row; i-- > part.first_row;) {
      const LinkRow& row = part.rows[i];
      const bool acted_on = side.acted_on == nullptr || side.acted_on[i];
      const bool holds = !kOneState && row.inboard >= 0 && part.parts[i].receiver == i - 1;
      Wrench<T> p = no_wrench<T>();
      if (side.linear != nullptr) {
        p = own.received(part, i, held);
        if (!row.massless) {
          add_wrench(rigid_momentum(constant<T>(part.links[i]), side.linear[i], side.angular[i]), p);
        }
        if (side.own != nullptr) {
          along_joint(part, row, p, side.own);
        }
        if (row.inboard >= 0) {
          own.pass(part, i, p, holds);
        }
      }
      if (side.rates != nullptr) {
        Wrench<T> load = loads.received(part, i, held);
        if (acted_on) {
          add_wrench(side.loads[i], load);
        }
        if (side.gravity != nullptr && !row.massless) {
          add_weight(constant<T>(part.links[i]), side.gravity[i], load);
        }
        if (row.inboard >= 0) {
          loads.pass(part, i, load, holds);
        }
        if (side.impulses != nullptr) {
          Wrench<T> impulse = impulses.received(part, i, held);
          if (acted_on) {
            add_wrench(side.impulses[i], impulse);
          }
          if (row.inboard >= 0) {
            impulses.pass(part, i, impulse, holds);
          }
          subtract_wrench(impulse, p);
        }
        if (side.linear != nullptr) {
          momentum_rate(part, side, i, p, load);
        } else {
          along_joint(part, row, load, side.rates);
        }
        add_joint_forces(side, row);
      }
      held = holds;
    }
  }
};

template <int W>
PartSweeps sweeps() {
  using Own = Sweeps<OneState<W>>;
  using Data = PartData<double>;
  using Side = PartRightSide<double>;
  return {[](const Data& part, int first, int last) { return Own::eliminate(part, first, last); },
          [](const Data& part, int closing) { Own::close(part, closing); },
          [](const Data& part, const double* u, Turning<double>* turnings, const Side& side) {
            Own::set_velocities(part, u, turnings, side);
          },
          [](const Data& part, const Side& side) { Own::inward(part, side); },
          [](const Data& part, const Side& side) { Own::outward(part, side); },
          [](const Data& part, const Side& side, int which) {
            const LoopClosing& closing = part.closings[which];
            Own::close_right(part, side, closing, part.parts[closing.part], side.wrenches[closing.row]);
          },
          [](const Data& part, const Side& side, int which) {
            const LoopClosing& closing = part.closings[which];
            Own::close_outward(part, side, closing, part.parts[closing.part], side.linear[closing.row],
                               side.angular[closing.row]);
          },
          [](const Data& part, const PartMomenta<double>& side) { Own::momenta(part, side); }};
}

}  // namespace mbdbench::part_sweeps
