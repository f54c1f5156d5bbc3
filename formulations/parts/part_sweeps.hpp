#pragma once
/// \file
/// The sweeps over a part (part_data.hpp) for one kind of registers: included by one file an instruction set
/// (part_sweeps_*.cpp). Only functions that are inlined may be called: a function that stood on its own could be taken
/// by the linker from a file for other machines.
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
#include "formulations/kernels/chain_links.hpp"
#include "formulations/kernels/pack.hpp"
#include "formulations/kernels/screw_rows.hpp"
#include "formulations/kernels/unrolled.hpp"
#include "formulations/parts/part_data.hpp"

namespace mbdbench::part_sweeps {

using namespace kernels;
using Vector = LinkVector<double>;
using Wrench = LinkWrench<double>;
using Inertia = ArticulatedInertia<double>;

inline constexpr Wrench kNoWrench{0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
inline constexpr Vector kNoVector{0.0, 0.0, 0.0};

MBDBENCH_KERNEL Vector three_at(const double* values) {
  return {values[0], values[1], values[2]};
}

MBDBENCH_KERNEL void put_three(const Vector& r, double* values) {
  values[0] = r.x;
  values[1] = r.y;
  values[2] = r.z;
}

MBDBENCH_KERNEL bool is_sphere(RowKind kind) {
  return kind == RowKind::spherical || kind == RowKind::free;
}

MBDBENCH_KERNEL bool is_driven(RowKind kind) {
  return kind == RowKind::driven_revolute || kind == RowKind::driven_prismatic;
}

template <int W>
struct Sweeps {
  using Lanes8 = Pack<kLoopLanes, W>;

  static MBDBENCH_KERNEL Lanes8* packs(double* memory, int place) { return reinterpret_cast<Lanes8*>(memory) + place; }
  static MBDBENCH_KERNEL double sum_of_lanes(const Lanes8& value) {
    double lanes[kLoopLanes];
    __builtin_memcpy(lanes, &value, sizeof lanes);
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }

  // ------------------------------------------------------------------ positions

  static int eliminate(const PartData& part, int first, int last) {
    for (int i = last; i-- > first;) {
      const LinkRow& row = part.rows[i];
      const PartRow& own = part.parts[i];
      Inertia inertia = part.inertias[i];
      if (!row.massless) {
        add_rigid(part.links[i], inertia);
      }
      if (!eliminate_joint(part, i, inertia)) {
        return i;
      }
      if (own.joint >= 0) {
        describe(part, i, part.joints[own.joint]);
        pass(part, own);
      }
      if (row.inboard >= 0) {
        add_inertia(own.starts ? across_start(part.starts[i], inertia) : inertia, part.inertias[row.inboard]);
      }
    }
    return -1;
  }

  static MBDBENCH_KERNEL bool eliminate_joint(const PartData& part, int i, Inertia& inertia) {
    const LinkRow& row = part.rows[i];
    const LinkConstants<double>& link = part.links[i];
    const double c = part.cosines[i];
    const double s = part.sines[i];
    double pivot = 1.0;
    switch (row.kind) {
      case RowKind::revolute:
        pivot = inertia.czz;
        part.turns[i] = eliminated_turn(inertia, part.turn_gains[i]);
        inertia = carried_inward(link, c, s, part.turns[i].rest);
        break;
      case RowKind::prismatic: {
        pivot = inertia.azz;
        const SlideInertia<double> left = eliminated_slide(inertia, part.slide_gains[i]);
        part.whole[i] = left.rest;
        part.inverses[i] = left.inverse;
        inertia = carried_inward(link, c, s, part.slides[i], left.rest);
        break;
      }
      case RowKind::screw:
        pivot = eliminate_screw(row.pitch, part.screw_gains[i], inertia);
        part.inverses[i] = 1.0 / pivot;
        part.whole[i] = inertia;
        inertia = carried_inward(link, c, s, part.slides[i], inertia);
        break;
      case RowKind::driven_revolute:
      case RowKind::driven_prismatic:
        part.whole[i] = inertia;
        inertia = carried_inward(link, c, s, part.slides[i], inertia);
        break;
      case RowKind::spherical:
      case RowKind::free: {
        const bool free = row.kind == RowKind::free;
        const int k = row.ordinal;
        part.spheres[k] = eliminated_sphere(inertia, free, part.sphere_gains[k]);
        pivot = part.spheres[k].turns.smallest_pivot;
        if (free) {
          pivot = smaller(pivot, part.spheres[k].slides.smallest_pivot);
          inertia = Inertia{};
        } else {
          inertia = linear_inertia_about(part.levers[k], turned(part.rotations[k], part.spheres[k].rest));
        }
        break;
      }
    }
    *part.pivot = pivot;
    return pivot > 0.0;
  }

  /// Gains of three directions that are eliminated one after another, from the factors of all three.
  /// \param gain B C^-1 of what stays, or nullptr
  static MBDBENCH_KERNEL void describe_three(const Cholesky3<double>& cholesky, const kernels::Matrix3<double>* gain,
                                             int first, EliminatedDirection* directions) {
    const double inverse[3] = {cholesky.inverse1, cholesky.inverse2, cholesky.inverse3};
    for (int i = 0; i < 3; ++i) {
      EliminatedDirection& direction = directions[i];
      direction.component = first + i;
      direction.slide = 0.0;
      for (double& entry : direction.gain) {
        entry = 0.0;
      }
      direction.gain[first + i] = 1.0;
      direction.inverse = inverse[i];
    }
    directions[0].gain[first + 1] = cholesky.l21;
    directions[0].gain[first + 2] = cholesky.l31;
    directions[1].gain[first + 2] = cholesky.l32;
    if (gain != nullptr) {
      // G = B C^-1 = X L^-1 with the gains X one after another, so X = G L.
      const double rows[3][3] = {
          {gain->xx, gain->xy, gain->xz}, {gain->yx, gain->yy, gain->yz}, {gain->zx, gain->zy, gain->zz}};
      for (int r = 0; r < 3; ++r) {
        directions[0].gain[r] = rows[r][0] + rows[r][1] * cholesky.l21 + rows[r][2] * cholesky.l31;
        directions[1].gain[r] = rows[r][1] + rows[r][2] * cholesky.l32;
        directions[2].gain[r] = rows[r][2];
      }
    }
  }

  static MBDBENCH_KERNEL void describe(const PartData& part, int i, PassedJoint& joint) {
    const LinkRow& row = part.rows[i];
    kernels::Matrix3<double> r{};
    Vector way{};
    if (is_sphere(row.kind)) {
      const int k = row.ordinal;
      r = part.rotations[k];
      way = part.levers[k];
      describe_three(part.spheres[k].turns, &part.sphere_gains[k], 3, joint.directions);
      if (row.kind == RowKind::free) {
        describe_three(part.spheres[k].slides, nullptr, 0, joint.directions + 3);
      }
    } else {
      const LinkConstants<double>& link = part.links[i];
      const double c = part.cosines[i];
      const double s = part.sines[i];
      r = {c,
           -s,
           0.0,
           link.cos_alpha * s,
           link.cos_alpha * c,
           -link.sin_alpha,
           link.sin_alpha * s,
           link.sin_alpha * c,
           link.cos_alpha};
      way = lever(link, part.slides[i]);
      if (row.kind == RowKind::revolute) {
        const JointGain<double>& g = part.turn_gains[i];
        joint.directions[0] = {5, 0.0, {g.bx, g.by, g.bz, g.cx, g.cy, 1.0}, part.turns[i].inverse};
      } else if (row.kind == RowKind::prismatic) {
        const SlideGain<double>& g = part.slide_gains[i];
        joint.directions[0] = {2, 0.0, {g.ax, g.ay, 1.0, g.bx, g.by, g.bz}, part.inverses[i]};
      } else if (row.kind == RowKind::screw) {
        const Wrench& g = part.screw_gains[i];
        joint.directions[0] = {5, row.pitch, {g.fx, g.fy, g.fz, g.nx, g.ny, g.nz}, part.inverses[i]};
      }
    }
    if (part.parts[i].starts) {
      const RunStart<double>& start = part.starts[i];
      const Vector x = out_of_start(start, Vector{r.xx, r.yx, r.zx});
      const Vector y = out_of_start(start, Vector{r.xy, r.yy, r.zy});
      const Vector z = out_of_start(start, Vector{r.xz, r.yz, r.zz});
      r = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
      way = out_of_start(start, way);
      way.z += start.d;
    }
    double* const to = joint.rotation;
    to[0] = r.xx;
    to[1] = r.xy;
    to[2] = r.xz;
    to[3] = r.yx;
    to[4] = r.yy;
    to[5] = r.yz;
    to[6] = r.zx;
    to[7] = r.zy;
    to[8] = r.zz;
    put_three(way, joint.way);
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

  // ------------------------------------------------------------------ closing

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

  /// M += Z^T Z of the link.
  static MBDBENCH_KERNEL void change_inertia(const PartData& part, const LoopClosing& closing) {
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

  // ------------------------------------------------------------------ velocities

  static void set_velocities(const PartData& part, const double* u, Turning<double>* turnings,
                             const PartRightSide& side) {
    for (int i = 0; i < part.row_count; ++i) {
      const LinkRow& row = part.rows[i];
      const LinkConstants<double>& link = part.links[i];
      const double c = part.cosines[i];
      const double s = part.sines[i];
      Turning<double> turning{};
      if (row.inboard >= 0) {
        turning = turnings[row.inboard];
      }
      Vector slid = kNoVector;
      if (part.parts[i].starts) {
        turning.omega = into_start(part.starts[i], turning.omega);
        slid = turned_twice(turning, Vector{0.0, 0.0, part.starts[i].d});
      }
      if (is_sphere(row.kind)) {
        const int k = row.ordinal;
        const SphericalConstants& constants = part.spherical[k];
        const Vector slide = row.kind == RowKind::free ? turned(constants.axes_a, three_at(u + row.u + 3)) : kNoVector;
        spherical_velocity(link, part.rotations[k], part.levers[k], turned(constants.axes_b, three_at(u + row.u)),
                           slide, turning, side.spheres[k]);
      } else {
        AccelerationRow<double>& to = side.rows[i];
        if (row.kind == RowKind::revolute || row.kind == RowKind::driven_revolute) {
          turn_velocity(link, c, s, u[row.u], turning, to);
          if (row.massless) {
            to.needed = kNoWrench;
          }
        } else if (row.kind == RowKind::screw) {
          screw_velocity(link, c, s, part.slides[i], row.pitch, u[row.u], row.massless, turning, to);
        } else {
          slide_velocity(link, c, s, part.slides[i], u[row.u], row.massless, turning, to);
        }
        if (part.parts[i].starts) {  // spherical and free rows have it in their lever
          const Vector moved = rotated_outward(link, c, s, slid);
          to.centripetal = {to.centripetal.x + moved.x, to.centripetal.y + moved.y, to.centripetal.z + moved.z};
        }
      }
      turnings[i] = turning;
    }
  }

  // ------------------------------------------------------------------ inward

  static void inward(const PartData& part, const PartRightSide& side) {
    for (int i = 0; i < part.row_count; ++i) {
      side.wrenches[i] = kNoWrench;
    }
    for (int i = part.row_count; i-- > 0;) {
      if (side.loaded != nullptr && !side.loaded[i]) {
        rest_row(part, side, i);
        continue;
      }
      const LinkRow& row = part.rows[i];
      const PartRow& own = part.parts[i];
      Wrench wrench = side.wrenches[i];
      if (side.moves) {
        add_wrench(is_sphere(row.kind) ? side.spheres[row.ordinal].needed : side.rows[i].needed, wrench);
      }
      if (side.loads != nullptr) {
        subtract_wrench(side.loads[i], wrench);
      }
      if (own.closing >= 0) {
        close_right(part, side, part.closings[own.closing], own, wrench);
      }
      double reduced[6];
      double bias[6];
      cross_joint(part, side, i, wrench, reduced, bias);
      if (side.weighs && row.inboard < 0) {
        add_ground(part, i, bias);
      }
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        add_rates(part, side, part.joints[own.joint], part.passes[p], reduced, bias);
      }
      if (row.inboard >= 0) {
        add_wrench(own.starts ? across_start(part.starts[i], wrench) : wrench, side.wrenches[row.inboard]);
      }
    }
  }

  /// A row on which nothing acts.
  static MBDBENCH_KERNEL void rest_row(const PartData& part, const PartRightSide& side, int i) {
    const LinkRow& row = part.rows[i];
    if (is_sphere(row.kind)) {
      side.spheres[row.ordinal].rest = kNoVector;
      side.spheres[row.ordinal].linear = kNoVector;
    } else {
      side.rows[i].rest = 0.0;
    }
  }

  static MBDBENCH_KERNEL void close_right(const PartData& part, const PartRightSide& side, const LoopClosing& closing,
                                          const PartRow& own, Wrench& wrench) {
    for (int i = 0; i < closing.rank; ++i) {
      const double* const half = part.halves + closing.half + static_cast<long>(i) * closing.rows;
      double sum = 0.0;
      int row = 0;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const long at = static_cast<long>(part.closed_loops[l]) * kLoopLanes;
        const int rows = part.loop_rows[part.closed_loops[l]];
        for (int j = 0; j < rows; ++j) {
          sum += half[row++] * (side.wanted[at + j] - side.rates[at + j]);
        }
      }
      side.right[closing.right + i] = sum;
      const double* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
      wrench = {wrench.fx - z[0] * sum, wrench.fy - z[1] * sum, wrench.fz - z[2] * sum,
                wrench.nx - z[3] * sum, wrench.ny - z[4] * sum, wrench.nz - z[5] * sum};
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        *packs(side.rates, part.passes[p].loop) +=
            *packs(part.across, closing.open + (p - own.first_pass) * closing.rows + i) * Lanes8(sum);
      }
    }
  }

  /// v += sum y D^-1 u + Y^T c.
  static MBDBENCH_KERNEL void add_rates(const PartData& part, const PartRightSide& side, const PassedJoint& joint,
                                        const LoopPass& through, const double* reduced, const double* bias) {
    Lanes8 sum = *packs(side.rates, through.loop);
    for (int d = 0; d < joint.direction_count; ++d) {
      sum += *packs(part.along, through.along + d) * Lanes8(reduced[d] * joint.directions[d].inverse);
    }
    if (side.moves || side.driven != nullptr) {
      const Lanes8* const y = packs(part.columns, 6 * through.columns);
      for (int a = 0; a < 6; ++a) {
        sum += y[a] * Lanes8(bias[a]);
      }
    }
    *packs(side.rates, through.loop) = sum;
  }

  /// The ground's acceleration -g as part of c of a row on it.
  static MBDBENCH_KERNEL void add_ground(const PartData& part, int i, double* bias) {
    const LinkRow& row = part.rows[i];
    const Vector& g = part.gravity[i];
    const Vector a = is_sphere(row.kind) ? turned_back(part.rotations[row.ordinal], g)
                                         : rotated_outward(part.links[i], part.cosines[i], part.sines[i], g);
    bias[0] -= a.x;
    bias[1] -= a.y;
    bias[2] -= a.z;
  }

  static MBDBENCH_KERNEL void set_bias(const Vector& linear, const Vector& angular, double* bias) {
    put_three(linear, bias);
    put_three(angular, bias + 3);
  }

  /// The wrench crosses a joint. \param reduced receives u after the directions before each \param bias receives c
  static MBDBENCH_KERNEL void cross_joint(const PartData& part, const PartRightSide& side, int i, Wrench& wrench,
                                          double* reduced, double* bias) {
    const LinkRow& row = part.rows[i];
    const LinkConstants<double>& link = part.links[i];
    const double c = part.cosines[i];
    const double s = part.sines[i];
    if (is_sphere(row.kind)) {
      cross_sphere(part, side, row, wrench, reduced, bias);
      return;
    }
    AccelerationRow<double>& own = side.rows[i];
    const Vector a = side.moves ? own.centripetal : kNoVector;
    const Vector t{side.moves ? own.turned_x : 0.0, side.moves ? own.turned_y : 0.0, 0.0};
    const double force = side.tau != nullptr ? side.tau[row.u] : 0.0;
    set_bias(a, t, bias);
    switch (row.kind) {
      case RowKind::revolute: {
        const TurnInertia<double>& inertia = part.turns[i];
        const JointGain<double>& gain = part.turn_gains[i];
        const double missing = force - wrench.nz;
        reduced[0] = missing;
        own.rest = missing * inertia.inverse;
        wrench.fx += gain.bx * missing;
        wrench.fy += gain.by * missing;
        wrench.fz += gain.bz * missing;
        wrench.nx += gain.cx * missing;
        wrench.ny += gain.cy * missing;
        wrench.nz = force;
        if (side.moves) {
          add_bias(inertia.rest, a, t.x, t.y, wrench);
        }
        wrench = carried_inward(link, c, s, wrench);
        return;
      }
      case RowKind::prismatic: {
        const SlideGain<double>& gain = part.slide_gains[i];
        const double missing = force - wrench.fz;
        reduced[0] = missing;
        own.rest = missing * part.inverses[i];
        wrench.fx += gain.ax * missing;
        wrench.fy += gain.ay * missing;
        wrench.fz = force;
        wrench.nx += gain.bx * missing;
        wrench.ny += gain.by * missing;
        wrench.nz += gain.bz * missing;
        break;
      }
      case RowKind::screw: {
        const Wrench& gain = part.screw_gains[i];
        const double missing = force - (wrench.nz + row.pitch * wrench.fz);
        reduced[0] = missing;
        own.rest = missing * part.inverses[i];
        wrench.fx += gain.fx * missing;
        wrench.fy += gain.fy * missing;
        wrench.fz += gain.fz * missing;
        wrench.nx += gain.nx * missing;
        wrench.ny += gain.ny * missing;
        wrench.nz += gain.nz * missing;
        break;
      }
      default: {  // prescribed: nothing is eliminated, its rate is part of c
        own.rest = side.driven != nullptr ? side.driven[row.motion] : 0.0;
        bias[row.kind == RowKind::driven_revolute ? 5 : 2] += own.rest;
        break;
      }
    }
    if (side.moves || side.driven != nullptr) {
      add_wrench(multiplied(part.whole[i], three_at(bias), three_at(bias + 3)), wrench);
    }
    wrench = carried_inward(link, c, s, part.slides[i], wrench);
  }

  /// L^-1 r of factors L D L^T.
  static MBDBENCH_KERNEL void reduce(const Cholesky3<double>& f, const Vector& r, double* reduced) {
    reduced[0] = r.x;
    reduced[1] = r.y - f.l21 * r.x;
    reduced[2] = r.z - f.l31 * r.x - f.l32 * reduced[1];
  }

  static MBDBENCH_KERNEL void cross_sphere(const PartData& part, const PartRightSide& side, const LinkRow& row,
                                           Wrench& wrench, double* reduced, double* bias) {
    const int k = row.ordinal;
    const bool free = row.kind == RowKind::free;
    const SphericalInertia<double>& inertia = part.spheres[k];
    const SphericalConstants& constants = part.spherical[k];
    SphericalAccelerationRow<double>& own = side.spheres[k];
    Vector torque = kNoVector;
    Vector force = kNoVector;
    if (side.tau != nullptr) {
      torque = turned(constants.axes_b, three_at(side.tau + row.u));
      force = free ? turned(constants.axes_a, three_at(side.tau + row.u + 3)) : kNoVector;
    }
    const Vector missing{torque.x - wrench.nx, torque.y - wrench.ny, torque.z - wrench.nz};
    reduce(inertia.turns, missing, reduced);
    own.rest = solved(inertia.turns, missing);
    const Vector gained = turned(part.sphere_gains[k], missing);  // B C^-1 (t - n)
    Vector f{wrench.fx + gained.x, wrench.fy + gained.y, wrench.fz + gained.z};
    const Vector n = turned(part.rotations[k], torque);
    if (free) {
      const Vector own_force = turned_back(part.rotations[k], force);
      const Vector left{own_force.x - f.x, own_force.y - f.y, own_force.z - f.z};
      reduce(inertia.slides, left, reduced + 3);
      own.linear = solved(inertia.slides, left);
      f = force;
    } else {
      if (side.moves) {
        const Vector product = multiplied(inertia.rest, own.centripetal);
        f = {f.x + product.x, f.y + product.y, f.z + product.z};
      }
      f = turned(part.rotations[k], f);
    }
    if (side.moves) {
      set_bias(own.centripetal, own.turned, bias);
    } else {
      set_bias(kNoVector, kNoVector, bias);
    }
    wrench = {f.x, f.y, f.z, n.x, n.y, n.z};
    move_inward(part.levers[k], wrench);
  }

  // ------------------------------------------------------------------ outward

  static void outward(const PartData& part, const PartRightSide& side) {
    for (int i = 0; i < part.row_count; ++i) {
      const LinkRow& row = part.rows[i];
      const PartRow& own = part.parts[i];
      Vector linear = kNoVector;
      Vector angular = kNoVector;
      if (row.inboard >= 0) {
        linear = side.linear[row.inboard];
        angular = side.angular[row.inboard];
      } else if (side.weighs) {
        const Vector& g = part.gravity[i];
        linear = {-g.x, -g.y, -g.z};
      }
      if (own.starts) {
        linear = moved_into_start(part.starts[i], linear, angular);
        angular = into_start(part.starts[i], angular);
      }
      double pushed[6] = {};
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        const LoopPass& through = part.passes[p];
        const Lanes8 force = *packs(side.multipliers, through.loop);
        const PassedJoint& joint = part.joints[own.joint];
        for (int d = 0; d < joint.direction_count; ++d) {
          pushed[d] += sum_of_lanes(*packs(part.along, through.along + d) * force);
        }
      }
      move_link(part, side, i, pushed, linear, angular);
      side.linear[i] = linear;
      side.angular[i] = angular;
      if (own.closing >= 0) {
        close_outward(part, side, part.closings[own.closing], own, linear, angular);
      }
    }
  }

  /// \returns C^-1 n from L^-1 n.
  static MBDBENCH_KERNEL Vector from_reduced(const Cholesky3<double>& f, const double* y) {
    const double z = y[2] * f.inverse3;
    const double v = y[1] * f.inverse2 - f.l32 * z;
    return {y[0] * f.inverse1 - f.l21 * v - f.l31 * z, v, z};
  }

  static MBDBENCH_KERNEL void move_link(const PartData& part, const PartRightSide& side, int i, const double* pushed,
                                        Vector& linear, Vector& angular) {
    const LinkRow& row = part.rows[i];
    const LinkConstants<double>& link = part.links[i];
    const double c = part.cosines[i];
    const double s = part.sines[i];
    if (is_sphere(row.kind)) {
      move_sphere(part, side, row, pushed, linear, angular);
      return;
    }
    AccelerationRow<double>& own = side.rows[i];
    if (row.kind == RowKind::revolute) {
      linear = rotated_outward(link, c, s, moved_outward(link, linear, angular));
    } else {
      linear = rotated_outward(link, c, s, moved_outward(lever(link, part.slides[i]), linear, angular));
    }
    angular = rotated_outward(link, c, s, angular);
    if (side.moves) {
      linear = {linear.x + own.centripetal.x, linear.y + own.centripetal.y, linear.z + own.centripetal.z};
      angular.x += own.turned_x;
      angular.y += own.turned_y;
    }
    double rate = own.rest;
    switch (row.kind) {
      case RowKind::revolute: {
        const JointGain<double>& g = part.turn_gains[i];
        const double inherited = angular.z;
        angular.z = rate + pushed[0] * part.turns[i].inverse -
                    (g.bx * linear.x + g.by * linear.y + g.bz * linear.z + g.cx * angular.x + g.cy * angular.y);
        rate = angular.z - inherited;
        break;
      }
      case RowKind::prismatic: {
        const SlideGain<double>& g = part.slide_gains[i];
        const double inherited = linear.z;
        linear.z = rate + pushed[0] * part.inverses[i] -
                   (g.ax * linear.x + g.ay * linear.y + g.bx * angular.x + g.by * angular.y + g.bz * angular.z);
        rate = linear.z - inherited;
        break;
      }
      case RowKind::screw:
        rate += pushed[0] * part.inverses[i] - along_gain(part.screw_gains[i], linear, angular);
        linear.z += row.pitch * rate;
        angular.z += rate;
        break;
      case RowKind::driven_revolute:
        angular.z += rate;
        break;
      default:
        linear.z += rate;
        break;
    }
    side.joint_rates[row.u] = rate;
  }

  static MBDBENCH_KERNEL void move_sphere(const PartData& part, const PartRightSide& side, const LinkRow& row,
                                          const double* pushed, Vector& linear, Vector& angular) {
    const int k = row.ordinal;
    const SphericalConstants& constants = part.spherical[k];
    const kernels::Matrix3<double>& rotation = part.rotations[k];
    SphericalAccelerationRow<double>& own = side.spheres[k];
    const Vector turn = from_reduced(part.spheres[k].turns, pushed);
    const Vector rest{own.rest.x + turn.x, own.rest.y + turn.y, own.rest.z + turn.z};
    const Vector centripetal = side.moves ? own.centripetal : kNoVector;
    const Vector turned_by = side.moves ? own.turned : kNoVector;
    const Vector reached = moved_outward(part.levers[k], linear, angular);
    const Vector inherited = turned_back(rotation, angular);
    if (row.kind == RowKind::free) {
      const Vector pushed_linear = from_reduced(part.spheres[k].slides, pushed + 3);
      linear = {own.linear.x + pushed_linear.x, own.linear.y + pushed_linear.y, own.linear.z + pushed_linear.z};
      const Vector in_inboard =
          turned(rotation, Vector{linear.x - centripetal.x, linear.y - centripetal.y, linear.z - centripetal.z});
      put_three(turned_back(constants.axes_a,
                            Vector{in_inboard.x - reached.x, in_inboard.y - reached.y, in_inboard.z - reached.z}),
                side.joint_rates + row.u + 3);
    } else {
      linear = turned_back(rotation, reached);
      linear = {linear.x + centripetal.x, linear.y + centripetal.y, linear.z + centripetal.z};
    }
    angular = angular_rate(part.sphere_gains[k], rest, linear);
    put_three(turned_back(constants.axes_b,
                          Vector{angular.x - inherited.x - turned_by.x, angular.y - inherited.y - turned_by.y,
                                 angular.z - inherited.z - turned_by.z}),
              side.joint_rates + row.u);
  }

  // ------------------------------------------------------------------ momenta

  /// p = E^T P of everything outboard, and p' = E^T (T - Omega x P) + tau with P what the joint transmits: less the
  /// impulses of loops outboard of it [Chadaj2017, Eq. (70)-(77)], [Naudet2005, Eq. (21)].
  static void momenta(const PartData& part, const PartMomenta& side) {
    Wrench* const own = side.carried;
    Wrench* const impulses = own + part.row_count;
    Wrench* const loads = impulses + part.row_count;
    for (int i = 0; i < 3 * part.row_count; ++i) {
      own[i] = kNoWrench;
    }
    for (int i = part.row_count; i-- > 0;) {
      const LinkRow& row = part.rows[i];
      Wrench p = own[i];
      if (!row.massless) {
        add_wrench(rigid_momentum(part.links[i], side.linear[i], side.angular[i]), p);
      }
      if (side.own != nullptr) {
        along_joint(part, row, p, side.own);
      }
      if (side.rates != nullptr) {
        Wrench load = loads[i];
        add_wrench(side.loads[i], load);
        Wrench impulse = impulses[i];
        if (side.impulses != nullptr) {
          add_wrench(side.impulses[i], impulse);
        }
        Wrench transmitted = p;
        subtract_wrench(impulse, transmitted);
        momentum_rate(part, side, i, transmitted, load);
        if (row.inboard >= 0) {
          add_wrench(inward_of(part, i, load), loads[row.inboard]);
          if (side.impulses != nullptr) {
            add_wrench(inward_of(part, i, impulse), impulses[row.inboard]);
          }
        }
      }
      if (row.inboard >= 0) {
        add_wrench(inward_of(part, i, p), own[row.inboard]);
      }
    }
  }

  /// \returns a wrench about O of the inboard link in its axes.
  static MBDBENCH_KERNEL Wrench inward_of(const PartData& part, int i, const Wrench& w) {
    const LinkRow& row = part.rows[i];
    Wrench r;
    if (is_sphere(row.kind)) {
      const kernels::Matrix3<double>& rotation = part.rotations[row.ordinal];
      const Vector f = turned(rotation, Vector{w.fx, w.fy, w.fz});
      const Vector n = turned(rotation, Vector{w.nx, w.ny, w.nz});
      r = {f.x, f.y, f.z, n.x, n.y, n.z};
      move_inward(part.levers[row.ordinal], r);
    } else if (row.kind == RowKind::revolute) {
      r = carried_inward(part.links[i], part.cosines[i], part.sines[i], w);
    } else {
      r = carried_inward(part.links[i], part.cosines[i], part.sines[i], part.slides[i], w);
    }
    return part.parts[i].starts ? across_start(part.starts[i], r) : r;
  }

  /// E^T w into the entries of a joint.
  static MBDBENCH_KERNEL void along_joint(const PartData& part, const LinkRow& row, const Wrench& w, double* values) {
    switch (row.kind) {
      case RowKind::revolute:
      case RowKind::driven_revolute:
        values[row.u] = w.nz;
        break;
      case RowKind::screw:
        values[row.u] = w.nz + row.pitch * w.fz;
        break;
      case RowKind::prismatic:
      case RowKind::driven_prismatic:
        values[row.u] = w.fz;
        break;
      default: {
        const SphericalConstants& constants = part.spherical[row.ordinal];
        put_three(turned_back(constants.axes_b, Vector{w.nx, w.ny, w.nz}), values + row.u);
        if (row.kind == RowKind::free) {
          const Vector f = turned(part.rotations[row.ordinal], Vector{w.fx, w.fy, w.fz});
          put_three(turned_back(constants.axes_a, f), values + row.u + 3);
        }
        break;
      }
    }
  }

  static MBDBENCH_KERNEL Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }

  static MBDBENCH_KERNEL void momentum_rate(const PartData& part, const PartMomenta& side, int i, const Wrench& p,
                                            const Wrench& load) {
    const LinkRow& row = part.rows[i];
    const Vector f{p.fx, p.fy, p.fz};
    const Vector turned_f = cross(side.angular[i], f);
    const Vector turned_n = cross(side.angular[i], Vector{p.nx, p.ny, p.nz});
    const Vector moved = cross(side.linear[i], f);
    const Wrench rate{load.fx - turned_f.x,           load.fy - turned_f.y,           load.fz - turned_f.z,
                      load.nx - turned_n.x - moved.x, load.ny - turned_n.y - moved.y, load.nz - turned_n.z - moved.z};
    along_joint(part, row, rate, side.rates);
    int width = 1;
    if (row.kind == RowKind::free) {
      // Its linear directions are fixed in the inboard link.
      const kernels::Matrix3<double>& rotation = part.rotations[row.ordinal];
      const Vector transmitted = turned(rotation, f);
      const Vector applied = turned(rotation, Vector{load.fx, load.fy, load.fz});
      Vector left = applied;
      if (row.inboard >= 0) {
        const Vector turning = cross(side.angular[row.inboard], transmitted);
        left = {applied.x - turning.x, applied.y - turning.y, applied.z - turning.z};
      }
      put_three(turned_back(part.spherical[row.ordinal].axes_a, left), side.rates + row.u + 3);
      width = 6;
    } else if (row.kind == RowKind::spherical) {
      width = 3;
    }
    for (int k = 0; side.tau != nullptr && k < width; ++k) {
      side.rates[row.u + k] += side.tau[row.u + k];
    }
  }

  static MBDBENCH_KERNEL void close_outward(const PartData& part, const PartRightSide& side, const LoopClosing& closing,
                                            const PartRow& own, const Vector& linear, const Vector& angular) {
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      *packs(side.multipliers, part.closed_loops[l]) = Lanes8(0.0);
    }
    for (int i = 0; i < closing.rank; ++i) {
      const double* const z = part.across + static_cast<long>(closing.across + i) * kLoopLanes;
      double left = side.right[closing.right + i] - (z[0] * linear.x + z[1] * linear.y + z[2] * linear.z +
                                                     z[3] * angular.x + z[4] * angular.y + z[5] * angular.z);
      for (int p = own.first_pass; p < own.last_pass; ++p) {
        left -= sum_of_lanes(*packs(part.across, closing.open + (p - own.first_pass) * closing.rows + i) *
                             *packs(side.multipliers, part.passes[p].loop));
      }
      const double* half = part.halves + closing.half + static_cast<long>(i) * closing.rows;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const int loop = part.closed_loops[l];
        double* const force = side.multipliers + static_cast<long>(loop) * kLoopLanes;
        for (int j = 0; j < part.loop_rows[loop]; ++j) {
          force[j] += *half++ * left;
        }
      }
    }
  }
};

template <int W>
PartSweeps sweeps() {
  return {Sweeps<W>::eliminate, Sweeps<W>::close,   Sweeps<W>::set_velocities,
          Sweeps<W>::inward,    Sweeps<W>::outward, Sweeps<W>::momenta};
}

}  // namespace mbdbench::part_sweeps
