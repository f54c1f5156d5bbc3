#pragma once
/// \file
/// All derivatives of a linearised tree, and those by a parameter.
#include "formulations/derivatives/trees/tree_directions.hpp"
#include "formulations/derivatives/trees/tree_slopes.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <int W>
struct TreeProducts {
  /// Two registers: a node waits for the one before it, not for arithmetic.
  static constexpr int kLanes = 2 * W;
  using T = kernels::Pack<kLanes, W>;
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
    const bool far = is_far(size);
    for (int first = 0; first < data.register_count; first += kLanes / W) {
      Lanes::clear(data);
      Lanes::start_block(data, first);
      const Columns columns{data.columns + first, size};
      Lanes::run(data, [&](int u) MBDBENCH_INLINED {
        if (far) {
          ask_for(columns, rows + static_cast<long>(data.q_count + u) * size);
        }
      });
      const T* const changes = packs<T>(data.changes);
      for (int a = 0; a < data.axis_count; ++a) {
        const int u = data.axes[a].u;
        const T& rate = data.momenta ? packs<T>(data.rates)[a] : changes[u];
        finite += (rate + changes[u]) * T(0.0);
        put_lanes(rate, columns, rows + static_cast<long>(data.q_count + u) * size);
      }
      if (data.momenta) {
        put_coordinate_rows(data, x, columns, rows);
      }
    }
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      if (is_sphere(row.kind)) {
        TreeValues<W>::add_quaternion_block(data.velocities + row.u, size,
                                            rows + static_cast<long>(row.q) * size + row.q);
      }
    }
    double lanes[kLanes];
    __builtin_memcpy(lanes, &finite, sizeof lanes);
    double sum = 0.0;
    for (const double lane : lanes) {
      sum += lane;
    }
    return sum == 0.0;
  }

  /// Which columns a block has.
  struct Columns {
    const int* first;  ///< of every register
    int size;          ///< of a row
  };

  /// \returns whether a matrix is larger than half the second cache of a core, and the lines of one block find place
  /// there: rows that are a large power of two apart share few of its sets.
  static MBDBENCH_KERNEL bool is_far(int size) {
    constexpr long kHalfOfCache = 1L << 17;
    constexpr int kFewSets = 512;
    return static_cast<long>(size) * size > kHalfOfCache && size % kFewSets != 0;
  }

  /// Asks for the lines of a row that a block will fill: stores alone would wait for one line after the other.
  static MBDBENCH_KERNEL void ask_for(const Columns& columns, const double* row) {
    for (int k = 0; k < kLanes / W; ++k) {
      __builtin_prefetch(row + columns.first[k], 1, 2);
      __builtin_prefetch(row + columns.first[k] + W - 1, 1, 2);
    }
  }

  template <int N>
  static MBDBENCH_KERNEL void put_lanes(const kernels::Pack<N, W>& value, const Columns& columns, double* row) {
    if constexpr (N > W) {
      put_lanes(value.low, columns, row);
      put_lanes(value.high, {columns.first + N / (2 * W), columns.size}, row);
    } else {
      double* const to = row + *columns.first;
      if (columns.size >= W) {
        *reinterpret_cast<typename lane_sweeps::Unaligned<W>::Type*>(to) = value.value;
        return;
      }
      double lanes[W];
      __builtin_memcpy(lanes, &value, sizeof lanes);
      for (int k = 0; k < columns.size; ++k) {
        to[k] = lanes[k];
      }
    }
  }

  // Momenta: q' along the directions, from the changes of u alone.
  static MBDBENCH_KERNEL void put_coordinate_rows(const LinearData& data, const double* x, const Columns& columns,
                                                  double* rows) {
    const int size = columns.size;
    const T* const changes = packs<T>(data.changes);
    for (int i = 0; i < data.row_count; ++i) {
      const LinkRow& row = data.tree->rows[i];
      double* const own = rows + static_cast<long>(row.q) * size;
      if (!is_sphere(row.kind)) {
        put_lanes(changes[row.u], columns, own);
        continue;
      }
      const T e[4] = {T(x[row.q]), T(x[row.q + 1]), T(x[row.q + 2]), T(x[row.q + 3])};
      T rates[4];
      kernels::quaternion_rate(e, changes + row.u, rates);
      for (int c = 0; c < 4; ++c) {
        put_lanes(rates[c], columns, own + static_cast<long>(c) * size);
      }
      for (int c = 0; row.kind == RowKind::free && c < 3; ++c) {
        put_lanes(changes[row.u + 3 + c], columns, own + static_cast<long>(4 + c) * size);
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
      One::start(data, parameter.node, TreeSlopes<W>::of_length(data, parameter));
    }
    One::run(data, [](int) {});
    // Of a mass also its weight, and its momentum on the axes that move it.
    for (int i = data.momenta && weighs ? parameter.node : -1; i >= 0; i = data.nodes[i].inboard) {
      const LinearNode& node = data.nodes[i];
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        data.rates[a] += along(data.axes[a], weight);
        if (i == parameter.node) {
          data.rates[a] += dot(data.axes[a].rate, in_place::screw_at<double>(One::started_of(data, i) + O::kWrench));
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
    return TreeValues<W>::not_finite(data.q_count + data.axis_count,
                                     [&](int k) MBDBENCH_INLINED { return column[k]; }) == 0.0;
  }

  // What the unit mass needs for the motion that it shares; \returns its weight.
  static MBDBENCH_KERNEL Pair put_point_mass(const LinearData& data, const LinearParameter& parameter) {
    const LinearNode& node = data.nodes[parameter.node];
    const Vector& c = parameter.point;
    const Pair wrench = TreeValues<W>::point_mass_wrench(data, node, c);
    One::open(data, parameter.node);
    in_place::put(wrench, One::started_of(data, parameter.node) + O::kWrench);
    for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
      data.torques[a] -= along(data.axes[a], wrench);
    }
    return {data.gravity, cross(c, data.gravity)};
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
