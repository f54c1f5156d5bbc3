#pragma once
/// \file
/// A number with its derivative along one direction: kernels over such numbers give both at once, exact to rounding.
#include "formulations/kernels/sines.hpp"

namespace mbdbench::kernels {

// Numbers start uninitialised, as everywhere in kernels.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init,google-explicit-constructor,hicpp-explicit-conversions)

/// \tparam W doubles a register of the instruction set: functions over these numbers have it in their name
/// (lane_sweeps.hpp says why)
template <int W>
struct Dual {
  double value;
  double slope;

  Dual() = default;
  MBDBENCH_KERNEL Dual(double constant) : value(constant), slope(0.0) {}
  MBDBENCH_KERNEL Dual(double v, double s) : value(v), slope(s) {}

  MBDBENCH_KERNEL Dual& operator+=(const Dual& other) {
    value += other.value;
    slope += other.slope;
    return *this;
  }
  MBDBENCH_KERNEL Dual& operator-=(const Dual& other) {
    value -= other.value;
    slope -= other.slope;
    return *this;
  }
  friend MBDBENCH_KERNEL Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend MBDBENCH_KERNEL Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend MBDBENCH_KERNEL Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend MBDBENCH_KERNEL Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.slope + b.value * a.slope};
  }
  friend MBDBENCH_KERNEL Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  friend MBDBENCH_KERNEL Dual smaller(const Dual& a, const Dual& b) { return a.value < b.value ? a : b; }
  friend MBDBENCH_KERNEL SineCosine<Dual> sine_and_cosine(const Dual& angle) {
    const SineCosine<double> both = kernels::sine_and_cosine(angle.value);
    return {{both.sine, both.cosine * angle.slope}, {both.cosine, -both.sine * angle.slope}};
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init,google-explicit-constructor,hicpp-explicit-conversions)

}  // namespace mbdbench::kernels
