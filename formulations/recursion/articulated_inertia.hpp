#pragma once
/// \file
/// Symmetric articulated inertias in 21 numbers and their way over a revolute joint about z, in link frames.
///
///   M = [A B; B^T C],  A 3 x 3 linear (symmetric), B 3 x 3 coupling, C 3 x 3 angular (symmetric), about O_k
///
/// Plain numbers, so that along a chain the compiler keeps them out of memory. What the joint's own direction has been
/// removed from has zeros in row and column 6 of M: 15 numbers. Rotations of symmetric 2 x 2 blocks
/// [p r; r t] by the angle of (c, s) need no double angle: with e = s (p - t) + 2 c r they are [p - s e, c e - r; ., t
/// + s e].
#include "formulations/recursion/revolute_tree.hpp"

namespace mbdbench {

/// M about O_k in the link's frame.
struct ArticulatedInertia {
  double axx = 0.0, axy = 0.0, axz = 0.0, ayy = 0.0, ayz = 0.0, azz = 0.0;
  double bxx = 0.0, bxy = 0.0, bxz = 0.0, byx = 0.0, byy = 0.0, byz = 0.0, bzx = 0.0, bzy = 0.0, bzz = 0.0;
  double cxx = 0.0, cxy = 0.0, cxz = 0.0, cyy = 0.0, cyz = 0.0, czz = 0.0;
};

/// M - U U^T / D with U the column and D the diagonal entry of the joint's own rotation.
struct ProjectedInertia {
  double axx, axy, axz, ayy, ayz, azz;
  double bxx, bxy, byx, byy, bzx, bzy;
  double cxx, cxy, cyy;
};

/// U / D without its last entry, which is 1.
struct JointGain {
  double bx, by, bz, cx, cy;
};

/// Wrench or momentum [f; n] about O_k in the link's frame.
struct LinkWrench {
  double fx = 0.0, fy = 0.0, fz = 0.0, nx = 0.0, ny = 0.0, nz = 0.0;
};

/// A vector in a link's frame.
struct LinkVector {
  double x = 0.0, y = 0.0, z = 0.0;
};

/// \returns the vector, given in the outboard link's frame, in the inboard one's: Rx(alpha) Rz(angle of (c, s)) r.
[[gnu::always_inline]] inline LinkVector rotated_inward(const RevoluteLink& link, double c, double s,
                                                        const LinkVector& r) {
  const double x = c * r.x - s * r.y;
  const double y = s * r.x + c * r.y;
  return {x, link.cos_alpha * y - link.sin_alpha * r.z, link.sin_alpha * y + link.cos_alpha * r.z};
}

/// \returns the vector, given in the inboard link's frame, in the outboard one's.
[[gnu::always_inline]] inline LinkVector rotated_outward(const RevoluteLink& link, double c, double s,
                                                         const LinkVector& r) {
  const double y = link.cos_alpha * r.y + link.sin_alpha * r.z;
  return {c * r.x + s * y, c * y - s * r.x, link.cos_alpha * r.z - link.sin_alpha * r.y};
}

/// \returns l + r x p for p = (px, py, 0): the linear part at O_k of a motion (l, r) at the inboard O.
[[gnu::always_inline]] inline LinkVector moved_outward(const RevoluteLink& link, const LinkVector& l,
                                                       const LinkVector& r) {
  return {l.x - r.z * link.py, l.y + r.z * link.px, l.z + r.x * link.py - r.y * link.px};
}

/// M += the rigid link's own inertia.
[[gnu::always_inline]] inline void add_rigid(const RevoluteLink& link, ArticulatedInertia& m) {
  m.axx += link.mass;
  m.ayy += link.mass;
  m.azz += link.mass;
  m.bxy += link.hz;
  m.bxz -= link.hy;
  m.byx -= link.hz;
  m.byz += link.hx;
  m.bzx += link.hy;
  m.bzy -= link.hx;
  m.cxx += link.jxx;
  m.cxy += link.jxy;
  m.cxz += link.jxz;
  m.cyy += link.jyy;
  m.cyz += link.jyz;
  m.czz += link.jzz;
}

/// M += other.
inline void add_inertia(const ArticulatedInertia& other, ArticulatedInertia& m) {
  m.axx += other.axx;
  m.axy += other.axy;
  m.axz += other.axz;
  m.ayy += other.ayy;
  m.ayz += other.ayz;
  m.azz += other.azz;
  m.bxx += other.bxx;
  m.bxy += other.bxy;
  m.bxz += other.bxz;
  m.byx += other.byx;
  m.byy += other.byy;
  m.byz += other.byz;
  m.bzx += other.bzx;
  m.bzy += other.bzy;
  m.bzz += other.bzz;
  m.cxx += other.cxx;
  m.cxy += other.cxy;
  m.cxz += other.cxz;
  m.cyy += other.cyy;
  m.cyz += other.cyz;
  m.czz += other.czz;
}

/// f += other.
inline void add_wrench(const LinkWrench& other, LinkWrench& f) {
  f.fx += other.fx;
  f.fy += other.fy;
  f.fz += other.fz;
  f.nx += other.nx;
  f.ny += other.ny;
  f.nz += other.nz;
}

/// \returns U / D. \param inverse 1 / D
[[gnu::always_inline]] inline JointGain joint_gain(const ArticulatedInertia& m, double inverse) {
  return {m.bxz * inverse, m.byz * inverse, m.bzz * inverse, m.cxz * inverse, m.cyz * inverse};
}

/// \returns M - U U^T / D.
[[gnu::always_inline]] inline ProjectedInertia projected(const ArticulatedInertia& m, const JointGain& g) {
  return {m.axx - m.bxz * g.bx, m.axy - m.bxz * g.by, m.axz - m.bxz * g.bz, m.ayy - m.byz * g.by, m.ayz - m.byz * g.bz,
          m.azz - m.bzz * g.bz, m.bxx - m.bxz * g.cx, m.bxy - m.bxz * g.cy, m.byx - m.byz * g.cx, m.byy - m.byz * g.cy,
          m.bzx - m.bzz * g.cx, m.bzy - m.bzz * g.cy, m.cxx - m.cxz * g.cx, m.cxy - m.cxz * g.cy, m.cyy - m.cyz * g.cy};
}

/// \returns the wrench about the inboard O in the inboard link's frame.
[[gnu::always_inline]] inline LinkWrench carried_inward(const RevoluteLink& link, double c, double s,
                                                        const LinkWrench& w) {
  const LinkVector f = rotated_inward(link, c, s, {w.fx, w.fy, w.fz});
  const LinkVector n = rotated_inward(link, c, s, {w.nx, w.ny, w.nz});
  return {f.x, f.y, f.z, n.x + link.py * f.z, n.y - link.px * f.z, n.z + link.px * f.y - link.py * f.x};
}

/// \returns S R M R^T S^T: the projected inertia about the inboard O in the inboard link's frame.
[[gnu::always_inline]] inline ArticulatedInertia carried_inward(const RevoluteLink& link, double c, double s,
                                                                const ProjectedInertia& m) {
  // Rz, the x-y blocks.
  const double c2 = c + c;
  const double ea = s * (m.axx - m.ayy) + c2 * m.axy;
  const double axx = m.axx - s * ea;
  const double axy = c * ea - m.axy;
  const double ayy = m.ayy + s * ea;
  const double axz = c * m.axz - s * m.ayz;
  const double ayz = s * m.axz + c * m.ayz;
  const double eb = s * (m.bxx - m.byy) + c * (m.bxy + m.byx);
  const double bxx = m.bxx - s * eb;
  const double bxy = c * eb - m.byx;
  const double byx = c * eb - m.bxy;
  const double byy = m.byy + s * eb;
  const double bzx = c * m.bzx - s * m.bzy;
  const double bzy = s * m.bzx + c * m.bzy;
  const double ec = s * (m.cxx - m.cyy) + c2 * m.cxy;
  const double cxx = m.cxx - s * ec;
  const double cxy = c * ec - m.cxy;
  const double cyy = m.cyy + s * ec;
  // Rx, the y-z blocks; column z of B and of C is zero before.
  const double u = link.cos_alpha;
  const double v = link.sin_alpha;
  ArticulatedInertia r;
  const double fa = v * (ayy - m.azz) + (u + u) * ayz;
  r.axx = axx;
  r.axy = u * axy - v * axz;
  r.axz = v * axy + u * axz;
  r.ayy = ayy - v * fa;
  r.ayz = u * fa - ayz;
  r.azz = m.azz + v * fa;
  const double fb = v * byy + u * bzy;
  const double gxx = bxx;
  const double gxy = u * bxy;
  const double gxz = v * bxy;
  const double gyx = u * byx - v * bzx;
  const double gyy = byy - v * fb;
  const double gyz = u * fb - bzy;
  const double gzx = v * byx + u * bzx;
  const double gzy = u * fb;
  const double gzz = v * fb;
  const double vc = v * cyy;
  // T(px, py, 0): B' = B - A p~, C' = C + p~ B' + (p~ B)^T.
  const double px = link.px;
  const double py = link.py;
  r.bxx = gxx + py * r.axz;
  r.byx = gyx + py * r.ayz;
  r.bzx = gzx + py * r.azz;
  r.bxy = gxy - px * r.axz;
  r.byy = gyy - px * r.ayz;
  r.bzy = gzy - px * r.azz;
  r.bxz = gxz - py * r.axx + px * r.axy;
  r.byz = gyz - py * r.axy + px * r.ayy;
  r.bzz = gzz - py * r.axz + px * r.ayz;
  r.cxx = cxx + py * (r.bzx + gzx);
  r.cxy = u * cxy + py * r.bzy - px * gzx;
  r.cyy = cyy - v * vc - px * (r.bzy + gzy);
  r.cxz = v * cxy + py * r.bzz - py * gxx + px * gyx;
  r.cyz = u * vc - px * r.bzz - py * gxy + px * gyy;
  r.czz = v * vc + px * (r.byz + gyz) - py * (r.bxz + gxz);
  return r;
}

/// The start of a run on its inboard link, T(0, 0, d) Rz(beta), inward: from the run's start frame to the link's.
ArticulatedInertia across_start(const RevoluteRun& run, const ArticulatedInertia& m);
LinkWrench across_start(const RevoluteRun& run, const LinkWrench& w);

/// \returns the vector, given in the frame of the link where the run starts, in the run's start frame.
inline LinkVector into_start(const RevoluteRun& run, const LinkVector& r) {
  return {run.cos_beta * r.x + run.sin_beta * r.y, run.cos_beta * r.y - run.sin_beta * r.x, r.z};
}

/// \returns the vector, given in the run's start frame, in the frame of the link where the run starts.
inline LinkVector out_of_start(const RevoluteRun& run, const LinkVector& r) {
  return {run.cos_beta * r.x - run.sin_beta * r.y, run.sin_beta * r.x + run.cos_beta * r.y, r.z};
}

}  // namespace mbdbench
