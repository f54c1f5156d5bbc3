#pragma once
/// \file
/// A pack of N doubles: N systems, sub-chains or nodes that go through the same arithmetic side by side, one a lane.
///
/// Compiler vectors behind one small type, not a library: packs of 8 must be made of registers of 8, 4 or 2 doubles in
/// the same program, depending on the instruction set that a file is compiled for, with the same interface and with
/// distinct types (or the linker would mix them). std::experimental::simd does not compile with Clang 14, and xsimd
/// packages one width an instruction set; GCC and Clang both translate arithmetic of vector_size types well as long as
/// they have the width of a register, which `W` sees to.
#include <cstdint>

#include "formulations/kernels/qualifiers.hpp"

namespace mbdbench::kernels {

/// A register of W doubles.
template <int W>
struct Register {
  using Type [[gnu::vector_size(W * 8)]] = double;
  using Bits [[gnu::vector_size(W * 8)]] = std::int64_t;
};
template <>
struct Register<1> {
  using Type = double;
  using Bits = std::int64_t;
};

/// N doubles in N / W registers. No constructor but the broadcast: uninitialised like a double.
template <int N, int W>
struct Pack {
  static_assert(N % W == 0, "a pack fills its registers");
  using Part = typename Register<W>::Type;
  static constexpr int kLanes = N;
  static constexpr int kParts = N / W;
  Part part[kParts];

  Pack() = default;
  MBDBENCH_KERNEL Pack(double value) {  // NOLINT(google-explicit-constructor): numbers mix with packs in formulas
    for (int i = 0; i < kParts; ++i) {
      part[i] = Part{} + value;
    }
  }
  MBDBENCH_KERNEL Pack& operator+=(const Pack& other) {
    for (int i = 0; i < kParts; ++i) {
      part[i] += other.part[i];
    }
    return *this;
  }
  MBDBENCH_KERNEL Pack& operator-=(const Pack& other) {
    for (int i = 0; i < kParts; ++i) {
      part[i] -= other.part[i];
    }
    return *this;
  }
  friend MBDBENCH_KERNEL Pack operator+(Pack a, const Pack& b) { return a += b; }
  friend MBDBENCH_KERNEL Pack operator-(Pack a, const Pack& b) { return a -= b; }
  friend MBDBENCH_KERNEL Pack operator-(Pack a) {
    for (int i = 0; i < kParts; ++i) {
      a.part[i] = -a.part[i];
    }
    return a;
  }
  friend MBDBENCH_KERNEL Pack operator*(Pack a, const Pack& b) {
    for (int i = 0; i < kParts; ++i) {
      a.part[i] *= b.part[i];
    }
    return a;
  }
  friend MBDBENCH_KERNEL Pack operator/(Pack a, const Pack& b) {
    for (int i = 0; i < kParts; ++i) {
      a.part[i] /= b.part[i];
    }
    return a;
  }
};

/// \returns the smaller of two, lane by lane; b where a is not a number.
template <int N, int W>
MBDBENCH_KERNEL Pack<N, W> smaller(Pack<N, W> a, const Pack<N, W>& b) {
  for (int i = 0; i < Pack<N, W>::kParts; ++i) {
    a.part[i] = a.part[i] < b.part[i] ? a.part[i] : b.part[i];
  }
  return a;
}
MBDBENCH_KERNEL double smaller(double a, double b) {
  return a < b ? a : b;
}
MBDBENCH_KERNEL long double smaller(long double a, long double b) {
  return a < b ? a : b;
}

/// What a kernel needs to know of its number type.
template <typename T>
struct Lanes {
  static constexpr int kCount = 1;
};
template <int N, int W>
struct Lanes<Pack<N, W>> {
  static constexpr int kCount = N;
};

}  // namespace mbdbench::kernels
