#pragma once
/// \file
/// Weights of what directions do, carried the other way (closed_data.hpp): with y for weights of r and nu of s, the sum
/// y . r + nu . s is a function of the bodies' motions, and its slopes by these are collected inward. O(n).
///
///   Y_b = Y_a + sum S_k y_k,   y . ID = sum Y_b . F_b - (Y_b - Y_a) . D lambda
#include "formulations/derivatives/loops/passes/loop_directions.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <int W>
struct LoopBackward {
  using Forward = LoopForward<W, double>;
  using Pair = Screw<double>;
  // Slopes of the sum by what a body is and does, where a forward pass has the changes themselves.
  static constexpr int kByDisplacement = 0, kByVelocity = 6, kByAcceleration = 12, kWeight = 18;

  static MBDBENCH_KERNEL Pair at(const ClosedData& data, int body, int offset) {
    return Forward::of_body(data, body, offset);
  }
  static MBDBENCH_KERNEL void add_to(const ClosedData& data, int body, int offset, const Pair& more) {
    double* const six = Forward::lanes_of(data, body) + offset;
    in_place::put(plus(in_place::screw_at(six), more), six);
  }
  static MBDBENCH_KERNEL void take_from(const ClosedData& data, int body, int offset, const Pair& less) {
    double* const six = Forward::lanes_of(data, body) + offset;
    in_place::put(minus(in_place::screw_at(six), less), six);
  }

  static MBDBENCH_KERNEL Pair carried_weight(const ClosedData& data, const double* weights, int i) {
    const LoopBody& body = data.bodies[i];
    Pair sum = at(data, body.inboard, kWeight);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      add(data.axes[k].motion, weights[k], sum);
    }
    in_place::put(sum, Forward::lanes_of(data, i) + kWeight);
    return sum;
  }

  // ---- Of r and s.

  static void run(const ClosedData& data, const LoopWeights& weights) {
    for (int i = 0; i < data.body_count; ++i) {
      start(data, weights, i);
    }
    for (int c = 0; c < data.cut_count; ++c) {
      close(data, weights, data.cuts[c]);
    }
    weigh_loads(data, weights);
    for (int i = data.body_count; i-- > 0;) {
      collect(data, weights, i);
    }
  }

  /// Of loads on bodies and of laws, before slopes are collected; of -p' as of r.
  static MBDBENCH_KERNEL void weigh_loads(const ClosedData& data, const LoopWeights& weights) {
    for (int i = 0; i < data.load_count; ++i) {
      const LoopLoad& load = data.loads[i];
      double slopes[LoopCut::kSlopes] = {};
      take_wrench<LoopCut::kSlopes>(data, load.body_a, load.body_b, load.slopes, kWeight, slopes);
      put_slopes(data, load.body_a, load.body_b, slopes, kByDisplacement);
      put_slopes(data, load.body_a, load.body_b, slopes + 12, kByVelocity);
    }
    for (int i = 0; i < data.law_count; ++i) {
      const LoopLaw& law = data.laws[i];
      const double weight = law.axis >= 0
                                ? -weights.forces[law.axis]
                                : dot(law.wrench, minus(at(data, law.opposite, kWeight), at(data, law.body, kWeight)));
      for (int k = law.first_argument; k < law.first_argument + law.argument_count; ++k) {
        const LoopArgument& argument = data.arguments[k];
        if (argument.axis >= 0) {
          weights.by_turn[argument.axis] += weight * argument.by_turn;
          weights.by_push[argument.axis] += weight * argument.by_push;
        }
        if (argument.body >= 0) {
          Pair slopes = no_screw<double>();
          add(argument.by_displacement, weight, slopes);
          add_to(data, argument.body, kByDisplacement, slopes);
          slopes = no_screw<double>();
          add(argument.by_velocity, weight, slopes);
          add_to(data, argument.body, kByVelocity, slopes);
          if (argument.accelerates) {
            slopes = no_screw<double>();
            add(argument.by_acceleration, weight, slopes);
            add_to(data, argument.body, kByAcceleration, slopes);
          }
        }
      }
    }
  }

  static MBDBENCH_KERNEL void start(const ClosedData& data, const LoopWeights& weights, int i) {
    const LoopBody& body = data.bodies[i];
    const Pair y = carried_weight(data, weights.forces, i);
    double* const own = Forward::lanes_of(data, i);
    const Pair by_acceleration = inertia_times(body.inertia, y);
    // y . (V x* I dV + dV x* I V)
    const Pair turned = inertia_times(body.inertia, motions_crossed(body.velocity, y));
    const Pair by_velocity = minus(minus(no_screw<double>(), wrench_crossed(y, body.momentum)), turned);
    in_place::put(by_acceleration, own + kByAcceleration);
    in_place::put(by_velocity, own + kByVelocity);
    const Pair frame = plus(plus(wrench_crossed(y, body.force), wrench_crossed(body.velocity, by_velocity)),
                            wrench_crossed(body.acceleration, by_acceleration));
    in_place::put(minus(no_screw<double>(), frame), own + kByDisplacement);
  }

  static MBDBENCH_KERNEL void close(const ClosedData& data, const LoopWeights& weights, const LoopCut& cut) {
    const double* const nu = weights.seconds + cut.first_row;
    double slopes[LoopCut::kSlopes] = {};
    Pair pulled = no_screw<double>();
    for (int j = 0; j < cut.shape.rows; ++j) {
      add(cut.motion.rows[j], nu[j], pulled);
      for (int k = 0; k < LoopCut::kSlopes; ++k) {
        slopes[k] += nu[j] * cut.second_slopes[j][k];
      }
    }
    take_wrench<LoopCut::kSlopes / 2>(data, cut.shape.body_a, cut.shape.body_b, cut.wrench_slopes, kWeight, slopes);
    put_slopes(data, cut.shape.body_a, cut.shape.body_b, slopes, kByDisplacement);
    put_slopes(data, cut.shape.body_a, cut.shape.body_b, slopes + 12, kByVelocity);
    if (cut.shape.body_a >= 0) {
      take_from(data, cut.shape.body_a, kByAcceleration, pulled);
    }
    if (cut.shape.body_b >= 0) {
      add_to(data, cut.shape.body_b, kByAcceleration, pulled);
    }
  }

  // Less (Y_b - Y_a) . d D lambda.
  template <int kCount, int kSize>
  static MBDBENCH_KERNEL void take_wrench(const ClosedData& data, int body_a, int body_b,
                                          const double (&wrench)[6][kSize], int weight, double* slopes) {
    double y[6];
    in_place::put(minus(at(data, body_b, weight), at(data, body_a, weight)), y);
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < kCount; ++k) {
        slopes[k] -= y[i] * wrench[i][k];
      }
    }
  }

  static MBDBENCH_KERNEL void put_slopes(const ClosedData& data, int body_a, int body_b, const double* twelve,
                                         int offset) {
    if (body_a >= 0) {
      add_to(data, body_a, offset, in_place::screw_at(twelve));
    }
    if (body_b >= 0) {
      add_to(data, body_b, offset, in_place::screw_at(twelve + 6));
    }
  }

  static MBDBENCH_KERNEL void collect(const ClosedData& data, const LoopWeights& weights, int i) {
    const LoopBody& body = data.bodies[i];
    const int last = body.first_axis + body.axis_count;
    const Pair pulled = at(data, i, kByAcceleration);
    for (int k = body.first_axis; k < last; ++k) {
      const LoopAxis& axis = data.axes[k];
      if (axis.carrier >= 0) {  // of V_c x S
        Pair turned = no_screw<double>();
        add(wrench_crossed(axis.motion, pulled), axis.speed, turned);
        add_to(data, axis.carrier, kByVelocity, turned);
      }
    }
    const Pair moved = at(data, i, kByVelocity);
    for (int k = body.first_axis; k < last; ++k) {
      const LoopAxis& axis = data.axes[k];
      weights.by_push[k] += dot(axis.motion, moved) + dot(axis.rate, pulled) + axis.damping * weights.forces[k];
      if (stands(weights, axis)) {
        continue;
      }
      Pair by_axis = no_screw<double>();
      add(body.carried, weights.forces[k], by_axis);
      add(pulled, axis.acceleration, by_axis);
      add(moved, axis.speed, by_axis);
      if (axis.carrier >= 0) {
        add(wrench_crossed(data.bodies[axis.carrier].velocity, pulled), -axis.speed, by_axis);
      }
      turn_axis(data, weights, i, axis, by_axis);
    }
    pass_on(data, weights, i);
    if (body.inboard >= 0) {
      add_to(data, body.inboard, kByVelocity, moved);
      add_to(data, body.inboard, kByAcceleration, pulled);
    }
  }

  /// \returns whether nothing that is wanted displaces an axis.
  static MBDBENCH_KERNEL bool stands(const LoopWeights& weights, const LoopAxis& axis) {
    return axis.carrier < 0 && weights.by_length == nullptr;
  }

  /// Slopes by what displaces an axis of body i's joint. \param by_axis those by S
  static MBDBENCH_KERNEL void turn_axis(const ClosedData& data, const LoopWeights& weights, int i, const LoopAxis& axis,
                                        const Pair& by_axis) {
    const Pair turned = wrench_crossed(axis.motion, by_axis);
    if (axis.carrier >= 0) {
      add_to(data, axis.carrier, kByDisplacement, turned);
    }
    if (axis.carrier != i) {
      add_length(data, weights, i, turned);
    }
  }

  static MBDBENCH_KERNEL void add_length(const ClosedData& data, const LoopWeights& weights, int i,
                                         const Pair& by_displacement) {
    if (weights.by_length != nullptr) {
      weights.by_length[i] += dot(data.bodies[i].link, by_displacement.linear);
    }
  }

  static MBDBENCH_KERNEL void pass_on(const ClosedData& data, const LoopWeights& weights, int i) {
    const LoopBody& body = data.bodies[i];
    const Pair turned = at(data, i, kByDisplacement);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      weights.by_turn[k] += dot(data.axes[k].motion, turned) + data.axes[k].stiffness * weights.forces[k];
    }
    add_length(data, weights, i, turned);
    if (body.inboard >= 0) {
      add_to(data, body.inboard, kByDisplacement, turned);
    }
  }

  // ---- Of r2 and s1.

  static void run_changes(const ClosedData& data, const LoopWeights& weights) {
    for (int i = 0; i < data.body_count; ++i) {
      start_change(data, weights, i);
    }
    for (int c = 0; c < data.cut_count; ++c) {
      close_change(data, weights, data.cuts[c]);
    }
    for (int i = data.body_count; i-- > 0;) {
      collect_change(data, weights, i);
    }
  }

  static MBDBENCH_KERNEL void start_change(const ClosedData& data, const LoopWeights& weights, int i) {
    const LoopBody& body = data.bodies[i];
    const Pair y = carried_weight(data, weights.forces, i);
    double* const own = Forward::lanes_of(data, i);
    Pair frame = no_screw<double>();
    Pair by_change = no_screw<double>();
    if (data.drifted) {
      by_change = inertia_times(body.inertia, y);
      frame = plus(wrench_crossed(y, body.change_force), wrench_crossed(body.change, by_change));
    }
    in_place::put(by_change, own + kByAcceleration);
    in_place::put(no_screw<double>(), own + kByVelocity);
    in_place::put(minus(no_screw<double>(), frame), own + kByDisplacement);
  }

  static MBDBENCH_KERNEL void close_change(const ClosedData& data, const LoopWeights& weights, const LoopCut& cut) {
    const double* const nu = weights.seconds + cut.first_row;
    double slopes[LoopCut::kSlopes / 2] = {};
    Pair moved = no_screw<double>();
    for (int j = 0; j < cut.shape.rows; ++j) {
      add(cut.motion.rows[j], nu[j], moved);
      for (int k = 0; k < LoopCut::kSlopes / 2; ++k) {
        slopes[k] += nu[j] * cut.first_slopes[j][k];
      }
    }
    if (data.drifted) {
      take_wrench<LoopCut::kSlopes / 2>(data, cut.shape.body_a, cut.shape.body_b, cut.change_slopes, kWeight, slopes);
    }
    put_slopes(data, cut.shape.body_a, cut.shape.body_b, slopes, kByDisplacement);
    if (cut.shape.body_a >= 0) {
      take_from(data, cut.shape.body_a, kByVelocity, moved);
    }
    if (cut.shape.body_b >= 0) {
      add_to(data, cut.shape.body_b, kByVelocity, moved);
    }
  }

  static MBDBENCH_KERNEL void collect_change(const ClosedData& data, const LoopWeights& weights, int i) {
    const LoopBody& body = data.bodies[i];
    const Pair changed = at(data, i, kByAcceleration);
    const Pair moved = at(data, i, kByVelocity);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      const LoopAxis& axis = data.axes[k];
      if (stands(weights, axis)) {
        continue;
      }
      Pair by_axis = no_screw<double>();
      add(moved, axis.speed, by_axis);
      if (data.drifted) {
        add(changed, axis.change, by_axis);
        add(body.change_carried, weights.forces[k], by_axis);
      }
      turn_axis(data, weights, i, axis, by_axis);
    }
    const Pair turned = at(data, i, kByDisplacement);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      weights.by_turn[k] += dot(data.axes[k].motion, turned);
    }
    add_length(data, weights, i, turned);
    if (body.inboard >= 0) {
      add_to(data, body.inboard, kByDisplacement, turned);
      add_to(data, body.inboard, kByVelocity, moved);
      add_to(data, body.inboard, kByAcceleration, changed);
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
