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
  using Type [[gnu::vector_size(W * 8), gnu::may_alias]] = double;  // arrays of doubles are read as packs
  using Bits [[gnu::vector_size(W * 8)]] = std::int64_t;
};

/// N doubles in registers of W: two halves each of which is a pack. Members instead of an array, which GCC would keep
/// in memory. No constructor but the broadcast: uninitialised like a double.
template <int N, int W>
struct Pack {
  using Half = Pack<N / 2, W>;
  Half low, high;

  Pack() = default;
  MBDBENCH_KERNEL Pack(double value) : low(value), high(value) {}  // implicit: numbers mix with packs in formulas
  MBDBENCH_KERNEL Pack(const Half& l, const Half& h) : low(l), high(h) {}
  // Half by half: GCC copies a structure of two registers in pieces of 16 bytes, and whoever loads it waits for them.
  MBDBENCH_KERNEL Pack(const Pack& other) : low(other.low), high(other.high) {}
  MBDBENCH_KERNEL Pack& operator=(const Pack& other) {
    low = other.low;
    high = other.high;
    return *this;
  }
  MBDBENCH_KERNEL Pack& operator+=(const Pack& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  MBDBENCH_KERNEL Pack& operator-=(const Pack& other) {
    low -= other.low;
    high -= other.high;
    return *this;
  }
  friend MBDBENCH_KERNEL Pack operator+(const Pack& a, const Pack& b) { return {a.low + b.low, a.high + b.high}; }
  friend MBDBENCH_KERNEL Pack operator-(const Pack& a, const Pack& b) { return {a.low - b.low, a.high - b.high}; }
  friend MBDBENCH_KERNEL Pack operator-(const Pack& a) { return {-a.low, -a.high}; }
  friend MBDBENCH_KERNEL Pack operator*(const Pack& a, const Pack& b) { return {a.low * b.low, a.high * b.high}; }
  friend MBDBENCH_KERNEL Pack operator/(const Pack& a, const Pack& b) { return {a.low / b.low, a.high / b.high}; }
  /// \returns the smaller of two, lane by lane; b where a is not a number.
  friend MBDBENCH_KERNEL Pack smaller(const Pack& a, const Pack& b) {
    return {smaller(a.low, b.low), smaller(a.high, b.high)};
  }
};

/// One register.
template <int W>
struct Pack<W, W> {
  using Type = typename Register<W>::Type;
  Type value;

  Pack() = default;
  MBDBENCH_KERNEL Pack(double number) : value(number - Type{}) {}
  MBDBENCH_KERNEL Pack& operator+=(const Pack& other) {
    value += other.value;
    return *this;
  }
  MBDBENCH_KERNEL Pack& operator-=(const Pack& other) {
    value -= other.value;
    return *this;
  }
  friend MBDBENCH_KERNEL Pack operator+(Pack a, const Pack& b) { return a += b; }
  friend MBDBENCH_KERNEL Pack operator-(Pack a, const Pack& b) { return a -= b; }
  friend MBDBENCH_KERNEL Pack operator-(Pack a) {
    a.value = -a.value;
    return a;
  }
  friend MBDBENCH_KERNEL Pack operator*(Pack a, const Pack& b) {
    a.value *= b.value;
    return a;
  }
  friend MBDBENCH_KERNEL Pack operator/(Pack a, const Pack& b) {
    a.value /= b.value;
    return a;
  }
  friend MBDBENCH_KERNEL Pack smaller(Pack a, const Pack& b) {
    a.value = a.value < b.value ? a.value : b.value;
    return a;
  }
};

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
