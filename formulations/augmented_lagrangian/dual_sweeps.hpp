#pragma once
/// \file
/// The sweeps over an assembly tree with regularised rows: included by one file an instruction set (dual_sweeps_*.cpp).
///
/// One factorisation serves all passes over the multipliers: the inverse S and the gain K of every node are kept, so
/// that a pass is made of products without a chain of substitutions, and reads little. What S loses by its condition
/// the next pass brings back, since each starts from the residual of the bodies' own rates.
#include "formulations/augmented_lagrangian/dual_factorisation.hpp"

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
