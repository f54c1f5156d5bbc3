#pragma once
/// \file
/// The arithmetic of one node of the assembly tree, on packs of eight: rows of one handle side by side (node_plan.hpp).
///
/// With T_h = e_h D sigma (e_h = +1 at the b-end, -1 at the a-end of a joint) every handle is stored in its constrained
/// directions only: y_h = e_h D^T V_h and Xi_hg -> e_h e_g D_h^T Xi_hg D_g. Then closing a joint is adding the rows of
/// its two ends. DEVIATES [Chadaj2017, Eq. (26)-(36)]: no 6 x 6 matrices but their constrained rows, and a factor of
/// the negative of C (node_kernels_test, against the formula). With
///
///   front = [ F_JJ  .    ]   J: closed joints (A = G^T Xi G),  E: external handles
///           [ F_EJ  F_EE ]
///
///   F_JJ^+ = W W^T,  X = F_EJ W,  Xi^C = F_EE - X X^T,  z = W^T (xi_0J - r_J),  xi_0^C = xi_0E - X z,
///   sigma_J = -W (z + X^T sigma_E).
///
/// W = L^-T with F_JJ = L L^T where no loop closes; loop_kernels.hpp has the other one. An inverse instead of
/// substitutions: right sides then meet no chain of dependent operations.
///
/// paper symbol        -> here
///   xi11..xi22 (A, B) -> rows and columns of the children's blocks, added into `front`
///   W = D C D^T       -> -W W^T between the two D (C = -F_JJ^-1)                     [Chadaj2015, Eq. (13)]
///   beta              -> -W z                                                        [Chadaj2015, Eq. (14)]
///   xi10, xi20        -> right side
#include <cmath>

#include "formulations/assembly/nodes/node_plan.hpp"
#include "formulations/kernels/pack.hpp"
#include "formulations/kernels/unrolled.hpp"

namespace mbdbench::node_kernels {

// Packs start uninitialised.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

using kernels::Index;
using kernels::Pack;
using kernels::unrolled;

/// Reads and writes eight numbers anywhere.
template <typename T>
struct Numbers;
template <int W>
struct Numbers<Pack<W, W>> {
  using Unaligned [[gnu::vector_size(W * 8), gnu::may_alias, gnu::aligned(8)]] = double;
  static MBDBENCH_KERNEL Pack<W, W> load(const double* from) {
    Pack<W, W> pack;
    pack.value = *reinterpret_cast<const Unaligned*>(from);
    return pack;
  }
  static MBDBENCH_KERNEL void store(const Pack<W, W>& pack, double* to) {
    *reinterpret_cast<Unaligned*>(to) = pack.value;
  }
  static MBDBENCH_KERNEL double sum(const Pack<W, W>& pack) {
    if constexpr (W == 2) {
      return pack.value[0] + pack.value[1];
    } else if constexpr (W == 4) {
      return (pack.value[0] + pack.value[2]) + (pack.value[1] + pack.value[3]);
    } else {
      const auto& v = pack.value;
      const typename kernels::Register<4>::Type low = {v[0], v[1], v[2], v[3]};
      const typename kernels::Register<4>::Type high = {v[4], v[5], v[6], v[7]};
      const auto half = low + high;
      return (half[0] + half[2]) + (half[1] + half[3]);
    }
  }
};
template <int N, int W>
struct Numbers<Pack<N, W>> {
  using Half = Numbers<Pack<N / 2, W>>;
  static MBDBENCH_KERNEL Pack<N, W> load(const double* from) { return {Half::load(from), Half::load(from + N / 2)}; }
  static MBDBENCH_KERNEL void store(const Pack<N, W>& pack, double* to) {
    Half::store(pack.low, to);
    Half::store(pack.high, to + N / 2);
  }
  static MBDBENCH_KERNEL double sum(const Pack<N, W>& pack) { return Half::sum(pack.low + pack.high); }
};

template <typename T>
MBDBENCH_KERNEL T load(const double* from) {
  return Numbers<T>::load(from);
}
template <typename T>
MBDBENCH_KERNEL void store(const T& pack, double* to) {
  Numbers<T>::store(pack, to);
}

/// Calls body(Index<kCount>{}) with kCount = count, at most kMost.
template <int kMost, typename Body>
MBDBENCH_KERNEL void with_count(int count, const Body& body) {
  if constexpr (kMost > 0) {
    if (count == kMost) {
      body(Index<kMost>{});
    } else {
      with_count<kMost - 1>(count, body);
    }
  }
}

/// Calls body(Index<kCount>{}, first) for pieces of at most eight of `count`.
template <typename Body>
MBDBENCH_KERNEL void in_eights(int count, const Body& body) {
  int first = 0;
  for (; first + 8 <= count; first += 8) {
    body(Index<8>{}, first);
  }
  with_count<7>(count - first, [&](auto rest) MBDBENCH_INLINED { body(rest, first); });
}

/// Xi = B^T M^-1 B.
template <typename T>
void fill(const BodyPlan& body, const NodePlan& node, const ClosingScratch& scratch, double* free_diagonal) {
  double* matrix = node.matrix;
  double* front = scratch.front;
  const int handles = body.handles;
  for (int g = 0; g < handles; ++g) {
    const double* const b = body.directions + g * 6 * kHandle;
    alignas(64) double y[6 * kHandle];  // M^-1 B
    if (body.inverse == nullptr) {
      const double* const inertia = body.inertia_inverse;
      const T torque[3] = {load<T>(b + 3 * kHandle), load<T>(b + 4 * kHandle), load<T>(b + 5 * kHandle)};
      for (int i = 0; i < 3; ++i) {
        store(T(body.inverse_mass) * load<T>(b + i * kHandle), y + i * kHandle);
        store(inertia[3 * i] * torque[0] + inertia[3 * i + 1] * torque[1] + inertia[3 * i + 2] * torque[2],
              y + (3 + i) * kHandle);
      }
    } else {
      for (int i = 0; i < 6; ++i) {
        T sum = body.inverse[6 * i] * load<T>(b);
        for (int k = 1; k < 6; ++k) {
          sum += body.inverse[6 * i + k] * load<T>(b + k * kHandle);
        }
        store(sum, y + i * kHandle);
      }
    }
    if (free_diagonal != nullptr) {
      double* const diagonal = free_diagonal + body.rows[g].offset;
      T sum = load<T>(diagonal);
      for (int i = 0; i < 6; ++i) {
        sum += load<T>(y + i * kHandle) * load<T>(b + i * kHandle);
      }
      store(sum, diagonal);
    }
    const bool closed = g < node.closed;
    const int stride = kHandle * (closed ? handles : handles - g);
    double* const column = closed ? front + g * kHandle : matrix;
    with_count<6>(body.rows[g].rows, [&](auto count) MBDBENCH_INLINED {
      for (int h = g; h < handles; ++h) {
        const double* const row = body.directions + h * 6 * kHandle;
        T sums[count];
        T component = load<T>(row);
        unrolled<0, count>([&](auto c) MBDBENCH_INLINED { sums[c] = y[c] * component; });
        for (int i = 1; i < 6; ++i) {
          component = load<T>(row + i * kHandle);
          unrolled<0, count>([&](auto c) MBDBENCH_INLINED { sums[c] += y[i * kHandle + c] * component; });
        }
        unrolled<0, count>([&](auto c) MBDBENCH_INLINED { store(sums[c], column + c * stride + (h - g) * kHandle); });
      }
    });
    (closed ? front : matrix) += body.rows[g].rows * stride;
  }
}

template <typename T>
void gather(const NodePlan& node, const ClosingScratch& scratch) {
  const int handles = node.closed + node.external;
  const int stride = kHandle * handles;
  double* front = scratch.front;
  const BlockSource* source = node.blocks;
  for (int g = 0; g < node.closed; ++g) {
    const int columns = node.handles[g].rows;
    for (int h = g; h < handles; ++h, ++source) {
      double* to = front + h * kHandle;
      const double* first = source->first;
      const double* second = source->second;
      if (first == nullptr) {
        for (int c = 0; c < columns; ++c, to += stride) {
          store(T(0.0), to);
        }
      } else if (second == nullptr) {
        for (int c = 0; c < columns; ++c, to += stride, first += source->first_stride) {
          store(load<T>(first), to);
        }
      } else {
        for (int c = 0; c < columns; ++c, to += stride) {
          store(load<T>(first) + load<T>(second), to);
          first += source->first_stride;
          second += source->second_stride;
        }
      }
    }
    front += columns * stride;
  }
}

/// F_JJ without the rows that do not count: both triangles, columns of `padded` numbers with zeros behind.
template <typename T>
MBDBENCH_KERNEL void take_closed(const NodePlan& node, const ClosingScratch& scratch) {
  const int padded = node.padded_rows();
  const int stride = kHandle * (node.closed + node.external);
  int column = 0;
  for (int g = 0; g < node.closed; ++g) {
    for (int c = 0; c < node.handles[g].rows; ++c, ++column) {
      const double* const from = scratch.front + column * stride;
      double* const to = scratch.matrix + column * padded;
      int row = column - c;
      for (int h = g; h < node.closed; ++h) {
        for (int r = 0; r < node.handles[h].rows; ++r, ++row) {
          to[row] = from[h * kHandle + r];
          scratch.matrix[row * padded + column] = from[h * kHandle + r];
        }
      }
      for (; row < padded; ++row) {
        to[row] = 0.0;
      }
    }
  }
}

/// inverse = L^-1 and upper = L^-T of the rows `order` of L. Row by row: all columns of a row at once.
template <typename T>
MBDBENCH_KERNEL void invert(const ClosingScratch& scratch, int rank, int padded) {
  for (int j = 0; j < rank; ++j) {
    const double* const l = scratch.factor + scratch.order[j];
    double* const row = scratch.inverse + j * padded;
    const double scale = 1.0 / l[j * padded];
    for (int p = 0; p < padded; p += kHandle) {
      T sum(0.0);
      for (int m = p; m < j; ++m) {
        sum -= l[m * padded] * load<T>(scratch.inverse + m * padded + p);
      }
      store(scale * sum, row + p);
    }
    row[j] = scale;
    double* const upper = scratch.upper + j * padded;
    for (int p = 0; p < padded; p += kHandle) {
      store(T(0.0), upper + p);
    }
    for (int m = 0; m <= j; ++m) {
      scratch.upper[m * padded + j] = row[m];
    }
  }
}

/// W^T and X from W and the columns of J.
template <typename T>
MBDBENCH_KERNEL void take_outside(const NodePlan& node, const ClosingScratch& scratch, int rank) {
  const int padded = node.padded_rows();
  const int stride = kHandle * (node.closed + node.external);
  for (int j = 0; j < rank; ++j) {
    double* const row = node.columns + j * kHandle * node.closed;
    int i = 0;
    for (int g = 0; g < node.closed; ++g) {
      for (int r = 0; r < node.handles[g].rows; ++r, ++i) {
        row[g * kHandle + r] = node.weights[i * padded + j];
      }
    }
  }
  const int width = kHandle * node.external;
  for (int h = 0; h < node.external; ++h) {
    const double* const from = scratch.front + (node.closed + h) * kHandle;
    in_eights(rank, [&](auto count, int first) MBDBENCH_INLINED {
      T sums[count];
      unrolled<0, count>([&](auto j) MBDBENCH_INLINED { sums[j] = T(0.0); });
      for (int i = 0; i < node.closed_rows; ++i) {
        const T column = load<T>(from + i * stride);
        const double* const w = node.weights + i * padded + first;
        unrolled<0, count>([&](auto j) MBDBENCH_INLINED { sums[j] += w[j] * column; });
      }
      unrolled<0, count>([&](auto j)
                             MBDBENCH_INLINED { store(sums[j], node.outside + (first + j) * width + h * kHandle); });
    });
  }
}

/// Xi^C = F_EE - X X^T. \param rank of the closed rows; an Index where it is known
template <typename T, typename Rank>
MBDBENCH_KERNEL void reduce(const NodePlan& node, Rank rank) {
  const int handles = node.closed + node.external;
  const int width = kHandle * node.external;
  const BlockSource* source = node.blocks + (node.closed * handles - node.closed * (node.closed - 1) / 2);
  double* matrix = node.matrix;
  for (int g = 0; g < node.external; ++g) {
    const int columns = node.handles[node.closed + g].rows;
    const int block_stride = kHandle * (node.external - g);
    with_count<6>(columns, [&](auto count) MBDBENCH_INLINED {
      for (int h = g; h < node.external; ++h, ++source) {
        T sums[count];
        if (source->first == nullptr) {
          unrolled<0, count>([&](auto c) MBDBENCH_INLINED { sums[c] = T(0.0); });
        } else {
          unrolled<0, count>([&](auto c)
                                 MBDBENCH_INLINED { sums[c] = load<T>(source->first + c * source->first_stride); });
        }
        const double* x = node.outside;
        for (int j = 0; j < rank; ++j, x += width) {
          const T row = load<T>(x + h * kHandle);
          unrolled<0, count>([&](auto c) MBDBENCH_INLINED { sums[c] -= x[g * kHandle + c] * row; });
        }
        double* const to = matrix + (h - g) * kHandle;
        unrolled<0, count>([&](auto c) MBDBENCH_INLINED { store(sums[c], to + c * block_stride); });
      }
    });
    matrix += columns * block_stride;
  }
}

/// Closes one joint of so many rows: the columns of J are made orthogonal in F_JJ one after another, together with a
/// unit matrix, which becomes W = L^-T, and with F_EJ, which becomes X.
template <typename T, int kRows>
MBDBENCH_KERNEL NodeRank close_joint(const NodePlan& node, const ClosingScratch& scratch) {
  const int stride = kHandle * (1 + node.external);
  const int width = kHandle * node.external;
  double factors[kRows][kRows];
  double scales[kRows];
  NodeRank found{kRows, 1.0, -1};
  T columns[kRows];
  T weights[kRows];
  unrolled<0, kRows>([&](auto c) MBDBENCH_INLINED {
    alignas(64) double unit[kHandle] = {};
    unit[c] = 1.0;
    columns[c] = load<T>(scratch.front + c * stride);
    weights[c] = load<T>(unit);
  });
  unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED {
    alignas(64) double column[kHandle];
    store(columns[j], column);
    if (!(column[j] > 0.0) && found.rank >= 0) {
      found = {-1, column[j], j};
    }
    const double inverse = 1.0 / column[j];
    scales[j] = std::sqrt(inverse);
    unrolled<j + 1, kRows>([&](auto k) MBDBENCH_INLINED {
      factors[j][k] = inverse * column[k];
      columns[k] -= factors[j][k] * columns[j];
      weights[k] -= factors[j][k] * weights[j];
    });
  });
  if (found.rank < 0) {
    return found;
  }
  unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED {
    double* const column = node.columns + j * kHandle;
    store(scales[j] * weights[j], column);
    for (int i = 0; i <= j; ++i) {
      node.weights[i * kHandle + j] = column[i];
    }
  });
  for (int h = 0; h < width; h += kHandle) {
    T outside[kRows];
    unrolled<0, kRows>([&](auto c)
                           MBDBENCH_INLINED { outside[c] = load<T>(scratch.front + c * stride + kHandle + h); });
    unrolled<0, kRows>([&](auto j) MBDBENCH_INLINED {
      unrolled<j + 1, kRows>([&](auto k) MBDBENCH_INLINED { outside[k] -= factors[j][k] * outside[j]; });
      store(scales[j] * outside[j], node.outside + j * width + h);
    });
  }
  reduce<T>(node, Index<kRows>{});
  return found;
}

template <typename T>
NodeRank close(const NodePlan& node, const ClosingScratch& scratch, bool shifted) {
  if (node.closed == 1 && !shifted) {
    NodeRank found;
    with_count<6>(node.closed_rows, [&](auto count) MBDBENCH_INLINED {
      constexpr int kRows = count;
      found = close_joint<T, kRows>(node, scratch);
    });
    return found;
  }
  take_closed<T>(node, scratch);
  const int rows = node.closed_rows;
  const int padded = node.padded_rows();
  if (shifted) {
    for (int i = 0; i < rows; ++i) {
      scratch.matrix[i * padded + i] += scratch.shift[i];
    }
  }
  for (int j = 0; j < rows; ++j) {
    double* const column = scratch.factor + j * padded;
    for (int p = j / kHandle * kHandle; p < padded; p += kHandle) {
      T sum = load<T>(scratch.matrix + j * padded + p);
      for (int m = 0; m < j; ++m) {
        sum -= scratch.factor[m * padded + j] * load<T>(scratch.factor + m * padded + p);
      }
      store(sum, column + p);
    }
    if (!(column[j] > 0.0)) {
      return {-1, column[j], j};
    }
    const T scale(1.0 / std::sqrt(column[j]));
    for (int p = j / kHandle * kHandle; p < padded; p += kHandle) {
      store(scale * load<T>(column + p), column + p);
    }
    scratch.order[j] = j;
  }
  invert<T>(scratch, rows, padded);
  for (int i = 0; i < rows * padded; i += kHandle) {
    store(load<T>(scratch.upper + i), node.weights + i);
  }
  take_outside<T>(node, scratch, rows);
  reduce<T>(node, rows);
  return {rows, 1.0, -1};
}

template <typename T>
void project(const BodyPlan& body, const NodePlan& node, const double* velocity) {
  for (int h = 0; h < body.handles; ++h) {
    const double* const row = body.directions + h * 6 * kHandle;
    T sum = velocity[0] * load<T>(row);
    for (int i = 1; i < 6; ++i) {
      sum += velocity[i] * load<T>(row + i * kHandle);
    }
    store(sum, node.right + h * kHandle);
  }
}

template <typename T>
void gather_right(const NodePlan& node) {
  for (int h = 0; h < node.closed + node.external; ++h) {
    const RightSource& source = node.rights[h];
    T sum = load<T>(source.first);
    if (source.second != nullptr) {
      sum += load<T>(source.second);
    }
    store(sum, node.right + h * kHandle);
  }
}

template <typename T>
void eliminate(const NodePlan& node, const double* given) {
  const int padded = node.padded_rows();
  for (int p = 0; p < padded; p += kHandle) {
    T sum(0.0);
    const double* w = node.weights + p;
    for (int g = 0; g < node.closed; ++g) {
      const double* const right = node.right + g * kHandle;
      const double* const r = given + node.handles[g].offset;
      for (int i = 0; i < node.handles[g].rows; ++i, w += padded) {
        sum += (right[i] - r[i]) * load<T>(w);
      }
    }
    store(sum, node.reduced + p);
  }
  const int width = kHandle * node.external;
  double* const right = node.right + node.closed * kHandle;
  for (int h = 0; h < width; h += kHandle) {
    T sum = load<T>(right + h);
    for (int j = 0; j < node.rank; ++j) {
      sum -= node.reduced[j] * load<T>(node.outside + j * width + h);
    }
    store(sum, right + h);
  }
}

template <typename T>
void recover(const NodePlan& node, double* sigma) {
  const HandleRows* const outside = node.handles + node.closed;
  if (node.external > 0) {
    const double* x = node.outside;
    for (int j = 0; j < node.rank; ++j) {
      T sum = load<T>(x) * load<T>(sigma + outside[0].offset);
      for (int h = 1; h < node.external; ++h) {
        sum += load<T>(x + h * kHandle) * load<T>(sigma + outside[h].offset);
      }
      node.reduced[j] += Numbers<T>::sum(sum);
      x += kHandle * node.external;
    }
  }
  for (int g = 0; g < node.closed; ++g) {
    T sum(0.0);
    for (int j = 0; j < node.rank; ++j) {
      sum -= node.reduced[j] * load<T>(node.columns + (j * node.closed + g) * kHandle);
    }
    store(sum, sigma + node.handles[g].offset);
  }
}

template <typename T>
void add_multipliers(const BodyPlan& body, int handles, const double* sigma, double* wrench) {
  T sums[6];
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { sums[i] = T(0.0); });
  for (int h = 0; h < handles; ++h) {
    const double* const row = body.directions + h * 6 * kHandle;
    const T values = load<T>(sigma + body.rows[h].offset);
    unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { sums[i] += values * load<T>(row + i * kHandle); });
  }
  double* const to = wrench;
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED { to[i] += Numbers<T>::sum(sums[i]); });
}

template <typename T>
void subtract_rates(const BodyPlan& body, const double* velocity, double* residual) {
  for (int h = 0; h < body.all_handles; ++h) {
    const double* const row = body.directions + h * 6 * kHandle;
    double* const to = residual + body.rows[h].offset;
    T sum = load<T>(to);
    for (int i = 0; i < 6; ++i) {
      sum -= velocity[i] * load<T>(row + i * kHandle);
    }
    store(sum, to);
  }
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::node_kernels
