#pragma once
/// \file
/// Weights times the derivatives of an open tree: how the sum of weights times x' changes with every component of the
/// state.
///
/// Accelerations: w . du' = y . dtau - dF (tree_slopes.hpp), where y = M^-1 w and
///
///   F = sum Y_k . f_k over all nodes,   Y_k = sum S_i y_i inboard,   f_k = I_k A_k + V_k x* I_k V_k
///
/// An axis S that displaces all outboard, and one whose u changes, give, with A, V, Y of the inboard node and sums over
/// the own node and all outboard of it,
///
///   dF/dq = -S . Z,   Z = A x* G + Y x* f^C + V x* ([0; eta] - V x* G),   G = sum I_k Y_k
///   dF/du = S . ([0; eta] - (V + V_own) x* G),   eta . beta = sum Y_k . 2 B_k [alpha; beta]
///
/// Momenta: the weights b of p' act on sum b_i S'_i . P_i^C = sum C_k . I_k V_k, C_k = sum b_i S'_i inboard, and on the
/// weight; B_k = sum b_i S_i inboard. What q' and p' have of du is c, y = M^-1 c:
///
///   R = sum (I_k C_k + B_k x* I_k V_k) - B x* P^C,   c = S . R and what q' has,   W = [m^C g; h^C x g]
///   Z = V x* (G - R) + (Y - C) x* P^C - B x* W + [0; L x g],   L the linear part of sum I_k B_k
///
/// No composite inertia is formed. Cost: four passes over the tree with those of the solution, six for momenta.
#include "formulations/derivatives/trees/tree_values.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <int W>
struct TreeWeights {
  using Vector = LinkVector<double>;
  using Pair = Screw<double>;

  /// \param weights of x' \param product receives the sum's derivatives by x \returns whether all pivots are positive
  /// and all numbers finite
  static MBDBENCH_KERNEL bool run(const LinearData& data, const double* x, const double* weights, double* product) {
    for (int i = 0; i < data.node_count; ++i) {
      if (data.nodes[i].kept) {
        clear(data.weights[i].outboard);
      }
    }
    const bool sound =
        data.momenta ? weigh_momenta(data, x, weights, product) : weigh_accelerations(data, x, weights, product);
    const auto number = [&](int k) MBDBENCH_INLINED { return product[k]; };
    return TreeValues<W>::not_finite(data.q_count + data.axis_count, number) == 0.0 && sound;
  }

  static MBDBENCH_KERNEL bool weigh_accelerations(const LinearData& data, const double* x, const double* weights,
                                                  double* product) {
    const double* const w = weights + data.q_count;
    Pair wrench = no_screw<double>();
    const auto nothing = [](int) {};
    const auto inward = [&](int i) MBDBENCH_INLINED { eliminate_node(data, i, w, wrench); };
    const auto outward = [&](int i) MBDBENCH_INLINED { carry_changes(data, i); };
    const bool sound = TreeValues<W>::template solve<BodiesAre::eliminated>(data, x, nothing, inward, outward);
    set_coordinate_weights(data, x, weights, product);
    gather_wrenches(data, x, product);
    return sound;
  }

  static MBDBENCH_KERNEL bool weigh_momenta(const LinearData& data, const double* x, const double* weights,
                                            double* product) {
    const double* const w = weights + data.q_count;
    const auto outward = [&](int i) MBDBENCH_INLINED { carry_rates(data, i, w); };
    const auto nothing = [](int) {};
    const bool sound = TreeValues<W>::template solve<BodiesAre::eliminated>(data, x, nothing, nothing, outward);
    set_coordinate_weights(data, x, weights, product);
    gather_rates(data, w, product + data.q_count);
    for (int i = 0; i < data.node_count; ++i) {
      carry_changes(data, i);
    }
    gather_momenta(data, x, w, product);
    return sound;
  }

  // product = weights of q' times its derivatives by q and u.
  static MBDBENCH_KERNEL void set_coordinate_weights(const LinearData& data, const double* x, const double* weights,
                                                     double* product) {
    double* const by_u = product + data.q_count;
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      const double* const w = weights + row.q;
      if (!is_sphere(row.kind)) {
        product[row.q] = 0.0;
        by_u[row.u] = w[0];
        continue;
      }
      double block[16] = {};
      TreeValues<W>::add_quaternion_block(data.velocities + row.u, 4, block);
      for (int c = 0; c < 4; ++c) {
        product[row.q + c] = w[0] * block[c] + w[1] * block[4 + c] + w[2] * block[8 + c] + w[3] * block[12 + c];
      }
      const double* const e = x + row.q;
      by_u[row.u] = 0.5 * (e[0] * w[1] - e[1] * w[0] + e[3] * w[2] - e[2] * w[3]);
      by_u[row.u + 1] = 0.5 * (e[0] * w[2] - e[2] * w[0] + e[1] * w[3] - e[3] * w[1]);
      by_u[row.u + 2] = 0.5 * (e[0] * w[3] - e[3] * w[0] + e[2] * w[1] - e[1] * w[2]);
      for (int c = 0; row.kind == RowKind::free && c < 3; ++c) {
        product[row.q + 4 + c] = 0.0;
        by_u[row.u + 3 + c] = w[4 + c];
      }
    }
  }

  // ---- Sums over a node and all outboard of it. Along a chain they stay in registers; memory has what other nodes
  // than the next one leave.

  static MBDBENCH_KERNEL void clear(LinearSums& sums) {
    put(no_screw<double>(), sums.wrench);
    put(no_screw<double>(), sums.total);
    put(no_screw<double>(), sums.momentum);
    put(none<double>(), sums.turning);
    put(none<double>(), sums.moment);
  }

  static MBDBENCH_KERNEL bool is_next(const LinearNode& node, int i) {
    return node.inboard >= 0 && node.inboard + 1 == i;
  }

  /// \param carried a sum about the own O; receives it about the inboard node's, or none if that is not the next one
  static MBDBENCH_KERNEL void pass_on(const LinearData& data, const LinearNode& node, int i, Pair LinearSums::*sum,
                                      Pair& carried) {
    carried = moved_inward(node.lever, carried);
    if (!is_next(node, i)) {
      if (node.inboard >= 0) {
        Pair& there = data.weights[node.inboard].outboard.*sum;
        put(plus(there, carried), there);
      }
      carried = no_screw<double>();
    }
  }

  /// Of what no lever changes.
  static MBDBENCH_KERNEL void pass_on(const LinearData& data, const LinearNode& node, int i, Vector LinearSums::*sum,
                                      Vector& carried) {
    if (!is_next(node, i)) {
      if (node.inboard >= 0) {
        Vector& there = data.weights[node.inboard].outboard.*sum;
        put(plus(there, carried), there);
      }
      carried = none<double>();
    }
  }

  /// \returns a motion of the inboard node at the own O.
  static MBDBENCH_KERNEL Pair inherited(const LinearData& data, const LinearNode& node, Pair LinearWeights::*motion) {
    return node.inboard >= 0 ? moved_outward(node.lever, data.weights[node.inboard].*motion) : no_screw<double>();
  }

  // ---- M^-1 of the weights.

  /// Inward: torques. \param asked w or c, by quasi-velocity \param wrench what comes from the next node; receives what
  /// goes to the one before
  static MBDBENCH_KERNEL void eliminate_node(const LinearData& data, int i, const double* asked, Pair& wrench) {
    const LinearNode& node = data.nodes[i];
    if (node.kept) {
      wrench = plus(wrench, data.weights[i].outboard.wrench);
    }
    for (int a = node.first_axis + node.axis_count; a-- > node.first_axis;) {
      const LinearAxis& axis = data.axes[a];
      double torque = asked[axis.u];
      subtract_along(axis, wrench, torque);
      data.torques[a] = torque;
      add(axis.gain, torque, wrench);
    }
    pass_on(data, node, i, &LinearSums::wrench, wrench);
  }

  /// \returns torque / D - gain . motion.
  static MBDBENCH_KERNEL double changed(const LinearAxis& axis, double torque, const Pair& motion) {
    double change = axis.inverse * torque;
    subtract_dot(axis.gain.angular, motion.angular, change);
    return change - dot(axis.gain.linear, motion.linear);  // which is known last
  }

  /// Outward: y and Y.
  static MBDBENCH_KERNEL void carry_changes(const LinearData& data, int i) {
    const LinearNode& node = data.nodes[i];
    Pair motion = inherited(data, node, &LinearWeights::motion);
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      const LinearAxis& axis = data.axes[a];
      const double change = changed(axis, data.torques[a], motion);
      data.changes[axis.u] = change;
      add_axis(axis, change, motion);
    }
    put(motion, data.weights[i].motion);
  }

  // ---- Accelerations.

  /// \returns eta of one body that moves with V and is weighed with Y.
  static MBDBENCH_KERNEL Vector turning_of(const RigidBody& body, const Pair& v, const Pair& y) {
    const kernels::Symmetric3<double>& j = body.inertia;
    Vector p = cross(v.angular, body.moment);
    add(v.linear, body.mass, p);
    const Vector turned = cross(y.angular, v.angular);
    Vector half =
        plus(plus(cross(p, y.linear), cross(v.linear, cross(y.angular, body.moment))), kernels::multiplied(j, turned));
    add(turned, -0.5 * (j.xx + j.yy + j.zz), half);
    return {2.0 * half.x, 2.0 * half.y, 2.0 * half.z};
  }

  static MBDBENCH_KERNEL void gather_wrenches(const LinearData& data, const double* x, double* product) {
    Pair total = no_screw<double>();
    Pair momentum = no_screw<double>();
    Vector turning = none<double>();
    for (int i = data.node_count; i-- > 0;) {
      const LinearNode& node = data.nodes[i];
      LinearWeights& own = data.weights[i];
      if (node.kept) {
        total = plus(total, own.outboard.total);
        momentum = plus(momentum, own.outboard.momentum);
        turning = plus(turning, own.outboard.turning);
      }
      total = plus(total, node.total);
      if (!node.free_slides) {
        momentum = plus(momentum, multiplied(node.body, own.motion));
        turning = plus(turning, turning_of(node.body, node.velocity, own.motion));
      }
      const Pair acceleration = node.inboard >= 0
                                    ? moved_outward(node.lever, data.nodes[node.inboard].acceleration)
                                    : Pair{{-data.gravity.x, -data.gravity.y, -data.gravity.z}, none<double>()};
      const Pair& v = node.inherited;
      const Pair turned = minus(Pair{none<double>(), turning}, wrench_rate(v, momentum));
      const Pair z = plus(
          plus(wrench_rate(acceleration, momentum), wrench_rate(inherited(data, node, &LinearWeights::motion), total)),
          wrench_rate(v, turned));
      put(z, own.displaced);
      const Pair by_u = minus(turned, wrench_rate(node.velocity, momentum));
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        const LinearAxis& axis = data.axes[a];
        product[data.q_count + axis.u] -= along(axis, by_u) + axis.damping * data.changes[axis.u];
      }
      put_displacements(data, node, own.displaced, data.changes, x, product);
      pass_on(data, node, i, &LinearSums::total, total);
      pass_on(data, node, i, &LinearSums::momentum, momentum);
      pass_on(data, node, i, &LinearSums::turning, turning);
    }
  }

  /// product += S . Z of the coordinates of a node, and what its springs add.
  static MBDBENCH_KERNEL void put_displacements(const LinearData& data, const LinearNode& node, const Pair& z,
                                                const double* pulled, const double* x, double* product) {
    const LinkRow& row = data.tree->rows[node.row];
    const LinearAxis* const axes = data.axes + node.first_axis;
    if (node.axis_count == 3 && !node.free_slides) {
      put_turns({along(axes[0], z), along(axes[1], z), along(axes[2], z)}, x + row.q, product + row.q);
      return;
    }
    double* const to = product + row.q + (node.free_slides ? 4 : 0);
    for (int a = 0; a < node.axis_count; ++a) {
      to[a] += along(axes[a], z) - axes[a].stiffness * pulled[axes[a].u];
    }
  }

  // A change of the quaternion turns by 2 e^-1 o de about the own axes, what changes its length by nothing.
  static MBDBENCH_KERNEL void put_turns(const Vector& by, const double* e, double* product) {
    const double scale = 2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    product[0] += scale * (-e[1] * by.x - e[2] * by.y - e[3] * by.z);
    product[1] += scale * (e[0] * by.x - e[3] * by.y + e[2] * by.z);
    product[2] += scale * (e[3] * by.x + e[0] * by.y - e[1] * by.z);
    product[3] += scale * (-e[2] * by.x + e[1] * by.y + e[0] * by.z);
  }

  // ---- Momenta.

  /// Outward: B and C.
  static MBDBENCH_KERNEL void carry_rates(const LinearData& data, int i, const double* w) {
    const LinearNode& node = data.nodes[i];
    LinearWeights& own = data.weights[i];
    Pair added = no_screw<double>();
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      add_axis(data.axes[a], w[data.axes[a].u], added);
    }
    put(plus(inherited(data, node, &LinearWeights::asked), added), own.asked);
    put(plus(inherited(data, node, &LinearWeights::rates), motion_product(node.velocity, added)), own.rates);
  }

  /// Inward: R, c and the torques of M^-1 c; the part of Z that has no y.
  static MBDBENCH_KERNEL void gather_rates(const LinearData& data, const double* w, double* by_u) {
    const Vector& g = data.gravity;
    Pair total = no_screw<double>();
    Pair momentum = no_screw<double>();
    Pair wrench = no_screw<double>();
    Vector linear = none<double>();
    Vector moment = none<double>();
    for (int i = data.node_count; i-- > 0;) {
      LinearNode& node = data.nodes[i];
      LinearWeights& own = data.weights[i];
      if (node.kept) {
        const LinearSums& outboard = own.outboard;
        total = plus(total, outboard.total);
        momentum = plus(momentum, outboard.momentum);
        linear = plus(linear, outboard.turning);
        moment = plus(moment, outboard.moment);
      }
      if (!node.free_slides) {
        const Pair share = multiplied(node.body, own.rates);
        momentum = plus(momentum, plus(share, wrench_rate(own.asked, node.total)));
        Vector force = cross(own.asked.angular, node.body.moment);
        add(own.asked.linear, node.body.mass, force);
        linear = plus(linear, force);
        moment = plus(moment, node.body.moment);
      }
      total = plus(total, node.total);
      put(total, node.total);
      const Pair asked = inherited(data, node, &LinearWeights::asked);
      const Pair r = minus(momentum, wrench_rate(asked, total));
      const double mass = data.tree->links[node.row].outboard_mass;
      const Pair weight{{mass * g.x, mass * g.y, mass * g.z}, cross(moment, g)};
      Pair z =
          minus(minus(Pair{none<double>(), cross(linear, g)}, wrench_rate(asked, weight)),
                plus(wrench_rate(node.inherited, r), wrench_rate(inherited(data, node, &LinearWeights::rates), total)));
      put(z, own.displaced);
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        const LinearAxis& axis = data.axes[a];
        by_u[axis.u] += along(axis, r) - axis.damping * w[axis.u];
      }
      eliminate_node(data, i, by_u, wrench);
      add(node.lever, mass, moment);
      pass_on(data, node, i, &LinearSums::total, total);
      pass_on(data, node, i, &LinearSums::momentum, momentum);
      pass_on(data, node, i, &LinearSums::turning, linear);
      pass_on(data, node, i, &LinearSums::moment, moment);
    }
  }

  /// Inward: the rest of Z, and the products.
  static MBDBENCH_KERNEL void gather_momenta(const LinearData& data, const double* x, const double* w,
                                             double* product) {
    for (int i = 0; i < data.node_count; ++i) {
      if (data.nodes[i].kept) {
        put(no_screw<double>(), data.weights[i].outboard.momentum);
      }
    }
    Pair momentum = no_screw<double>();
    for (int i = data.node_count; i-- > 0;) {
      const LinearNode& node = data.nodes[i];
      LinearWeights& own = data.weights[i];
      if (node.kept) {
        momentum = plus(momentum, own.outboard.momentum);
      }
      if (!node.free_slides) {
        momentum = plus(momentum, multiplied(node.body, own.motion));
      }
      put(plus(own.displaced, plus(wrench_rate(node.inherited, momentum),
                                   wrench_rate(inherited(data, node, &LinearWeights::motion), node.total))),
          own.displaced);
      put_displacements(data, node, own.displaced, w, x, product);
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        const int u = data.axes[a].u;
        product[data.q_count + u] = data.changes[u];
      }
      pass_on(data, node, i, &LinearSums::momentum, momentum);
    }
  }

  // ---- By masses, after `run`.

  /// \returns weights times the derivative of x' by a mass. \param mass of a node
  static MBDBENCH_KERNEL double by_mass(const LinearData& data, const LinearParameter& mass) {
    const LinearWeights& own = data.weights[mass.node];
    const Pair wrench = TreeValues<W>::point_mass_wrench(data, data.nodes[mass.node], mass.point);
    const double sum = -dot(wrench, own.motion);
    return data.momenta
               ? sum + dot(wrench, own.rates) + dot(Pair{data.gravity, cross(mass.point, data.gravity)}, own.asked)
               : sum;
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
