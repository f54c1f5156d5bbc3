#pragma once
/// \file
/// The sweeps over an assembly tree with regularised rows: included by one file an instruction set (dual_sweeps_*.cpp).
///
/// One factorisation serves all passes over the multipliers: the inverse S and the gain K are kept, so that a pass is
/// made of products without a chain of substitutions, and reads little. S has the condition of F_JJ + I / alpha; what
/// it loses the next pass brings back, since each starts from the residual of the bodies' own rates. The matrices
/// themselves are eliminated by way of L, which has the square root of it.
#include "formulations/augmented_lagrangian/dual_nodes.hpp"
#include "formulations/kernels/pack.hpp"
#include "formulations/kernels/unrolled.hpp"

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

/// B^T M_C^-1 B of a leaf. \param front row_count columns over all handles
template <typename T>
MBDBENCH_KERNEL void fill_leaf(const DualBody& body, int row_count, T* front) {
  const int n = body.handles;
  const T* const rows = packs<T>(body.rows);
  for (int h = 0; h < n; ++h) {
    // M_C^-1 has no entries between shifts and turns.
    const double* const inverse = body.inverse_inertia;
    T moved[6];
    kernels::unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
      moved[i] = rows[i * n + h] * inverse[0];
      const double* const row = inverse + (3 + i) * kDualPack + 3;  // symmetric
      moved[3 + i] = rows[3 * n + h] * row[0] + rows[4 * n + h] * row[1] + rows[5 * n + h] * row[2];
    });
    const double* column = body.columns;
    for (int c = 0; c < row_count; ++c, column += kDualPack) {
      const T even = moved[0] * column[0] + moved[2] * column[2] + moved[4] * column[4];
      front[c * n + h] = even + (moved[1] * column[1] + moved[3] * column[3] + moved[5] * column[5]);
    }
  }
}

/// Adds what a child's external handles know of one another.
template <typename T>
MBDBENCH_KERNEL void add_matrix(const DualNode& child, const DualChild& link, const DualNode& node) {
  const int count = child.joint_count - child.closed_joints;
  const T* source = packs<T>(child.schur);
  for (int b = 0; b < count; ++b) {
    const int from = child.closed_joints + b;
    const int place = link.places[static_cast<std::size_t>(b)];
    T* target = packs<T>(node.front) + node.first_rows[place] * node.joint_count;
    for (int c = child.first_rows[from]; c < child.first_rows[from + 1]; ++c) {
      for (int a = 0; a < count; ++a) {
        target[link.places[static_cast<std::size_t>(a)]] += source[a];
      }
      source += count;
      target += node.joint_count;
    }
  }
}

/// The sizes of a node, known at compile time where every joint has kRows rows and one of kJoints is closed.
template <int kJoints, int kRows>
struct Shape {
  const DualNode& node;

  MBDBENCH_KERNEL int closed() const { return kRows > 0 ? 1 : node.closed_joints; }
  MBDBENCH_KERNEL int outside() const { return kRows > 0 ? kJoints - 1 : node.joint_count - node.closed_joints; }
  MBDBENCH_KERNEL int joints() const { return closed() + outside(); }
  MBDBENCH_KERNEL int closed_rows() const { return kRows > 0 ? kRows : node.closed_rows; }
  MBDBENCH_KERNEL int row_count() const { return kRows > 0 ? kRows * kJoints : node.row_count; }
  MBDBENCH_KERNEL int rows_of(int joint) const {
    return kRows > 0 ? kRows : node.first_rows[joint + 1] - node.first_rows[joint];
  }
  /// \returns where a closed row stands in the packs of the closed joints.
  MBDBENCH_KERNEL int slot(int row) const { return kRows > 0 ? row : node.slots[row]; }
};

/// F_JJ + I / alpha = L D L^T, L^-1 and S. \returns -1, or the row whose pivot is not positive
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL int factorise_closed(const DualNode& node, double regularisation) {
  const Shape<kJoints, kRows> shape{node};
  const int rows = shape.closed_rows();
  const int column_size = shape.joints() * kDualPack;
  const int inverse_size = shape.closed() * kDualPack;
  double* const y = node.factor;  // L D, then L, by columns
  for (int j = 0; j < rows; ++j) {
    for (int i = j; i < rows; ++i) {
      y[j * rows + i] = node.front[j * column_size + shape.slot(i)];
    }
    y[j * rows + j] += regularisation;
  }
  for (int j = 0; j < rows; ++j) {
    double* const column = y + j * rows;
    if (!(column[j] > 0.0)) {
      return j;
    }
    const double inverse = 1.0 / column[j];
    node.pivots[shape.slot(j)] = inverse;
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
  const int closed = shape.closed();
  T* const lower = packs<T>(node.lower);
  T* const upper = packs<T>(node.upper);
  for (int i = 0; i < rows * closed; ++i) {
    lower[i] = static_cast<T>(0.0);
    upper[i] = static_cast<T>(0.0);
  }
  for (int j = 0; j < rows; ++j) {
    double* const column = node.lower + j * inverse_size;
    column[shape.slot(j)] = 1.0;
    node.upper[j * inverse_size + shape.slot(j)] = 1.0;
    for (int i = j + 1; i < rows; ++i) {
      double sum = y[j * rows + i];
      for (int k = j + 1; k < i; ++k) {
        sum += y[k * rows + i] * column[shape.slot(k)];
      }
      column[shape.slot(i)] = -sum;
      node.upper[i * inverse_size + shape.slot(j)] = -sum;
    }
  }
  T* const inverse = packs<T>(node.inverse);
  for (int j = 0; j < rows; ++j) {
    const double* const column = node.lower + j * inverse_size;
    for (int p = 0; p < closed; ++p) {
      T sum = static_cast<T>(0.0);
      for (int i = j; i < rows; ++i) {
        sum += upper[i * closed + p] * (node.pivots[shape.slot(i)] * column[shape.slot(i)]);
      }
      inverse[j * closed + p] = sum;
    }
  }
  return -1;
}

/// Y, K, K^T and Xi^C.
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL void eliminate_matrix(const DualNode& node) {
  const Shape<kJoints, kRows> shape{node};
  const int closed = shape.closed();
  const int outside = shape.outside();
  const int joints = shape.joints();
  const int rows = shape.closed_rows();
  const T* const front = packs<T>(node.front);
  T* const columns = packs<T>(node.columns);
  for (int j = 0; j < rows; ++j) {
    for (int p = 0; p < outside; ++p) {
      T sum = front[j * joints + closed + p];
      for (int i = 0; i < j; ++i) {
        sum += front[i * joints + closed + p] * node.lower[i * closed * kDualPack + shape.slot(j)];
      }
      columns[j * outside + p] = sum;
    }
  }
  const T* const lower = packs<T>(node.lower);
  const T* const upper = packs<T>(node.upper);
  const T* const pivots = packs<T>(node.pivots);
  T* const scaled = packs<T>(node.products);
  T* gain = packs<T>(node.gain);
  T* schur = packs<T>(node.schur);
  for (int k = rows; k < shape.row_count(); ++k, gain += closed, schur += outside) {
    const T* const column = front + k * joints;
    const double* const numbers = node.front + k * joints * kDualPack;
    for (int p = 0; p < closed; ++p) {
      T sum = static_cast<T>(0.0);
      for (int j = 0; j < rows; ++j) {
        sum += lower[j * closed + p] * numbers[shape.slot(j)];
      }
      scaled[p] = sum * pivots[p];
    }
    for (int p = 0; p < outside; ++p) {
      T sum = column[closed + p];
      for (int j = 0; j < rows; ++j) {
        sum -= columns[j * outside + p] * node.products[shape.slot(j)];
      }
      schur[p] = sum;
    }
    for (int p = 0; p < closed; ++p) {
      T sum = static_cast<T>(0.0);
      for (int j = 0; j < rows; ++j) {
        sum += upper[j * closed + p] * node.products[shape.slot(j)];
      }
      gain[p] = sum;
    }
  }
  T* const gain_transposed = packs<T>(node.gain_transposed);
  for (int j = 0; j < rows; ++j) {
    const double* const column = node.lower + j * closed * kDualPack;
    for (int p = 0; p < outside; ++p) {
      T sum = static_cast<T>(0.0);
      for (int i = j; i < rows; ++i) {
        sum += columns[i * outside + p] * (node.pivots[shape.slot(i)] * column[shape.slot(i)]);
      }
      gain_transposed[j * outside + p] = sum;
    }
  }
}

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
  const T* const columns = packs<T>(node.gain_transposed);
  for (int p = 0; p < outside; ++p) {
    T sum = right[closed + p];
    for (int j = 0; j < shape.closed_rows(); ++j) {
      sum -= columns[j * outside + p] * node.right[shape.slot(j)];
    }
    right[closed + p] = sum;
  }
}

/// Backward pass over one node: sigma of its closed joints from those of its external handles.
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL void recover(const DualNode& node, double* sigma) {
  const Shape<kJoints, kRows> shape{node};
  const int closed = shape.closed();
  for (int p = 0; p < closed; ++p) {
    // A sum for the node's own rows and one for those of every other handle: a single one would wait for every
    // addition.
    T even = static_cast<T>(0.0);
    const T* const inverse = packs<T>(node.inverse) + p;
    for (int j = 0; j < shape.closed_rows(); ++j) {
      even -= inverse[j * closed] * node.right[shape.slot(j)];
    }
    T odd = static_cast<T>(0.0);
    const T* column = packs<T>(node.gain) + p;
    for (int e = closed; e < shape.joints(); ++e) {
      const double* const known = sigma + node.joints[e] * kDualPack;
      T sum = static_cast<T>(0.0);
      for (int i = 0; i < shape.rows_of(e); ++i, column += closed) {
        sum -= column[0] * known[i];
      }
      odd += even;
      even = sum;
    }
    packs<T>(sigma)[node.joints[p]] = even + odd;
  }
}

/// Calls kernel.operator()<joints, rows> with the sizes known at compile time where all joints have five rows (revolute
/// ones) and one of two to four is closed: nodes of chains, loops and ladders.
template <typename Kernel>
MBDBENCH_KERNEL auto dispatch(const DualNode& node, const Kernel& kernel) {
  const bool revolute = node.uniform_rows == 5 && node.closed_joints == 1;
  if (revolute && node.joint_count == 3) {
    return kernel.template operator()<3, 5>();
  }
  if (revolute && node.joint_count == 2) {
    return kernel.template operator()<2, 5>();
  }
  if (revolute && node.joint_count == 4) {
    return kernel.template operator()<4, 5>();
  }
  return kernel.template operator()<-1, -1>();
}

template <typename T>
int factorise(const DualTree& tree, int& row) {
  for (const DualBody& body : tree.bodies) {
    T* const reach = packs<T>(body.reach);
    int column = 0;
    for (int h = 0; h < body.handles; ++h) {
      for (int i = 0; i < body.row_counts[h]; ++i, ++column) {
        reach[column] = times_inverse_inertia<T>(body, body.columns + column * kDualPack);
      }
    }
  }
  for (std::size_t index = 0; index < tree.nodes.size(); ++index) {
    const DualNode& node = tree.nodes[index];
    if (node.body >= 0) {
      const DualBody& body = tree.bodies[static_cast<std::size_t>(node.body)];
      fill_leaf<T>(body, node.row_count, packs<T>(node.closed_joints > 0 ? node.front : node.schur));
      if (node.closed_joints == 0) {
        continue;
      }
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
    row = dispatch(node, [&]<int kJoints, int kRows>() MBDBENCH_INLINED {
      const int failed = factorise_closed<T, kJoints, kRows>(node, tree.regularisation);
      if (failed < 0) {
        eliminate_matrix<T, kJoints, kRows>(node);
      }
      return failed;
    });
    if (row >= 0) {
      return static_cast<int>(index);
    }
  }
  return -1;
}

template <typename T>
void sweep(const DualTree& tree, const double* given, const double* input, double* sigma, double* rates) {
  for (const DualNode& node : tree.nodes) {
    T* const right = packs<T>(node.right);
    if (node.body >= 0 && node.closed_joints == 0 && input == nullptr) {
      continue;  // nothing but zeros, which its parent leaves out
    }
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
        if (child.body >= 0 && child.closed_joints == 0 && input == nullptr) {
          continue;
        }
        const T* const from = packs<T>(child.right) + child.closed_joints;
        for (std::size_t i = 0; i < link.places.size(); ++i) {
          right[link.places[i]] += from[i];
        }
      }
    }
    if (node.closed_joints > 0) {
      dispatch(node,
               [&]<int kJoints, int kRows>() MBDBENCH_INLINED { eliminate_right<T, kJoints, kRows>(node, given); });
    }
  }
  for (std::size_t index = tree.nodes.size(); index-- > 0;) {
    const DualNode& node = tree.nodes[index];
    if (node.closed_joints > 0) {
      dispatch(node, [&]<int kJoints, int kRows>() MBDBENCH_INLINED { recover<T, kJoints, kRows>(node, sigma); });
    }
  }
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const DualBody& body = tree.bodies[i];
    T even = input == nullptr ? static_cast<T>(0.0) : packs<T>(rates)[i];  // M^-1 input
    T odd = static_cast<T>(0.0);
    const T* column = packs<T>(body.reach);
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
    packs<T>(rates)[i] = even + odd;
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

/// total += change. \param squares receives sums of squares of the change and of the total
template <typename T>
void add(const double* change, int count, double* total, double* squares) {
  T changes = static_cast<T>(0.0);
  T sizes = static_cast<T>(0.0);
  for (int i = 0; i < count; ++i) {
    const T by = packs<T>(change)[i];
    const T sum = packs<T>(total)[i] + by;
    packs<T>(total)[i] = sum;
    changes += by * by;
    sizes += sum * sum;
  }
  alignas(T) double lanes[2 * kDualPack];
  packs<T>(lanes)[0] = changes;
  packs<T>(lanes)[1] = sizes;
  squares[0] = 0.0;
  squares[1] = 0.0;
  for (int i = 0; i < kDualPack; ++i) {
    squares[0] += lanes[i];
    squares[1] += lanes[kDualPack + i];
  }
}

/// \returns the sweeps in registers of W doubles.
template <int W>
constexpr DualSweeps sweeps() {
  using T = kernels::Pack<kDualPack, W>;
  return {factorise<T>, sweep<T>, residual<T>, add<T>};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
