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

template <typename T>
void set_handle(const DualBody& body, int handle, const double* directions, double sign, const double* lever) {
  double* column = body.columns;
  for (int h = 0; h < handle; ++h) {
    column += body.row_counts[h] * kDualBody;
  }
  double* row = body.rows + handle * kDualPack;
  const int step = body.handles * kDualPack;
  const double lx = lever[0];
  const double ly = lever[1];
  const double lz = lever[2];
  for (int c = 0; c < body.row_counts[handle]; ++c, ++row, column += kDualBody, directions += kDualBody) {
    const double x = sign * directions[0];
    const double y = sign * directions[1];
    const double z = sign * directions[2];
    const double turn_x = sign * directions[3] + (ly * z - lz * y);
    const double turn_y = sign * directions[4] + (lz * x - lx * z);
    const double turn_z = sign * directions[5] + (lx * y - ly * x);
    column[0] = x;
    column[1] = y;
    column[2] = z;
    column[3] = turn_x;
    column[4] = turn_y;
    column[5] = turn_z;
    row[0] = x;
    row[step] = y;
    row[2 * step] = z;
    row[3 * step] = turn_x;
    row[4 * step] = turn_y;
    row[5 * step] = turn_z;
  }
}

/// B^T M_C^-1 B of a leaf. \param front row_count columns over all handles
template <typename T>
MBDBENCH_KERNEL void fill_leaf(const DualBody& body, int row_count, T* front) {
  const int n = body.handles;
  for (int h = 0; h < n; ++h) {
    const auto row_of = [&](int i) MBDBENCH_INLINED {
      return first_lanes(Loose<T>::load(body.rows + (i * n + h) * kDualPack), body.row_counts[h]);
    };
    // M_C^-1 has no entries between shifts and turns.
    const double* const inverse = body.inverse_inertia;
    const T turns[3] = {row_of(3), row_of(4), row_of(5)};
    T moved[6];
    kernels::unrolled<0, 3>([&](auto i) MBDBENCH_INLINED {
      moved[i] = row_of(i) * inverse[0];
      const double* const row = inverse + (1 + i) * kDualPack + 3;  // symmetric
      moved[3 + i] = turns[0] * row[0] + turns[1] * row[1] + turns[2] * row[2];
    });
    const double* column = body.columns;
    for (int c = 0; c < row_count; ++c, column += kDualBody) {
      const T even = moved[0] * column[0] + moved[2] * column[2] + moved[4] * column[4];
      front[c * n + h] = even + (moved[1] * column[1] + moved[3] * column[3] + moved[5] * column[5]);
    }
  }
}

/// Adds what a child's external handles know of one another.
template <typename T>
MBDBENCH_KERNEL void add_matrix(const DualNode& child, const DualChild& link, const DualNode& node, double* front) {
  const int count = link.count;
  const T* source = packs<T>(child.schur);
  for (int b = 0; b < count; ++b) {
    const int from = child.closed_joints + b;
    const int place = link.places[b];
    T* target = packs<T>(front) + node.first_rows[place] * node.joint_count;
    const int rows = child.first_rows[from + 1] - child.first_rows[from];
    if (count == 2) {  // of chains: no loop within a loop
      T* first = target + link.places[0];
      T* second = target + link.places[1];
      for (int c = 0; c < rows; ++c, source += 2, first += node.joint_count, second += node.joint_count) {
        *first += source[0];
        *second += source[1];
      }
      continue;
    }
    for (int c = 0; c < rows; ++c, source += count, target += node.joint_count) {
      for (int a = 0; a < count; ++a) {
        target[link.places[a]] += source[a];
      }
    }
  }
}

/// F_JJ + I / alpha = L D L^T and L^-1 of one closed joint, in registers. \returns -1, or the row whose pivot is not
/// positive
template <int kRows>
MBDBENCH_KERNEL int factorise_joint(const DualNode& node, const DualScratch& scratch, double regularisation) {
  double y[kRows][kRows];  // L D, then L, by columns
  kernels::unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED {
    kernels::unrolled<j, kRows>(
        [&](auto i) MBDBENCH_INLINED { y[j][i] = scratch.front[j * node.joint_count * kDualPack + i]; });
    y[j][j] += regularisation;
  });
  int failed = -1;
  kernels::unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED {
    if (failed >= 0) {
      return;
    }
    if (!(y[j][j] > 0.0)) {
      failed = j;
      scratch.factor[j * (kRows + 1)] = y[j][j];
      return;
    }
    const double inverse = 1.0 / y[j][j];
    scratch.pivots[j] = inverse;
    kernels::unrolled<j + 1, kRows>([&](auto k) MBDBENCH_INLINED {
      const double l = y[j][k] * inverse;
      kernels::unrolled<k, kRows>([&](auto i) MBDBENCH_INLINED { y[k][i] -= l * y[j][i]; });
    });
    kernels::unrolled<j + 1, kRows>([&](auto i) MBDBENCH_INLINED { y[j][i] *= inverse; });
  });
  if (failed >= 0) {
    return failed;
  }
  kernels::unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED {
    double column[kRows];
    double* const lower = scratch.lower + j * kDualPack;
    double* const upper = scratch.upper + j;
    kernels::unrolled<0, j>([&](auto i) MBDBENCH_INLINED {
      lower[i] = 0.0;
      upper[i * kDualPack] = 0.0;
    });
    lower[j] = 1.0;
    upper[j * kDualPack] = 1.0;
    kernels::unrolled<j + 1, kRows>([&](auto i) MBDBENCH_INLINED {
      double sum = y[j][i];
      kernels::unrolled<j + 1, i>([&](auto k) MBDBENCH_INLINED { sum += y[k][i] * column[k]; });
      column[i] = -sum;
      lower[i] = -sum;
      upper[i * kDualPack] = -sum;
    });
    kernels::unrolled<kRows, kDualPack>([&](auto i) MBDBENCH_INLINED {
      lower[i] = 0.0;
      scratch.upper[j * kDualPack + i] = 0.0;
    });
  });
  return -1;
}

/// The same of all closed joints.
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL int factorise_joints(const DualNode& node, const DualScratch& scratch, double regularisation) {
  const Shape<kJoints, kRows> shape{node};
  const int rows = shape.closed_rows();
  const int column_size = shape.joints() * kDualPack;
  const int inverse_size = shape.closed() * kDualPack;
  double* const y = scratch.factor;  // L D, then L, by columns
  for (int j = 0; j < rows; ++j) {
    for (int i = j; i < rows; ++i) {
      y[j * rows + i] = scratch.front[j * column_size + shape.slot(i)];
    }
    y[j * rows + j] += regularisation;
  }
  for (int j = 0; j < rows; ++j) {
    double* const column = y + j * rows;
    if (!(column[j] > 0.0)) {
      return j;
    }
    const double inverse = 1.0 / column[j];
    scratch.pivots[shape.slot(j)] = inverse;
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
  T* const lower = packs<T>(scratch.lower);
  T* const upper = packs<T>(scratch.upper);
  for (int i = 0; i < rows * shape.closed(); ++i) {
    lower[i] = static_cast<T>(0.0);
    upper[i] = static_cast<T>(0.0);
  }
  for (int j = 0; j < rows; ++j) {
    double* const column = scratch.lower + j * inverse_size;
    column[shape.slot(j)] = 1.0;
    scratch.upper[j * inverse_size + shape.slot(j)] = 1.0;
    for (int i = j + 1; i < rows; ++i) {
      double sum = y[j * rows + i];
      for (int k = j + 1; k < i; ++k) {
        sum += y[k * rows + i] * column[shape.slot(k)];
      }
      column[shape.slot(i)] = -sum;
      scratch.upper[i * inverse_size + shape.slot(j)] = -sum;
    }
  }
  return -1;
}

/// L D L^T, L^-1 and S. \returns -1, or the row whose pivot is not positive
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL int factorise_closed(const DualNode& node, const DualScratch& scratch, double regularisation) {
  const Shape<kJoints, kRows> shape{node};
  int failed = -1;
  if constexpr (kRows > 0) {
    failed = factorise_joint<kRows>(node, scratch, regularisation);
  } else {
    failed = factorise_joints<T, kJoints, kRows>(node, scratch, regularisation);
  }
  if (failed >= 0) {
    return failed;
  }
  const int closed = shape.closed();
  const int rows = shape.closed_rows();
  const T* const upper = packs<T>(scratch.upper);
  for (int j = 0; j < rows; ++j) {
    const double* const column = scratch.lower + j * closed * kDualPack;
    for (int p = 0; p < closed; ++p) {
      T sum = static_cast<T>(0.0);
      for (int i = j; i < rows; ++i) {
        sum += upper[i * closed + p] * (scratch.pivots[shape.slot(i)] * column[shape.slot(i)]);
      }
      Loose<T>::store(sum, node.inverse + (j * closed + p) * kDualPack);
    }
  }
  return -1;
}

/// Y, K, K^T and Xi^C.
template <typename T, int kJoints, int kRows>
MBDBENCH_KERNEL void eliminate_matrix(const DualNode& node, const DualScratch& scratch) {
  const Shape<kJoints, kRows> shape{node};
  const int closed = shape.closed();
  const int outside = shape.outside();
  const int joints = shape.joints();
  const int rows = shape.closed_rows();
  const T* const front = packs<T>(scratch.front);
  T* const columns = packs<T>(scratch.columns);
  for (int j = 0; j < rows; ++j) {
    for (int p = 0; p < outside; ++p) {
      T sum = front[j * joints + closed + p];
      for (int i = 0; i < j; ++i) {
        sum += front[i * joints + closed + p] * scratch.lower[i * closed * kDualPack + shape.slot(j)];
      }
      columns[j * outside + p] = sum;
    }
  }
  const T* const lower = packs<T>(scratch.lower);
  const T* const upper = packs<T>(scratch.upper);
  const T* const pivots = packs<T>(scratch.pivots);
  T* const scaled = packs<T>(scratch.products);
  double* gain = node.gain;
  T* schur = packs<T>(node.schur);
  for (int k = rows; k < shape.row_count(); ++k, gain += closed * kDualPack, schur += outside) {
    const T* const column = front + k * joints;
    const double* const numbers = scratch.front + k * joints * kDualPack;
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
        sum -= columns[j * outside + p] * scratch.products[shape.slot(j)];
      }
      schur[p] = sum;
    }
    for (int p = 0; p < closed; ++p) {
      T sum = static_cast<T>(0.0);
      for (int j = 0; j < rows; ++j) {
        sum += upper[j * closed + p] * scratch.products[shape.slot(j)];
      }
      Loose<T>::store(sum, gain + p * kDualPack);
    }
  }
  for (int j = 0; j < rows; ++j) {
    const double* const column = scratch.lower + j * closed * kDualPack;
    for (int p = 0; p < outside; ++p) {
      T sum = static_cast<T>(0.0);
      for (int i = j; i < rows; ++i) {
        sum += columns[i * outside + p] * (scratch.pivots[shape.slot(i)] * column[shape.slot(i)]);
      }
      Loose<T>::store(sum, node.gain_transposed + (j * outside + p) * kDualPack);
    }
  }
}

template <typename T>
int factorise(const DualTree& tree, const DualRange& range, int& row) {
  const DualScratch& scratch = range.scratch;
  for (const int index : range.single_nodes) {
    const DualNode& node = tree.nodes[static_cast<std::size_t>(index)];
    if (node.body >= 0) {
      const DualBody& body = tree.bodies[static_cast<std::size_t>(node.body)];
      for (int column = 0; column < node.row_count; ++column) {
        Loose<T>::store(times_inverse_inertia<T>(body, body.columns + column * kDualBody),
                        body.reach + column * kDualPack);
      }
      fill_leaf<T>(body, node.row_count, packs<T>(node.closed_joints > 0 ? scratch.front : node.schur));
      if (node.closed_joints == 0) {
        continue;
      }
    } else {
      T* const front = packs<T>(scratch.front);
      for (int i = 0; i < node.row_count * node.joint_count; ++i) {
        front[i] = static_cast<T>(0.0);
      }
      for (const DualChild& child : node.children) {
        if (child.node >= 0) {
          add_matrix<T>(tree.nodes[static_cast<std::size_t>(child.node)], child, node, scratch.front);
        }
      }
    }
    row = dispatch(node, [&]<int kJoints, int kRows>() MBDBENCH_INLINED {
      const int failed = factorise_closed<T, kJoints, kRows>(node, scratch, tree.regularisation);
      if (failed < 0) {
        eliminate_matrix<T, kJoints, kRows>(node, scratch);
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
