#pragma once
/// \file
/// The sweeps over an assembly tree with regularised rows: included by one file an instruction set (dual_sweeps_*.cpp).
///
/// One factorisation serves all passes over the multipliers: L^-1 and Y are kept, so that a pass is made of products
/// without a chain of substitutions. L has the square root of the condition of A + I / alpha; what its inverse loses
/// the next pass brings back, since each starts from the residual of the bodies' own rates.
#include "formulations/augmented_lagrangian/dual_nodes.hpp"
#include "formulations/kernels/pack.hpp"

namespace mbdbench::dual_sweeps {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <typename T>
MBDBENCH_KERNEL T* packs(double* numbers) {
  return reinterpret_cast<T*>(numbers);
}
template <typename T>
MBDBENCH_KERNEL const T* packs(const double* numbers) {
  return reinterpret_cast<const T*>(numbers);
}

/// \returns M_C^-1 wrench.
template <typename T>
MBDBENCH_KERNEL T times_inverse_inertia(const DualBody& body, const double* wrench) {
  const T* const inverse = packs<T>(body.inverse_inertia);
  const T linear = inverse[0] * wrench[0] + inverse[1] * wrench[1] + inverse[2] * wrench[2];
  return linear + (inverse[3] * wrench[3] + inverse[4] * wrench[4] + inverse[5] * wrench[5]);
}

/// \returns B_h^T V of one handle.
template <typename T>
MBDBENCH_KERNEL T handle_rates(const DualBody& body, int handle, const double* rates) {
  const T* const rows = packs<T>(body.rows) + handle;
  const int n = body.handles;
  const T even = rows[0] * rates[0] + rows[2 * n] * rates[2] + rows[4 * n] * rates[4];
  return even + (rows[n] * rates[1] + rows[3 * n] * rates[3] + rows[5 * n] * rates[5]);
}

/// Front of a leaf: B^T M_C^-1 B.
template <typename T>
MBDBENCH_KERNEL void fill_leaf(const DualBody& body, const DualNode& node) {
  const int n = body.handles;
  const T* const rows = packs<T>(body.rows);
  T* const front = packs<T>(node.front);
  for (int h = 0; h < n; ++h) {
    // M_C^-1 has no entries between shifts and turns.
    const double* const inverse = body.inverse_inertia;
    T moved[6];
    for (int i = 0; i < 3; ++i) {
      moved[i] = rows[i * n + h] * inverse[0];
      const double* const row = inverse + (3 + i) * kDualPack + 3;  // symmetric
      moved[3 + i] = rows[3 * n + h] * row[0] + rows[4 * n + h] * row[1] + rows[5 * n + h] * row[2];
    }
    const double* column = body.columns;
    for (int c = 0; c < node.row_count; ++c, column += kDualPack) {
      const T even = moved[0] * column[0] + moved[2] * column[2] + moved[4] * column[4];
      front[c * n + h] = even + (moved[1] * column[1] + moved[3] * column[3] + moved[5] * column[5]);
    }
  }
}

/// Adds what a child's external handles know of one another.
template <typename T>
MBDBENCH_KERNEL void add_matrix(const DualNode& child, const DualChild& link, const DualNode& node) {
  const int count = child.joint_count - child.closed_joints;
  for (int b = 0; b < count; ++b) {
    const int from = child.closed_joints + b;
    const int place = link.places[static_cast<std::size_t>(b)];
    const int columns = child.first_rows[from + 1] - child.first_rows[from];
    for (int c = 0; c < columns; ++c) {
      const T* const source =
          packs<T>(child.front) + (child.first_rows[from] + c) * child.joint_count + child.closed_joints;
      T* const target = packs<T>(node.front) + (node.first_rows[place] + c) * node.joint_count;
      for (int a = 0; a < count; ++a) {
        target[link.places[static_cast<std::size_t>(a)]] += source[a];
      }
    }
  }
}

/// F_JJ + I / alpha = L D L^T, and L^-1. \returns -1, or the row whose pivot is not positive
template <typename T>
MBDBENCH_KERNEL int factorise_closed(const DualNode& node, double regularisation) {
  const int rows = node.closed_rows;
  const int column_size = node.joint_count * kDualPack;
  const int inverse_size = node.closed_joints * kDualPack;
  double* const y = node.factor;  // L D, then L, by columns
  for (int j = 0; j < rows; ++j) {
    for (int i = j; i < rows; ++i) {
      y[j * rows + i] = node.front[j * column_size + node.slots[i]];
    }
    y[j * rows + j] += regularisation;
  }
  for (int j = 0; j < rows; ++j) {
    double* const column = y + j * rows;
    if (!(column[j] > 0.0)) {
      return j;
    }
    const double inverse = 1.0 / column[j];
    node.pivots[node.slots[j]] = inverse;
    for (int k = j + 1; k < rows; ++k) {
      const double l = column[k] * inverse;
      for (int i = k; i < rows; ++i) {
        y[k * rows + i] -= l * column[i];
      }
    }
    for (int i = j + 1; i < rows; ++i) {
      column[i] *= inverse;
    }
  }
  for (int j = 0; j < rows; ++j) {
    double* const column = node.lower + j * inverse_size;
    column[node.slots[j]] = 1.0;
    node.upper[j * inverse_size + node.slots[j]] = 1.0;
    for (int i = j + 1; i < rows; ++i) {
      double sum = y[j * rows + i];
      for (int k = j + 1; k < i; ++k) {
        sum += y[k * rows + i] * column[node.slots[k]];
      }
      column[node.slots[i]] = -sum;
      node.upper[i * inverse_size + node.slots[j]] = -sum;
    }
  }
  return -1;
}

/// Y, Y^T and Xi^C. \tparam kClosed, kJoints joints where known at compile time, -1 otherwise
template <typename T, int kClosed, int kJoints>
MBDBENCH_KERNEL void eliminate_matrix(const DualNode& node) {
  const int closed = kClosed > 0 ? kClosed : node.closed_joints;
  const int joints = kJoints > 0 ? kJoints : node.joint_count;
  const int rows = node.closed_rows;
  const int column_size = joints * kDualPack;
  const int inverse_size = closed * kDualPack;
  T* const front = packs<T>(node.front);
  // Y: from the last column, since column j needs those before it.
  for (int j = rows - 1; j >= 0; --j) {
    T* const target = front + j * joints;
    for (int i = 0; i < j; ++i) {
      const double l = node.lower[i * inverse_size + node.slots[j]];
      for (int p = closed; p < joints; ++p) {
        target[p] += front[i * joints + p] * l;
      }
    }
  }
  const T* const lower = packs<T>(node.lower);
  const T* const pivots = packs<T>(node.pivots);
  T* const scaled = packs<T>(node.products);
  for (int k = rows; k < node.row_count; ++k) {
    T* const column = front + k * joints;
    const double* const numbers = node.front + k * column_size;
    for (int p = 0; p < closed; ++p) {
      T sum = lower[p] * numbers[node.slots[0]];
      for (int j = 1; j < rows; ++j) {
        sum += lower[j * closed + p] * numbers[node.slots[j]];
      }
      scaled[p] = sum;
    }
    for (int p = 0; p < closed; ++p) {
      column[p] = scaled[p];
      scaled[p] = scaled[p] * pivots[p];
    }
    for (int p = closed; p < joints; ++p) {
      T sum = column[p];
      for (int j = 0; j < rows; ++j) {
        sum -= front[j * joints + p] * node.products[node.slots[j]];
      }
      column[p] = sum;
    }
  }
}

/// Forward pass over one node: z and xi_0^C. \param given r of all joints
template <typename T, int kClosed, int kJoints>
MBDBENCH_KERNEL void eliminate_right(const DualNode& node, const double* given) {
  const int closed = kClosed > 0 ? kClosed : node.closed_joints;
  const int joints = kJoints > 0 ? kJoints : node.joint_count;
  T* const right = packs<T>(node.right);
  T* const open = packs<T>(node.products);
  for (int p = 0; p < closed; ++p) {
    open[p] = right[p] - packs<T>(given)[node.joints[p]];
  }
  const T* const lower = packs<T>(node.lower);
  for (int p = 0; p < closed; ++p) {
    T sum = lower[p] * node.products[node.slots[0]];
    for (int j = 1; j < node.closed_rows; ++j) {
      sum += lower[j * closed + p] * node.products[node.slots[j]];
    }
    right[p] = sum * packs<T>(node.pivots)[p];
  }
  const T* const front = packs<T>(node.front);
  for (int p = closed; p < joints; ++p) {
    T sum = right[p];
    for (int j = 0; j < node.closed_rows; ++j) {
      sum -= front[j * joints + p] * node.right[node.slots[j]];
    }
    right[p] = sum;
  }
}

/// Backward pass over one node: sigma of its closed joints from those of its external handles.
template <typename T, int kClosed, int kJoints>
MBDBENCH_KERNEL void recover(const DualNode& node, double* sigma) {
  const int closed = kClosed > 0 ? kClosed : node.closed_joints;
  const int joints = kJoints > 0 ? kJoints : node.joint_count;
  T* const w = packs<T>(node.products);
  for (int p = 0; p < closed; ++p) {
    T even = static_cast<T>(0.0);
    T odd = static_cast<T>(0.0);
    const T* column = packs<T>(node.front) + node.closed_rows * joints + p;
    for (int e = closed; e < joints; ++e) {
      const double* const known = sigma + node.joints[e] * kDualPack;
      const int rows = node.first_rows[e + 1] - node.first_rows[e];
      int i = 0;
      for (; i + 1 < rows; i += 2, column += 2 * joints) {
        even += column[0] * known[i];
        odd += column[joints] * known[i + 1];
      }
      if (i < rows) {
        even += column[0] * known[i];
        column += joints;
      }
    }
    w[p] = packs<T>(node.right)[p] + packs<T>(node.pivots)[p] * (even + odd);
  }
  const T* const upper = packs<T>(node.upper);
  for (int p = 0; p < closed; ++p) {
    T sum = upper[p] * node.products[node.slots[0]];
    for (int j = 1; j < node.closed_rows; ++j) {
      sum += upper[j * closed + p] * node.products[node.slots[j]];
    }
    packs<T>(sigma)[node.joints[p]] = -sum;
  }
}

/// Calls kernel.operator()<closed, joints> with the joints of nodes in chains, loops and ladders known at compile time.
template <typename Kernel>
MBDBENCH_KERNEL void dispatch(const DualNode& node, const Kernel& kernel) {
  if (node.closed_joints == 1 && node.joint_count == 3) {
    kernel.template operator()<1, 3>();
  } else if (node.closed_joints == 1 && node.joint_count == 2) {
    kernel.template operator()<1, 2>();
  } else {
    kernel.template operator()<-1, -1>();
  }
}

template <typename T>
int factorise(const DualTree& tree, int& row) {
  for (std::size_t index = 0; index < tree.nodes.size(); ++index) {
    const DualNode& node = tree.nodes[index];
    if (node.body >= 0) {
      fill_leaf<T>(tree.bodies[static_cast<std::size_t>(node.body)], node);
    } else {
      T* const front = packs<T>(node.front);
      for (int i = 0; i < node.row_count * node.joint_count; ++i) {
        front[i] = static_cast<T>(0.0);
      }
      for (const DualChild& child : node.children) {
        if (child.node >= 0) {
          add_matrix<T>(tree.nodes[static_cast<std::size_t>(child.node)], child, node);
        }
      }
    }
    if (node.closed_rows > 0) {
      row = factorise_closed<T>(node, tree.regularisation);
      if (row >= 0) {
        return static_cast<int>(index);
      }
      dispatch(node, [&]<int kClosed, int kJoints>() MBDBENCH_INLINED { eliminate_matrix<T, kClosed, kJoints>(node); });
    }
  }
  return -1;
}

template <typename T>
void sweep(const DualTree& tree, const double* given, const double* input, double* sigma, double* rates) {
  for (const DualNode& node : tree.nodes) {
    T* const right = packs<T>(node.right);
    if (node.body >= 0 && input != nullptr) {
      const DualBody& body = tree.bodies[static_cast<std::size_t>(node.body)];
      double* const moved = rates + node.body * kDualPack;
      packs<T>(moved)[0] = times_inverse_inertia<T>(body, input + node.body * kDualPack);
      for (int h = 0; h < node.joint_count; ++h) {
        right[h] = handle_rates<T>(body, h, moved);
      }
    } else {
      for (int i = 0; i < node.joint_count; ++i) {
        right[i] = static_cast<T>(0.0);
      }
    }
    for (const DualChild& link : node.children) {
      if (link.node >= 0) {
        const DualNode& child = tree.nodes[static_cast<std::size_t>(link.node)];
        const T* const from = packs<T>(child.right) + child.closed_joints;
        for (std::size_t i = 0; i < link.places.size(); ++i) {
          right[link.places[i]] += from[i];
        }
      }
    }
    if (node.closed_rows > 0) {
      dispatch(node,
               [&]<int kClosed, int kJoints>() MBDBENCH_INLINED { eliminate_right<T, kClosed, kJoints>(node, given); });
    }
  }
  for (std::size_t index = tree.nodes.size(); index-- > 0;) {
    const DualNode& node = tree.nodes[index];
    if (node.closed_rows > 0) {
      dispatch(node, [&]<int kClosed, int kJoints>() MBDBENCH_INLINED { recover<T, kClosed, kJoints>(node, sigma); });
    }
  }
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const DualBody& body = tree.bodies[i];
    T even = input == nullptr ? static_cast<T>(0.0) : packs<T>(input)[i];
    T odd = static_cast<T>(0.0);
    const T* column = packs<T>(body.columns);
    for (int h = 0; h < body.handles; ++h) {
      const double* const values = sigma + body.joints[h] * kDualPack;
      const int rows = body.row_counts[h];
      int row = 0;
      for (; row + 1 < rows; row += 2, column += 2) {
        even += column[0] * values[row];
        odd += column[1] * values[row + 1];
      }
      if (row < rows) {
        even += column[0] * values[row];
        ++column;
      }
    }
    alignas(T) double wrench[kDualPack];
    packs<T>(wrench)[0] = even + odd;
    packs<T>(rates)[i] = times_inverse_inertia<T>(body, wrench);
  }
}

template <typename T>
void residual(const DualTree& tree, const double* right, const double* rates, int count, double* result) {
  for (int i = 0; i < count; ++i) {
    packs<T>(result)[i] = packs<T>(right)[i];
  }
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const DualBody& body = tree.bodies[i];
    for (int h = 0; h < body.handles; ++h) {
      packs<T>(result)[body.joints[h]] -= handle_rates<T>(body, h, rates + i * kDualPack);
    }
  }
}

/// \returns the sweeps in registers of W doubles.
template <int W>
constexpr DualSweeps sweeps() {
  using T = kernels::Pack<kDualPack, W>;
  return {factorise<T>, sweep<T>, residual<T>};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
