#pragma once
/// \file
/// One row of a part in the sweep that collects momenta and their rates [Chadaj2017, Eq. (70)-(77)],
/// [Naudet2005, Eq. (21)].
#include "formulations/kernels/chains/chain_links.hpp"
#include "formulations/parts/sweeps/part_joints.hpp"

namespace mbdbench::part_sweeps {

/// \returns a wrench about O of the inboard link in its axes.
MBDBENCH_KERNEL Wrench<double> inward_of(const PartData<double>& part, int i, const Wrench<double>& w) {
  const LinkRow& row = part.rows[i];
  Wrench<double> r;
  if (is_sphere(row.kind)) {
    const kernels::Matrix3<double>& rotation = part.rotations[row.ordinal];
    const Vector<double> f = turned(rotation, Vector<double>{w.fx, w.fy, w.fz});
    const Vector<double> n = turned(rotation, Vector<double>{w.nx, w.ny, w.nz});
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
MBDBENCH_KERNEL void along_joint(const PartData<double>& part, const LinkRow& row, const Wrench<double>& w,
                                 double* values) {
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
      put_vector(turned_back(constants.axes_b, Vector<double>{w.nx, w.ny, w.nz}), values + row.place);
      if (row.kind == RowKind::free) {
        const Vector<double> f = turned(part.rotations[row.ordinal], Vector<double>{w.fx, w.fy, w.fz});
        put_vector(turned_back(constants.axes_a, f), values + row.place + 3);
      }
      break;
    }
  }
}

MBDBENCH_KERNEL Vector<double> cross(const Vector<double>& a, const Vector<double>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

MBDBENCH_KERNEL void momentum_rate(const PartData<double>& part, const PartMomenta& side, int i,
                                   const Wrench<double>& p, const Wrench<double>& load) {
  const LinkRow& row = part.rows[i];
  const Vector<double> f{p.fx, p.fy, p.fz};
  const Vector<double> turned_f = cross(side.angular[i], f);
  const Vector<double> turned_n = cross(side.angular[i], Vector<double>{p.nx, p.ny, p.nz});
  const Vector<double> moved = cross(side.linear[i], f);
  const Wrench<double> rate{load.fx - turned_f.x,           load.fy - turned_f.y,
                            load.fz - turned_f.z,           load.nx - turned_n.x - moved.x,
                            load.ny - turned_n.y - moved.y, load.nz - turned_n.z - moved.z};
  along_joint(part, row, rate, side.rates);
  int width = 1;
  if (row.kind == RowKind::free) {
    // Its linear directions are fixed in the inboard link.
    const kernels::Matrix3<double>& rotation = part.rotations[row.ordinal];
    const Vector<double> transmitted = turned(rotation, f);
    const Vector<double> applied = turned(rotation, Vector<double>{load.fx, load.fy, load.fz});
    Vector<double> left = applied;
    if (row.inboard >= 0) {
      const Vector<double> turning = cross(side.angular[part.parts[i].source], transmitted);
      left = {applied.x - turning.x, applied.y - turning.y, applied.z - turning.z};
    }
    put_vector(turned_back(part.spherical[row.ordinal].axes_a, left), side.rates + row.place + 3);
    width = 6;
  } else if (row.kind == RowKind::spherical) {
    width = 3;
  }
  for (int k = 0; side.tau != nullptr && k < width; ++k) {
    side.rates[row.place + k] += side.tau[row.u + k];
  }
}

}  // namespace mbdbench::part_sweeps
