#pragma once
/// \file
/// Unit wrenches at the distal handle of a sub-chain on their way inward: the columns of X in F = K V + f + X F', and
/// with them v and C of V' = X^T V + v - C F' (chain_links.hpp).
///
/// Row y of a column is what the wrench does about a link's joint; the joint's rule gets - (y / D) F', which is all
/// that the way outward needs, so only y / D is stored.
///
/// Cost for each lane and link: 24 operations a column, 48 for C.
#include "formulations/kernels/chains/chain_links.hpp"
#include "formulations/kernels/unrolled.hpp"

namespace mbdbench::kernels {

/// What the columns leave at a link for the way outward and for C.
template <typename T>
struct ColumnGains {
  T of[6];  ///< y / D of the six columns
};

/// One column passes the joint of a link.
/// \param column wrench about O_k in the link's frame; its nz, which the joint lets through no more, becomes zero
/// \param v receives what the link adds to this column's entry of v
/// \returns y / D
template <typename T>
MBDBENCH_KERNEL T pass_joint(const JointRule<T>& rule, LinkWrench<T>& column, T& v) {
  const T y = column.nz;
  column.fx -= rule.gain.bx * y;
  column.fy -= rule.gain.by * y;
  column.fz -= rule.gain.bz * y;
  column.nx -= rule.gain.cx * y;
  column.ny -= rule.gain.cy * y;
  column.nz = static_cast<T>(0.0);
  v += y * rule.rest;
  return y * rule.inverse;
}

/// \returns the power of a column (nz = 0) on the velocity products of a link: what they add to its entry of v.
template <typename T>
MBDBENCH_KERNEL T power(const LinkWrench<T>& column, const VelocityProduct<T>& a) {
  return column.fx * a.centripetal.x + column.fy * a.centripetal.y + column.fz * a.centripetal.z +
         column.nx * a.turned_x + column.ny * a.turned_y;
}

/// The way of a wrench without moment about z over a link's own placement to the inboard link.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> carried_inward_without_nz(const LinkConstants<T>& link, const T& c, const T& s,
                                                        const LinkWrench<T>& w) {
  const LinkVector<T> f = rotated_inward(link, c, s, {w.fx, w.fy, w.fz});
  const T nx = c * w.nx - s * w.ny;
  const T ny = s * w.nx + c * w.ny;
  return {f.x,
          f.y,
          f.z,
          nx + link.py * f.z,
          link.cos_alpha * ny - link.px * f.z,
          link.sin_alpha * ny + link.px * f.y - link.py * f.x};
}

/// Lower triangle of C by rows: C += y y^T / D.
template <typename T>
struct Compliance {
  T entry[21];
};

template <typename T>
MBDBENCH_KERNEL void add_compliance(const ColumnGains<T>& gains, const T& pivot, Compliance<T>& c) {
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    const T y = gains.of[i] * pivot;
    unrolled<0, i + 1>([&](auto j) MBDBENCH_INLINED { c.entry[i * (i + 1) / 2 + j] += y * gains.of[j]; });
  });
}

}  // namespace mbdbench::kernels
