#pragma once
/// \file
/// The matrices of eight sub-trees of equal form (dual_twin_nodes.hpp), included by dual_sweeps.hpp: what
/// dual_factorisation.hpp does with the rows of one joint a pack, with a sub-tree a lane. Nothing then is done in vain,
/// and nothing waits for one node's chain of pivots.
///
/// Cost of a node with e rows outside and c closed ones, in packs: c (e + c)^2 / 2 operations to factorise, e c for K.
#include "formulations/augmented_lagrangian/dual/twins/dual_twin_handles.hpp"

namespace mbdbench::dual_sweeps {

// Packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// B^T M_C^-1 B of a leaf.
template <typename T>
MBDBENCH_KERNEL void fill_leaf_front(const TwinNode& node, T* front) {
  const int n = node.row_count;
  for (int h = 0; h < node.handle_count; ++h) {
    const TwinHandle& handle = node.handles[h];
    for (int i = 0; i < handle.row_count; ++i) {
      T wrench[6];
      take_row(handle, i, wrench);
      T moved[6];
      apply_inverse_inertia(packs<T>(node.inertia_inverse), wrench, moved);
      // Rows of this handle above the diagonal, too: nobody reads them.
      for (int other = h; other < node.handle_count; ++other) {
        T* const place = front + node.handles[other].first_row * n + handle.first_row + i;
        for_products(node.handles[other], moved,
                     [&](int row, const T& value) MBDBENCH_INLINED { place[row * n] = value; });
      }
    }
  }
}

/// F of a leaf or a union, its lower triangle in rows of `row_count`.
template <typename T>
MBDBENCH_KERNEL void fill_front(const TwinTrees& twins, const TwinNode& node, T* front) {
  const int n = node.row_count;
  if (node.body >= 0) {
    fill_leaf_front(node, front);
    return;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      front[i * n + j] = static_cast<T>(0.0);
    }
  }
  for (int which = 0; which < 2; ++which) {
    if (node.children[which] < 0) {
      continue;
    }
    const T* schur = packs<T>(twins.nodes[node.children[which]].schur);
    const int* const rows = node.child_rows[which];
    for (int i = 0; i < node.child_counts[which]; ++i) {
      for (int j = 0; j <= i; ++j, ++schur) {
        const int one = rows[i];
        const int other = rows[j];
        front[one > other ? one * n + other : other * n + one] += *schur;
      }
    }
  }
}

/// L, L D and D of the closed rows, and L of all others.
template <typename T, int kClosed>
MBDBENCH_KERNEL void factorise_rows(const TwinTrees& twins, const TwinNode& node, double regularisation) {
  const int n = node.row_count;
  const int closed = kClosed > 0 ? kClosed : node.closed_rows;
  const T* const front = packs<T>(twins.front);
  T* const scaled = packs<T>(twins.scaled);
  T* const lower = packs<T>(twins.lower);
  T* const pivots = packs<T>(twins.pivots);
  for (int j = 0; j < closed; ++j) {
    T pivot = front[j * n + j] + static_cast<T>(regularisation);
    for (int k = 0; k < j; ++k) {
      pivot -= scaled[j * closed + k] * lower[j * closed + k];
    }
    pivots[j] = pivot;
    const T inverse = static_cast<T>(1.0) / pivot;
    for (int i = j + 1; i < n; ++i) {
      T sum = front[i * n + j];
      for (int k = 0; k < j; ++k) {
        sum -= scaled[i * closed + k] * lower[j * closed + k];
      }
      scaled[i * closed + j] = sum;
      lower[i * closed + j] = sum * inverse;
    }
  }
}

/// Xi^C, K and S from L and D.
template <typename T, int kClosed>
MBDBENCH_KERNEL void finish_node(const TwinTrees& twins, const TwinNode& node) {
  const int n = node.row_count;
  const int closed = kClosed > 0 ? kClosed : node.closed_rows;
  const T* const front = packs<T>(twins.front);
  const T* const scaled = packs<T>(twins.scaled);
  const T* const lower = packs<T>(twins.lower);
  const T* const pivots = packs<T>(twins.pivots);
  T* schur = packs<T>(node.schur);
  for (int i = closed; i < n; ++i) {
    for (int k = closed; k <= i; ++k, ++schur) {
      T sum = front[i * n + k];
      for (int j = 0; j < closed; ++j) {
        sum -= scaled[i * closed + j] * lower[k * closed + j];
      }
      *schur = sum;
    }
  }
  // K = L^-T (rows of L outside)^T, and S = L^-T D^-1 L^-1, column by column from the diagonal on.
  for (int e = closed; e < n; ++e) {
    T* const gain = packs<T>(node.gain) + (e - closed) * closed;
    for (int j = closed; j-- > 0;) {
      T sum = lower[e * closed + j];
      for (int i = j + 1; i < closed; ++i) {
        sum -= lower[i * closed + j] * gain[i];
      }
      gain[j] = sum;
    }
  }
  T* const inverse_pivots = packs<T>(twins.scaled);  // nobody needs L D any more
  for (int i = 0; i < closed; ++i) {
    inverse_pivots[i] = static_cast<T>(1.0) / pivots[i];
  }
  T* column = packs<T>(node.inverse);
  for (int c = 0; c < closed; column += closed - c, ++c) {
    T* const from_diagonal = column - c;
    from_diagonal[c] = static_cast<T>(1.0);
    for (int i = c + 1; i < closed; ++i) {
      T sum = -lower[i * closed + c];
      for (int j = c + 1; j < i; ++j) {
        sum -= lower[i * closed + j] * from_diagonal[j];
      }
      from_diagonal[i] = sum;
    }
    for (int i = closed; i-- > c;) {
      T sum = from_diagonal[i] * inverse_pivots[i];
      for (int j = i + 1; j < closed; ++j) {
        sum -= lower[j * closed + i] * from_diagonal[j];
      }
      from_diagonal[i] = sum;
    }
  }
}

/// \returns the first of some pivots that is not positive in some lane, or -1.
template <typename T>
MBDBENCH_KERNEL int failed_pivot(const double* pivots, int count) {
  for (int j = 0; j < count; ++j) {
    for (int lane = 0; lane < kDualPack; ++lane) {
      if (!(pivots[j * kDualPack + lane] > 0.0)) {
        return j;
      }
    }
  }
  return -1;
}

template <typename T>
int factorise_twins(const TwinTrees& twins, double regularisation, int& row) {
  for (int index = 0; index < twins.node_count; ++index) {
    const TwinNode& node = twins.nodes[index];
    fill_front<T>(twins, node, packs<T>(twins.front));
    row = with_closed_rows(node, [&]<int kClosed>() MBDBENCH_INLINED {
      factorise_rows<T, kClosed>(twins, node, regularisation);
      const int failed = failed_pivot<T>(twins.pivots, node.closed_rows);
      if (failed < 0) {
        finish_node<T, kClosed>(twins, node);
      }
      return failed;
    });
    if (row >= 0) {
      return index;
    }
  }
  return -1;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
