#pragma once
/// \file
/// Rotations of spherical and free joints from their quaternions, and rates of these.
#include "formulations/kernels/spherical_elimination.hpp"

namespace mbdbench::kernels {

/// \returns A B.
template <typename T>
MBDBENCH_KERNEL Matrix3<T> product(const Matrix3<T>& a, const Matrix3<T>& b) {
  return {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
          a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
          a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
          a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
          a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}

/// \returns A B^T.
template <typename T>
MBDBENCH_KERNEL Matrix3<T> product_transposed(const Matrix3<T>& a, const Matrix3<T>& b) {
  return product(a, Matrix3<T>{b.xx, b.yx, b.zx, b.xy, b.yy, b.zy, b.xz, b.yz, b.zz});
}

/// \returns the rotation of a quaternion of any non-zero length.
template <typename T>
MBDBENCH_KERNEL Matrix3<T> rotation_of(const T& w, const T& x, const T& y, const T& z) {
  const T one = T(1.0);
  const T scale = T(2.0) / (w * w + x * x + y * y + z * z);
  return {one - scale * (y * y + z * z), scale * (x * y - w * z),       scale * (x * z + w * y),
          scale * (x * y + w * z),       one - scale * (x * x + z * z), scale * (y * z - w * x),
          scale * (x * z - w * y),       scale * (y * z + w * x),       one - scale * (x * x + y * y)};
}

/// The rate of a quaternion, e o (0, omega) / 2 for omega in the outboard body's axes.
/// \param q, rates four numbers \param u three
template <typename T>
MBDBENCH_KERNEL void quaternion_rate(const T* q, const T* u, T* rates) {
  const T half = T(0.5);
  rates[0] = half * (T(0.0) - q[1] * u[0] - q[2] * u[1] - q[3] * u[2]);
  rates[1] = half * (q[0] * u[0] + q[2] * u[2] - q[3] * u[1]);
  rates[2] = half * (q[0] * u[1] + q[3] * u[0] - q[1] * u[2]);
  rates[3] = half * (q[0] * u[2] + q[1] * u[1] - q[2] * u[0]);
}

}  // namespace mbdbench::kernels
