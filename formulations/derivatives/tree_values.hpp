#pragma once
/// \file
/// One open tree about one state: positions, velocities, the factors of M, and what directions of the state do.
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
#include "formulations/derivatives/screws.hpp"
#include "formulations/kernels/quaternions.hpp"
#include "formulations/kernels/sines.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \tparam W doubles a register of the instruction set: what is not inlined has it in its name
template <int W>
struct TreeValues {
  using Vector = LinkVector<double>;
  using Pair = Screw<double>;

  /// The motion and the factors of M. \returns whether all pivots are positive and all numbers finite
  /// \param inward, outward called with every node when its axes are eliminated, and when its motion is known
  template <typename Inward, typename Outward>
  static MBDBENCH_KERNEL bool solve(const LinearData& data, const double* x, const Inward& inward,
                                    const Outward& outward) {
    set_turns(data, x);
    set_forces(data, x);
    for (int i = 0; i < data.node_count; ++i) {
      place(data, i, x);
    }
    const double smallest = eliminate(data, inward);
    for (int i = 0; i < data.node_count; ++i) {
      move(data, data.nodes[i]);
      outward(i);
    }
    double finite = 0.0;
    for (int a = 0; a < data.axis_count; ++a) {
      finite += data.axes[a].rest * 0.0;
    }
    for (int k = 0; k < data.q_count + data.axis_count; ++k) {
      finite += x[k] * 0.0;
    }
    return smallest + finite > 0.0;
  }

  /// And what directions of the state do.
  static MBDBENCH_KERNEL bool linearise(const LinearData& data, const double* x) {
    const auto nothing = [](int) {};
    const bool sound = solve(data, x, nothing, nothing);
    for (int i = 0; i < data.node_count; ++i) {
      LinearNode& node = data.nodes[i];
      put(node.body, node.composite);
      if (!data.momenta) {
        put(velocity_turning(node.body, node.velocity), node.turning);
        put(multiplied(node.body, node.velocity).linear, node.momentum);
      }
    }
    for (int i = data.node_count; i-- > 0;) {
      collect(data, i, x);
    }
    return sound;
  }

  static MBDBENCH_KERNEL void set_turns(const LinearData& data, const double* x) {
    using T = kernels::Pack<W, W>;
    const LaneData& tree = *data.tree;
    const int padded = (data.row_count + W - 1) / W * W;
    double* const sines = data.turns + padded;
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = tree.rows[i];
      const bool turns = row.kind == RowKind::revolute || row.kind == RowKind::driven_revolute;
      sines[i] = tree.angles[i] + (turns ? x[row.q] : 0.0);
    }
    for (int i = 0; i < padded; i += W) {
      const kernels::SineCosine<T> both = kernels::sine_and_cosine(*reinterpret_cast<const T*>(sines + i));
      *reinterpret_cast<T*>(data.turns + i) = both.cosine;
      *reinterpret_cast<T*>(sines + i) = both.sine;
    }
  }

  // tau of springs, dampers and motors at the state; or the momenta.
  static MBDBENCH_KERNEL void set_forces(const LinearData& data, const double* x) {
    const double* const second = x + data.q_count;
    for (int k = 0; k < data.axis_count; ++k) {
      data.forces[k] = data.momenta ? second[k] : 0.0;
      data.velocities[k] = second[k];
    }
    for (int f = 0; !data.momenta && f < data.force_count; ++f) {
      const LaneForce& force = data.tree->forces[f];
      data.forces[force.u] += force.constant - force.stiffness * data.given[force.q] - force.damping * second[force.u];
    }
  }

  /// Outward: axes, bodies; in accelerations also velocities and what they need.
  static MBDBENCH_KERNEL void place(const LinearData& data, int i, const double* x) {
    LinearNode& node = data.nodes[i];
    const LaneData& tree = *data.tree;
    const LinkConstants& link = tree.links[node.row];
    set_axes(data, i, x);
    // Numbers stay in registers until they are stored: a structure that is copied in memory is loaded in wide pieces,
    // which wait for the narrow stores before them.
    RigidBody body;
    if (!node.free_slides) {
      body.mass = link.mass;
      body.moment = kernels::turned(node.axes, Vector{link.hx, link.hy, link.hz});
      body.inertia = kernels::turned(
          node.axes, kernels::Symmetric3<double>{link.jxx, link.jxy, link.jxz, link.jyy, link.jyz, link.jzz});
    }
    put(body, node.body);
    if (node.kept) {
      node.articulated = {};
      put(no_screw<double>(), node.bias);
    }
    if (data.momenta) {
      return;
    }
    LinearAxis* const axes = data.axes + node.first_axis;
    Pair velocity = no_screw<double>();
    Pair acceleration{{-data.gravity.x, -data.gravity.y, -data.gravity.z}, none<double>()};
    if (node.inboard >= 0) {
      const LinearNode& inner = data.nodes[node.inboard];
      velocity = moved_outward(node.lever, inner.velocity);
      acceleration = moved_outward(node.lever, inner.acceleration);
    } else {
      // Equations do not know of a common velocity: without that of a free body its square cancels nowhere.
      for (int a = 0; node.free_slides && a < node.axis_count; ++a) {
        add(axes[a].z, -data.velocities[axes[a].u], velocity.linear);
      }
    }
    put(velocity, node.inherited);
    for (int a = 0; a < node.axis_count; ++a) {
      add_axis(axes[a], data.velocities[axes[a].u], velocity);
    }
    put(velocity, node.velocity);
    for (int a = 0; a < node.axis_count; ++a) {
      const Pair rate = carried_axis(velocity, axes[a]);
      put(rate, axes[a].rate);
      add(rate, data.velocities[axes[a].u], acceleration);
    }
    put(acceleration, node.acceleration);
    const Pair momentum = multiplied(body, velocity);
    const Pair wrench = plus(multiplied(body, acceleration), wrench_rate(velocity, momentum));
    put(wrench, node.wrench);
  }

  using LinkConstants = kernels::LinkConstants<double>;

  // Frame of the row, lever and directions of the axes.
  static MBDBENCH_KERNEL void set_axes(const LinearData& data, int i, const double* x) {
    LinearNode& node = data.nodes[i];
    const LaneData& tree = *data.tree;
    const LinkRow& row = tree.rows[node.row];
    const LinkConstants& link = tree.links[node.row];
    Matrix3<double> frame = node.start == NodeStart::ground_run ? node.ground_axes : data.nodes[node.inboard].axes;
    Vector lever = none<double>();
    if (node.start == NodeStart::inboard_run) {
      const double c = node.run.cos_beta;
      const double s = node.run.sin_beta;
      lever = {node.run.d * frame.xz, node.run.d * frame.yz, node.run.d * frame.zz};
      frame = {c * frame.xx + s * frame.xy, c * frame.xy - s * frame.xx, frame.xz,
               c * frame.yx + s * frame.yy, c * frame.yy - s * frame.yx, frame.yz,
               c * frame.zx + s * frame.zy, c * frame.zy - s * frame.zx, frame.zz};
    }
    LinearAxis* const axes = data.axes + node.first_axis;
    if (is_sphere(row.kind)) {
      const SphericalConstants& constants = tree.spherical[row.ordinal];
      if (node.free_slides || row.kind == RowKind::spherical) {
        Vector way = constants.lever;
        if (node.free_slides) {
          way = plus(way, kernels::turned(constants.axes_a, kernels::vector_of(x + row.q + 4)));
          set_columns(kernels::product(frame, constants.axes_a), axes);
        }
        lever = plus(lever, kernels::turned(frame, way));
      }
      if (!node.free_slides) {
        const double* const e = x + row.q;
        const Matrix3<double> turned =
            kernels::product(kernels::product(frame, constants.axes_a), kernels::rotation_of(e[0], e[1], e[2], e[3]));
        set_columns(turned, axes);
        frame = kernels::product_transposed(turned, constants.axes_b);
      }
    } else {
      const bool slides = axes[0].slides;
      const double c = data.turns[node.row];
      const double s = data.turns[(data.row_count + W - 1) / W * W + node.row];
      const double d = tree.offsets[node.row] + (slides ? x[row.q] : 0.0);
      lever = plus(lever, kernels::turned(frame, kernels::lever(link, d)));
      const double u = link.cos_alpha;
      const double v = link.sin_alpha;
      frame = {frame.xx, u * frame.xy + v * frame.xz, u * frame.xz - v * frame.xy,
               frame.yx, u * frame.yy + v * frame.yz, u * frame.yz - v * frame.yy,
               frame.zx, u * frame.zy + v * frame.zz, u * frame.zz - v * frame.zy};
      frame = {c * frame.xx + s * frame.xy, c * frame.xy - s * frame.xx, frame.xz,
               c * frame.yx + s * frame.yy, c * frame.yy - s * frame.yx, frame.yz,
               c * frame.zx + s * frame.zy, c * frame.zy - s * frame.zx, frame.zz};
      axes[0].z = {frame.xz, frame.yz, frame.zz};
    }
    node.axes = frame;
    node.lever = node.inboard < 0 ? none<double>() : lever;
  }

  static MBDBENCH_KERNEL void set_columns(const Matrix3<double>& m, LinearAxis* axes) {
    axes[0].z = {m.xx, m.yx, m.zx};
    axes[1].z = {m.xy, m.yy, m.zy};
    axes[2].z = {m.xz, m.yz, m.zz};
  }

  static MBDBENCH_KERNEL void add_rigid(const RigidBody& body, kernels::ArticulatedInertia<double>& m) {
    const Vector& h = body.moment;
    const kernels::Symmetric3<double>& j = body.inertia;
    m.axx += body.mass;
    m.ayy += body.mass;
    m.azz += body.mass;
    m.bxy += h.z;
    m.bxz -= h.y;
    m.byx -= h.z;
    m.byz += h.x;
    m.bzx += h.y;
    m.bzy -= h.x;
    m.cxx += j.xx;
    m.cxy += j.xy;
    m.cxz += j.xz;
    m.cyy += j.yy;
    m.cyz += j.yz;
    m.czz += j.zz;
  }

  /// Inward: the axes of a node one after another, as if links without mass were between them. \returns the smallest
  /// pivot
  template <typename Inward>
  static MBDBENCH_KERNEL double eliminate(const LinearData& data, const Inward& inward) {
    double smallest = 1e300;
    kernels::ArticulatedInertia<double> inertia{};  // along a chain both stay in registers
    Pair bias = no_screw<double>();
    bool passed = false;  // whether they come from the next node
    for (int i = data.node_count; i-- > 0;) {
      const LinearNode& node = data.nodes[i];
      if (!passed) {
        inertia = {};
        bias = no_screw<double>();
      }
      if (node.kept) {
        kernels::add_inertia(node.articulated, inertia);
        bias = plus(bias, node.bias);
      }
      add_rigid(node.body, inertia);
      if (!data.momenta) {
        bias = plus(bias, node.wrench);
      }
      for (int a = node.first_axis + node.axis_count; a-- > node.first_axis;) {
        LinearAxis& axis = data.axes[a];
        const Vector& z = axis.z;
        const kernels::LinkWrench<double> m = axis.slides ? kernels::multiplied(inertia, z, none<double>())
                                                          : kernels::multiplied(inertia, none<double>(), z);
        const Pair u{{m.fx, m.fy, m.fz}, {m.nx, m.ny, m.nz}};
        double rest = 0.0;
        if (axis.motion >= 0) {
          rest = data.tree->motions[axis.motion];
        } else {
          const double pivot = along(axis, u);
          smallest = pivot < smallest || !(pivot == pivot) ? pivot : smallest;
          const double inverse = 1.0 / pivot;
          Pair gain = no_screw<double>();
          add(u, inverse, gain);
          rest = (data.forces[axis.u] - along(axis, bias)) * inverse;
          subtract_product(u, gain, inertia);
          axis.inverse = inverse;
          put(gain, axis.gain);
        }
        axis.rest = rest;
        add(u, rest, bias);
      }
      inward(i);
      passed = node.inboard >= 0 && node.inboard + 1 == i && !node.free_slides;
      if (node.inboard < 0) {
        continue;
      }
      bias = moved_inward(node.lever, bias);
      kernels::move_inward(node.lever, inertia);
      if (!passed) {
        LinearNode& inner = data.nodes[node.inboard];
        put(plus(inner.bias, bias), inner.bias);
        if (!node.free_slides) {  // behind them nothing is felt
          kernels::add_inertia(inertia, inner.articulated);
        }
      }
    }
    return smallest;
  }

  // M -= U g^T, both of which are parallel.
  static MBDBENCH_KERNEL void subtract_product(const Pair& u, const Pair& g, kernels::ArticulatedInertia<double>& m) {
    const Vector& f = u.linear;
    const Vector& n = u.angular;
    m.axx -= f.x * g.linear.x;
    m.axy -= f.x * g.linear.y;
    m.axz -= f.x * g.linear.z;
    m.ayy -= f.y * g.linear.y;
    m.ayz -= f.y * g.linear.z;
    m.azz -= f.z * g.linear.z;
    m.bxx -= f.x * g.angular.x;
    m.bxy -= f.x * g.angular.y;
    m.bxz -= f.x * g.angular.z;
    m.byx -= f.y * g.angular.x;
    m.byy -= f.y * g.angular.y;
    m.byz -= f.y * g.angular.z;
    m.bzx -= f.z * g.angular.x;
    m.bzy -= f.z * g.angular.y;
    m.bzz -= f.z * g.angular.z;
    m.cxx -= n.x * g.angular.x;
    m.cxy -= n.x * g.angular.y;
    m.cxz -= n.x * g.angular.z;
    m.cyy -= n.y * g.angular.y;
    m.cyz -= n.y * g.angular.z;
    m.czz -= n.z * g.angular.z;
  }

  /// Outward: accelerations; or velocities and momenta.
  static MBDBENCH_KERNEL void move(const LinearData& data, LinearNode& node) {
    LinearAxis* const axes = data.axes + node.first_axis;
    Pair motion = no_screw<double>();
    if (node.inboard >= 0) {
      const LinearNode& inner = data.nodes[node.inboard];
      motion = moved_outward(node.lever, data.momenta ? inner.velocity : inner.change);
    }
    if (data.momenta) {
      put(motion, node.inherited);
    }
    for (int a = 0; a < node.axis_count; ++a) {
      const double rate = axes[a].rest - dot(axes[a].gain, motion);
      add_axis(axes[a], rate, motion);
      if (data.momenta) {
        data.velocities[axes[a].u] = rate;
      }
    }
    Pair wrench = multiplied(node.body, motion);
    if (data.momenta) {
      put(motion, node.velocity);
    } else {
      put(motion, node.change);
      put(plus(node.acceleration, motion), node.acceleration);
      wrench = plus(node.wrench, wrench);
    }
    put(wrench, node.total);
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

  // The rate of a quaternion by the quaternion itself.
  static MBDBENCH_KERNEL void add_quaternion_block(const double* u, int size, double* block) {
    for (int c = 0; c < 4; ++c) {
      double e[4] = {};
      e[c] = 1.0;
      double rates[4];
      kernels::quaternion_rate(e, u, rates);
      for (int r = 0; r < 4; ++r) {
        block[static_cast<long>(r) * size + c] += rates[r];
      }
    }
  }

  // What a unit mass at c needs for its motion; momenta: its momentum.
  static MBDBENCH_KERNEL Pair point_mass_wrench(const LinearData& data, const LinearNode& node, const Vector& c) {
    const double square = dot(c, c);
    const RigidBody one{
        1.0, c, {square - c.x * c.x, -c.x * c.y, -c.x * c.z, square - c.y * c.y, -c.y * c.z, square - c.z * c.z}};
    Pair wrench = multiplied(one, node.velocity);
    if (!data.momenta) {
      wrench = plus(multiplied(one, node.acceleration), wrench_rate(node.velocity, wrench));
    }
    return wrench;
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
