#pragma once
/// \file
/// Symmetric articulated inertias in 21 numbers and their way over a revolute joint about z, in link frames.
///
///   M = [A B; B^T C],  A 3 x 3 linear (symmetric), B 3 x 3 coupling, C 3 x 3 angular (symmetric), about O_k
///
/// Plain numbers, so that along a chain the compiler keeps them out of memory. What the joint's own direction has been
/// removed from has zeros in row and column 6 of M: 15 numbers. Rotations of symmetric 2 x 2 blocks
/// [p r; r t] by the angle of (c, s) need no double angle: with e = s (p - t) + 2 c r they are [p - s e, c e - r; ., t
/// + s e]. T is double, long double, or a pack with one sub-chain a lane.
#include "formulations/kernels/qualifiers.hpp"

namespace mbdbench::kernels {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Constants of one link in its own frame, whose z axis is its inboard joint's. O_k of the inboard link's frame lies at
/// T(px, py, 0) Rx(alpha) Rz(q_k + constant) (link_tree.hpp).
template <typename T>
struct LinkConstants {
  T px, py;  ///< O_k in the frame of the inboard link
  T cos_alpha, sin_alpha;
  T mass;
  T hx, hy, hz;                    ///< first moment m (C - O_k)
  T jxx, jxy, jxz, jyy, jyz, jzz;  ///< inertia about O_k
  T outboard_mass;                 ///< of this link and all links outboard of it
};

/// M about O_k in the link's frame.
template <typename T>
struct ArticulatedInertia {
  T axx, axy, axz, ayy, ayz, azz;
  T bxx, bxy, bxz, byx, byy, byz, bzx, bzy, bzz;
  T cxx, cxy, cxz, cyy, cyz, czz;
};

/// M - U U^T / D with U the column and D the diagonal entry of the joint's own rotation.
template <typename T>
struct ProjectedInertia {
  T axx, axy, axz, ayy, ayz, azz;
  T bxx, bxy, byx, byy, bzx, bzy;
  T cxx, cxy, cyy;
};

/// U / D without its last entry, which is 1.
template <typename T>
struct JointGain {
  T bx, by, bz, cx, cy;
};

/// Wrench or momentum [f; n] about O_k in the link's frame.
template <typename T>
struct LinkWrench {
  T fx, fy, fz, nx, ny, nz;
};

/// A vector in a link's frame.
template <typename T>
struct LinkVector {
  T x, y, z;
};

template <typename T>
MBDBENCH_KERNEL LinkVector<T> vector_of(const T* three) {
  return {three[0], three[1], three[2]};
}

template <typename T>
MBDBENCH_KERNEL void put_vector(const LinkVector<T>& r, T* three) {
  three[0] = r.x;
  three[1] = r.y;
  three[2] = r.z;
}

/// \returns the vector, given in the outboard link's frame, in the inboard one's: Rx(alpha) Rz(angle of (c, s)) r.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> rotated_inward(const LinkConstants<T>& link, const T& c, const T& s,
                                             const LinkVector<T>& r) {
  const T x = c * r.x - s * r.y;
  const T y = s * r.x + c * r.y;
  return {x, link.cos_alpha * y - link.sin_alpha * r.z, link.sin_alpha * y + link.cos_alpha * r.z};
}

/// \returns the vector, given in the inboard link's frame, in the outboard one's.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> rotated_outward(const LinkConstants<T>& link, const T& c, const T& s,
                                              const LinkVector<T>& r) {
  const T y = link.cos_alpha * r.y + link.sin_alpha * r.z;
  return {c * r.x + s * y, c * y - s * r.x, link.cos_alpha * r.z - link.sin_alpha * r.y};
}

/// \returns l + r x p for p = (px, py, 0): the linear part at O_k of a motion (l, r) at the inboard O.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> moved_outward(const LinkConstants<T>& link, const LinkVector<T>& l,
                                            const LinkVector<T>& r) {
  return {l.x - r.z * link.py, l.y + r.z * link.px, l.z + r.x * link.py - r.y * link.px};
}

/// M += the rigid link's own inertia.
template <typename T>
MBDBENCH_KERNEL void add_rigid(const LinkConstants<T>& link, ArticulatedInertia<T>& m) {
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
template <typename T>
MBDBENCH_KERNEL void add_inertia(const ArticulatedInertia<T>& other, ArticulatedInertia<T>& m) {
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
template <typename T>
MBDBENCH_KERNEL void add_wrench(const LinkWrench<T>& other, LinkWrench<T>& f) {
  f.fx += other.fx;
  f.fy += other.fy;
  f.fz += other.fz;
  f.nx += other.nx;
  f.ny += other.ny;
  f.nz += other.nz;
}

/// f -= other.
template <typename T>
MBDBENCH_KERNEL void subtract_wrench(const LinkWrench<T>& other, LinkWrench<T>& f) {
  f.fx -= other.fx;
  f.fy -= other.fy;
  f.fz -= other.fz;
  f.nx -= other.nx;
  f.ny -= other.ny;
  f.nz -= other.nz;
}

/// \returns U / D. \param inverse 1 / D
template <typename T>
MBDBENCH_KERNEL JointGain<T> joint_gain(const ArticulatedInertia<T>& m, const T& inverse) {
  return {m.bxz * inverse, m.byz * inverse, m.bzz * inverse, m.cxz * inverse, m.cyz * inverse};
}

/// \returns M - U U^T / D.
template <typename T>
MBDBENCH_KERNEL ProjectedInertia<T> projected(const ArticulatedInertia<T>& m, const JointGain<T>& g) {
  return {m.axx - m.bxz * g.bx, m.axy - m.bxz * g.by, m.axz - m.bxz * g.bz, m.ayy - m.byz * g.by, m.ayz - m.byz * g.bz,
          m.azz - m.bzz * g.bz, m.bxx - m.bxz * g.cx, m.bxy - m.bxz * g.cy, m.byx - m.byz * g.cx, m.byy - m.byz * g.cy,
          m.bzx - m.bzz * g.cx, m.bzy - m.bzz * g.cy, m.cxx - m.cxz * g.cx, m.cxy - m.cxz * g.cy, m.cyy - m.cyz * g.cy};
}

/// \returns the wrench about the inboard O in the inboard link's frame.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> carried_inward(const LinkConstants<T>& link, const T& c, const T& s,
                                             const LinkWrench<T>& w) {
  const LinkVector<T> f = rotated_inward(link, c, s, {w.fx, w.fy, w.fz});
  const LinkVector<T> n = rotated_inward(link, c, s, {w.nx, w.ny, w.nz});
  return {f.x, f.y, f.z, n.x + link.py * f.z, n.y - link.px * f.z, n.z + link.px * f.y - link.py * f.x};
}

/// \returns S R M R^T S^T: the projected inertia about the inboard O in the inboard link's frame.
template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> carried_inward(const LinkConstants<T>& link, const T& c, const T& s,
                                                     const ProjectedInertia<T>& m) {
  // Rz, the x-y blocks.
  const T c2 = c + c;
  const T ea = s * (m.axx - m.ayy) + c2 * m.axy;
  const T axx = m.axx - s * ea;
  const T axy = c * ea - m.axy;
  const T ayy = m.ayy + s * ea;
  const T axz = c * m.axz - s * m.ayz;
  const T ayz = s * m.axz + c * m.ayz;
  const T eb = s * (m.bxx - m.byy) + c * (m.bxy + m.byx);
  const T bxx = m.bxx - s * eb;
  const T bxy = c * eb - m.byx;
  const T byx = c * eb - m.bxy;
  const T byy = m.byy + s * eb;
  const T bzx = c * m.bzx - s * m.bzy;
  const T bzy = s * m.bzx + c * m.bzy;
  const T ec = s * (m.cxx - m.cyy) + c2 * m.cxy;
  const T cxx = m.cxx - s * ec;
  const T cxy = c * ec - m.cxy;
  const T cyy = m.cyy + s * ec;
  // Rx, the y-z blocks; column z of B and of C is zero before.
  const T u = link.cos_alpha;
  const T v = link.sin_alpha;
  ArticulatedInertia<T> r;
  const T fa = v * (ayy - m.azz) + (u + u) * ayz;
  r.axx = axx;
  r.axy = u * axy - v * axz;
  r.axz = v * axy + u * axz;
  r.ayy = ayy - v * fa;
  r.ayz = u * fa - ayz;
  r.azz = m.azz + v * fa;
  const T fb = v * byy + u * bzy;
  const T& gxx = bxx;
  const T gxy = u * bxy;
  const T gxz = v * bxy;
  const T gyx = u * byx - v * bzx;
  const T gyy = byy - v * fb;
  const T gyz = u * fb - bzy;
  const T gzx = v * byx + u * bzx;
  const T gzy = u * fb;
  const T gzz = v * fb;
  const T vc = v * cyy;
  // T(px, py, 0): B' = B - A p~, C' = C + p~ B' + (p~ B)^T.
  const T px = link.px;
  const T py = link.py;
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

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
