#pragma once
/// \file
/// The sweeps over an assembly tree with regularised rows: compiled once an instruction set (dual_sweeps_for_sets.cpp).
///
/// One factorisation serves all passes over the multipliers: the inverse S and the gain K of every node are kept, so
/// that a pass is made of products without a chain of substitutions, and reads little. What S loses by its condition
/// the next pass brings back, since each starts from the residual of the bodies' own rates.
#include "formulations/augmented_lagrangian/dual/dual_factorisation.hpp"
#include "formulations/augmented_lagrangian/dual/twins/dual_twin_factorisation.hpp"
#include "formulations/augmented_lagrangian/dual/twins/dual_twin_sweeps.hpp"

namespace mbdbench::dual_sweeps {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Forward pass over one node: xi_0J - r_J and xi_0^C. \param given r of all joints
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL void eliminate_right(const DualNode& node, const double* given) {
  const Shape<kJoints, kRows> shape{node};
  const int closed = shape.closed();
  const int outside = shape.outside();
  T* const right = packs<T>(node.right);
  for (int p = 0; p < closed; ++p) {
    right[p] -= packs<T>(given)[node.joints[p]];
  }
  for (int p = 0; p < outside; ++p) {
    T sum = right[closed + p];
    for (int j = 0; j < shape.closed_rows(); ++j) {
      sum -= Loose<T>::load(node.gain_transposed + (j * outside + p) * kDualPack) * node.right[shape.slot(j)];
    }
    right[closed + p] = sum;
  }
}

/// Backward pass over one node: sigma of its closed joints from those of its external handles.
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL void recover_node(const DualNode& node, double* sigma) {
  const Shape<kJoints, kRows> shape{node};
  const int closed = shape.closed();
  for (int p = 0; p < closed; ++p) {
    // A sum for the node's own rows and one for those of every other handle: a single one would wait for every
    // addition.
    T even = static_cast<T>(0.0);
    for (int j = 0; j < shape.closed_rows(); ++j) {
      even -= Loose<T>::load(node.inverse + (j * closed + p) * kDualPack) * node.right[shape.slot(j)];
    }
    T odd = static_cast<T>(0.0);
    const double* column = node.gain + p * kDualPack;
    for (int e = closed; e < shape.joints(); ++e) {
      const double* const known = sigma + node.joints[e] * kDualPack;
      T sum = static_cast<T>(0.0);
      for (int i = 0; i < shape.rows_of(e); ++i, column += closed * kDualPack) {
        sum -= Loose<T>::load(column) * known[i];
      }
      odd += even;
      even = sum;
    }
    packs<T>(sigma)[node.joints[p]] = even + odd;
  }
}

template <typename T>
void eliminate(const DualTree& tree, const DualRange& range, const double* given, const double* input, double* rates) {
  if (input != nullptr) {
    for (const int index : range.single_bodies) {
      const DualBody& body = tree.bodies[static_cast<std::size_t>(index)];
      double* const moved = rates + index * kDualPack;
      packs<T>(moved)[0] = times_inverse_inertia<T>(body, input + index * kDualPack);
      const double* rows = body.rows;
      for (int h = 0; h < body.handles; ++h, rows += kDualPack) {
        packs<T>(body.right)[h] = handle_rates<T>(rows, body.handles * kDualPack, body.row_counts[h], moved);
      }
    }
  }
  for (const int index : range.closing) {
    const DualNode& node = tree.nodes[static_cast<std::size_t>(index)];
    T* const right = packs<T>(node.right);
    if (node.body < 0 || input == nullptr) {
      for (int i = 0; i < node.joint_count; ++i) {
        right[i] = static_cast<T>(0.0);
      }
    }
    for (const DualChild& link : node.children) {
      if (link.rests && input == nullptr) {
        continue;
      }
      const T* const from = packs<T>(link.right);
      for (int i = 0; i < link.count; ++i) {
        right[link.places[i]] += from[i];
      }
    }
    dispatch(node, [&]<int kJoints, int kRows>() MBDBENCH_INLINED { eliminate_right<T, kJoints, kRows>(node, given); });
  }
}

/// rates = M^-1 (input + B sigma) of one body. \tparam kRows of every handle, 0: they differ
template <typename T, int kRows>
MBDBENCH_KERNEL void move_body(const DualBody& body, const double* sigma, bool moved, T& rates) {
  T even = moved ? rates : static_cast<T>(0.0);  // M^-1 input
  T odd = static_cast<T>(0.0);
  const double* column = body.reach;
  for (int h = 0; h < body.handles; ++h) {
    const double* const values = sigma + body.joints[h] * kDualPack;
    const int rows = kRows > 0 ? kRows : body.row_counts[h];
    int row = 0;
    for (; row + 1 < rows; row += 2, column += 2 * kDualPack) {
      even += Loose<T>::load(column) * values[row];
      odd += Loose<T>::load(column + kDualPack) * values[row + 1];
    }
    if (row < rows) {
      even += Loose<T>::load(column) * values[row];
      column += kDualPack;
    }
  }
  rates = even + odd;
}

template <typename T>
MBDBENCH_KERNEL void move_body(const DualBody& body, const double* sigma, bool moved, T& rates) {
  if (body.uniform_rows == kCommonRows) {
    move_body<T, kCommonRows>(body, sigma, moved, rates);
  } else {
    move_body<T, 0>(body, sigma, moved, rates);
  }
}

template <typename T>
void recover(const DualTree& tree, const DualRange& range, bool moved, double* sigma, double* rates) {
  for (std::size_t at = range.closing.size(); at-- > 0;) {
    const DualNode& node = tree.nodes[static_cast<std::size_t>(range.closing[at])];
    dispatch(node, [&]<int kJoints, int kRows>() MBDBENCH_INLINED { recover_node<T, kJoints, kRows>(node, sigma); });
  }
  for (const int body : range.single_bodies) {
    move_body<T>(tree.bodies[static_cast<std::size_t>(body)], sigma, moved, packs<T>(rates)[body]);
  }
}

template <typename T>
void residual(const DualTree& tree, const DualRange& range, const double* right, const double* rates, double* result) {
  for (const int joint : range.single_joints) {
    T left = packs<T>(right)[joint];
    const DualEnds& ends = tree.ends[static_cast<std::size_t>(joint)];
    for (int end = 0; end < 2; ++end) {
      if (const int body = ends.bodies[end]; body >= 0) {
        left -= handle_rates<T>(ends.rows[end], ends.steps[end], ends.row_count, rates + body * kDualPack);
      }
    }
    packs<T>(result)[joint] = left;
  }
}

/// Sums of squares in packs.
template <typename T>
struct SquarePacks {
  T change = static_cast<T>(0.0);
  T total = static_cast<T>(0.0);

  MBDBENCH_KERNEL void add(T by, T& value) {
    value += by;
    change += by * by;
    total += value * value;
  }
  MBDBENCH_KERNEL void look_at(T value) { total += value * value; }
};

template <typename T>
MBDBENCH_KERNEL double sum_of(T pack) {
  alignas(T) double lanes[kDualPack];
  packs<T>(lanes)[0] = pack;
  double sum = 0.0;
  for (const double lane : lanes) {
    sum += lane;
  }
  return sum;
}

template <typename T>
MBDBENCH_KERNEL DualSquares sums_of(const SquarePacks<T>& multipliers, const SquarePacks<T>& bodies) {
  return {sum_of<T>(multipliers.change), sum_of<T>(multipliers.total), sum_of<T>(bodies.change),
          sum_of<T>(bodies.total)};
}

template <typename T>
DualSquares add(const DualRange& range, const DualVectors& change, const DualVectors& total) {
  SquarePacks<T> multipliers;
  SquarePacks<T> bodies;
  for (const int joint : range.single_joints) {
    multipliers.add(packs<T>(change.multipliers)[joint], packs<T>(total.multipliers)[joint]);
  }
  for (const int body : range.single_bodies) {
    bodies.add(packs<T>(change.bodies)[body], packs<T>(total.bodies)[body]);
  }
  return sums_of(multipliers, bodies);
}

template <typename T>
DualSquares advance_twins(const TwinTrees& twins, double* change, const TwinVectors& total) {
  SquarePacks<T> multipliers;
  SquarePacks<T> bodies;
  T* const sigma = packs<T>(change);
  for (int index = twins.node_count; index-- > 0;) {
    const TwinNode& node = twins.nodes[index];
    with_closed_rows(node, [&]<int kClosed>() MBDBENCH_INLINED { recover_twin<T, kClosed>(node, sigma); });
    for (int j = 0; j < node.closed_rows; ++j) {
      multipliers.add(sigma[node.places[j]], packs<T>(total.multipliers)[node.places[j]]);
    }
    if (node.body >= 0) {
      T moved[6];
      move_twin<T>(node, sigma, moved);
      kernels::unrolled<0, 6>(
          [&](auto k) MBDBENCH_INLINED { bodies.add(moved[k], packs<T>(total.bodies)[6 * node.body + k]); });
    }
  }
  return sums_of(multipliers, bodies);
}

template <typename T>
DualSquares squares_twins(const TwinTrees& twins, const TwinVectors& total) {
  SquarePacks<T> multipliers;
  SquarePacks<T> bodies;
  for (int i = 0; i < twins.closed_rows; ++i) {
    multipliers.look_at(packs<T>(total.multipliers)[i]);
  }
  for (int i = 0; i < 6 * twins.body_count; ++i) {
    bodies.look_at(packs<T>(total.bodies)[i]);
  }
  return sums_of(multipliers, bodies);
}

template <typename T>
DualSquares squares(const DualRange& range, const DualVectors& total) {
  SquarePacks<T> multipliers;
  SquarePacks<T> bodies;
  for (const int joint : range.single_joints) {
    multipliers.look_at(packs<T>(total.multipliers)[joint]);
  }
  for (const int body : range.single_bodies) {
    bodies.look_at(packs<T>(total.bodies)[body]);
  }
  return sums_of(multipliers, bodies);
}

/// \returns the sweeps in registers of W doubles.
template <int W>
DualSweeps sweeps() {
  using T = kernels::Pack<kDualPack, W>;
  return {set_handle<T>,
          factorise<T>,
          eliminate<T>,
          recover<T>,
          residual<T>,
          add<T>,
          squares<T>,
          {factorise_twins<T>, eliminate_twins<T>, recover_twins<T>, residual_twins<T>, advance_twins<T>,
           squares_twins<T>}};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
