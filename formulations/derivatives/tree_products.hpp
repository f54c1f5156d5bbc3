#pragma once
/// \file
/// All derivatives of a linearised tree, their products with weights, and those by a parameter.
///
/// Weights w: with y = M^-1 g, every direction of the state adds a product of its few numbers with what is carried
/// inward (A_i y_i of all axes outboard) and outward (S_i y_i of all inboard). In accelerations g = w; in momenta g
/// also has what the change of u does to p'.
#include "formulations/derivatives/tree_directions.hpp"
#include "formulations/derivatives/tree_values.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <int W>
struct TreeProducts {
  using T = kernels::Pack<W, W>;
  using Lanes = TreeDirections<W, T>;
  using One = TreeDirections<W, double>;
  using O = LaneOffsets;
  using Vector = LinkVector<double>;
  using Pair = Screw<double>;

  // ---- Jacobian.

  static MBDBENCH_KERNEL bool jacobian(const LinearData& data, const double* x, double* rows) {
    const int size = data.q_count + data.axis_count;
    if (!data.momenta) {
      set_coordinate_rows(data, x, rows);
    }
    T finite = T(0.0);
    for (int first = 0; first < size; first += W) {
      const int count = size - first < W ? size - first : W;
      Lanes::clear(data);
      Lanes::start_block(data, first, count);
      Lanes::run(data);
      const T* const changes = packs<T>(data.changes);
      double* const column = rows + first;
      for (int a = 0; a < data.axis_count; ++a) {
        const int u = data.axes[a].u;
        const T& rate = data.momenta ? packs<T>(data.rates)[a] : changes[u];
        finite += rate * T(0.0);
        put_lanes(rate, count, column + static_cast<long>(data.q_count + u) * size);
      }
      if (data.momenta) {
        put_coordinate_rows(data, x, count, size, column);
      }
    }
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      if (is_sphere(row.kind)) {
        add_quaternion_block(data.velocities + row.u, size, rows + static_cast<long>(row.q) * size + row.q);
      }
    }
    double lanes[W];
    __builtin_memcpy(lanes, &finite, sizeof lanes);
    double sum = 0.0;
    for (const double lane : lanes) {
      sum += lane;
    }
    return sum == 0.0;
  }

  static MBDBENCH_KERNEL void put_lanes(const T& value, int count, double* to) {
    if (count == W) {
      *reinterpret_cast<typename lane_sweeps::Unaligned<W>::Type*>(to) = value.value;
      return;
    }
    double lanes[W];
    __builtin_memcpy(lanes, &value, sizeof lanes);
    for (int k = 0; k < count; ++k) {
      to[k] = lanes[k];
    }
  }

  // Momenta: q' along the directions, from the changes of u alone.
  static MBDBENCH_KERNEL void put_coordinate_rows(const LinearData& data, const double* x, int count, int size,
                                                  double* column) {
    const T* const changes = packs<T>(data.changes);
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      double* const own = column + static_cast<long>(row.q) * size;
      if (!is_sphere(row.kind)) {
        put_lanes(changes[row.u], count, own);
        continue;
      }
      const T e[4] = {T(x[row.q]), T(x[row.q + 1]), T(x[row.q + 2]), T(x[row.q + 3])};
      T rates[4];
      kernels::quaternion_rate(e, changes + row.u, rates);
      for (int c = 0; c < 4; ++c) {
        put_lanes(rates[c], count, own + static_cast<long>(c) * size);
      }
      for (int c = 0; row.kind == RowKind::free && c < 3; ++c) {
        put_lanes(changes[row.u + 3 + c], count, own + static_cast<long>(4 + c) * size);
      }
    }
  }

  // Accelerations: q' by u, whatever the directions.
  static MBDBENCH_KERNEL void set_coordinate_rows(const LinearData& data, const double* x, double* rows) {
    const int size = data.q_count + data.axis_count;
    __builtin_memset(rows, 0, sizeof(double) * static_cast<std::size_t>(data.q_count) * static_cast<std::size_t>(size));
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      double* const own = rows + static_cast<long>(row.q) * size + data.q_count + row.u;
      if (!is_sphere(row.kind)) {
        own[0] = 1.0;
        continue;
      }
      for (int a = 0; a < 3; ++a) {
        const double u[3] = {a == 0 ? 1.0 : 0.0, a == 1 ? 1.0 : 0.0, a == 2 ? 1.0 : 0.0};
        double rates[4];
        kernels::quaternion_rate(x + row.q, u, rates);
        for (int c = 0; c < 4; ++c) {
          own[static_cast<long>(c) * size + a] = rates[c];
        }
        if (row.kind == RowKind::free) {
          own[static_cast<long>(4 + a) * size + 3 + a] = 1.0;
        }
      }
    }
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

  // ---- By a parameter.

  // q' of changes of u.
  static MBDBENCH_KERNEL void put_coordinate_rates(const LinearData& data, const double* x, const double* changes,
                                                   double* rates) {
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      if (!is_sphere(row.kind)) {
        rates[row.q] = changes[row.u];
        continue;
      }
      kernels::quaternion_rate(x + row.q, changes + row.u, rates + row.q);
      for (int c = 0; row.kind == RowKind::free && c < 3; ++c) {
        rates[row.q + 4 + c] = changes[row.u + 3 + c];
      }
    }
  }

  static MBDBENCH_KERNEL bool by_parameter(const LinearData& data, const double* x, const LinearParameter& parameter,
                                           double* column) {
    One::clear(data);
    for (int a = 0; a < data.axis_count; ++a) {
      data.changes[a] = 0.0;
    }
    Pair weight = no_screw<double>();
    if (parameter.axis >= 0) {
      One::open(data, data.directions[data.q_count + data.axes[parameter.axis].u].node);
      (data.momenta ? data.rates : data.torques)[parameter.axis] += parameter.force;
    }
    const bool weighs = parameter.node >= 0 && !parameter.lengthens;
    if (weighs) {
      weight = put_point_mass(data, parameter);
    } else if (parameter.lengthens) {
      One::add_direction(data, TreeValues<W>::of_length(data, parameter), true, 1.0);
    }
    One::run(data);
    // Of a mass also its weight, and its momentum on the axes that move it.
    for (int i = data.momenta && weighs ? parameter.node : -1; i >= 0; i = data.nodes[i].inboard) {
      const LinearNode& node = data.nodes[i];
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        data.rates[a] += along(data.axes[a], weight);
        if (i == parameter.node) {
          data.rates[a] += dot(data.axes[a].rate, One::screw_at(One::lanes_of(data, i) + O::kWrench));
        }
      }
      weight = moved_inward(node.lever, weight);
    }
    for (int k = 0; k < data.q_count; ++k) {
      column[k] = 0.0;
    }
    for (int a = 0; a < data.axis_count; ++a) {
      const int u = data.axes[a].u;
      column[data.q_count + u] = data.momenta ? data.rates[a] : data.changes[u];
    }
    if (data.momenta) {
      put_coordinate_rates(data, x, data.changes, column);
    }
    return is_finite(data.q_count + data.axis_count, column);
  }

  // What the unit mass needs for the motion that it shares; \returns its weight.
  static MBDBENCH_KERNEL Pair put_point_mass(const LinearData& data, const LinearParameter& parameter) {
    const LinearNode& node = data.nodes[parameter.node];
    const Vector& c = parameter.point;
    const Pair wrench = point_mass_wrench(data, node, c);
    One::open(data, parameter.node);
    One::put(wrench, One::lanes_of(data, parameter.node) + O::kWrench);
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      data.torques[a] -= along(data.axes[a], wrench);
    }
    return {data.gravity, cross(c, data.gravity)};
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

  static MBDBENCH_KERNEL bool is_finite(int size, const double* values) {
    double sum = 0.0;
    for (int k = 0; k < size; ++k) {
      sum += values[k] * 0.0;
    }
    return sum == 0.0;
  }

  // ---- Weights times it.

  static MBDBENCH_KERNEL bool vector_jacobian(const LinearData& data, const double* x, const double* weights,
                                              double* product) {
    const int size = data.q_count + data.axis_count;
    const double* const w = weights + data.q_count;
    double* const by_u = product + data.q_count;  // what q' gives the changes of u
    set_coordinate_weights(data, x, weights, product, by_u);
    One::clear(data);
    if (data.momenta) {
      for (int i = 0; i < data.node_count; ++i) {
        carry_weights(data, i, w);
      }
      for (int i = data.node_count; i-- > 0;) {
        collect_weights(data, i, w);
      }
    }
    for (int i = 0; i < data.node_count; ++i) {
      const LinearNode& node = data.nodes[i];
      data.flags[i] |= One::starts;
      double* const own = One::lanes_of(data, i);
      One::put(no_screw<double>(), own + O::kWrench);
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        const LinearAxis& axis = data.axes[a];
        data.torques[a] = data.momenta ? by_u[axis.u] + momentum_weight(axis, own, w) : w[axis.u];
      }
    }
    One::inward(data);
    One::outward(data);
    for (int i = data.node_count; i-- > 0;) {
      collect_changes(data, i);
    }
    for (int k = 0; k < data.q_count; ++k) {
      product[k] += by_direction(data, data.directions[k], w);
    }
    for (int k = 0; k < data.axis_count; ++k) {
      by_u[k] = data.momenta ? data.changes[k] : by_u[k] + by_direction(data, data.directions[data.q_count + k], w);
    }
    return is_finite(size, product);
  }

  // product = weights of q' times its derivatives by q, by_u those by u.
  static MBDBENCH_KERNEL void set_coordinate_weights(const LinearData& data, const double* x, const double* weights,
                                                     double* product, double* by_u) {
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      const double* const w = weights + row.q;
      if (!is_sphere(row.kind)) {
        product[row.q] = 0.0;
        by_u[row.u] = w[0];
        continue;
      }
      double block[16] = {};
      add_quaternion_block(data.velocities + row.u, 4, block);
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

  // Where a node keeps, a weight an axis: S'_i and z_i of axes inboard of it; the coupling, and A_i's force, of its own
  // and outboard ones.
  static constexpr int kInnerRates = O::kMotion, kInnerTurns = O::kTurn, kCouplings = O::kCarried,
                       kForces = O::kCarriedTurn;

  static MBDBENCH_KERNEL void carry_weights(const LinearData& data, int i, const double* w) {
    const LinearNode& node = data.nodes[i];
    double* const own = One::lanes_of(data, i);
    Pair rates = no_screw<double>();
    Vector turns = none<double>();
    if (node.inboard >= 0) {
      const LinearNode& inner = data.nodes[node.inboard];
      const double* const from = One::lanes_of(data, node.inboard);
      rates = One::screw_at(from + kInnerRates);
      turns = One::vector_at(from + kInnerTurns);
      for (int a = inner.first_axis; a < inner.first_axis + inner.axis_count; ++a) {
        const LinearAxis& axis = data.axes[a];
        add(axis.rate, w[axis.u], rates);
        if (!axis.slides) {
          add(axis.z, w[axis.u], turns);
        }
      }
      rates = moved_outward(node.lever, rates);
    }
    One::put(rates, own + kInnerRates);
    One::put(turns, own + kInnerTurns);
    One::put(no_screw<double>(), own + kCouplings);
    One::put(none<double>(), own + kForces);
  }

  static MBDBENCH_KERNEL void collect_weights(const LinearData& data, int i, const double* w) {
    const LinearNode& node = data.nodes[i];
    double* const own = One::lanes_of(data, i);
    Pair couplings = One::screw_at(own + kCouplings);
    Vector forces = One::vector_at(own + kForces);
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      const LinearAxis& axis = data.axes[a];
      add(axis.coupling, w[axis.u], couplings);
      add(axis.composite.linear, w[axis.u], forces);
    }
    One::put(couplings, own + kCouplings);
    One::put(forces, own + kForces);
    if (node.inboard >= 0) {
      double* const inner = One::lanes_of(data, node.inboard);
      One::put(plus(One::screw_at(inner + kCouplings), moved_inward(node.lever, couplings)), inner + kCouplings);
      One::put(plus(One::vector_at(inner + kForces), forces), inner + kForces);
    }
  }

  // What a change of the axis' u does to p', weighted.
  static MBDBENCH_KERNEL double momentum_weight(const LinearAxis& axis, const double* own, const double* w) {
    return dot(axis.composite, One::screw_at(own + kInnerRates)) + along(axis, One::screw_at(own + kCouplings)) -
           axis.damping * w[axis.u];
  }

  // Inward: A_i y_i, and in accelerations their `turning`.
  static MBDBENCH_KERNEL void collect_changes(const LinearData& data, int i) {
    const LinearNode& node = data.nodes[i];
    double* const own = One::lanes_of(data, i);
    const bool any = One::has(data, i, One::collected);
    Pair momentum = any ? One::screw_at(own + O::kInward) : no_screw<double>();
    Vector turning = any ? One::vector_at(own + O::kInwardMoment) : none<double>();
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      const LinearAxis& axis = data.axes[a];
      add(axis.composite, data.changes[axis.u], momentum);
      if (!data.momenta) {
        add(axis.turning, data.changes[axis.u], turning);
      }
    }
    One::put(momentum, own + O::kInward);
    One::put(turning, own + O::kInwardMoment);
    if (node.inboard >= 0) {
      double* const inner = One::lanes_of(data, node.inboard);
      momentum = moved_inward(node.lever, momentum);
      if (One::has(data, node.inboard, One::collected)) {
        momentum = plus(momentum, One::screw_at(inner + O::kInward));
        turning = plus(turning, One::vector_at(inner + O::kInwardMoment));
      }
      One::put(momentum, inner + O::kInward);
      One::put(turning, inner + O::kInwardMoment);
      data.flags[node.inboard] |= One::collected;
    }
  }

  static MBDBENCH_KERNEL double by_direction(const LinearData& data, const LinearDirection& d, const double* w) {
    const LinearNode& node = data.nodes[d.node];
    const LinearAxis& axis = data.axes[d.axis];
    const double* const own = One::lanes_of(data, d.node);
    double sum = d.force * data.changes[axis.u] - dot(d.motion, One::screw_at(own + O::kInward));
    if (node.inboard >= 0) {
      const Pair inner = moved_outward(node.lever, One::screw_at(One::lanes_of(data, node.inboard) + O::kOutward));
      sum -= dot(d.wrench, inner);
    }
    if (!data.momenta) {
      return sum - dot(d.turn, One::vector_at(own + O::kInwardMoment));
    }
    return sum + dot(d.motion, One::screw_at(own + kCouplings)) + dot(d.wrench, One::screw_at(own + kInnerRates)) +
           dot(d.moment, One::vector_at(own + kInnerTurns)) - dot(d.turn, One::vector_at(own + kForces)) +
           d.rate * w[axis.u];
  }

  static MBDBENCH_KERNEL double weighted_length(const LinearData& data, const LinearParameter& length,
                                                const double* w) {
    return by_direction(data, TreeValues<W>::of_length(data, length), w);
  }

  // ---- Weights times x' by masses.

  // Motion of a node with the weights as quasi-velocities: momenta ask for it, since a weight acts on p' directly.
  static constexpr int kWeightedMotion = O::kWrench;

  static MBDBENCH_KERNEL void carry_rates(const LinearData& data, const double* w) {
    for (int i = 0; data.momenta && i < data.node_count; ++i) {
      const LinearNode& node = data.nodes[i];
      Pair motion = no_screw<double>();
      if (node.inboard >= 0) {
        motion = moved_outward(node.lever, One::screw_at(One::lanes_of(data, node.inboard) + kWeightedMotion));
      }
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        add_axis(data.axes[a], w[data.axes[a].u], motion);
      }
      One::put(motion, One::lanes_of(data, i) + kWeightedMotion);
    }
  }

  static MBDBENCH_KERNEL double weighted_mass(const LinearData& data, const LinearParameter& mass, const double* w) {
    if (mass.node < 0) {
      return 0.0;
    }
    const LinearNode& node = data.nodes[mass.node];
    const double* const own = One::lanes_of(data, mass.node);
    const Pair wrench = point_mass_wrench(data, node, mass.point);
    double sum = -dot(wrench, One::screw_at(own + O::kOutward));
    if (!data.momenta) {
      return sum;
    }
    sum += dot(wrench, One::screw_at(own + kInnerRates));
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      sum += w[data.axes[a].u] * dot(data.axes[a].rate, wrench);
    }
    return sum + dot(Pair{data.gravity, cross(mass.point, data.gravity)}, One::screw_at(own + kWeightedMotion));
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
