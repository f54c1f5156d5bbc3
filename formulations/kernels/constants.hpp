#pragma once
/// \file
/// Constants of a tree where sweeps have one state (T = double), a state a lane (T = a pack), or a tree a lane (their
/// constants are packs too), and zeros of T.
#include <type_traits>

#include "formulations/kernels/chains/run_start.hpp"
#include "formulations/kernels/spherical_elimination.hpp"

namespace mbdbench::kernels {

template <typename T>
MBDBENCH_KERNEL LinkVector<T> in_lanes(const LinkVector<double>& r) {
  return {T(r.x), T(r.y), T(r.z)};
}

template <typename T>
MBDBENCH_KERNEL LinkConstants<T> in_lanes(const LinkConstants<double>& link) {
  return {T(link.px),  T(link.py),  T(link.cos_alpha), T(link.sin_alpha), T(link.mass),
          T(link.hx),  T(link.hy),  T(link.hz),        T(link.jxx),       T(link.jxy),
          T(link.jxz), T(link.jyy), T(link.jyz),       T(link.jzz),       T(link.outboard_mass)};
}

template <typename T>
MBDBENCH_KERNEL RunStart<T> in_lanes(const RunStart<double>& start) {
  return {T(start.cos_beta), T(start.sin_beta), T(start.d)};
}

template <typename T>
MBDBENCH_KERNEL Matrix3<T> in_lanes(const Matrix3<double>& m) {
  return {T(m.xx), T(m.xy), T(m.xz), T(m.yx), T(m.yy), T(m.yz), T(m.zx), T(m.zy), T(m.zz)};
}

/// The numbers N of a structure S<N> of constants.
template <typename Constant>
struct NumbersOf;
template <template <typename> typename Structure, typename Number>
struct NumbersOf<Structure<Number>> {
  using Type = Number;
};

/// \returns a constant as sweeps over numbers T use it: itself where it has such numbers, else the same in all lanes.
template <typename T, typename Constant>
MBDBENCH_KERNEL decltype(auto) constant(const Constant& value) {
  if constexpr (std::is_same_v<T, typename NumbersOf<Constant>::Type>) {
    return (value);
  } else {
    return in_lanes<T>(value);
  }
}

template <typename T>
MBDBENCH_KERNEL LinkVector<T> no_vector() {
  return {T(0.0), T(0.0), T(0.0)};
}

template <typename T>
MBDBENCH_KERNEL LinkWrench<T> no_wrench() {
  return {T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)};
}

template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> no_inertia() {
  const T zero = T(0.0);
  return {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
          zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
}

}  // namespace mbdbench::kernels
