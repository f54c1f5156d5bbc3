#pragma once
/// \file
/// Sines and cosines of many rows, and the smallest number of a pack.
#include "formulations/kernels/sines.hpp"

namespace mbdbench::kernels {

/// \returns the smaller of two; what is not a number counts as the smallest of all, whichever of the two it is.
MBDBENCH_KERNEL double smaller_or_nan(double a, double b) {
  return b >= a || a != a ? a : b;
}

/// \returns the smallest lane; one that is not a number counts as the smallest.
template <typename T>
MBDBENCH_KERNEL double smallest_lane(const T& value) {
  if constexpr (Lanes<T>::kCount == 1) {
    return static_cast<double>(value);
  } else {
    double lanes[Lanes<T>::kCount];
    __builtin_memcpy(lanes, &value, sizeof(lanes));
    double smallest = lanes[0];
    for (int i = 1; i < Lanes<T>::kCount; ++i) {
      smallest = smaller_or_nan(smallest, lanes[i]);
    }
    return smallest;
  }
}

/// angles += offsets, and the turns by them. \returns whether all are moderate (kLargestAngle); otherwise sines and
/// cosines are left to the caller
template <typename T>
MBDBENCH_KERNEL bool set_all_turns(int count, const T* offsets, T* angles, SineCosine<T>* turns) {
  T smallest = T(0.0);
  for (int i = 0; i < count; ++i) {
    const T angle = angles[i] + offsets[i];
    angles[i] = angle;
    turns[i] = sine_and_cosine(angle);
    smallest = smaller(T(0.0) - angle * angle, smallest);
  }
  return smallest_lane(smallest) > -(kLargestAngle * kLargestAngle);
}

}  // namespace mbdbench::kernels
