#pragma once
/// \file
/// Structures that are copied number by number: GCC puts one together on the stack, and wide loads that copy it wait
/// for every store.
#include "formulations/kernels/spherical_elimination.hpp"

namespace mbdbench::kernels {

template <typename T>
MBDBENCH_KERNEL void put(const LinkVector<T>& from, LinkVector<T>& to) {
  to.x = from.x;
  to.y = from.y;
  to.z = from.z;
}
template <typename T>
MBDBENCH_KERNEL void put(const Cholesky3<T>& from, Cholesky3<T>& to) {
  to.l21 = from.l21;
  to.l31 = from.l31;
  to.l32 = from.l32;
  to.inverse1 = from.inverse1;
  to.inverse2 = from.inverse2;
  to.inverse3 = from.inverse3;
  to.smallest_pivot = from.smallest_pivot;
}
template <typename T>
MBDBENCH_KERNEL void put(const Symmetric3<T>& from, Symmetric3<T>& to) {
  to.xx = from.xx;
  to.xy = from.xy;
  to.xz = from.xz;
  to.yy = from.yy;
  to.yz = from.yz;
  to.zz = from.zz;
}
template <typename T>
MBDBENCH_KERNEL void put(const Matrix3<T>& from, Matrix3<T>& to) {
  to.xx = from.xx;
  to.xy = from.xy;
  to.xz = from.xz;
  to.yx = from.yx;
  to.yy = from.yy;
  to.yz = from.yz;
  to.zx = from.zx;
  to.zy = from.zy;
  to.zz = from.zz;
}

}  // namespace mbdbench::kernels
