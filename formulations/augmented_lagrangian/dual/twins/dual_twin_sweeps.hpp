#pragma once
/// \file
/// The passes over eight sub-trees of equal form (dual_twin_nodes.hpp), included by dual_sweeps.hpp: what that does
/// with the rows of one joint a pack, with a sub-tree a lane.
///
/// Cost of a node with e rows outside and c closed ones, in packs: a pass reads c (c + 2 e) and, of a body, twice six
/// numbers a row.
#include "formulations/augmented_lagrangian/dual/twins/dual_twin_handles.hpp"

namespace mbdbench::dual_sweeps {

// Packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Forward over one node: xi_0J - r_J and xi_0^C.
template <typename T, int kClosed>
MBDBENCH_KERNEL void eliminate_twin(const TwinNode& node, const T* given) {
  const int closed = kClosed > 0 ? kClosed : node.closed_rows;
  T* const right = packs<T>(node.right);
  for (int j = 0; j < closed; ++j) {
    right[j] -= given[node.places[j]];
  }
  const T* gain = packs<T>(node.gain);
  for (int e = closed; e < node.row_count; ++e, gain += closed) {
    T sum = right[e];
    for (int j = 0; j < closed; ++j) {
      sum -= gain[j] * right[j];
    }
    right[e] = sum;
  }
}

/// \returns whether xi_0^C is zero without inputs.
MBDBENCH_KERNEL bool rests(const TwinNode& node) {
  return node.body >= 0 && node.closed_rows == 0;
}

template <typename T>
void eliminate_twins(const TwinTrees& twins, const double* given, const double* input, double* rates) {
  for (int index = 0; index < twins.node_count; ++index) {
    const TwinNode& node = twins.nodes[index];
    if (input == nullptr && rests(node)) {
      continue;
    }
    T* const right = packs<T>(node.right);
    if (node.body >= 0 && input != nullptr) {
      T* const moved = packs<T>(rates) + 6 * node.body;
      apply_inverse_inertia(packs<T>(node.inertia_inverse), packs<T>(input) + 6 * node.body, moved);
      for (int h = 0; h < node.handle_count; ++h) {
        T* const rows = right + node.handles[h].first_row;
        for_products(node.handles[h], moved, [&](int row, const T& value) MBDBENCH_INLINED { rows[row] = value; });
      }
    } else {
      for (int i = 0; i < node.row_count; ++i) {
        right[i] = static_cast<T>(0.0);
      }
    }
    for (int which = 0; which < 2; ++which) {
      if (node.children[which] < 0) {
        continue;
      }
      const TwinNode& child = twins.nodes[node.children[which]];
      if (input == nullptr && rests(child)) {
        continue;
      }
      const T* const from = packs<T>(child.right) + child.closed_rows;
      for (int i = 0; i < node.child_counts[which]; ++i) {
        right[node.child_rows[which][i]] += from[i];
      }
    }
    with_closed_rows(node, [&]<int kClosed>() MBDBENCH_INLINED { eliminate_twin<T, kClosed>(node, packs<T>(given)); });
  }
}

/// Backward over one node: sigma of its closed rows from those of its other ones.
template <typename T, int kClosed>
MBDBENCH_KERNEL void recover_twin(const TwinNode& node, T* sigma) {
  const int closed = kClosed > 0 ? kClosed : node.closed_rows;
  T own[kClosed > 0 ? kClosed : 1];
  T* const sums = kClosed > 0 ? own : sigma;
  const auto at = [&](int j) MBDBENCH_INLINED { return kClosed > 0 ? j : node.places[j]; };
  const T* const right = packs<T>(node.right);
  for (int j = 0; j < closed; ++j) {
    sums[at(j)] = static_cast<T>(0.0);
  }
  const T* inverse = packs<T>(node.inverse);
  for (int c = 0; c < closed; ++c) {
    sums[at(c)] -= *inverse++ * right[c];
    for (int i = c + 1; i < closed; ++i, ++inverse) {
      sums[at(i)] -= *inverse * right[c];
      sums[at(c)] -= *inverse * right[i];
    }
  }
  const T* gain = packs<T>(node.gain);
  for (int e = closed; e < node.row_count; ++e, gain += closed) {
    const T known = sigma[node.places[e]];
    for (int j = 0; j < closed; ++j) {
      sums[at(j)] -= gain[j] * known;
    }
  }
  if constexpr (kClosed > 0) {
    for (int j = 0; j < closed; ++j) {
      sigma[node.places[j]] = own[j];
    }
  }
}

/// M^-1 B sigma of a body.
template <typename T>
MBDBENCH_KERNEL void move_twin(const TwinNode& node, const T* sigma, T* moved) {
  T wrench[6];
  for (T& sum : wrench) {
    sum = static_cast<T>(0.0);
  }
  for (int h = 0; h < node.handle_count; ++h) {
    // The rows of a handle stand together.
    const T* const own = sigma + node.places[node.handles[h].first_row];
    add_wrench(
        node.handles[h], [&](int row) MBDBENCH_INLINED { return own[row]; }, wrench);
  }
  apply_inverse_inertia(packs<T>(node.inertia_inverse), wrench, moved);
}

template <typename T>
void recover_twins(const TwinTrees& twins, bool moved, const TwinVectors& result) {
  T* const sigma = packs<T>(result.multipliers);
  for (int index = twins.node_count; index-- > 0;) {
    const TwinNode& node = twins.nodes[index];
    with_closed_rows(node, [&]<int kClosed>() MBDBENCH_INLINED { recover_twin<T, kClosed>(node, sigma); });
    if (node.body >= 0) {
      T change[6];
      move_twin<T>(node, sigma, change);
      T* const rates = packs<T>(result.bodies) + 6 * node.body;
      kernels::unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { rates[k] = moved ? rates[k] + change[k] : change[k]; });
    }
  }
}

/// residual = right - D^T (V_b - V_a) of the rows that are closed within.
template <typename T>
void residual_twins(const TwinTrees& twins, const double* right, const double* rates, double* residual) {
  T* const left = packs<T>(residual);
  for (int i = 0; i < twins.closed_rows; ++i) {
    left[i] = packs<T>(right)[i];
  }
  for (int index = 0; index < twins.node_count; ++index) {
    const TwinNode& node = twins.nodes[index];
    if (node.body < 0) {
      continue;
    }
    const T* const own = packs<T>(rates) + 6 * node.body;
    for (int h = 0; h < node.handle_count; ++h) {
      const int first = node.places[node.handles[h].first_row];
      if (first < twins.closed_rows) {
        for_products(node.handles[h], own,
                     [&](int row, const T& value) MBDBENCH_INLINED { left[first + row] -= value; });
      }
    }
  }
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
