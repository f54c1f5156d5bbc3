#pragma once
/// \file
/// Positions of many states of one tree, a lane a state, and their way between rows of numbers and packs. Inlined
/// everywhere (lane_sweeps.hpp says why).
#include "formulations/batches/lane_data.hpp"
#include "formulations/kernels/constants.hpp"
#include "formulations/kernels/quaternions.hpp"
#include "formulations/kernels/sines.hpp"
#include "formulations/kernels/transpose.hpp"

namespace mbdbench::lane_sweeps {

using namespace kernels;

// Structures of packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <typename T>
MBDBENCH_KERNEL T* packs(double* memory) {
  return reinterpret_cast<T*>(memory);
}

// ---- What became of a lane.

/// Keeps the smallest pivot of every lane; what is not a number stays so.
template <typename T>
struct LaneVerdict {
  T smallest = T(1e300);
  T not_finite = T(0.0);  ///< zero while everything is finite

  MBDBENCH_KERNEL void see_pivot(const T& pivot) {
    smallest = smaller(pivot, smallest);
    not_finite += pivot * T(0.0);
  }
  /// A lane never leaves early (row_sweeps.hpp): what fails is seen at the end.
  MBDBENCH_KERNEL bool stops(int /*row*/, const T& pivot) {
    see_pivot(pivot);
    return false;
  }
  MBDBENCH_KERNEL bool breaks(int /*row*/, const T& /*value*/) { return false; }
  MBDBENCH_KERNEL void see(const T& value) { not_finite += value * T(0.0); }
  /// \returns positive where all is well.
  [[nodiscard]] MBDBENCH_KERNEL T result() const { return smallest + not_finite; }
};

// ---- Positions.

/// Cosines, sines, slides, rotations and levers at the coordinates of the state. Angles that polynomials cannot take
/// make their lane's verdict negative. \tparam C numbers of the constants (RowData)
template <typename T, typename C = double>
MBDBENCH_KERNEL void set_positions(const LaneData& data, LaneVerdict<T>& verdict) {
  const T* const q = packs<T>(data.state);
  T* const cosines = packs<T>(data.cosines);
  T* const sines = packs<T>(data.sines);
  T* const slides = packs<T>(data.slides);
  for (int i = 0; i < data.row_count; ++i) {
    const LinkRow& row = data.rows[i];
    if (is_sphere(row.kind)) {
      const auto& constants = reinterpret_cast<const SphericalAxes<C>*>(data.spherical)[row.ordinal];
      const kernels::Matrix3<T> relative = rotation_of(q[row.q], q[row.q + 1], q[row.q + 2], q[row.q + 3]);
      const kernels::Matrix3<T> axes_a = constant<T>(constants.axes_a);
      LinkVector<T> lever = constant<T>(constants.lever);
      if (row.kind == RowKind::free) {
        const LinkVector<T> way = turned(axes_a, vector_of(q + row.q + 4));
        lever = {lever.x + way.x, lever.y + way.y, lever.z + way.z};
      }
      reinterpret_cast<kernels::Matrix3<T>*>(data.rotations)[row.ordinal] =
          product_transposed(product(axes_a, relative), constant<T>(constants.axes_b));
      reinterpret_cast<LinkVector<T>*>(data.levers)[row.ordinal] = lever;
      continue;
    }
    T angle = T(reinterpret_cast<const C*>(data.angles)[i]);
    T slide = T(reinterpret_cast<const C*>(data.offsets)[i]);
    if (is_slide(row.kind)) {
      slide += q[row.q];
    } else {
      angle += q[row.q];
    }
    if (is_screw(row.kind)) {
      slide += T(row.pitch) * q[row.q];
    }
    const SineCosine<T> both = sine_and_cosine(angle);
    verdict.see_pivot(T(kLargestAngle * kLargestAngle) - angle * angle);
    cosines[i] = both.cosine;
    sines[i] = both.sine;
    slides[i] = slide;
  }
}

/// q' of all rows. \param u quasi-velocities
template <typename T>
MBDBENCH_KERNEL void set_coordinate_rates(const LaneData& data, const T* u) {
  const T* const q = packs<T>(data.state);
  T* const rates = packs<T>(data.rates);
  for (int i = 0; i < data.row_count; ++i) {
    const LinkRow& row = data.rows[i];
    if (is_sphere(row.kind)) {
      quaternion_rate(q + row.q, u + row.u, rates + row.q);
      if (row.kind == RowKind::free) {
        put_vector(vector_of(u + row.u + 3), rates + row.q + 4);
      }
    } else {
      rates[row.q] = u[row.u];
    }
  }
}

/// tau += constant - stiffness q - damping u.
template <typename T>
MBDBENCH_KERNEL void add_forces(const LaneData& data, const T* u, T* torques) {
  const T* const q = packs<T>(data.state);
  for (int f = 0; f < data.force_count; ++f) {
    const LaneForce& force = data.forces[f];
    torques[force.u] += T(force.constant) - T(force.stiffness) * q[force.q] - T(force.damping) * u[force.u];
  }
}

// ---- Rows of numbers and packs.

template <int W>
struct Unaligned {
  using Type [[gnu::vector_size(W * 8), gnu::may_alias, gnu::aligned(8)]] = double;
};

/// \returns where the block of W columns begins that covers those from `first` on: the last one lies over the one
/// before it where rows are no multiple of W.
template <int W>
MBDBENCH_KERNEL int start_of_block(int first, int size) {
  return first + W <= size ? first : size - W;
}

template <int W>
MBDBENCH_KERNEL void gather(const LaneData& data, const double* const* states) {
  using T = Pack<W, W>;
  const int size = data.q_count + data.u_count;
  T* const to = packs<T>(data.state);
  if (size < W) {
    for (int i = 0; i < size; ++i) {
      for (int lane = 0; lane < W; ++lane) {
        data.state[W * i + lane] = states[lane][i];
      }
    }
    return;
  }
  for (int first = 0; first < size; first += W) {
    const int i = start_of_block<W>(first, size);
    T block[W];
    for (int lane = 0; lane < W; ++lane) {
      block[lane].value = *reinterpret_cast<const typename Unaligned<W>::Type*>(states[lane] + i);
    }
    transpose(block);
    for (int k = 0; k < W; ++k) {
      to[i + k] = block[k];
    }
  }
}

template <int W>
MBDBENCH_KERNEL void scatter(const LaneData& data, double* const* rates) {
  using T = Pack<W, W>;
  const int size = data.q_count + data.u_count;
  const T* const from = packs<T>(data.rates);
  if (size < W) {
    for (int i = 0; i < size; ++i) {
      for (int lane = 0; lane < W; ++lane) {
        rates[lane][i] = data.rates[W * i + lane];
      }
    }
    return;
  }
  for (int first = 0; first < size; first += W) {
    const int i = start_of_block<W>(first, size);
    T block[W];
    for (int k = 0; k < W; ++k) {
      block[k] = from[i + k];
    }
    transpose(block);
    for (int lane = 0; lane < W; ++lane) {
      *reinterpret_cast<typename Unaligned<W>::Type*>(rates[lane] + i) = block[lane].value;
    }
  }
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::lane_sweeps
