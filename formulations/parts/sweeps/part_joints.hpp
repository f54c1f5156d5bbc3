#pragma once
/// \file
/// Joints of a part while positions are set: elimination of their directions from the articulated inertia, and what
/// columns need to cross them. Inlined everywhere (part_sweeps.hpp says why).
#include "formulations/kernels/screw_rows.hpp"
#include "formulations/parts/part_data.hpp"

namespace mbdbench::part_sweeps {

using namespace kernels;
using Vector = LinkVector<double>;
using Wrench = LinkWrench<double>;
using Inertia = ArticulatedInertia<double>;

inline constexpr Wrench kNoWrench{0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
inline constexpr Vector kNoVector{0.0, 0.0, 0.0};

MBDBENCH_KERNEL bool is_sphere(RowKind kind) {
  return kind == RowKind::spherical || kind == RowKind::free;
}

MBDBENCH_KERNEL bool eliminate_joint(const PartData& part, int i, Inertia& inertia) {
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
    case RowKind::driven_screw:
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
MBDBENCH_KERNEL void describe_three(const Cholesky3<double>& cholesky, const kernels::Matrix3<double>* gain, int first,
                                    EliminatedDirection* directions) {
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

MBDBENCH_KERNEL void describe(const PartData& part, int i, PassedJoint& joint) {
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

}  // namespace mbdbench::part_sweeps
