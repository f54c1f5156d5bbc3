#pragma once
/// \file
/// Joints of a part while positions are set: elimination of their directions from the articulated inertia, and what
/// columns need to cross them. Inlined everywhere (part_sweeps.hpp says why).
#include <type_traits>

#include "formulations/batches/lane_positions.hpp"
#include "formulations/kernels/screw_rows.hpp"
#include "formulations/parts/part_data.hpp"

namespace mbdbench::part_sweeps {

using namespace kernels;
template <typename T>
using Vector = LinkVector<T>;
template <typename T>
using Wrench = LinkWrench<T>;
template <typename T>
using Inertia = ArticulatedInertia<T>;

/// \returns the pivot, the smallest one of spheres.
template <typename T>
MBDBENCH_KERNEL T eliminate_joint(const PartData<T>& part, int i, Inertia<T>& inertia) {
  const LinkRow& row = part.rows[i];
  const auto& link = constant<T>(part.links[i]);
  const T& c = part.cosines[i];
  const T& s = part.sines[i];
  T pivot = T(1.0);
  switch (row.kind) {
    case RowKind::revolute:
      pivot = inertia.czz;
      part.turns[i] = eliminated_turn(inertia, part.turn_gains[i]);
      inertia = carried_inward(link, c, s, part.turns[i].rest);
      break;
    case RowKind::prismatic: {
      pivot = inertia.azz;
      const SlideInertia<T> left = eliminated_slide(inertia, part.slide_gains[i]);
      part.whole[i] = left.rest;
      part.inverses[i] = left.inverse;
      inertia = carried_inward(link, c, s, part.slides[i], left.rest);
      break;
    }
    case RowKind::screw:
      pivot = eliminate_screw(T(row.pitch), part.screw_gains[i], inertia);
      part.inverses[i] = T(1.0) / pivot;
      part.whole[i] = inertia;
      inertia = carried_inward(link, c, s, part.slides[i], inertia);
      break;
    case RowKind::driven_revolute:
    case RowKind::driven_screw:
    case RowKind::driven_prismatic:
      part.whole[i] = inertia;
      inertia = carried_inward(link, c, s, part.slides[i], inertia);
      break;
    case RowKind::spherical:
    case RowKind::free: {
      const bool free = row.kind == RowKind::free;
      const int k = row.ordinal;
      eliminate_sphere(inertia, free, part.sphere_gains[k], part.spheres[k]);
      pivot = part.spheres[k].turns.smallest_pivot;
      if (free) {
        pivot = smaller(pivot, part.spheres[k].slides.smallest_pivot);
        inertia = no_inertia<T>();
      } else {
        inertia = linear_inertia_about(part.levers[k], turned(part.rotations[k], part.spheres[k].rest));
      }
      break;
    }
  }
  return pivot;
}

/// Gains of three directions that are eliminated one after another, from the factors of all three.
/// \param gain B C^-1 of what stays, or nullptr
template <typename T>
MBDBENCH_KERNEL void describe_three(const Cholesky3<T>& cholesky, const kernels::Matrix3<T>* gain, int first,
                                    EliminatedDirection<T>* directions) {
  const T inverse[3] = {cholesky.inverse1, cholesky.inverse2, cholesky.inverse3};
  for (int i = 0; i < 3; ++i) {
    EliminatedDirection<T>& direction = directions[i];
    direction.component = first + i;
    direction.slide = 0.0;
    for (T& entry : direction.gain) {
      entry = T(0.0);
    }
    direction.gain[first + i] = T(1.0);
    direction.inverse = inverse[i];
  }
  directions[0].gain[first + 1] = cholesky.l21;
  directions[0].gain[first + 2] = cholesky.l31;
  directions[1].gain[first + 2] = cholesky.l32;
  if (gain != nullptr) {
    // G = B C^-1 = X L^-1 with the gains X one after another, so X = G L.
    const T rows[3][3] = {
        {gain->xx, gain->xy, gain->xz}, {gain->yx, gain->yy, gain->yz}, {gain->zx, gain->zy, gain->zz}};
    for (int r = 0; r < 3; ++r) {
      directions[0].gain[r] = rows[r][0] + rows[r][1] * cholesky.l21 + rows[r][2] * cholesky.l31;
      directions[1].gain[r] = rows[r][1] + rows[r][2] * cholesky.l32;
      directions[2].gain[r] = rows[r][2];
    }
  }
}

/// How columns are eliminated.
template <typename T>
MBDBENCH_KERNEL void describe_directions(const PartData<T>& part, int i, PassedJoint<T>& joint) {
  const LinkRow& row = part.rows[i];
  switch (row.kind) {
    case RowKind::revolute: {
      const JointGain<T>& g = part.turn_gains[i];
      joint.directions[0] = {5, 0.0, {g.bx, g.by, g.bz, g.cx, g.cy, T(1.0)}, part.turns[i].inverse};
      break;
    }
    case RowKind::prismatic: {
      const SlideGain<T>& g = part.slide_gains[i];
      joint.directions[0] = {2, 0.0, {g.ax, g.ay, T(1.0), g.bx, g.by, g.bz}, part.inverses[i]};
      break;
    }
    case RowKind::screw: {
      const Wrench<T>& g = part.screw_gains[i];
      joint.directions[0] = {5, row.pitch, {g.fx, g.fy, g.fz, g.nx, g.ny, g.nz}, part.inverses[i]};
      break;
    }
    case RowKind::spherical:
    case RowKind::free: {
      const int k = row.ordinal;
      describe_three<T>(part.spheres[k].turns, &part.sphere_gains[k], 3, joint.directions);
      if (row.kind == RowKind::free) {
        describe_three<T>(part.spheres[k].slides, nullptr, 0, joint.directions + 3);
      }
      break;
    }
    default:
      break;
  }
}

/// How they are carried to the inboard link.
template <typename T>
MBDBENCH_KERNEL void describe_way(const PartData<T>& part, int i, PassedJoint<T>& joint) {
  const LinkRow& row = part.rows[i];
  kernels::Matrix3<T> r{};
  Vector<T> way{};
  if (is_sphere(row.kind)) {
    r = part.rotations[row.ordinal];
    way = part.levers[row.ordinal];
  } else {
    const auto& link = constant<T>(part.links[i]);
    const T& c = part.cosines[i];
    const T& s = part.sines[i];
    r = {c,
         -s,
         T(0.0),
         link.cos_alpha * s,
         link.cos_alpha * c,
         -link.sin_alpha,
         link.sin_alpha * s,
         link.sin_alpha * c,
         link.cos_alpha};
    way = lever(link, part.slides[i]);
  }
  if (part.parts[i].starts) {
    const auto& start = constant<T>(part.starts[i]);
    const Vector<T> x = out_of_start(start, Vector<T>{r.xx, r.yx, r.zx});
    const Vector<T> y = out_of_start(start, Vector<T>{r.xy, r.yy, r.zy});
    const Vector<T> z = out_of_start(start, Vector<T>{r.xz, r.yz, r.zz});
    r = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    way = out_of_start(start, way);
    way.z += start.d;
  }
  T* const to = joint.rotation;
  to[0] = r.xx;
  to[1] = r.xy;
  to[2] = r.xz;
  to[3] = r.yx;
  to[4] = r.yy;
  to[5] = r.yz;
  to[6] = r.zx;
  to[7] = r.zy;
  to[8] = r.zz;
  put_vector(way, joint.way);
}

}  // namespace mbdbench::part_sweeps
