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
#include "formulations/derivatives/displacements.hpp"
#include "formulations/derivatives/trees/tree_values.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Parameters as of TreeValues.
template <int W>
struct TreeSlopes {
  using Vector = LinkVector<double>;
  using Pair = Screw<double>;

  /// Bodies are collected while axes are eliminated: what waits for a pivot there leaves time for it.
  /// \returns whether all pivots are positive and all numbers finite
  static MBDBENCH_KERNEL bool linearise(const LinearData& data, const double* x) {
    const auto placed = [&](int i) MBDBENCH_INLINED { start_collection(data, data.nodes[i]); };
    const auto inward = [&](int i) MBDBENCH_INLINED { collect(data, i, x); };
    const auto outward = [&](int i) MBDBENCH_INLINED { set_inner(data, data.nodes[i]); };
    const bool sound = TreeValues<W>::template solve<BodiesAre::placed>(data, x, placed, inward, outward);
    for (int i = data.node_count; i-- > 0;) {
      collect_total(data, data.nodes[i]);
    }
    return sound;
  }

  static MBDBENCH_KERNEL void start_collection(const LinearData& data, LinearNode& node) {
    put(node.body, node.composite);
    if (!data.momenta) {
      put(velocity_turning(node.body, node.velocity), node.turning);
      put(node.own_momentum, node.momentum);
      put(plus(node.inherited, node.velocity), node.both);
    }
  }

  static MBDBENCH_KERNEL void set_inner(const LinearData& data, LinearNode& node) {
    if (!data.momenta) {
      put(node.inboard >= 0 ? moved_outward(node.lever, data.nodes[node.inboard].acceleration)
                            : Pair{{-data.gravity.x, -data.gravity.y, -data.gravity.z}, none<double>()},
          node.inner);
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

  static MBDBENCH_KERNEL DisplacedBody<double> displaced_body(const LinearNode& node) {
    const RigidBody& body = node.composite;
    return {body.mass, body.moment, body.inertia, node.momentum, node.turning};
  }

  /// What a joint does that moves on its inboard node, as a slide would that is held.
  static MBDBENCH_KERNEL Displacement<double> of_length(const LinearData& data, const LinearParameter& length) {
    const LinearNode& node = data.nodes[length.node];
    const Pair slide{length.way, none<double>()};
    const DisplacedBody<double> body = displaced_body(node);
    return data.momenta ? displacement_of_momenta(slide, node.inherited, node.total, body, data.gravity)
                        : displacement(slide, node.inner, node.inherited, node.still, node.total, body);
  }

  /// A and what else the changes of an axis' torque want of it.
  static MBDBENCH_KERNEL void set_axis(const LinearData& data, const LinearNode& node, LinearAxis& axis) {
    put(along_axis(node.composite, axis), axis.composite);
    if (data.momenta) {
      return;
    }
    if (axis.slides) {
      const Vector& p = node.momentum;
      put(cross(Vector{2.0 * p.x, 2.0 * p.y, 2.0 * p.z}, axis.z), axis.turning);
    } else {
      Vector turning = kernels::turned_back(node.turning, Vector{-axis.z.x, -axis.z.y, -axis.z.z});
      add(axis.z, trace(node.turning), turning);
      put(turning, axis.turning);
    }
  }

  /// Inward: what moves as one body.
  static MBDBENCH_KERNEL void collect(const LinearData& data, int i, const double* x) {
    LinearNode& node = data.nodes[i];
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      set_axis(data, node, data.axes[a]);
    }
    if (node.axis_count == 3 && !node.free_slides) {
      const LinkRow& row = data.tree->rows[node.row];
      set_quaternion_lines(data.axes + node.first_axis, x + row.q, data.quaternions + 4L * kLine * row.ordinal);
    }
    if (node.inboard >= 0) {
      LinearNode& inner = data.nodes[node.inboard];
      if (!data.momenta) {
        Matrix3<double> turning = node.turning;
        add_double_product(node.momentum, node.lever, turning);
        put(sum(inner.turning, turning), inner.turning);
        put(plus(inner.momentum, node.momentum), inner.momentum);
      }
      add_body(node.lever, node.composite, inner.composite);
    }
  }

  /// Inward: what the motion needs outboard, or the momentum there, and what the rates of momenta want of it.
  static MBDBENCH_KERNEL void collect_total(const LinearData& data, LinearNode& node) {
    for (int a = node.first_axis; data.momenta && a < node.first_axis + node.axis_count; ++a) {
      LinearAxis& axis = data.axes[a];
      const Pair rate = carried_axis(node.velocity, axis);
      put(rate, axis.rate);
      put(plus(multiplied(node.composite, rate), turned_wrench(axis, node.total)), axis.coupling);
    }
    if (node.inboard >= 0) {
      LinearNode& inner = data.nodes[node.inboard];
      put(plus(inner.total, moved_inward(node.lever, node.total)), inner.total);
    }
  }

  static MBDBENCH_KERNEL double trace(const Matrix3<double>& m) { return m.xx + m.yy + m.zz; }

  static MBDBENCH_KERNEL Matrix3<double> sum(const Matrix3<double>& a, const Matrix3<double>& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
            a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
  }

  static constexpr int kLine = 8;

  // A change of the quaternion turns by 2 e^-1 o de about the own axes, what changes its length by nothing.
  static MBDBENCH_KERNEL void set_quaternion_lines(const LinearAxis* axes, const double* e, double* lines) {
    const double scale = 2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const double parts[4][3] = {{-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
    for (int c = 0; c < 4; ++c) {
      Vector sum = none<double>();
      for (int a = 0; a < 3; ++a) {
        add(axes[a].z, scale * parts[c][a], sum);
      }
      double* const line = lines + kLine * c;
      line[0] = sum.x;
      line[1] = sum.y;
      line[2] = sum.z;
      line[3] = 0.0;
      line[4] = 1.0;
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
