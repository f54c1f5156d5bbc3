#pragma once
/// \file
/// Positions of many states of one tree, a lane a state, and their way between rows of numbers and packs. Inlined
/// everywhere (lane_sweeps.hpp says why).
#include "formulations/batches/lane_data.hpp"
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

template <typename T>
MBDBENCH_KERNEL LinkVector<T> vector_of(const T* three) {
  return {three[0], three[1], three[2]};
}

template <typename T>
MBDBENCH_KERNEL void put_vector(const LinkVector<T>& r, T* three) {
  three[0] = r.x;
  three[1] = r.y;
  three[2] = r.z;
}

/// \returns whether the row turns about all axes, and so stands among the spheres.
MBDBENCH_KERNEL bool is_ball(const LinkRow& row) {
  return row.kind == RowKind::spherical || row.kind == RowKind::free;
}

// ---- Constants, which all lanes share.

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
MBDBENCH_KERNEL kernels::Matrix3<T> in_lanes(const kernels::Matrix3<double>& m) {
  return {T(m.xx), T(m.xy), T(m.xz), T(m.yx), T(m.yy), T(m.yz), T(m.zx), T(m.zy), T(m.zz)};
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
  MBDBENCH_KERNEL void see(const T& value) { not_finite += value * T(0.0); }
  /// \returns positive where all is well.
  [[nodiscard]] MBDBENCH_KERNEL T result() const { return smallest + not_finite; }
};

// ---- Positions.

/// Cosines, sines, slides, rotations and levers at the coordinates of the state. Angles that polynomials cannot take
/// make their lane's verdict negative.
template <typename T>
MBDBENCH_KERNEL void set_positions(const LaneData& data, LaneVerdict<T>& verdict) {
  const T* const q = packs<T>(data.state);
  T* const turns = packs<T>(data.turns);
  for (int i = 0; i < data.row_count; ++i) {
    const LinkRow& row = data.rows[i];
    if (is_ball(row)) {
      const SphericalConstants& constants = data.spherical[row.ordinal];
      const kernels::Matrix3<T> relative = rotation_of(q[row.q], q[row.q + 1], q[row.q + 2], q[row.q + 3]);
      const kernels::Matrix3<T> axes_a = in_lanes<T>(constants.axes_a);
      const kernels::Matrix3<T> rotation = product_transposed(product(axes_a, relative), in_lanes<T>(constants.axes_b));
      LinkVector<T> lever = in_lanes<T>(constants.lever);
      if (row.kind == RowKind::free) {
        const LinkVector<T> way = turned(axes_a, vector_of(q + row.q + 4));
        lever = {lever.x + way.x, lever.y + way.y, lever.z + way.z};
      }
      T* const sphere = packs<T>(data.spheres) + 12 * row.ordinal;
      sphere[0] = rotation.xx;
      sphere[1] = rotation.xy;
      sphere[2] = rotation.xz;
      sphere[3] = rotation.yx;
      sphere[4] = rotation.yy;
      sphere[5] = rotation.yz;
      sphere[6] = rotation.zx;
      sphere[7] = rotation.zy;
      sphere[8] = rotation.zz;
      put_vector(lever, sphere + 9);
      continue;
    }
    T angle = T(data.angles[i]);
    T slide = T(data.offsets[i]);
    if (row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic) {
      slide += q[row.q];
    } else {
      angle += q[row.q];
    }
    const SineCosine<T> both = sine_and_cosine(angle);
    verdict.see_pivot(T(kLargestAngle * kLargestAngle) - angle * angle);
    turns[3 * i] = both.cosine;
    turns[3 * i + 1] = both.sine;
    turns[3 * i + 2] = slide;
  }
}

template <typename T>
MBDBENCH_KERNEL kernels::Matrix3<T> rotation_at(const LaneData& data, int ordinal) {
  const T* const r = packs<T>(data.spheres) + 12 * ordinal;
  return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
}

template <typename T>
MBDBENCH_KERNEL LinkVector<T> lever_at(const LaneData& data, int ordinal) {
  return vector_of(packs<T>(data.spheres) + 12 * ordinal + 9);
}

/// q' of all rows. \param u quasi-velocities
template <typename T>
MBDBENCH_KERNEL void set_coordinate_rates(const LaneData& data, const T* u) {
  const T* const q = packs<T>(data.state);
  T* const rates = packs<T>(data.rates);
  for (int i = 0; i < data.row_count; ++i) {
    const LinkRow& row = data.rows[i];
    if (is_ball(row)) {
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

template <int W>
MBDBENCH_KERNEL void gather(const LaneData& data, const double* const* states) {
  using T = Pack<W, W>;
  const int size = data.q_count + data.u_count;
  T* const to = packs<T>(data.state);
  int i = 0;
  for (; i + W <= size; i += W) {
    T block[W];
    for (int lane = 0; lane < W; ++lane) {
      block[lane].value = *reinterpret_cast<const typename Unaligned<W>::Type*>(states[lane] + i);
    }
    transpose(block);
    for (int k = 0; k < W; ++k) {
      to[i + k] = block[k];
    }
  }
  for (; i < size; ++i) {
    for (int lane = 0; lane < W; ++lane) {
      data.state[W * i + lane] = states[lane][i];
    }
  }
}

template <int W>
MBDBENCH_KERNEL void scatter(const LaneData& data, double* const* rates) {
  using T = Pack<W, W>;
  const int size = data.q_count + data.u_count;
  const T* const from = packs<T>(data.rates);
  int i = 0;
  for (; i + W <= size; i += W) {
    T block[W];
    for (int k = 0; k < W; ++k) {
      block[k] = from[i + k];
    }
    transpose(block);
    for (int lane = 0; lane < W; ++lane) {
      *reinterpret_cast<typename Unaligned<W>::Type*>(rates[lane] + i) = block[lane].value;
    }
  }
  for (; i < size; ++i) {
    for (int lane = 0; lane < W; ++lane) {
      rates[lane][i] = data.rates[W * i + lane];
    }
  }
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::lane_sweeps
