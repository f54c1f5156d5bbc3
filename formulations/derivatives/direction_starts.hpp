#pragma once
/// \file
/// Where directions of the state start, a lane a direction.
#include "formulations/batches/lane_positions.hpp"
#include "formulations/derivatives/displacements.hpp"
#include "formulations/kernels/transpose.hpp"

namespace mbdbench::linear {

using lane_sweeps::packs;

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \returns 1 in lanes where the numbers are the same, else 0.
template <int W>
MBDBENCH_KERNEL kernels::Pack<W, W> where_equal(kernels::Pack<W, W> a, const kernels::Pack<W, W>& b) {
  const kernels::Pack<W, W> one(1.0);
  const kernels::Pack<W, W> zero(0.0);
  a.value = a.value == b.value ? one.value : zero.value;
  return a;
}
template <int N, int W>
MBDBENCH_KERNEL kernels::Pack<N, W> where_equal(const kernels::Pack<N, W>& a, const kernels::Pack<N, W>& b) {
  return {where_equal(a.low, b.low), where_equal(a.high, b.high)};
}

/// The numbers of one register of directions. \tparam W doubles a register
template <int W>
struct DirectionStarts {
  using T = kernels::Pack<W, W>;
  using O = LaneOffsets;
  using Directions = const LinearDirection* [W];
  static constexpr int kLine = 8;

  /// \param line of each direction \param skipped lines before it \param numbers receives it, a lane a direction
  static MBDBENCH_KERNEL void take(const Directions& directions, const double* LinearDirection::*line, int skipped,
                                   T (&numbers)[kLine]) {
    kernels::unrolled<0, kLine / W>([&](auto part) MBDBENCH_INLINED {
      constexpr int kFirst = W * part;
      T square[W];
      kernels::unrolled<0, W>([&](auto lane) MBDBENCH_INLINED {
        square[lane] = *reinterpret_cast<const T*>(directions[lane]->*line + kLine * skipped + kFirst);
      });
      kernels::transpose(square);
      kernels::unrolled<0, W>([&](auto k) MBDBENCH_INLINED { numbers[kFirst + k] = square[k]; });
    });
  }

  static MBDBENCH_KERNEL Screw<T> screw_of(const T (&n)[kLine]) { return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}}; }

  static MBDBENCH_KERNEL Screw<T> screw(const Directions& directions, const double* LinearDirection::*line) {
    T n[kLine];
    take(directions, line, 0, n);
    return screw_of(n);
  }

  /// \returns S.
  static MBDBENCH_KERNEL Screw<T> axis(const Directions& directions) {
    T n[kLine];
    take(directions, &LinearDirection::axis_line, 0, n);
    return {{n[0] * n[3], n[1] * n[3], n[2] * n[3]}, {n[0] * n[4], n[1] * n[4], n[2] * n[4]}};
  }

  static MBDBENCH_KERNEL DisplacedBody<T> body(const Directions& directions, bool turns) {
    T a[kLine];
    T b[kLine];
    take(directions, &LinearDirection::composite, 0, a);
    take(directions, &LinearDirection::composite, 1, b);
    DisplacedBody<T> result;
    result.mass = a[0];
    result.moment = {a[1], a[2], a[3]};
    result.inertia = {a[4], a[5], a[6], a[7], b[0], b[1]};
    if (turns) {
      T c[kLine];
      take(directions, &LinearDirection::composite, 2, c);
      result.momentum = {b[2], b[3], b[4]};
      result.turning = {b[5], b[6], b[7], c[0], c[1], c[2], c[3], c[4], c[5]};
    }
    return result;
  }

  /// \param moved whether one of them is a coordinate
  static MBDBENCH_KERNEL Displacement<T> displaced(const LinearData& data, const Directions& directions, bool moved) {
    const Screw<T> s = axis(directions);
    if (data.momenta) {
      return displacement_of_momenta(s, screw(directions, &LinearDirection::velocity),
                                     screw(directions, &LinearDirection::total), body(directions, false), data.gravity);
    }
    const Screw<T> first = screw(directions, &LinearDirection::first);
    if (!moved) {
      return change_of_velocity(s, first, body(directions, true));
    }
    T velocity[kLine];
    take(directions, &LinearDirection::velocity, 0, velocity);
    return displacement(s, first, screw_of(velocity), velocity[6], screw(directions, &LinearDirection::total),
                        body(directions, true));
  }

  /// \returns the component in a lane: the last one often, where there are fewer than lanes.
  static MBDBENCH_KERNEL int component(const LinearData& data, int column, int lane) {
    const int last = data.q_count + data.axis_count - 1;
    return column + lane < last ? column + lane : last;
  }

  /// \param column the first component \param block where its packs stand \param step how far apart, in registers
  static MBDBENCH_KERNEL void set(const LinearData& data, int column, T* block, int step) {
    Directions directions;
    for (int lane = 0; lane < W; ++lane) {
      directions[lane] = data.directions + component(data, column, lane);
    }
    const bool moved = column < data.q_count;
    const auto put = [&](int offset, const LinkVector<T>& r) MBDBENCH_INLINED {
      block[step * offset] = r.x;
      block[step * (offset + 1)] = r.y;
      block[step * (offset + 2)] = r.z;
    };
    if (data.momenta && !moved) {  // nothing moves by a momentum alone
      for (int k = 0; k < O::kNode; k += 3) {
        put(k, none<T>());
      }
      return;
    }
    const Displacement<T> d = displaced(data, directions, moved);
    put(O::kMotion, d.motion.linear);
    put(O::kMotion + 3, d.motion.angular);
    put(O::kTurn, d.turn);
    put(O::kWrench, d.wrench.linear);
    put(O::kWrench + 3, d.wrench.angular);
    if (data.momenta) {
      put(O::kMoment, d.moment);
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
