#pragma once
/// \file
/// One row of a part in the sweep that collects momenta and their rates [Chadaj2017, Eq. (70)-(77)],
/// [Naudet2005, Eq. (21)].
#include "formulations/kernels/chains/chain_links.hpp"
#include "formulations/kernels/vectors.hpp"
#include "formulations/parts/sweeps/part_joints.hpp"

namespace mbdbench::part_sweeps {

/// \returns a wrench about O of the inboard link in its axes.
template <typename T>
MBDBENCH_KERNEL Wrench<T> inward_of(const PartData<T>& part, int i, const Wrench<T>& w) {
  const LinkRow& row = part.rows[i];
  Wrench<T> r;
  if (is_sphere(row.kind)) {
    const kernels::Matrix3<T>& rotation = part.rotations[row.ordinal];
    const Vector<T> f = turned(rotation, Vector<T>{w.fx, w.fy, w.fz});
    const Vector<T> n = turned(rotation, Vector<T>{w.nx, w.ny, w.nz});
    r = {f.x, f.y, f.z, n.x, n.y, n.z};
    move_inward(part.levers[row.ordinal], r);
  } else if (row.kind == RowKind::revolute) {
    r = carried_inward(constant<T>(part.links[i]), part.cosines[i], part.sines[i], w);
  } else {
    r = carried_inward(constant<T>(part.links[i]), part.cosines[i], part.sines[i], part.slides[i], w);
  }
  return part.parts[i].starts ? across_start(constant<T>(part.starts[i]), r) : r;
}

/// E^T w into the entries of a joint.
template <typename T>
MBDBENCH_KERNEL void along_joint(const PartData<T>& part, const LinkRow& row, const Wrench<T>& w, T* values) {
  switch (row.kind) {
    case RowKind::revolute:
    case RowKind::driven_revolute:
      values[row.place] = w.nz;
      break;
    case RowKind::screw:
    case RowKind::driven_screw:
      values[row.place] = w.nz + row.pitch * w.fz;
      break;
    case RowKind::prismatic:
    case RowKind::driven_prismatic:
      values[row.place] = w.fz;
      break;
    default: {
      const SphericalConstants& constants = part.spherical[row.ordinal];
      put_vector(turned_back(constant<T>(constants.axes_b), Vector<T>{w.nx, w.ny, w.nz}), values + row.place);
      if (row.kind == RowKind::free) {
        const Vector<T> f = turned(part.rotations[row.ordinal], Vector<T>{w.fx, w.fy, w.fz});
        put_vector(turned_back(constant<T>(constants.axes_a), f), values + row.place + 3);
      }
      break;
    }
  }
}

/// The weight of a link about its O.
template <typename T>
MBDBENCH_KERNEL void add_weight(const LinkConstants<T>& link, const Vector<T>& g, Wrench<T>& load) {
  const Vector<T> n = cross(Vector<T>{link.hx, link.hy, link.hz}, g);
  add_wrench(Wrench<T>{link.mass * g.x, link.mass * g.y, link.mass * g.z, n.x, n.y, n.z}, load);
}

/// Adds tau to the rates of a joint.
template <typename T>
MBDBENCH_KERNEL void add_joint_forces(const PartMomenta<T>& side, const LinkRow& row) {
  const int width = row.kind == RowKind::free ? 6 : row.kind == RowKind::spherical ? 3 : 1;
  for (int k = 0; side.tau != nullptr && k < width; ++k) {
    side.rates[row.place + k] += side.tau[row.u + k];
  }
}

/// \param p transmitted by the joint \param load on everything outboard
template <typename T>
MBDBENCH_KERNEL void momentum_rate(const PartData<T>& part, const PartMomenta<T>& side, int i, const Wrench<T>& p,
                                   const Wrench<T>& load) {
  const LinkRow& row = part.rows[i];
  const Vector<T> f{p.fx, p.fy, p.fz};
  const Vector<T> turned_f = cross(side.angular[i], f);
  const Vector<T> turned_n = cross(side.angular[i], Vector<T>{p.nx, p.ny, p.nz});
  const Vector<T> moved = cross(side.linear[i], f);
  const Wrench<T> rate{load.fx - turned_f.x,           load.fy - turned_f.y,           load.fz - turned_f.z,
                       load.nx - turned_n.x - moved.x, load.ny - turned_n.y - moved.y, load.nz - turned_n.z - moved.z};
  along_joint(part, row, rate, side.rates);
  if (row.kind == RowKind::free) {
    // Its linear directions are fixed in the inboard link.
    const kernels::Matrix3<T>& rotation = part.rotations[row.ordinal];
    const Vector<T> transmitted = turned(rotation, f);
    const Vector<T> applied = turned(rotation, Vector<T>{load.fx, load.fy, load.fz});
    Vector<T> left = applied;
    if (row.inboard >= 0) {
      const Vector<T> turning = cross(side.angular[part.parts[i].source], transmitted);
      left = {applied.x - turning.x, applied.y - turning.y, applied.z - turning.z};
    }
    put_vector(turned_back(constant<T>(part.spherical[row.ordinal].axes_a), left), side.rates + row.place + 3);
  }
}

/// Wrenches on their way inward, row by row. Of states in lanes what the next row receives stays out of memory, and
/// rows that nothing reaches are zero since memory was made.
template <typename T>
struct InwardWrenches {
  static constexpr bool kOneState = std::is_same_v<T, double>;
  Wrench<T>* at;  ///< by row and root
  Wrench<T> held;

  /// \returns what comes from outboard. \param holds whether the row before has left it here
  [[nodiscard]] MBDBENCH_KERNEL Wrench<T> received(const PartData<T>& part, int i, bool holds) const {
    Wrench<T> w = holds ? held : at[i];
    if (holds && part.parts[i + 1].adds) {
      add_wrench(at[i], w);
    }
    return w;
  }
  /// \param holds whether the next row takes it from here
  MBDBENCH_KERNEL void pass(const PartData<T>& part, int i, const Wrench<T>& w, bool holds) {
    const PartRow& own = part.parts[i];
    const Wrench<T> carried = inward_of(part, i, w);
    if (holds) {
      held = carried;
    } else if (kOneState || own.adds) {
      add_wrench(carried, at[own.receiver]);
    } else {
      at[own.receiver] = carried;
    }
  }
};

}  // namespace mbdbench::part_sweeps
