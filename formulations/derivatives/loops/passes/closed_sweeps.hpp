#pragma once
/// \file
/// The passes over a linearised mechanism with loops for one width of registers. Compiled once an instruction set
/// (closed_sweeps_for_sets.cpp), inlined or named by the width for the reason that lane_sweeps.hpp has.
#include "formulations/derivatives/loops/passes/momentum_passes.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// What cut joints do as their two bodies are displaced, a lane an entry of the twelve; and as they are moved.
///
/// D' is linear in the velocities, D' = sum dD/dpsi_k V_k over both bodies, so that with Phi'' = D^T (A_b - A_a) +
/// D'^T (V_b - V_a) and Phi' = D^T (V_b - V_a)
///
///   dPhi''/dV_b = D' + dPhi'/dpsi_b,   dPhi''/dV_a = -D' + dPhi'/dpsi_a,   d(D' sigma)/dV = d(D sigma)/dpsi
template <int W>
struct CutSlopes {
  using T = kernels::Pack<W, W>;
  using N = Sloped<T>;
  using Vector = LinkVector<double>;
  static constexpr int kHalf = LoopCut::kSlopes / 2;

  static void run(const ClosedData& data) {
    for (int c = 0; c < data.cut_count; ++c) {
      LoopCut& cut = data.cuts[c];
      displace(data, cut, false);
      data.momenta ? move_wrench(cut) : move(data, cut);
    }
  }

  static void run_flow(const ClosedData& data) {
    for (int c = 0; c < data.cut_count; ++c) {
      displace(data, data.cuts[c], true);
    }
  }

  // Of a body, not of the ground.
  static MBDBENCH_KERNEL void displace(const ClosedData& data, LoopCut& cut, bool flow) {
    const int last = cut.shape.body_b < 0 ? kHalf / 2 : kHalf;
    for (int first = cut.shape.body_a < 0 ? kHalf / 2 : 0; first < last; first += W) {
      set(data, cut, first, flow);
    }
  }

  static MBDBENCH_KERNEL void move_wrench(LoopCut& cut) {
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < kHalf; ++k) {
        cut.wrench_slopes[i][kHalf + k] = -cut.change_slopes[i][k];
      }
    }
  }

  static MBDBENCH_KERNEL void move(const ClosedData& data, LoopCut& cut) {
    const auto velocity_of = [&](int body) { return body < 0 ? Screw<double>{} : data.bodies[body].velocity; };
    const Screw<double> a = velocity_of(cut.shape.body_a);
    const Screw<double> b = velocity_of(cut.shape.body_b);
    const Screw<double> relative = minus(b, a);
    const Vector turn{0.5 * (a.angular.x + b.angular.x), 0.5 * (a.angular.y + b.angular.y),
                      0.5 * (a.angular.z + b.angular.z)};
    for (int j = 0; j < cut.shape.rows; ++j) {
      Screw<double> moved = cut.motion.rates[j];
      add(cut.motion.rows[j], data.damping, moved);
      Vector turned = none<double>();
      if (cut.shape.share == 0.5) {  // -f . (turn x W), W = v + omega x O_k, of relative velocities
        const Vector f = cut.motion.rows[j].linear;
        const Vector way = plus(relative.linear, cross(relative.angular, cut.motion.point));
        const Vector g = cross(turn, f);
        moved = plus(moved, Screw<double>{g, cross(cut.motion.point, g)});
        add(cross(f, way), 0.5, turned);
      }
      double* const slopes = cut.second_slopes[j] + kHalf;
      put_moved(minus(Screw<double>{none<double>(), turned}, moved), cut.first_slopes[j], slopes);
      put_moved(plus(Screw<double>{none<double>(), turned}, moved), cut.first_slopes[j] + 6, slopes + 6);
    }
  }
  static MBDBENCH_KERNEL void put_moved(const Screw<double>& moved, const double* displaced, double* six) {
    in_place::put(plus(moved, in_place::screw_at(displaced)), six);
  }

  static MBDBENCH_KERNEL N seeded(double value, int entry, int first) {
    double slopes[W] = {};
    if (entry >= first && entry < first + W) {
      slopes[entry - first] = 1.0;
    }
    T pack;
    __builtin_memcpy(&pack, slopes, sizeof slopes);
    return {value, pack};
  }
  static MBDBENCH_KERNEL Screw<N> seeded(const Screw<double>& value, int entry, int first) {
    return {{seeded(value.linear.x, entry, first), seeded(value.linear.y, entry + 1, first),
             seeded(value.linear.z, entry + 2, first)},
            {seeded(value.angular.x, entry + 3, first), seeded(value.angular.y, entry + 4, first),
             seeded(value.angular.z, entry + 5, first)}};
  }
  static MBDBENCH_KERNEL Screw<N> constant(const Screw<double>& value) {
    return {{N(value.linear.x), N(value.linear.y), N(value.linear.z)},
            {N(value.angular.x), N(value.angular.y), N(value.angular.z)}};
  }
  static MBDBENCH_KERNEL EndMotion<N> end_of(const ClosedData& data, int body, int entry, int first,
                                             const Screw<double>& ground) {
    const Screw<double> none{};
    EndMotion<N> end;
    end.displacement = seeded(none, entry, first);
    end.velocity = constant(body < 0 ? none : data.bodies[body].velocity);
    end.acceleration = body < 0 ? ground : data.bodies[body].acceleration;
    return end;
  }
  static MBDBENCH_KERNEL void store(const N& number, int first, double* row) {
    double slopes[W];
    __builtin_memcpy(slopes, &number.slope, sizeof slopes);
    for (int lane = 0; lane < W && first + lane < kHalf; ++lane) {
      row[first + lane] = slopes[lane];
    }
  }

  /// \param rates factors of the rows' rates; nullptr: zero
  template <int kCount>
  static MBDBENCH_KERNEL void store_wrench(const CutMotion<N>& motion, int rows, const double* factors,
                                           const double* rates, int first, double (&slopes)[6][kCount]) {
    Screw<N> sum = no_screw<N>();
    for (int j = 0; j < rows; ++j) {
      add(motion.rows[j], N(factors[j]), sum);
      if (rates != nullptr) {
        add(motion.rates[j], N(-rates[j]), sum);
      }
    }
    const N six[6] = {sum.linear.x, sum.linear.y, sum.linear.z, sum.angular.x, sum.angular.y, sum.angular.z};
    for (int i = 0; i < 6; ++i) {
      store(six[i], first, slopes[i]);
    }
  }

  static void set(const ClosedData& data, LoopCut& cut, int first, bool flow) {
    const EndMotion<N> a = end_of(data, cut.shape.body_a, 0, first, data.ground);
    const EndMotion<N> b = end_of(data, cut.shape.body_b, 6, first, data.ground);
    CutMotion<N> motion;
    set_cut_motion(cut.shape, a, b, motion);
    for (int j = 0; j < cut.shape.rows; ++j) {
      store(motion.first[j] + N(data.feedback) * motion.closure[j], first, cut.first_slopes[j]);
    }
    if (data.drifted) {
      store_wrench(motion, cut.shape.rows, cut.sigma, nullptr, first, cut.change_slopes);
    }
    if (flow) {
      return;
    }
    if (data.momenta) {
      store_wrench(motion, cut.shape.rows, cut.lambda, cut.sigma, first, cut.wrench_slopes);
      return;
    }
    for (int j = 0; j < cut.shape.rows; ++j) {
      store(motion.second[j] + N(data.damping) * motion.first[j] + N(data.stiffness) * motion.closure[j], first,
            cut.second_slopes[j]);
    }
    store_wrench(motion, cut.shape.rows, cut.lambda, nullptr, first, cut.wrench_slopes);
  }
};

template <int W>
ClosedSweeps closed_sweeps() {
  ClosedSweeps result;
  result.width = W;
  result.slope_cuts = [](const ClosedData& data) { CutSlopes<W>::run(data); };
  result.slope_flow = [](const ClosedData& data) { CutSlopes<W>::run_flow(data); };
  result.directions = [](const ClosedData& data, const LoopDirections& directions) {
    using T = kernels::Pack<W, W>;
    data.momenta ? MomentumForward<W, T>::run(data, directions) : LoopForward<W, T>::run(data, directions);
  };
  result.direction = [](const ClosedData& data, const LoopDirections& directions) {
    data.momenta ? MomentumForward<W, double>::run(data, directions) : LoopForward<W, double>::run(data, directions);
  };
  result.weights = [](const ClosedData& data, const LoopWeights& weights) {
    data.momenta ? MomentumBackward<W>::run(data, weights) : LoopBackward<W>::run(data, weights);
  };
  result.change_weights = [](const ClosedData& data, const LoopWeights& weights) {
    LoopBackward<W>::run_changes(data, weights);
  };
  return result;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
