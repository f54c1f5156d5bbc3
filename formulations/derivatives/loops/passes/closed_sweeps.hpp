#pragma once
/// \file
/// The passes over a linearised mechanism with loops for one width of registers. Compiled once an instruction set
/// (closed_sweeps_for_sets.cpp), inlined or named by the width for the reason that lane_sweeps.hpp has.
#include "formulations/derivatives/loops/passes/momentum_passes.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// What cut joints do as their two bodies are displaced and moved, a lane an entry of the twenty-four.
template <int W>
struct CutSlopes {
  using T = kernels::Pack<W, W>;
  using N = Sloped<T>;

  static void run(const ClosedData& data) {
    for (int c = 0; c < data.cut_count; ++c) {
      for (int first = 0; first < LoopCut::kSlopes; first += W) {
        set(data, data.cuts[c], first, false);
      }
    }
  }

  static void run_flow(const ClosedData& data) {
    for (int c = 0; c < data.cut_count; ++c) {
      for (int first = 0; first < LoopCut::kSlopes / 2; first += W) {
        set(data, data.cuts[c], first, true);
      }
    }
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
  static MBDBENCH_KERNEL EndMotion<N> end_of(const ClosedData& data, int body, int entry, int first,
                                             const Screw<double>& ground) {
    const Screw<double> none{};
    EndMotion<N> end;
    end.displacement = seeded(none, entry, first);
    end.velocity = seeded(body < 0 ? none : data.bodies[body].velocity, LoopCut::kSlopes / 2 + entry, first);
    end.acceleration = body < 0 ? ground : data.bodies[body].acceleration;
    return end;
  }
  static MBDBENCH_KERNEL void store(const N& number, int first, double* row, int limit) {
    double slopes[W];
    __builtin_memcpy(slopes, &number.slope, sizeof slopes);
    for (int lane = 0; lane < W && first + lane < limit; ++lane) {
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
      store(six[i], first, slopes[i], kCount);
    }
  }

  static void set(const ClosedData& data, LoopCut& cut, int first, bool flow) {
    const EndMotion<N> a = end_of(data, cut.shape.body_a, 0, first, data.ground);
    const EndMotion<N> b = end_of(data, cut.shape.body_b, 6, first, data.ground);
    CutMotion<N> motion;
    set_cut_motion(cut.shape, a, b, motion);
    const bool displaces = first < LoopCut::kSlopes / 2;
    for (int j = 0; displaces && j < cut.shape.rows; ++j) {
      const N pulled = motion.first[j] + N(data.feedback) * motion.closure[j];
      store(pulled, first, cut.first_slopes[j], LoopCut::kSlopes / 2);
    }
    if (displaces) {
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
      const N wanted = motion.second[j] + N(data.damping) * motion.first[j] + N(data.stiffness) * motion.closure[j];
      store(wanted, first, cut.second_slopes[j], LoopCut::kSlopes);
    }
    if (displaces) {
      store_wrench(motion, cut.shape.rows, cut.lambda, nullptr, first, cut.wrench_slopes);
    }
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
