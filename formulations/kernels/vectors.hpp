#pragma once
/// \file
/// Sums and products of vectors in one frame; one factor may be a single number where the other is a pack.
#include "formulations/kernels/articulated_inertia.hpp"

namespace mbdbench::kernels {

template <typename T>
MBDBENCH_KERNEL LinkVector<T> plus(const LinkVector<T>& a, const LinkVector<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename T>
MBDBENCH_KERNEL LinkVector<T> minus(const LinkVector<T>& a, const LinkVector<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename T>
MBDBENCH_KERNEL LinkVector<T> times(const T& factor, const LinkVector<T>& a) {
  return {factor * a.x, factor * a.y, factor * a.z};
}
/// \returns a x b.
template <typename A, typename T>
MBDBENCH_KERNEL LinkVector<T> cross(const LinkVector<A>& a, const LinkVector<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename A, typename T>
MBDBENCH_KERNEL T dot(const LinkVector<A>& a, const LinkVector<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace mbdbench::kernels
