#pragma once
/// \file
/// One open tree about one state: positions, velocities, the factors of M, and the motion (tree_slopes.hpp has the
/// equations).
#include "formulations/derivatives/screws.hpp"
#include "formulations/kernels/quaternions.hpp"
#include "formulations/kernels/sines.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// When bodies are set: with their places, or when their axes are eliminated, where what waits for a pivot leaves time
/// for it if nothing else is done there.
enum class BodiesAre { placed, eliminated };

/// \tparam W doubles a register of the instruction set: what is not inlined has it in its name
template <int W>
struct TreeValues {
  using Vector = LinkVector<double>;
  using Pair = Screw<double>;

  /// The motion and the factors of M. \returns whether all pivots are positive and all numbers finite
  /// \param placed, inward, outward called with every node when it has its place, when its axes are eliminated, and
  /// when its motion is known
  template <BodiesAre kBodies, typename Placed, typename Inward, typename Outward>
  static MBDBENCH_KERNEL bool solve(const LinearData& data, const double* x, const Placed& placed, const Inward& inward,
                                    const Outward& outward) {
    set_turns(data, x);
    set_forces(data, x);
    for (int i = 0; i < data.node_count; ++i) {
      place(data, i, x);
      if constexpr (kBodies == BodiesAre::placed) {
        set_body(data, data.nodes[i]);
      }
      placed(i);
    }
    const double smallest = eliminate<kBodies>(data, inward);
    for (int i = 0; i < data.node_count; ++i) {
      move(data, data.nodes[i]);
      outward(i);
    }
    const double finite = not_finite(data.axis_count, [&](int a) MBDBENCH_INLINED { return data.axes[a].rest; }) +
                          not_finite(data.q_count + data.axis_count, [&](int k) MBDBENCH_INLINED { return x[k]; });
    return smallest + finite > 0.0;
  }

  /// \returns zero where all numbers are finite. Four sums: one alone would wait for every addition.
  template <typename Number>
  static MBDBENCH_KERNEL double not_finite(int count, const Number& number) {
    double sums[4] = {};
    int k = 0;
    for (; k + 3 < count; k += 4) {
      sums[0] += number(k) * 0.0;
      sums[1] += number(k + 1) * 0.0;
      sums[2] += number(k + 2) * 0.0;
      sums[3] += number(k + 3) * 0.0;
    }
    for (; k < count; ++k) {
      sums[0] += number(k) * 0.0;
    }
    return sums[0] + sums[1] + (sums[2] + sums[3]);
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

  /// Outward: axes; in accelerations also velocities and what they need.
  static MBDBENCH_KERNEL void place(const LinearData& data, int i, const double* x) {
    LinearNode& node = data.nodes[i];
    set_axes(data, i, x);
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
  }

  using LinkConstants = kernels::LinkConstants<double>;

  /// The body of a node; in accelerations also what it needs for the motion that velocities alone give.
  static MBDBENCH_KERNEL void set_body(const LinearData& data, LinearNode& node) {
    const LinkConstants& link = data.tree->links[node.row];
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
    if (!data.momenta) {
      const Pair momentum = multiplied(body, node.velocity);
      put(momentum.linear, node.own_momentum);
      put(plus(multiplied(body, node.acceleration), wrench_rate(node.velocity, momentum)), node.wrench);
    }
  }

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
  template <BodiesAre kBodies, typename Inward>
  static MBDBENCH_KERNEL double eliminate(const LinearData& data, const Inward& inward) {
    double smallest = 1e300;
    kernels::ArticulatedInertia<double> inertia{};  // along a chain both stay in registers
    Pair bias = no_screw<double>();
    bool passed = false;  // whether they come from the next node
    for (int i = data.node_count; i-- > 0;) {
      LinearNode& node = data.nodes[i];
      if constexpr (kBodies == BodiesAre::eliminated) {
        set_body(data, node);
      }
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
        const Pair u = along_axis(inertia, axis);
        double rest = 0.0;
        if (axis.motion >= 0) {
          rest = data.tree->motions[axis.motion];
        } else {
          const double pivot = along(axis, u);
          smallest = pivot < smallest || !(pivot == pivot) ? pivot : smallest;
          const double inverse = 1.0 / pivot;
          const Pair gain{{u.linear.x * inverse, u.linear.y * inverse, u.linear.z * inverse},
                          {u.angular.x * inverse, u.angular.y * inverse, u.angular.z * inverse}};
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

  /// \returns M S.
  static MBDBENCH_KERNEL Pair along_axis(const kernels::ArticulatedInertia<double>& m, const LinearAxis& axis) {
    const Vector& z = axis.z;
    Pair u;
    if (axis.slides) {
      u.linear = {m.axx * z.x + m.axy * z.y + m.axz * z.z, m.axy * z.x + m.ayy * z.y + m.ayz * z.z,
                  m.axz * z.x + m.ayz * z.y + m.azz * z.z};
      u.angular = {m.bxx * z.x + m.byx * z.y + m.bzx * z.z, m.bxy * z.x + m.byy * z.y + m.bzy * z.z,
                   m.bxz * z.x + m.byz * z.y + m.bzz * z.z};
    } else {
      u.linear = {m.bxx * z.x + m.bxy * z.y + m.bxz * z.z, m.byx * z.x + m.byy * z.y + m.byz * z.z,
                  m.bzx * z.x + m.bzy * z.y + m.bzz * z.z};
      u.angular = {m.cxx * z.x + m.cxy * z.y + m.cxz * z.z, m.cxy * z.x + m.cyy * z.y + m.cyz * z.z,
                   m.cxz * z.x + m.cyz * z.y + m.czz * z.z};
    }
    return u;
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
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
