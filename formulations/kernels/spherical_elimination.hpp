#pragma once
/// \file
/// Elimination of the three turns of a spherical joint, and of all six motions of a free one, from an articulated
/// inertia, in the outboard link's frame.
///
///   C = L D L^T,   G = B C^-1,   A' = A - G B^T:   6 numbers remain, all of them linear
///
/// A free joint leaves nothing: A' = L D L^T gives the linear motion.
#include "formulations/kernels/articulated_inertia.hpp"
#include "formulations/kernels/pack.hpp"

namespace mbdbench::kernels {

// Structures of packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// A rotation, or any 3 x 3 matrix.
template <typename T>
struct Matrix3 {
  T xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

/// A symmetric 3 x 3 matrix.
template <typename T>
struct Symmetric3 {
  T xx, xy, xz, yy, yz, zz;
};

/// \returns R r.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> turned(const Matrix3<T>& m, const LinkVector<T>& r) {
  return {m.xx * r.x + m.xy * r.y + m.xz * r.z, m.yx * r.x + m.yy * r.y + m.yz * r.z,
          m.zx * r.x + m.zy * r.y + m.zz * r.z};
}

/// \returns R^T r.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> turned_back(const Matrix3<T>& m, const LinkVector<T>& r) {
  return {m.xx * r.x + m.yx * r.y + m.zx * r.z, m.xy * r.x + m.yy * r.y + m.zy * r.z,
          m.xz * r.x + m.yz * r.y + m.zz * r.z};
}

/// \returns M r.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> multiplied(const Symmetric3<T>& m, const LinkVector<T>& r) {
  return {m.xx * r.x + m.xy * r.y + m.xz * r.z, m.xy * r.x + m.yy * r.y + m.yz * r.z,
          m.xz * r.x + m.yz * r.y + m.zz * r.z};
}

/// \returns R M R^T.
template <typename T>
MBDBENCH_KERNEL Symmetric3<T> turned(const Matrix3<T>& r, const Symmetric3<T>& m) {
  const LinkVector<T> x = multiplied(m, {r.xx, r.xy, r.xz});
  const LinkVector<T> y = multiplied(m, {r.yx, r.yy, r.yz});
  const LinkVector<T> z = multiplied(m, {r.zx, r.zy, r.zz});
  return {r.xx * x.x + r.xy * x.y + r.xz * x.z, r.yx * x.x + r.yy * x.y + r.yz * x.z,
          r.zx * x.x + r.zy * x.y + r.zz * x.z, r.yx * y.x + r.yy * y.y + r.yz * y.z,
          r.zx * y.x + r.zy * y.y + r.zz * y.z, r.zx * z.x + r.zy * z.y + r.zz * z.z};
}

/// L D L^T with unit lower triangle. The smallest pivot tells whether it may be used.
template <typename T>
struct Cholesky3 {
  T l21, l31, l32;
  T inverse1, inverse2, inverse3;
  T smallest_pivot;
};

template <typename T>
MBDBENCH_KERNEL Cholesky3<T> factorised(const Symmetric3<T>& m) {
  Cholesky3<T> f;
  f.inverse1 = T(1.0) / m.xx;
  f.l21 = m.xy * f.inverse1;
  f.l31 = m.xz * f.inverse1;
  const T d2 = m.yy - f.l21 * m.xy;
  const T t = m.yz - f.l21 * m.xz;
  f.inverse2 = T(1.0) / d2;
  f.l32 = t * f.inverse2;
  const T d3 = m.zz - f.l31 * m.xz - f.l32 * t;
  f.inverse3 = T(1.0) / d3;
  // `smaller` keeps its second argument where one of both is not a number.
  f.smallest_pivot = smaller(m.xx, smaller(d2, d3));
  return f;
}

/// \returns M^-1 r.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> solved(const Cholesky3<T>& f, const LinkVector<T>& r) {
  const T y = r.y - f.l21 * r.x;
  const T z = (r.z - f.l31 * r.x - f.l32 * y) * f.inverse3;
  const T v = y * f.inverse2 - f.l32 * z;
  return {r.x * f.inverse1 - f.l21 * v - f.l31 * z, v, z};
}

/// What the elimination of all turns leaves.
template <typename T>
struct SphericalElimination {
  Symmetric3<T> linear;  ///< A'
  Matrix3<T> gain;       ///< G = B C^-1
  LinkVector<T> rest;    ///< angular rate that loads cause if O_k rests
  LinkVector<T> force;   ///< f + B rest
  T smallest_pivot;
};

/// \param wrench what the links outboard need at rest \param transmitted the joint's own three components
template <typename T>
MBDBENCH_KERNEL SphericalElimination<T> eliminated_turns(const ArticulatedInertia<T>& m, const LinkWrench<T>& wrench,
                                                         const LinkVector<T>& transmitted) {
  const Cholesky3<T> c = factorised(Symmetric3<T>{m.cxx, m.cxy, m.cxz, m.cyy, m.cyz, m.czz});
  const LinkVector<T> x = solved(c, {m.bxx, m.bxy, m.bxz});
  const LinkVector<T> y = solved(c, {m.byx, m.byy, m.byz});
  const LinkVector<T> z = solved(c, {m.bzx, m.bzy, m.bzz});
  SphericalElimination<T> e;
  e.smallest_pivot = c.smallest_pivot;
  e.gain = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
  e.rest = solved(c, {transmitted.x - wrench.nx, transmitted.y - wrench.ny, transmitted.z - wrench.nz});
  e.linear = {m.axx - (x.x * m.bxx + x.y * m.bxy + x.z * m.bxz), m.axy - (y.x * m.bxx + y.y * m.bxy + y.z * m.bxz),
              m.axz - (z.x * m.bxx + z.y * m.bxy + z.z * m.bxz), m.ayy - (y.x * m.byx + y.y * m.byy + y.z * m.byz),
              m.ayz - (z.x * m.byx + z.y * m.byy + z.z * m.byz), m.azz - (z.x * m.bzx + z.y * m.bzy + z.z * m.bzz)};
  e.force = {wrench.fx + m.bxx * e.rest.x + m.bxy * e.rest.y + m.bxz * e.rest.z,
             wrench.fy + m.byx * e.rest.x + m.byy * e.rest.y + m.byz * e.rest.z,
             wrench.fz + m.bzx * e.rest.x + m.bzy * e.rest.y + m.bzz * e.rest.z};
  return e;
}

/// \returns the angular rate for a linear rate of O_k: rest - G^T a.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> angular_rate(const Matrix3<T>& gain, const LinkVector<T>& rest, const LinkVector<T>& a) {
  const LinkVector<T> reaction = turned_back(gain, a);
  return {rest.x - reaction.x, rest.y - reaction.y, rest.z - reaction.z};
}

/// \returns the linear inertia A about a point from which O_k lies at r.
template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> linear_inertia_about(const LinkVector<T>& r, const Symmetric3<T>& a) {
  ArticulatedInertia<T> m;
  m.axx = a.xx;
  m.axy = a.xy;
  m.axz = a.xz;
  m.ayy = a.yy;
  m.ayz = a.yz;
  m.azz = a.zz;
  // B = -A r~, C = r~ B.
  m.bxx = r.y * a.xz - r.z * a.xy;
  m.byx = r.y * a.yz - r.z * a.yy;
  m.bzx = r.y * a.zz - r.z * a.yz;
  m.bxy = r.z * a.xx - r.x * a.xz;
  m.byy = r.z * a.xy - r.x * a.yz;
  m.bzy = r.z * a.xz - r.x * a.zz;
  m.bxz = r.x * a.xy - r.y * a.xx;
  m.byz = r.x * a.yy - r.y * a.xy;
  m.bzz = r.x * a.yz - r.y * a.xz;
  m.cxx = r.y * m.bzx - r.z * m.byx;
  m.cxy = r.y * m.bzy - r.z * m.byy;
  m.cxz = r.y * m.bzz - r.z * m.byz;
  m.cyy = r.z * m.bxy - r.x * m.bzy;
  m.cyz = r.z * m.bxz - r.x * m.bzz;
  m.czz = r.x * m.byz - r.y * m.bxz;
  return m;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
