#pragma once
/// \file
/// Rows of a screw in link frames: a turn of one radian about z advances h along z, so that H = [h e_z; e_z].
///
///   U = M H,  D = H^T U,  u = rest - (U / D)^T V',   M' = M - U U^T / D,   V' without the joint's own rate
#include "formulations/kernels/acceleration_rows.hpp"

namespace mbdbench::kernels {

// Structures of packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \param gain receives U / D \param m receives M' \returns D
template <typename T>
MBDBENCH_KERNEL T eliminate_screw(const T& h, LinkWrench<T>& gain, ArticulatedInertia<T>& m) {
  const LinkWrench<T> u{m.bxz + h * m.axz, m.byz + h * m.ayz, m.bzz + h * m.azz,
                        m.cxz + h * m.bzx, m.cyz + h * m.bzy, m.czz + h * m.bzz};
  const T pivot = u.nz + h * u.fz;
  const T inverse = T(1.0) / pivot;
  gain = {u.fx * inverse, u.fy * inverse, u.fz * inverse, u.nx * inverse, u.ny * inverse, u.nz * inverse};
  m.axx -= u.fx * gain.fx;
  m.axy -= u.fx * gain.fy;
  m.axz -= u.fx * gain.fz;
  m.ayy -= u.fy * gain.fy;
  m.ayz -= u.fy * gain.fz;
  m.azz -= u.fz * gain.fz;
  m.bxx -= u.fx * gain.nx;
  m.bxy -= u.fx * gain.ny;
  m.bxz -= u.fx * gain.nz;
  m.byx -= u.fy * gain.nx;
  m.byy -= u.fy * gain.ny;
  m.byz -= u.fy * gain.nz;
  m.bzx -= u.fz * gain.nx;
  m.bzy -= u.fz * gain.ny;
  m.bzz -= u.fz * gain.nz;
  m.cxx -= u.nx * gain.nx;
  m.cxy -= u.nx * gain.ny;
  m.cxz -= u.nx * gain.nz;
  m.cyy -= u.ny * gain.ny;
  m.cyz -= u.ny * gain.nz;
  m.czz -= u.nz * gain.nz;
  return pivot;
}

/// Outward, velocities. \param turning of the inboard link; receives the own one
template <typename T>
MBDBENCH_KERNEL void screw_velocity(const LinkConstants<T>& link, const T& c, const T& s, const T& d, const T& h,
                                    const T& rate, bool massless, Turning<T>& turning, AccelerationRow<T>& row) {
  row.centripetal = rotated_outward(link, c, s, turned_twice(turning, lever(link, d)));
  LinkVector<T> omega = rotated_outward(link, c, s, turning.omega);
  const T twice = (rate + rate) * h;
  row.centripetal.x += twice * omega.y;
  row.centripetal.y -= twice * omega.x;
  row.turned_x = omega.y * rate;
  row.turned_y = -(omega.x * rate);
  omega.z += rate;
  turning = {omega, squared(omega)};
  row.needed = massless ? LinkWrench<T>{T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)} : needed_wrench(link, turning);
}

/// \returns (U / D)^T V.
template <typename T>
MBDBENCH_KERNEL T along_gain(const LinkWrench<T>& gain, const LinkVector<T>& linear, const LinkVector<T>& angular) {
  return gain.fx * linear.x + gain.fy * linear.y + gain.fz * linear.z + gain.nx * angular.x + gain.ny * angular.y +
         gain.nz * angular.z;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
