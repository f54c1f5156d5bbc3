#pragma once
/// \file
/// Directions of the state through a linearised mechanism with loops (closed_data.hpp has the equations): one a lane,
/// or one alone. O(n) a pass.
#include "formulations/derivatives/in_place.hpp"
#include "formulations/derivatives/loops/passes/closed_data.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \tparam W doubles a register of the instruction set: what is not inlined has it in its name
/// \tparam T a pack of so many, or double
template <int W, typename T>
struct LoopForward {
  using L = LoopLanes;

  static MBDBENCH_KERNEL T* packs_at(double* memory) { return reinterpret_cast<T*>(memory); }
  static MBDBENCH_KERNEL const T* packs_at(const double* memory) { return reinterpret_cast<const T*>(memory); }
  static MBDBENCH_KERNEL T* lanes_of(const ClosedData& data, int body) {
    return packs_at(data.lanes) + static_cast<long>(L::kSize) * body;
  }
  static MBDBENCH_KERNEL Screw<T> of_body(const ClosedData& data, int body, int offset) {
    return body < 0 ? no_screw<T>() : in_place::screw_at(lanes_of(data, body) + offset);
  }

  static void run(const ClosedData& data, const LoopDirections& directions) {
    for (int i = 0; i < data.body_count; ++i) {
      move(data, directions, i);
    }
    for (int c = 0; c < data.cut_count; ++c) {
      close(data, directions, data.cuts[c]);
    }
    if (directions.forces != nullptr) {
      load_bodies(data, directions);
    }
    for (int i = data.body_count; i-- > 0;) {
      collect(data, directions, i);
    }
    if (directions.forces != nullptr) {
      load_axes(data, directions, -1.0);
    }
  }

  // ---- Loads on bodies, and laws.

  static MBDBENCH_KERNEL void put_moves(const ClosedData& data, int a, int b, T (&moves)[LoopCut::kSlopes]) {
    in_place::put(of_body(data, a, L::kDisplacement), moves);
    in_place::put(of_body(data, b, L::kDisplacement), moves + 6);
    in_place::put(of_body(data, a, L::kVelocity), moves + 12);
    in_place::put(of_body(data, b, L::kVelocity), moves + 18);
  }

  /// After all bodies are moved, before what they need is collected.
  static MBDBENCH_KERNEL void load_bodies(const ClosedData& data, const LoopDirections& directions) {
    for (int i = 0; i < data.load_count; ++i) {
      const LoopLoad& load = data.loads[i];
      T moves[LoopCut::kSlopes];
      put_moves(data, load.body_a, load.body_b, moves);
      push<LoopCut::kSlopes>(data, load.body_a, load.body_b, load.slopes, moves, L::kForce);
    }
    for (int i = 0; i < data.law_count; ++i) {
      const LoopLaw& law = data.laws[i];
      if (law.axis < 0) {
        const T more = law_change(data, directions, law);
        take_law(data, law.body, law.wrench, more);
        take_law(data, law.opposite, law.wrench, -more);
      }
    }
  }

  static MBDBENCH_KERNEL void take_law(const ClosedData& data, int body, const Screw<double>& wrench, const T& more) {
    if (body >= 0) {
      T* const own = lanes_of(data, body) + L::kForce;
      Screw<T> force = in_place::screw_at(own);
      add(wrench, -more, force);
      in_place::put(force, own);
    }
  }

  /// After it is collected. \param sign of a force in what is collected
  static MBDBENCH_KERNEL void load_axes(const ClosedData& data, const LoopDirections& directions, double sign) {
    for (int i = 0; i < data.law_count; ++i) {
      const LoopLaw& law = data.laws[i];
      if (law.axis >= 0) {
        packs_at(directions.forces)[law.axis] += T(sign) * law_change(data, directions, law);
      }
    }
  }

  static MBDBENCH_KERNEL T law_change(const ClosedData& data, const LoopDirections& directions, const LoopLaw& law) {
    T sum = T(0.0);
    for (int k = law.first_argument; k < law.first_argument + law.argument_count; ++k) {
      const LoopArgument& argument = data.arguments[k];
      if (argument.axis >= 0) {
        sum += T(argument.by_turn) * packs_at(directions.turns)[argument.axis];
        sum += T(argument.by_push) * packs_at(directions.pushes)[argument.axis];
      }
      if (argument.body >= 0) {
        sum += dot(argument.by_displacement, of_body(data, argument.body, L::kDisplacement));
        sum += dot(argument.by_velocity, of_body(data, argument.body, L::kVelocity));
        if (argument.accelerates) {
          sum += dot(argument.by_acceleration, of_body(data, argument.body, L::kAcceleration));
        }
      }
    }
    return sum;
  }

  /// Displacement and velocity, and what turns of its axes are.
  static MBDBENCH_KERNEL void displace(const ClosedData& data, const LoopDirections& directions, int i) {
    const LoopBody& body = data.bodies[i];
    const T* const turns = packs_at(directions.turns);
    const T* const pushes = packs_at(directions.pushes);
    T* const own = lanes_of(data, i);
    const int last = body.first_axis + body.axis_count;
    Screw<T> inner = of_body(data, body.inboard, L::kDisplacement);
    if (directions.lengths != nullptr) {
      add(body.link, packs_at(directions.lengths)[i], inner.linear);
    }
    Screw<T> displacement = inner;
    for (int k = body.first_axis; k < last; ++k) {
      add(data.axes[k].motion, turns[k], displacement);
    }
    in_place::put(displacement, own + L::kDisplacement);
    Screw<T> velocity = of_body(data, body.inboard, L::kVelocity);
    for (int k = body.first_axis; k < last; ++k) {
      const LoopAxis& axis = data.axes[k];
      // psi x S = -(S x psi)
      const Screw<T> turned = motions_crossed(axis.motion, axis.carrier == i ? displacement : inner);
      const Screw<T> change = minus(no_screw<T>(), turned);
      in_place::put(change, packs_at(data.axis_lanes) + 6L * k);
      scaled_add(change, axis.speed, velocity);
      add(axis.motion, pushes[k], velocity);
    }
    in_place::put(velocity, own + L::kVelocity);
  }

  /// How the rate of an axis changes.
  static MBDBENCH_KERNEL Screw<T> axis_rate(const ClosedData& data, int k) {
    const LoopAxis& axis = data.axes[k];
    const Screw<double>& carried = axis.carrier < 0 ? rest() : data.bodies[axis.carrier].velocity;
    return minus(motions_crossed(carried, in_place::screw_at(packs_at(data.axis_lanes) + 6L * k)),
                 motions_crossed(axis.motion, of_body(data, axis.carrier, L::kVelocity)));
  }

  static MBDBENCH_KERNEL void move(const ClosedData& data, const LoopDirections& directions, int i) {
    displace(data, directions, i);
    if (directions.forces != nullptr) {
      accelerate(data, directions, i);
    }
    if (data.drifted) {
      change(data, i);
    }
  }

  static MBDBENCH_KERNEL void accelerate(const ClosedData& data, const LoopDirections& directions, int i) {
    const LoopBody& body = data.bodies[i];
    const T* const pushes = packs_at(directions.pushes);
    T* const own = lanes_of(data, i);
    const Screw<T> displacement = in_place::screw_at(own + L::kDisplacement);
    const Screw<T> velocity = in_place::screw_at(own + L::kVelocity);
    Screw<T> acceleration = of_body(data, body.inboard, L::kAcceleration);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      const LoopAxis& axis = data.axes[k];
      scaled_add(in_place::screw_at(packs_at(data.axis_lanes) + 6L * k), axis.acceleration, acceleration);
      scaled_add(axis_rate(data, k), axis.speed, acceleration);
      add(axis.rate, pushes[k], acceleration);
    }
    in_place::put(acceleration, own + L::kAcceleration);
    // In axes that move with the body: d X - psi x X.
    const Screw<T> own_velocity = plus(velocity, motions_crossed(body.velocity, displacement));
    const Screw<T> own_acceleration = plus(acceleration, motions_crossed(body.acceleration, displacement));
    Screw<T> force = inertia_times(body.inertia, own_acceleration);
    force = plus(force, wrench_crossed(body.velocity, inertia_times(body.inertia, own_velocity)));
    force = minus(force, crossed_wrench(body.momentum, own_velocity));
    force = minus(force, crossed_wrench(body.force, displacement));
    in_place::put(force, own + L::kForce);
  }

  static MBDBENCH_KERNEL void change(const ClosedData& data, int i) {
    const LoopBody& body = data.bodies[i];
    T* const own = lanes_of(data, i);
    const Screw<T> displacement = in_place::screw_at(own + L::kDisplacement);
    Screw<T> changed = of_body(data, body.inboard, L::kChange);
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      scaled_add(in_place::screw_at(packs_at(data.axis_lanes) + 6L * k), data.axes[k].change, changed);
    }
    in_place::put(changed, own + L::kChange);
    const Screw<T> force = inertia_times(body.inertia, plus(changed, motions_crossed(body.change, displacement)));
    in_place::put(minus(force, crossed_wrench(body.change_force, displacement)), own + L::kChangeForce);
  }

  static MBDBENCH_KERNEL const Screw<double>& rest() {
    static constexpr Screw<double> kRest{};
    return kRest;
  }

  static MBDBENCH_KERNEL void scaled_add(const Screw<T>& a, double factor, Screw<T>& to) {
    const T f(factor);
    to.linear.x += a.linear.x * f;
    to.linear.y += a.linear.y * f;
    to.linear.z += a.linear.z * f;
    to.angular.x += a.angular.x * f;
    to.angular.y += a.angular.y * f;
    to.angular.z += a.angular.z * f;
  }

  static MBDBENCH_KERNEL void close(const ClosedData& data, const LoopDirections& directions, const LoopCut& cut) {
    const int body_a = cut.shape.body_a;
    const int body_b = cut.shape.body_b;
    T moves[LoopCut::kSlopes];
    put_moves(data, body_a, body_b, moves);
    const Screw<T> moved = minus(in_place::screw_at(moves + 18), in_place::screw_at(moves + 12));
    T* const firsts = packs_at(directions.firsts) + cut.first_row;
    for (int j = 0; j < cut.shape.rows; ++j) {
      firsts[j] = dot(cut.motion.rows[j], moved) + sloped<LoopCut::kSlopes / 2>(cut.first_slopes[j], moves);
    }
    if (data.drifted) {
      push<LoopCut::kSlopes / 2>(data, body_a, body_b, cut.change_slopes, moves, L::kChangeForce);
    }
    if (directions.forces == nullptr) {
      return;
    }
    const Screw<T> pulled = minus(of_body(data, body_b, L::kAcceleration), of_body(data, body_a, L::kAcceleration));
    T* const seconds = packs_at(directions.seconds) + cut.first_row;
    for (int j = 0; j < cut.shape.rows; ++j) {
      seconds[j] = dot(cut.motion.rows[j], pulled) + sloped<LoopCut::kSlopes>(cut.second_slopes[j], moves);
    }
    push<LoopCut::kSlopes / 2>(data, body_a, body_b, cut.wrench_slopes, moves, L::kForce);
  }

  template <int kCount>
  static MBDBENCH_KERNEL T sloped(const double* slopes, const T* moves) {
    T sum = T(0.0);
    for (int k = 0; k < kCount; ++k) {
      sum += T(slopes[k]) * moves[k];
    }
    return sum;
  }

  /// \tparam kCount of the moves that count
  template <int kCount, int kSize>
  static MBDBENCH_KERNEL void push(const ClosedData& data, int body_a, int body_b, const double (&slopes)[6][kSize],
                                   const T* moves, int offset) {
    for (int i = 0; i < 6; ++i) {
      const T change = sloped<kCount>(slopes[i], moves);
      if (body_a >= 0) {
        lanes_of(data, body_a)[offset + i] += change;
      }
      if (body_b >= 0) {
        lanes_of(data, body_b)[offset + i] -= change;
      }
    }
  }

  static MBDBENCH_KERNEL void collect(const ClosedData& data, const LoopDirections& directions, int i) {
    const LoopBody& body = data.bodies[i];
    const T* const own = lanes_of(data, i);
    if (directions.forces != nullptr) {
      const Screw<T> force = in_place::screw_at(own + L::kForce);
      for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
        const LoopAxis& axis = data.axes[k];
        packs_at(directions.forces)[k] =
            dot(axis.motion, force) + dot(body.carried, in_place::screw_at(packs_at(data.axis_lanes) + 6L * k)) +
            T(axis.stiffness) * packs_at(directions.turns)[k] + T(axis.damping) * packs_at(directions.pushes)[k];
      }
      carry(data, body, force, L::kForce);
    }
    if (data.drifted) {
      const Screw<T> changed = in_place::screw_at(own + L::kChangeForce);
      for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
        packs_at(directions.change_forces)[k] =
            dot(data.axes[k].motion, changed) +
            dot(body.change_carried, in_place::screw_at(packs_at(data.axis_lanes) + 6L * k));
      }
      carry(data, body, changed, L::kChangeForce);
    }
  }

  static MBDBENCH_KERNEL void carry(const ClosedData& data, const LoopBody& body, const Screw<T>& more, int offset) {
    if (body.inboard >= 0) {
      T* const inner = lanes_of(data, body.inboard) + offset;
      in_place::put(plus(in_place::screw_at(inner), more), inner);
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
