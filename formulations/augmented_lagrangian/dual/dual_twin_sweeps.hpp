#pragma once
/// \file
/// The sweeps of the iteration over eight sub-trees of equal form (dual_twin_nodes.hpp), included by dual_sweeps.hpp:
/// what dual_factorisation.hpp and dual_sweeps.hpp do with the rows of one joint a pack, with a sub-tree a lane.
/// Nothing then is done in vain, and nothing waits for one node's chain of pivots.
///
/// Cost of a node with e rows outside and c closed ones, in packs: c (e + c)^2 / 2 operations to factorise, e c for K;
/// a pass reads c (c + 2 e) and, of a body, twice six numbers a row.
#include "formulations/augmented_lagrangian/dual/dual_shapes.hpp"
#include "formulations/augmented_lagrangian/dual/dual_twin_nodes.hpp"

namespace mbdbench::dual_sweeps {

// Packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \returns M_C^-1 w, [linear; angular].
template <typename T>
MBDBENCH_KERNEL void apply_inverse_inertia(const T* inverse, const T* w, T* moved) {
  moved[0] = inverse[0] * w[0];
  moved[1] = inverse[0] * w[1];
  moved[2] = inverse[0] * w[2];
  moved[3] = inverse[1] * w[3] + inverse[2] * w[4] + inverse[3] * w[5];
  moved[4] = inverse[2] * w[3] + inverse[4] * w[4] + inverse[5] * w[5];
  moved[5] = inverse[3] * w[3] + inverse[5] * w[4] + inverse[6] * w[5];
}

template <typename T>
MBDBENCH_KERNEL T product_of_three(const T* a, const T* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Calls put(row, B^T V of it) for the rows of a handle, counted from its first one.
template <typename T, typename Put>
MBDBENCH_KERNEL void for_products(const TwinHandle& handle, const T* v, const Put& put) {
  const T* numbers = packs<T>(handle.numbers);
  if (handle.sign == 0.0) {
    for (int i = 0; i < handle.row_count; ++i, numbers += 6) {
      put(i, product_of_three(numbers, v) + product_of_three(numbers + 3, v + 3));
    }
    return;
  }
  const T sign = static_cast<T>(handle.sign);
  put(0, sign * (v[0] + (v[4] * numbers[2] - v[5] * numbers[1])));
  put(1, sign * (v[1] + (v[5] * numbers[0] - v[3] * numbers[2])));
  put(2, sign * (v[2] + (v[3] * numbers[1] - v[4] * numbers[0])));
  for (int i = 3; i < handle.row_count; ++i) {
    numbers += 3;
    put(i, product_of_three(numbers, v + 3));
  }
}

/// One row of B^T. \param wrench six numbers
template <typename T>
MBDBENCH_KERNEL void take_row(const TwinHandle& handle, int row, T* wrench) {
  const T* const numbers = packs<T>(handle.numbers);
  if (handle.sign == 0.0) {
    kernels::unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { wrench[k] = numbers[6 * row + k]; });
    return;
  }
  kernels::unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { wrench[k] = static_cast<T>(0.0); });
  if (row >= 3) {
    kernels::unrolled<0, 3>([&](auto k) MBDBENCH_INLINED { wrench[3 + k] = numbers[3 * (row - 2) + k]; });
    return;
  }
  const T sign = static_cast<T>(handle.sign);
  const int next = row == 2 ? 0 : row + 1;  // x, y, z in turn
  const int last = row == 0 ? 2 : row - 1;
  wrench[row] = sign;
  wrench[3 + next] = sign * numbers[last];
  wrench[3 + last] = -sign * numbers[next];
}

/// w += B sigma of a handle. \param sigma called with a row as above
template <typename T, typename Sigma>
MBDBENCH_KERNEL void add_wrench(const TwinHandle& handle, const Sigma& sigma, T* w) {
  const T* numbers = packs<T>(handle.numbers);
  if (handle.sign == 0.0) {
    for (int i = 0; i < handle.row_count; ++i, numbers += 6) {
      const T value = sigma(i);
      kernels::unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { w[k] += numbers[k] * value; });
    }
    return;
  }
  const T sign = static_cast<T>(handle.sign);
  const T force[3] = {sign * sigma(0), sign * sigma(1), sign * sigma(2)};
  kernels::unrolled<0, 3>([&](auto k) MBDBENCH_INLINED { w[k] += force[k]; });
  w[3] += numbers[1] * force[2] - numbers[2] * force[1];
  w[4] += numbers[2] * force[0] - numbers[0] * force[2];
  w[5] += numbers[0] * force[1] - numbers[1] * force[0];
  for (int i = 3; i < handle.row_count; ++i) {
    numbers += 3;
    const T value = sigma(i);
    kernels::unrolled<0, 3>([&](auto k) MBDBENCH_INLINED { w[3 + k] += numbers[k] * value; });
  }
}

/// Calls a kernel with how many rows a node closes as a constant: five (revolute) or three (spherical), else -1.
template <typename Kernel>
MBDBENCH_KERNEL auto with_closed_rows(const TwinNode& node, const Kernel& kernel) {
  switch (node.closed_rows) {
    case 5:
      return kernel.template operator()<5>();
    case 3:
      return kernel.template operator()<3>();
    default:
      return kernel.template operator()<-1>();
  }
}

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
