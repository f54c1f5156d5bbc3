#pragma once
/// \file
/// Products with M_C^-1 and B of eight bodies side by side (dual_twin_nodes.hpp), included by
/// dual_twin_factorisation.hpp and dual_twin_sweeps.hpp. Of a joint that holds a point B is not multiplied out.
#include "formulations/augmented_lagrangian/dual/dual_shapes.hpp"
#include "formulations/augmented_lagrangian/dual/twins/dual_twin_nodes.hpp"

namespace mbdbench::dual_sweeps {

// Packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \returns M_C^-1 w, [linear; angular].
template <typename T>
MBDBENCH_KERNEL void apply_inverse_inertia(const T* inverse, const T* w, T* moved) {
  moved[0] = inverse[0] * w[0];
  moved[1] = inverse[0] * w[1];
  moved[2] = inverse[0] * w[2];
  moved[3] = inverse[1] * w[3] + inverse[2] * w[4] + inverse[3] * w[5];
  moved[4] = inverse[2] * w[3] + inverse[4] * w[4] + inverse[5] * w[5];
  moved[5] = inverse[3] * w[3] + inverse[5] * w[4] + inverse[6] * w[5];
}

template <typename T>
MBDBENCH_KERNEL T product_of_three(const T* a, const T* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Calls put(row, B^T V of it) for the rows of a handle, counted from its first one.
template <typename T, typename Put>
MBDBENCH_KERNEL void for_products(const TwinHandle& handle, const T* v, const Put& put) {
  const T* numbers = packs<T>(handle.numbers);
  if (handle.sign == 0.0) {
    for (int i = 0; i < handle.row_count; ++i, numbers += 6) {
      put(i, product_of_three(numbers, v) + product_of_three(numbers + 3, v + 3));
    }
    return;
  }
  const T sign = static_cast<T>(handle.sign);
  put(0, sign * (v[0] + (v[4] * numbers[2] - v[5] * numbers[1])));
  put(1, sign * (v[1] + (v[5] * numbers[0] - v[3] * numbers[2])));
  put(2, sign * (v[2] + (v[3] * numbers[1] - v[4] * numbers[0])));
  for (int i = 3; i < handle.row_count; ++i) {
    numbers += 3;
    put(i, product_of_three(numbers, v + 3));
  }
}

/// One row of B^T. \param wrench six numbers
template <typename T>
MBDBENCH_KERNEL void take_row(const TwinHandle& handle, int row, T* wrench) {
  const T* const numbers = packs<T>(handle.numbers);
  if (handle.sign == 0.0) {
    kernels::unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { wrench[k] = numbers[6 * row + k]; });
    return;
  }
  kernels::unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { wrench[k] = static_cast<T>(0.0); });
  if (row >= 3) {
    kernels::unrolled<0, 3>([&](auto k) MBDBENCH_INLINED { wrench[3 + k] = numbers[3 * (row - 2) + k]; });
    return;
  }
  const T sign = static_cast<T>(handle.sign);
  const int next = row == 2 ? 0 : row + 1;  // x, y, z in turn
  const int last = row == 0 ? 2 : row - 1;
  wrench[row] = sign;
  wrench[3 + next] = sign * numbers[last];
  wrench[3 + last] = -sign * numbers[next];
}

/// w += B sigma of a handle. \param sigma called with a row as above
template <typename T, typename Sigma>
MBDBENCH_KERNEL void add_wrench(const TwinHandle& handle, const Sigma& sigma, T* w) {
  const T* numbers = packs<T>(handle.numbers);
  if (handle.sign == 0.0) {
    for (int i = 0; i < handle.row_count; ++i, numbers += 6) {
      const T value = sigma(i);
      kernels::unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { w[k] += numbers[k] * value; });
    }
    return;
  }
  const T sign = static_cast<T>(handle.sign);
  const T force[3] = {sign * sigma(0), sign * sigma(1), sign * sigma(2)};
  kernels::unrolled<0, 3>([&](auto k) MBDBENCH_INLINED { w[k] += force[k]; });
  w[3] += numbers[1] * force[2] - numbers[2] * force[1];
  w[4] += numbers[2] * force[0] - numbers[0] * force[2];
  w[5] += numbers[0] * force[1] - numbers[1] * force[0];
  for (int i = 3; i < handle.row_count; ++i) {
    numbers += 3;
    const T value = sigma(i);
    kernels::unrolled<0, 3>([&](auto k) MBDBENCH_INLINED { w[3 + k] += numbers[k] * value; });
  }
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
