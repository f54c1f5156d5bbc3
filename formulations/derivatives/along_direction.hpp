#pragma once
/// \file
/// The derivative of the right-hand side of an open tree along one direction of the state. Body by body: what
/// directions would share is not needed (tree_slopes.hpp has the equations and the names).
///
/// Of the direction a node has D, what it displaces of its own, and T, what all inboard turn. Accelerations, with
/// A, V of the inboard node and U its own changes of u:
///
///   M = sum A x D + V x (V x D) + (V + V_own) x U,   T = sum V x D + U   (inboard, the turning part)
///   M_ij du_j' = dtau_i - S_i . (sum (I_k M_k + 2 B_k T_k) + sum D_j x* f_j^C),   k from i outward, j outboard of i
///
/// Momenta: M = sum V x D, P for f, no B; with Y = sum S du, R = sum I_k (M_k + Y_k) + sum D_j x* P_j^C,
///
///   dp_i' = -S_i . (V_own x* R + (M + Y) x* P_i^C) + what weight does,
///
/// in which weight turns by -D inboard and moves by D outboard. Cost: three passes over the tree with those of the
/// solution, four for momenta.
#include "formulations/derivatives/trees/tree_weights.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Parameters as of TreeValues.
template <int W>
struct AlongDirection {
  using Vector = LinkVector<double>;
  using Pair = Screw<double>;
  using Weights = TreeWeights<W>;

  /// \param direction of the state \param product receives x' along it \returns whether all pivots are positive and all
  /// numbers finite
  static MBDBENCH_KERNEL bool run(const LinearData& data, const double* x, const double* direction, double* product) {
    for (int i = 0; i < data.node_count; ++i) {
      if (data.nodes[i].kept) {
        Weights::clear(data.weights[i].outboard);
      }
    }
    const auto nothing = [](int) {};
    const auto outward = [&](int i) MBDBENCH_INLINED { carry(data, i, x, direction); };
    const bool sound = TreeValues<W>::template solve<BodiesAre::eliminated>(data, x, nothing, nothing, outward);
    gather(data, direction);
    for (int i = 0; i < data.node_count; ++i) {
      change(data, i);
    }
    if (data.momenta) {
      gather_rates(data, direction, product + data.q_count);
      put_coordinate_rates(data, x, direction, data.changes, product);
    } else {
      for (int u = 0; u < data.axis_count; ++u) {
        product[data.q_count + u] = data.changes[u];
      }
      put_coordinate_rates(data, x, direction, direction + data.q_count, product);
    }
    const auto number = [&](int k) MBDBENCH_INLINED { return product[k]; };
    return TreeValues<W>::not_finite(data.q_count + data.axis_count, number) == 0.0 && sound;
  }

  /// Changes of q' with those of u. \param changes of u
  static MBDBENCH_KERNEL void put_coordinate_rates(const LinearData& data, const double* x, const double* direction,
                                                   const double* changes, double* rates) {
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      if (!is_sphere(row.kind)) {
        rates[row.q] = changes[row.u];
        continue;
      }
      double by_quaternion[4];
      kernels::quaternion_rate(x + row.q, changes + row.u, rates + row.q);
      kernels::quaternion_rate(direction + row.q, data.velocities + row.u, by_quaternion);
      for (int c = 0; c < 4; ++c) {
        rates[row.q + c] += by_quaternion[c];
      }
      for (int c = 0; row.kind == RowKind::free && c < 3; ++c) {
        rates[row.q + 4 + c] = changes[row.u + 3 + c];
      }
    }
  }

  /// \returns D. \param direction of the coordinates
  static MBDBENCH_KERNEL Pair displacement_of(const LinearData& data, const LinearNode& node, const double* x,
                                              const double* direction) {
    const LinkRow& row = data.tree->rows[node.row];
    const LinearAxis* const axes = data.axes + node.first_axis;
    Pair sum = no_screw<double>();
    if (node.axis_count == 1) {
      add_axis(axes[0], direction[row.q], sum);
      return sum;
    }
    if (node.free_slides) {
      for (int a = 0; a < 3; ++a) {
        add(axes[a].z, direction[row.q + 4 + a], sum.linear);
      }
      return sum;
    }
    // A change of the quaternion turns by 2 e^-1 o de about the own axes, what changes its length by nothing.
    const double* const e = x + row.q;
    const double* const d = direction + row.q;
    const double scale = 2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    add(axes[0].z, scale * (-e[1] * d[0] + e[0] * d[1] + e[3] * d[2] - e[2] * d[3]), sum.angular);
    add(axes[1].z, scale * (-e[2] * d[0] - e[3] * d[1] + e[0] * d[2] + e[1] * d[3]), sum.angular);
    add(axes[2].z, scale * (-e[3] * d[0] + e[2] * d[1] - e[1] * d[2] + e[0] * d[3]), sum.angular);
    return sum;
  }

  /// \returns 2 B [alpha; beta] of one body.
  static MBDBENCH_KERNEL Pair turned_body(const LinearNode& node, const Vector& beta) {
    const kernels::Symmetric3<double>& j = node.body.inertia;
    const Vector twice{2.0 * beta.x, 2.0 * beta.y, 2.0 * beta.z};
    Vector half = kernels::multiplied(j, beta);
    add(beta, -0.5 * (j.xx + j.yy + j.zz), half);
    const Vector torque =
        plus(cross(node.body.moment, cross(beta, node.velocity.linear)), cross(node.velocity.angular, half));
    return {cross(twice, node.own_momentum), {2.0 * torque.x, 2.0 * torque.y, 2.0 * torque.z}};
  }

  /// Outward: D, M, T and what a body needs for them.
  static MBDBENCH_KERNEL void carry(const LinearData& data, int i, const double* x, const double* direction) {
    const LinearNode& node = data.nodes[i];
    LinearChange& own = data.along[i];
    const Pair displaced = displacement_of(data, node, x, direction);
    put(displaced, own.displaced);
    Pair motion = no_screw<double>();
    Vector turn = none<double>();
    if (node.inboard >= 0) {
      const LinearChange& inner = data.along[node.inboard];
      motion = moved_outward(node.lever, inner.motion);
      turn = inner.turn;
    }
    const Pair first = motion_product(node.inherited, displaced);
    if (data.momenta) {
      motion = plus(motion, first);
      turn = plus(turn, displaced.angular);
      put(multiplied(node.body, motion), own.wrench);
    } else {
      Pair changed = no_screw<double>();
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        add_axis(data.axes[a], direction[data.q_count + data.axes[a].u], changed);
      }
      const Pair acceleration = node.inboard >= 0
                                    ? moved_outward(node.lever, data.nodes[node.inboard].acceleration)
                                    : Pair{{-data.gravity.x, -data.gravity.y, -data.gravity.z}, none<double>()};
      motion = plus(
          plus(motion, motion_product(acceleration, displaced)),
          plus(motion_product(node.inherited, first), motion_product(plus(node.inherited, node.velocity), changed)));
      turn = plus(turn, plus(first.angular, changed.angular));
      put(plus(multiplied(node.body, motion), turned_body(node, turn)), own.wrench);
    }
    put(motion, own.motion);
    put(turn, own.turn);
  }

  /// \returns the direction along the coordinate of an axis that a spring may have. \param a counted in its node
  static MBDBENCH_KERNEL double pulled(const LinearData& data, const LinearNode& node, int a, const double* direction) {
    const LinkRow& row = data.tree->rows[node.row];
    return node.axis_count == 1 ? direction[row.q] : node.free_slides ? direction[row.q + 4 + a] : 0.0;
  }

  /// Inward: torques of the solution with M. Leaves in momenta P^C in the nodes.
  static MBDBENCH_KERNEL void gather(const LinearData& data, const double* direction) {
    Pair wrench = no_screw<double>();
    Pair total = no_screw<double>();
    for (int i = data.node_count; i-- > 0;) {
      LinearNode& node = data.nodes[i];
      const LinearChange& own = data.along[i];
      if (node.kept) {
        wrench = plus(wrench, data.weights[i].outboard.wrench);
        total = plus(total, data.weights[i].outboard.total);
      }
      wrench = plus(wrench, own.wrench);
      total = plus(total, node.total);
      if (data.momenta) {
        put(total, node.total);
      }
      for (int a = node.axis_count; a-- > 0;) {
        const LinearAxis& axis = data.axes[node.first_axis + a];
        double torque = direction[data.q_count + axis.u];
        if (!data.momenta) {
          torque = -axis.damping * torque - axis.stiffness * pulled(data, node, a, direction);
        }
        subtract_along(axis, wrench, torque);
        data.torques[node.first_axis + a] = torque;
        add(axis.gain, torque, wrench);
      }
      wrench = plus(wrench, wrench_rate(own.displaced, total));
      Weights::pass_on(data, node, i, &LinearSums::wrench, wrench);
      Weights::pass_on(data, node, i, &LinearSums::total, total);
    }
  }

  /// Outward: the changes of u' (momenta: of u) and Y.
  static MBDBENCH_KERNEL void change(const LinearData& data, int i) {
    const LinearNode& node = data.nodes[i];
    Pair motion = node.inboard >= 0 ? moved_outward(node.lever, data.along[node.inboard].change) : no_screw<double>();
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      const LinearAxis& axis = data.axes[a];
      const double change = Weights::changed(axis, data.torques[a], motion);
      data.changes[axis.u] = change;
      add_axis(axis, change, motion);
    }
    put(motion, data.along[i].change);
  }

  /// Momenta, inward: changes of p'. \param rates receives them
  static MBDBENCH_KERNEL void gather_rates(const LinearData& data, const double* direction, double* rates) {
    const Vector& g = data.gravity;
    Pair momentum = no_screw<double>();  // R
    Vector first = none<double>();       // moment of the mass
    Vector moment = none<double>();      // of the weight that moves
    for (int i = data.node_count; i-- > 0;) {
      const LinearNode& node = data.nodes[i];
      const LinearChange& own = data.along[i];
      const Pair& displaced = own.displaced;
      if (node.kept) {
        const LinearSums& outboard = data.weights[i].outboard;
        momentum = plus(momentum, outboard.momentum);
        first = plus(first, outboard.moment);
        moment = plus(moment, outboard.turning);
      }
      const Pair both = plus(own.motion, own.change);
      if (!node.free_slides) {
        momentum = plus(momentum, multiplied(node.body, both));
        first = plus(first, node.body.moment);
      }
      const double mass = data.tree->links[node.row].outboard_mass;
      const Vector turned = cross(own.turn, g);
      const Pair weight{{-mass * turned.x, -mass * turned.y, -mass * turned.z}, minus(moment, cross(first, turned))};
      const Pair z = minus(weight, plus(wrench_rate(node.velocity, momentum), wrench_rate(both, node.total)));
      for (int a = 0; a < node.axis_count; ++a) {
        const LinearAxis& axis = data.axes[node.first_axis + a];
        rates[axis.u] =
            along(axis, z) - axis.damping * data.changes[axis.u] - axis.stiffness * pulled(data, node, a, direction);
      }
      momentum = plus(momentum, wrench_rate(displaced, node.total));
      moment = plus(moment, cross(cross(displaced.angular, first), g));
      add(cross(displaced.linear, g), mass, moment);
      add(node.lever, mass, first);
      Weights::pass_on(data, node, i, &LinearSums::momentum, momentum);
      Weights::pass_on(data, node, i, &LinearSums::moment, first);
      Weights::pass_on(data, node, i, &LinearSums::turning, moment);
    }
  }

  static MBDBENCH_KERNEL Vector minus(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  static MBDBENCH_KERNEL Pair minus(const Pair& a, const Pair& b) { return linear::minus(a, b); }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
