#pragma once
/// \file
/// One open tree, linearised about one state: what directions of the state do.
///
/// Accelerations: M da = dtau - dID, where ID(q, u, u') is what the motion needs; of a direction j, at axes outboard of
/// it (in its own node as well) and inboard, with psi'' = A x S + V x psi' for A, V of the inboard node
///
///   dID_i = S_i . (I_i^C psi''_j + 2 B_i^C psi'_j),   S_i . (I_j^C psi''_j + 2 B_j^C psi'_j + S_j x* f_j^C)
///
/// and along u_j the same with psi' + S' for psi'', S for psi', without the last term. Momenta: M du = dp - dM u, where
/// dM u has psi' for psi'' and nothing else, P for f. No articulated inertia is differentiated.
/// The published recursions go over pairs of joints (Carpentier and Mansard 2018; Singh, Russell and Wensing 2022).
/// Their terms are these, the order is another one: directions go through the tree in lanes, with M^-1 at once, so that
/// a pair of joints is never formed, and long chains cost n a direction.
#include "formulations/derivatives/tree_values.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Parameters as of TreeValues.
template <int W>
struct TreeSlopes {
  using Vector = LinkVector<double>;
  using Pair = Screw<double>;

  /// \returns whether all pivots are positive and all numbers finite
  static MBDBENCH_KERNEL bool linearise(const LinearData& data, const double* x) {
    const auto inward = [](int) {};
    const auto outward = [&](int i) MBDBENCH_INLINED { start_collection(data, data.nodes[i]); };
    const bool sound = TreeValues<W>::solve(data, x, inward, outward);
    for (int i = data.node_count; i-- > 0;) {
      collect(data, i, x);
    }
    return sound;
  }

  static MBDBENCH_KERNEL void start_collection(const LinearData& data, LinearNode& node) {
    put(node.body, node.composite);
    if (!data.momenta) {
      put(velocity_turning(node.body, node.velocity), node.turning);
      put(multiplied(node.body, node.velocity).linear, node.momentum);
    }
  }

  // Of one body: 2 v h^T + omega x (tr J 1 - 2 J).
  static MBDBENCH_KERNEL Matrix3<double> velocity_turning(const RigidBody& body, const Pair& velocity) {
    const kernels::Symmetric3<double>& j = body.inertia;
    const Vector& w = velocity.angular;
    const double xy = -2.0 * j.xy;
    const double xz = -2.0 * j.xz;
    const double yz = -2.0 * j.yz;
    const Vector x = cross(w, Vector{j.yy + j.zz - j.xx, xy, xz});
    const Vector y = cross(w, Vector{xy, j.xx + j.zz - j.yy, yz});
    const Vector z = cross(w, Vector{xz, yz, j.xx + j.yy - j.zz});
    Matrix3<double> n{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    add_double_product(velocity.linear, body.moment, n);
    return n;
  }

  /// \returns 2 B^C [0; beta].
  static MBDBENCH_KERNEL Pair turned_body(const LinearNode& node, const Vector& beta) {
    const Vector twice{2.0 * beta.x, 2.0 * beta.y, 2.0 * beta.z};
    Vector torque = kernels::turned(node.turning, Vector{-beta.x, -beta.y, -beta.z});
    add(beta, trace(node.turning), torque);
    return {cross(twice, node.momentum), torque};
  }

  /// All that a displacement along an axis does but along that axis. \returns V x S
  static MBDBENCH_KERNEL Pair set_displacement(const LinearData& data, const LinearNode& node, const LinearAxis& axis,
                                               LinearDirection& along_q) {
    const Pair inner = node.inboard >= 0 ? moved_outward(node.lever, data.nodes[node.inboard].acceleration)
                                         : Pair{{-data.gravity.x, -data.gravity.y, -data.gravity.z}, none<double>()};
    const Pair first = carried_axis(node.inherited, axis);
    const Pair second = plus(carried_axis(inner, axis), motion_product(node.inherited, first));
    put(second, along_q.motion);
    put(first.angular, along_q.turn);
    put(plus(plus(multiplied(node.composite, second), turned_body(node, first.angular)),
             turned_wrench(axis, node.total)),
        along_q.wrench);
    return first;
  }

  static MBDBENCH_KERNEL void set_acceleration_directions(const LinearData& data, const LinearNode& node,
                                                          LinearAxis& axis, LinearDirection& along_q) {
    const Pair first = set_displacement(data, node, axis, along_q);
    along_q.force = -axis.stiffness;
    LinearDirection& along_u = data.directions[data.q_count + axis.u];
    const Pair both = plus(first, axis.rate);
    const Pair own = screw_of(axis);
    put(both, along_u.motion);
    put(own.angular, along_u.turn);
    put(plus(multiplied(node.composite, both), turned_body(node, own.angular)), along_u.wrench);
    along_u.force = -axis.damping;
    const Vector& p = node.momentum;
    if (axis.slides) {
      axis.turning = cross(Vector{2.0 * p.x, 2.0 * p.y, 2.0 * p.z}, axis.z);
    } else {
      axis.turning = kernels::turned_back(node.turning, Vector{-axis.z.x, -axis.z.y, -axis.z.z});
      add(axis.z, trace(node.turning), axis.turning);
    }
  }

  /// As set_displacement. \returns S x* P
  static MBDBENCH_KERNEL Pair set_displacement_of_momenta(const LinearData& data, const LinearNode& node,
                                                          const LinearAxis& axis, LinearDirection& along_q) {
    const Vector& g = data.gravity;
    const Pair first = carried_axis(node.inherited, axis);
    put(first, along_q.motion);
    put(axis.slides ? none<double>() : cross(axis.z, g), along_q.turn);
    const Pair turned = turned_wrench(axis, node.total);
    put(plus(multiplied(node.composite, first), turned), along_q.wrench);
    const double mass = node.composite.mass;
    put(axis.slides ? cross(axis.z, Vector{mass * g.x, mass * g.y, mass * g.z})
                    : cross(cross(axis.z, node.composite.moment), g),
        along_q.moment);
    return turned;
  }

  /// What a joint does that moves on its inboard node, as a slide would that is held.
  static MBDBENCH_KERNEL LinearDirection of_length(const LinearData& data, const LinearParameter& length) {
    const LinearNode& node = data.nodes[length.node];
    LinearAxis slide;
    slide.slides = true;
    slide.z = length.way;
    LinearDirection direction;
    direction.node = length.node;
    direction.axis = node.first_axis;
    data.momenta ? set_displacement_of_momenta(data, node, slide, direction)
                 : set_displacement(data, node, slide, direction);
    return direction;
  }

  static MBDBENCH_KERNEL void set_momentum_direction(const LinearData& data, const LinearNode& node, LinearAxis& axis,
                                                     LinearDirection& along_q) {
    const Pair turned = set_displacement_of_momenta(data, node, axis, along_q);
    along_q.rate = -axis.stiffness;
    const Pair rate = carried_axis(node.velocity, axis);
    put(rate, axis.rate);
    put(plus(multiplied(node.composite, rate), turned), axis.coupling);
  }

  /// Inward: what moves as one body, and what directions do.
  static MBDBENCH_KERNEL void collect(const LinearData& data, int i, const double* x) {
    LinearNode& node = data.nodes[i];
    const LinkRow& row = data.tree->rows[node.row];
    const bool ball = node.axis_count == 3 && !node.free_slides;
    LinearDirection turns[3];
    LinearDirection* const own = ball ? turns : data.directions + row.q + (node.free_slides ? 4 : 0);
    for (int a = 0; a < node.axis_count; ++a) {
      LinearAxis& axis = data.axes[node.first_axis + a];
      put(along_axis(node.composite, axis), axis.composite);
      own[a].node = i;
      own[a].axis = node.first_axis + a;
      if (data.momenta) {
        set_momentum_direction(data, node, axis, own[a]);
      } else {
        set_acceleration_directions(data, node, axis, own[a]);
      }
    }
    if (ball) {
      set_quaternion_directions(turns, x + row.q, data.directions + row.q);
    }
    if (node.inboard >= 0) {
      LinearNode& inner = data.nodes[node.inboard];
      if (!data.momenta) {
        add_double_product(node.momentum, node.lever, node.turning);
        add_matrix(node.turning, inner.turning);
        inner.momentum = plus(inner.momentum, node.momentum);
      }
      add_body(node.lever, node.composite, inner.composite);
      inner.total = plus(inner.total, moved_inward(node.lever, node.total));
    }
  }

  static MBDBENCH_KERNEL double trace(const Matrix3<double>& m) { return m.xx + m.yy + m.zz; }

  static MBDBENCH_KERNEL void add_matrix(const Matrix3<double>& other, Matrix3<double>& to) {
    to = {to.xx + other.xx, to.xy + other.xy, to.xz + other.xz, to.yx + other.yx, to.yy + other.yy,
          to.yz + other.yz, to.zx + other.zx, to.zy + other.zy, to.zz + other.zz};
  }

  // A change of the quaternion turns by 2 e^-1 o de about the own axes, what changes its length by nothing.
  static MBDBENCH_KERNEL void set_quaternion_directions(const LinearDirection* turns, const double* e,
                                                        LinearDirection* directions) {
    const double scale = 2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const double parts[4][3] = {{-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
    for (int c = 0; c < 4; ++c) {
      LinearDirection sum;
      sum.node = turns[0].node;
      sum.axis = turns[0].axis;
      for (int a = 0; a < 3; ++a) {
        const double factor = scale * parts[c][a];
        add(turns[a].motion, factor, sum.motion);
        add(turns[a].turn, factor, sum.turn);
        add(turns[a].wrench, factor, sum.wrench);
        add(turns[a].moment, factor, sum.moment);
      }
      directions[c] = sum;
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
