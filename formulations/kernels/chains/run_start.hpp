#pragma once
/// \file
/// The start of a run of links on its inboard link, T(0, 0, d) Rz(beta) (link_tree.hpp).
#include "formulations/kernels/general_row.hpp"

namespace mbdbench::kernels {

template <typename T>
struct RunStart {
  T cos_beta, sin_beta, d;
};

/// \returns M in the frame of the link where the run starts, about its O.
template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> across_start(const RunStart<T>& start, const ArticulatedInertia<T>& m) {
  const ArticulatedInertia<T> g = turned_about_z(start.cos_beta, start.sin_beta, m);
  const T d = start.d;
  ArticulatedInertia<T> r = g;
  // T(0, 0, d): B' = B - A p~, C' = C + p~ B' + (p~ B)^T with p~ = d [0 -1 0; 1 0 0; 0 0 0].
  r.bxx = g.bxx - d * g.axy;
  r.byx = g.byx - d * g.ayy;
  r.bzx = g.bzx - d * g.ayz;
  r.bxy = g.bxy + d * g.axx;
  r.byy = g.byy + d * g.axy;
  r.bzy = g.bzy + d * g.axz;
  r.cxx = g.cxx - d * (r.byx + g.byx);
  r.cxy = g.cxy - d * r.byy + d * g.bxx;
  r.cyy = g.cyy + d * (r.bxy + g.bxy);
  r.cxz = g.cxz - d * g.byz;
  r.cyz = g.cyz + d * g.bxz;
  return r;
}

/// \returns the vector, given in the frame of the link where the run starts, in the run's start frame.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> into_start(const RunStart<T>& start, const LinkVector<T>& r) {
  return {start.cos_beta * r.x + start.sin_beta * r.y, start.cos_beta * r.y - start.sin_beta * r.x, r.z};
}

/// \returns the vector, given in the run's start frame, in the frame of the link where the run starts.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> out_of_start(const RunStart<T>& start, const LinkVector<T>& r) {
  return {start.cos_beta * r.x - start.sin_beta * r.y, start.sin_beta * r.x + start.cos_beta * r.y, r.z};
}

/// \returns the linear part at the start of the run of a motion (l, r) of the link where it starts, in the start frame.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> moved_into_start(const RunStart<T>& start, const LinkVector<T>& l,
                                               const LinkVector<T>& r) {
  return into_start(start, LinkVector<T>{l.x + r.y * start.d, l.y - r.x * start.d, l.z});
}

/// \returns the wrench in the frame of the link where the run starts, about its O.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> across_start(const RunStart<T>& start, const LinkWrench<T>& w) {
  const LinkVector<T> f = out_of_start(start, {w.fx, w.fy, w.fz});
  const LinkVector<T> n = out_of_start(start, {w.nx, w.ny, w.nz});
  return {f.x, f.y, f.z, n.x - start.d * f.y, n.y + start.d * f.x, n.z};
}

}  // namespace mbdbench::kernels
