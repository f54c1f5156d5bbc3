#pragma once
/// \file
/// Rows beside the lean one of articulated_inertia.hpp: T(px, py, 0) Rx(alpha) Rz(theta) T(0, 0, d) with all 21 numbers
/// of M, a slide along z, and what a prescribed motion needs, which eliminates nothing.
#include "formulations/kernels/articulated_inertia.hpp"

namespace mbdbench::kernels {

// Structures of packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// U / D of a slide along z without its third entry, which is 1.
template <typename T>
struct SlideGain {
  T ax, ay, bx, by, bz;
};

/// \returns O_k in the inboard link's frame, p + Rx(alpha) (0, 0, d).
template <typename T>
MBDBENCH_KERNEL LinkVector<T> lever(const LinkConstants<T>& link, const T& d) {
  return {link.px, link.py - link.sin_alpha * d, link.cos_alpha * d};
}

/// \returns l + omega x r.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> moved_outward(const LinkVector<T>& r, const LinkVector<T>& l,
                                            const LinkVector<T>& omega) {
  return {l.x + omega.y * r.z - omega.z * r.y, l.y + omega.z * r.x - omega.x * r.z,
          l.z + omega.x * r.y - omega.y * r.x};
}

/// Wrench about a point from which its own lies at r: n += r x f.
template <typename T>
MBDBENCH_KERNEL void move_inward(const LinkVector<T>& r, LinkWrench<T>& w) {
  w.nx += r.y * w.fz - r.z * w.fy;
  w.ny += r.z * w.fx - r.x * w.fz;
  w.nz += r.x * w.fy - r.y * w.fx;
}

/// \returns M V.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> multiplied(const ArticulatedInertia<T>& m, const LinkVector<T>& l,
                                         const LinkVector<T>& r) {
  return {m.axx * l.x + m.axy * l.y + m.axz * l.z + m.bxx * r.x + m.bxy * r.y + m.bxz * r.z,
          m.axy * l.x + m.ayy * l.y + m.ayz * l.z + m.byx * r.x + m.byy * r.y + m.byz * r.z,
          m.axz * l.x + m.ayz * l.y + m.azz * l.z + m.bzx * r.x + m.bzy * r.y + m.bzz * r.z,
          m.bxx * l.x + m.byx * l.y + m.bzx * l.z + m.cxx * r.x + m.cxy * r.y + m.cxz * r.z,
          m.bxy * l.x + m.byy * l.y + m.bzy * l.z + m.cxy * r.x + m.cyy * r.y + m.cyz * r.z,
          m.bxz * l.x + m.byz * l.y + m.bzz * l.z + m.cxz * r.x + m.cyz * r.y + m.czz * r.z};
}

/// \returns U / D of the slide along z. \param inverse 1 / D
template <typename T>
MBDBENCH_KERNEL SlideGain<T> slide_gain(const ArticulatedInertia<T>& m, const T& inverse) {
  return {m.axz * inverse, m.ayz * inverse, m.bzx * inverse, m.bzy * inverse, m.bzz * inverse};
}

/// M -= U U^T / D of the slide along z, whose row and column become zero.
template <typename T>
MBDBENCH_KERNEL void project_slide(const SlideGain<T>& g, ArticulatedInertia<T>& m) {
  m.axx -= m.axz * g.ax;
  m.axy -= m.axz * g.ay;
  m.ayy -= m.ayz * g.ay;
  m.bxx -= m.axz * g.bx;
  m.bxy -= m.axz * g.by;
  m.bxz -= m.axz * g.bz;
  m.byx -= m.ayz * g.bx;
  m.byy -= m.ayz * g.by;
  m.byz -= m.ayz * g.bz;
  m.cxx -= m.bzx * g.bx;
  m.cxy -= m.bzx * g.by;
  m.cxz -= m.bzx * g.bz;
  m.cyy -= m.bzy * g.by;
  m.cyz -= m.bzy * g.bz;
  m.czz -= m.bzz * g.bz;
  m.axz = T(0.0);
  m.ayz = T(0.0);
  m.azz = T(0.0);
  m.bzx = T(0.0);
  m.bzy = T(0.0);
  m.bzz = T(0.0);
}

/// \returns R M R^T for R = Rz(angle of (c, s)).
template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> turned_about_z(const T& c, const T& s, const ArticulatedInertia<T>& m) {
  const T c2 = c + c;
  const T ea = s * (m.axx - m.ayy) + c2 * m.axy;
  const T eb = s * (m.bxx - m.byy) + c * (m.bxy + m.byx);
  const T ec = s * (m.cxx - m.cyy) + c2 * m.cxy;
  ArticulatedInertia<T> r;
  r.axx = m.axx - s * ea;
  r.axy = c * ea - m.axy;
  r.ayy = m.ayy + s * ea;
  r.axz = c * m.axz - s * m.ayz;
  r.ayz = s * m.axz + c * m.ayz;
  r.azz = m.azz;
  r.bxx = m.bxx - s * eb;
  r.bxy = c * eb - m.byx;
  r.byx = c * eb - m.bxy;
  r.byy = m.byy + s * eb;
  r.bxz = c * m.bxz - s * m.byz;
  r.byz = s * m.bxz + c * m.byz;
  r.bzx = c * m.bzx - s * m.bzy;
  r.bzy = s * m.bzx + c * m.bzy;
  r.bzz = m.bzz;
  r.cxx = m.cxx - s * ec;
  r.cxy = c * ec - m.cxy;
  r.cyy = m.cyy + s * ec;
  r.cxz = c * m.cxz - s * m.cyz;
  r.cyz = s * m.cxz + c * m.cyz;
  r.czz = m.czz;
  return r;
}

/// \returns R M R^T for R = Rx(angle of (u, v)).
template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> turned_about_x(const T& u, const T& v, const ArticulatedInertia<T>& m) {
  const T u2 = u + u;
  const T ea = v * (m.ayy - m.azz) + u2 * m.ayz;
  const T eb = v * (m.byy - m.bzz) + u * (m.byz + m.bzy);
  const T ec = v * (m.cyy - m.czz) + u2 * m.cyz;
  ArticulatedInertia<T> r;
  r.axx = m.axx;
  r.axy = u * m.axy - v * m.axz;
  r.axz = v * m.axy + u * m.axz;
  r.ayy = m.ayy - v * ea;
  r.ayz = u * ea - m.ayz;
  r.azz = m.azz + v * ea;
  r.bxx = m.bxx;
  r.bxy = u * m.bxy - v * m.bxz;
  r.bxz = v * m.bxy + u * m.bxz;
  r.byx = u * m.byx - v * m.bzx;
  r.bzx = v * m.byx + u * m.bzx;
  r.byy = m.byy - v * eb;
  r.byz = u * eb - m.bzy;
  r.bzy = u * eb - m.byz;
  r.bzz = m.bzz + v * eb;
  r.cxx = m.cxx;
  r.cxy = u * m.cxy - v * m.cxz;
  r.cxz = v * m.cxy + u * m.cxz;
  r.cyy = m.cyy - v * ec;
  r.cyz = u * ec - m.cyz;
  r.czz = m.czz + v * ec;
  return r;
}

/// M about a point from which its own lies at r: B' = B - A r~, C' = C + r~ B' + (r~ B)^T.
template <typename T>
MBDBENCH_KERNEL void move_inward(const LinkVector<T>& r, ArticulatedInertia<T>& m) {
  const ArticulatedInertia<T> o = m;
  m.bxx += r.y * m.axz - r.z * m.axy;
  m.byx += r.y * m.ayz - r.z * m.ayy;
  m.bzx += r.y * m.azz - r.z * m.ayz;
  m.bxy += r.z * m.axx - r.x * m.axz;
  m.byy += r.z * m.axy - r.x * m.ayz;
  m.bzy += r.z * m.axz - r.x * m.azz;
  m.bxz += r.x * m.axy - r.y * m.axx;
  m.byz += r.x * m.ayy - r.y * m.axy;
  m.bzz += r.x * m.ayz - r.y * m.axz;
  m.cxx += r.y * (m.bzx + o.bzx) - r.z * (m.byx + o.byx);
  m.cxy += r.y * m.bzy - r.z * m.byy + r.z * o.bxx - r.x * o.bzx;
  m.cxz += r.y * m.bzz - r.z * m.byz - r.y * o.bxx + r.x * o.byx;
  m.cyy += r.z * (m.bxy + o.bxy) - r.x * (m.bzy + o.bzy);
  m.cyz += r.z * m.bxz - r.x * m.bzz - r.y * o.bxy + r.x * o.byy;
  m.czz += r.x * (m.byz + o.byz) - r.y * (m.bxz + o.bxz);
}

/// \returns M about the inboard O in the inboard link's frame.
template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> carried_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& d,
                                                     const ArticulatedInertia<T>& m) {
  ArticulatedInertia<T> r = turned_about_x(link.cos_alpha, link.sin_alpha, turned_about_z(c, s, m));
  move_inward(lever(link, d), r);
  return r;
}

/// \returns the wrench about the inboard O in the inboard link's frame.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> carried_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& d,
                                             const LinkWrench<T>& w) {
  const LinkVector<T> f = rotated_inward(link, c, s, {w.fx, w.fy, w.fz});
  const LinkVector<T> n = rotated_inward(link, c, s, {w.nx, w.ny, w.nz});
  LinkWrench<T> r{f.x, f.y, f.z, n.x, n.y, n.z};
  move_inward(lever(link, d), r);
  return r;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
