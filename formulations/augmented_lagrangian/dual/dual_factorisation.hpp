#pragma once
/// \file
/// The matrices of an assembly tree with regularised rows, once for all passes: included by dual_sweeps.hpp.
///
/// They are eliminated by way of L, which has the square root of the condition of F_JJ + I / alpha; the inverse S and
/// the gain K, which passes read, follow from it.
#include "formulations/augmented_lagrangian/dual/dual_shapes.hpp"

namespace mbdbench::dual_sweeps {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

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

template <typename T>
int factorise(const DualTree& tree, const DualRange& range, int& row) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    const DualNode& node = tree.nodes[index];
    if (node.body >= 0) {
      const DualBody& body = tree.bodies[static_cast<std::size_t>(node.body)];
      T* const reach = packs<T>(body.reach);
      for (int column = 0; column < node.row_count; ++column) {
        reach[column] = times_inverse_inertia<T>(body, body.columns + column * kDualPack);
      }
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

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
