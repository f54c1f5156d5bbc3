#pragma once
/// \file
/// Directions and weights through the momenta of a linearised mechanism with loops (closed_data.hpp has the equations).
/// O(n) a pass.
#include "formulations/derivatives/loops/passes/loop_weights.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Parameters as of LoopForward.
template <int W, typename T>
struct MomentumForward {
  using L = LoopLanes;
  using Forward = LoopForward<W, T>;
  static constexpr int kLoad = L::kForce, kMomentum = L::kChangeForce;

  static void run(const ClosedData& data, const LoopDirections& directions) {
    for (int i = 0; i < data.body_count; ++i) {
      move(data, directions, i);
    }
    for (int c = 0; c < data.cut_count; ++c) {
      close(data, directions, data.cuts[c]);
    }
    if (directions.forces != nullptr) {
      Forward::load_bodies(data, directions);
    }
    for (int i = data.body_count; i-- > 0;) {
      collect(data, directions, i);
    }
    if (directions.forces != nullptr) {
      Forward::load_axes(data, directions, 1.0);
    }
  }

  static MBDBENCH_KERNEL void move(const ClosedData& data, const LoopDirections& directions, int i) {
    Forward::displace(data, directions, i);
    const LoopBody& body = data.bodies[i];
    T* const own = Forward::lanes_of(data, i);
    const Screw<T> displacement = in_place::screw_at(own + L::kDisplacement);
    // In axes that move with the body: d X - psi x X.
    const Screw<T> velocity =
        plus(in_place::screw_at(own + L::kVelocity), motions_crossed(body.velocity, displacement));
    in_place::put(minus(inertia_times(body.inertia, velocity), crossed_wrench(body.momentum, displacement)),
                  own + kMomentum);
    if (directions.forces != nullptr) {
      const Screw<T> load = inertia_times(body.inertia, motions_crossed(body.acceleration, displacement));
      in_place::put(minus(load, crossed_wrench(body.force, displacement)), own + kLoad);
    }
  }

  static MBDBENCH_KERNEL void close(const ClosedData& data, const LoopDirections& directions, const LoopCut& cut) {
    T moves[LoopCut::kSlopes];
    Forward::put_moves(data, cut.shape.body_a, cut.shape.body_b, moves);
    const Screw<T> moved = minus(in_place::screw_at(moves + 18), in_place::screw_at(moves + 12));
    T* const firsts = Forward::packs_at(directions.firsts) + cut.first_row;
    for (int j = 0; j < cut.shape.rows; ++j) {
      T first = dot(cut.motion.rows[j], moved);
      for (int k = 0; k < LoopCut::kSlopes / 2; ++k) {
        first += T(cut.first_slopes[j][k]) * moves[k];
      }
      firsts[j] = first;
    }
    Forward::template push<LoopCut::kSlopes / 2>(data, cut.shape.body_a, cut.shape.body_b, cut.change_slopes, moves,
                                                 kMomentum);
    if (directions.forces != nullptr) {
      Forward::template push<LoopCut::kSlopes>(data, cut.shape.body_a, cut.shape.body_b, cut.wrench_slopes, moves,
                                               kLoad);
    }
    if (directions.multipliers == nullptr) {
      return;
    }
    const T* const multipliers = Forward::packs_at(directions.multipliers) + cut.first_row;
    Screw<T> impulse = no_screw<T>();
    Screw<T> rate = no_screw<T>();
    for (int j = 0; j < cut.shape.rows; ++j) {
      add(cut.motion.rows[j], multipliers[j], impulse);
      add(cut.motion.rates[j], multipliers[j], rate);
    }
    push_on(data, cut.shape.body_a, impulse, rate);
    push_on(data, cut.shape.body_b, minus(no_screw<T>(), impulse), minus(no_screw<T>(), rate));
  }

  static MBDBENCH_KERNEL void push_on(const ClosedData& data, int body, const Screw<T>& impulse, const Screw<T>& rate) {
    if (body >= 0) {
      T* const own = Forward::lanes_of(data, body);
      in_place::put(plus(in_place::screw_at(own + kMomentum), impulse), own + kMomentum);
      in_place::put(minus(in_place::screw_at(own + kLoad), rate), own + kLoad);
    }
  }

  static MBDBENCH_KERNEL void collect(const ClosedData& data, const LoopDirections& directions, int i) {
    const LoopBody& body = data.bodies[i];
    const T* const own = Forward::lanes_of(data, i);
    const Screw<T> load = directions.forces != nullptr ? in_place::screw_at(own + kLoad) : no_screw<T>();
    const Screw<T> momentum = in_place::screw_at(own + kMomentum);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      const LoopAxis& axis = data.axes[k];
      const Screw<T> change = in_place::screw_at(Forward::packs_at(data.axis_lanes) + 6L * k);
      Forward::packs_at(directions.change_forces)[k] = dot(axis.motion, momentum) + dot(body.change_carried, change);
      if (directions.forces == nullptr) {
        continue;
      }
      Forward::packs_at(directions.forces)[k] =
          dot(axis.rate, momentum) + dot(body.change_carried, Forward::axis_rate(data, k)) - dot(axis.motion, load) -
          dot(body.carried, change) - T(axis.stiffness) * Forward::packs_at(directions.turns)[k] -
          T(axis.damping) * Forward::packs_at(directions.pushes)[k];
    }
    if (body.inboard >= 0) {
      T* const inner = Forward::lanes_of(data, body.inboard);
      if (directions.forces != nullptr) {
        in_place::put(plus(in_place::screw_at(inner + kLoad), load), inner + kLoad);
      }
      in_place::put(plus(in_place::screw_at(inner + kMomentum), momentum), inner + kMomentum);
    }
  }
};

/// Weights y of -p', the other way:
///
///   Y_b = Y_a + sum S_k y_k,   X_b = X_a - sum S'_k y_k
///   -y . p' = sum X_b . I V_b - Y_b . I g - (X_b - X_a) . D sigma - (Y_b - Y_a) . (D mu - D' sigma) - y . tau
template <int W>
struct MomentumBackward {
  using Back = LoopBackward<W>;
  using Forward = LoopForward<W, double>;
  using Pair = Screw<double>;
  static constexpr int kRateWeight = 24;  // X

  static void run(const ClosedData& data, const LoopWeights& weights) {
    for (int i = 0; i < data.body_count; ++i) {
      start(data, weights, i);
    }
    for (int c = 0; c < data.cut_count; ++c) {
      close(data, weights, data.cuts[c]);
    }
    Back::weigh_loads(data, weights);
    for (int i = data.body_count; i-- > 0;) {
      collect(data, weights, i);
    }
  }

  static MBDBENCH_KERNEL void start(const ClosedData& data, const LoopWeights& weights, int i) {
    const LoopBody& body = data.bodies[i];
    const Pair y = Back::carried_weight(data, weights.forces, i);
    Pair x = Back::at(data, body.inboard, kRateWeight);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      add(data.axes[k].rate, -weights.forces[k], x);
    }
    double* const own = Forward::lanes_of(data, i);
    in_place::put(x, own + kRateWeight);
    const Pair by_velocity = inertia_times(body.inertia, x);
    in_place::put(by_velocity, own + Back::kByVelocity);
    const Pair of_momentum = plus(wrench_crossed(x, body.momentum), wrench_crossed(body.velocity, by_velocity));
    const Pair of_weight =
        plus(wrench_crossed(y, body.force), wrench_crossed(body.acceleration, inertia_times(body.inertia, y)));
    in_place::put(minus(no_screw<double>(), plus(of_momentum, of_weight)), own + Back::kByDisplacement);
  }

  static MBDBENCH_KERNEL void close(const ClosedData& data, const LoopWeights& weights, const LoopCut& cut) {
    double slopes[LoopCut::kSlopes] = {};
    Back::template take_wrench<LoopCut::kSlopes / 2>(data, cut.shape.body_a, cut.shape.body_b, cut.change_slopes,
                                                     kRateWeight, slopes);
    Back::template take_wrench<LoopCut::kSlopes>(data, cut.shape.body_a, cut.shape.body_b, cut.wrench_slopes,
                                                 Back::kWeight, slopes);
    Back::put_slopes(data, cut.shape.body_a, cut.shape.body_b, slopes, Back::kByDisplacement);
    Back::put_slopes(data, cut.shape.body_a, cut.shape.body_b, slopes + 12, Back::kByVelocity);
    const Pair y =
        minus(Back::at(data, cut.shape.body_b, Back::kWeight), Back::at(data, cut.shape.body_a, Back::kWeight));
    const Pair x = minus(Back::at(data, cut.shape.body_b, kRateWeight), Back::at(data, cut.shape.body_a, kRateWeight));
    for (int j = 0; j < cut.shape.rows; ++j) {
      weights.by_multiplier[cut.first_row + j] = dot(cut.motion.rates[j], y) - dot(cut.motion.rows[j], x);
    }
  }

  static MBDBENCH_KERNEL void collect(const ClosedData& data, const LoopWeights& weights, int i) {
    const LoopBody& body = data.bodies[i];
    const int last = body.first_axis + body.axis_count;
    for (int k = body.first_axis; k < last; ++k) {
      const LoopAxis& axis = data.axes[k];
      if (axis.carrier >= 0) {  // of V_c x S
        Pair turned = no_screw<double>();
        add(wrench_crossed(axis.motion, body.change_carried), -weights.forces[k], turned);
        Back::add_to(data, axis.carrier, Back::kByVelocity, turned);
      }
    }
    const Pair moved = Back::at(data, i, Back::kByVelocity);
    for (int k = body.first_axis; k < last; ++k) {
      const LoopAxis& axis = data.axes[k];
      const double weight = weights.forces[k];
      weights.by_push[k] += dot(axis.motion, moved) + axis.damping * weight;
      if (Back::stands(weights, axis)) {
        continue;
      }
      Pair by_axis = no_screw<double>();
      add(moved, axis.speed, by_axis);
      add(body.carried, weight, by_axis);
      if (axis.carrier >= 0) {
        add(wrench_crossed(data.bodies[axis.carrier].velocity, body.change_carried), weight, by_axis);
      }
      Back::turn_axis(data, weights, i, axis, by_axis);
    }
    Back::pass_on(data, weights, i);
    if (body.inboard >= 0) {
      Back::add_to(data, body.inboard, Back::kByVelocity, moved);
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
