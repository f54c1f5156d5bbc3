#pragma once
/// \file
/// A body of a serial chain as the leaf of the papers' assembly tree, in link frames.
///
/// Its handles are the frames of its own joint and of the next one, both behind the joint's angle (link_tree.hpp), and
/// keep what the joint constrains: D = [x y z; x y], five rows. With N = M^-1 about O_k and X, which takes a wrench
/// from the next link's frame to the own one:
///
///   y_1 =  D^T V     = xi_11 sigma_1 + xi_12 sigma_2 + xi_10        xi_11 = D^T N D,  xi_12 = -D^T N X D
///   y_2 = -D^T X^T V = xi_21 sigma_1 + xi_22 sigma_2 + xi_20        xi_22 = D^T X^T N X D
///
/// [Chadaj2017, Eq. (21)-(24)], [Featherstone1999]; T_1 = D sigma_1 acts on the body, -X D sigma_2 is what it gives on.
/// X = X_c Rz(angle of the next joint): all but the turn is constant, so that a leaf costs 120 operations.
#include "formulations/kernels/articulated_inertia.hpp"
#include "formulations/kernels/unrolled.hpp"

namespace mbdbench::kernels {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Rows of a handle of a revolute joint.
inline constexpr int kHandleRows = 5;

/// \returns where row i of a lower triangle kept by rows begins.
constexpr int triangle(int i) {
  return i * (i + 1) / 2;
}

/// Constants of a leaf.
template <typename T>
struct BodyLeaf {
  T inverse[triangle(6)];               ///< N, lower triangle by rows
  T across[kHandleRows * kHandleRows];  ///< -D^T X_c^T N D by rows
  T outboard[triangle(kHandleRows)];    ///< D^T X_c^T N X_c D, lower triangle by rows
};

/// A node with two handles, proximal then distal.
template <typename T>
struct TwoHandles {
  T matrix[triangle(2 * kHandleRows)];  ///< xi_11, xi_21, xi_22: lower triangle by rows
  T right[2 * kHandleRows];             ///< xi_10, xi_20
};

/// Velocity or acceleration of a link at O_k in its frame.
template <typename T>
struct LinkTwist {
  LinkVector<T> linear, angular;
};

/// \returns N w.
template <typename T>
MBDBENCH_KERNEL LinkTwist<T> moved_by(const BodyLeaf<T>& leaf, const LinkWrench<T>& w) {
  const T wrench[6] = {w.fx, w.fy, w.fz, w.nx, w.ny, w.nz};
  T v[6];
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    v[i] = leaf.inverse[triangle(i)] * wrench[0];
    unrolled<1, 6>([&](auto j) MBDBENCH_INLINED {
      constexpr int kRow = i > j ? int(i) : int(j);
      constexpr int kColumn = i > j ? int(j) : int(i);
      v[i] += leaf.inverse[triangle(kRow) + kColumn] * wrench[j];
    });
  });
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

/// The right side of a leaf: y_1 and y_2 of what moves it besides sigma.
/// \param next placement of the next link \param c, s of its angle \param hangs 1, or 0 where there is none
template <typename T>
MBDBENCH_KERNEL void set_right_side(const LinkTwist<T>& v, const LinkConstants<T>& next, const T& c, const T& s,
                                    const T& hangs, TwoHandles<T>& node) {
  const LinkVector<T> linear = rotated_outward(next, c, s, moved_outward(next, v.linear, v.angular));
  const LinkVector<T> angular = rotated_outward(next, c, s, v.angular);
  const T own[kHandleRows] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y};
  const T given[kHandleRows] = {linear.x, linear.y, linear.z, angular.x, angular.y};
  unrolled<0, kHandleRows>([&](auto i) MBDBENCH_INLINED {
    node.right[i] = own[i];
    node.right[kHandleRows + i] = -(hangs * given[i]);
  });
}

/// The matrix of a leaf. \param c, s of the next joint's angle
template <typename T>
MBDBENCH_KERNEL void set_leaf_matrix(const BodyLeaf<T>& leaf, const T& c, const T& s, TwoHandles<T>& node) {
  T* const m = node.matrix;
  unrolled<0, triangle(kHandleRows)>([&](auto k) MBDBENCH_INLINED { m[k] = leaf.inverse[k]; });
  // xi_21 = Rz^T across: rows (0, 1) and (3, 4) turn.
  unrolled<0, kHandleRows>([&](auto j) MBDBENCH_INLINED {
    const T* const a = leaf.across + j;
    constexpr int kStep = kHandleRows;
    m[triangle(5) + j] = c * a[0] + s * a[kStep];
    m[triangle(6) + j] = c * a[kStep] - s * a[0];
    m[triangle(7) + j] = a[2 * kStep];
    m[triangle(8) + j] = c * a[3 * kStep] + s * a[4 * kStep];
    m[triangle(9) + j] = c * a[4 * kStep] - s * a[3 * kStep];
  });
  // xi_22 = Rz^T outboard Rz. Symmetric blocks [p r; r t]: with e = s (t - p) + 2 c r they are [p + s e, c e - r; ., t
  // - s e].
  const T* const o = leaf.outboard;
  const auto turned_block = [&](const T& p, const T& r, const T& t, T& first, T& mixed, T& second) MBDBENCH_INLINED {
    const T e = s * (t - p) + (c + c) * r;
    first = p + s * e;
    mixed = c * e - r;
    second = t - s * e;
  };
  constexpr int kFirst = 5;
  turned_block(o[0], o[1], o[2], m[triangle(5) + kFirst], m[triangle(6) + kFirst], m[triangle(6) + kFirst + 1]);
  turned_block(o[9], o[13], o[14], m[triangle(8) + kFirst + 3], m[triangle(9) + kFirst + 3],
               m[triangle(9) + kFirst + 4]);
  m[triangle(7) + kFirst] = c * o[3] + s * o[4];
  m[triangle(7) + kFirst + 1] = c * o[4] - s * o[3];
  m[triangle(7) + kFirst + 2] = o[5];
  m[triangle(8) + kFirst + 2] = c * o[8] + s * o[12];
  m[triangle(9) + kFirst + 2] = c * o[12] - s * o[8];
  // Rows 3, 4 against columns 0, 1: from both sides.
  const T r30 = c * o[6] + s * o[10];
  const T r31 = c * o[7] + s * o[11];
  const T r40 = c * o[10] - s * o[6];
  const T r41 = c * o[11] - s * o[7];
  m[triangle(8) + kFirst] = c * r30 + s * r31;
  m[triangle(8) + kFirst + 1] = c * r31 - s * r30;
  m[triangle(9) + kFirst] = c * r40 + s * r41;
  m[triangle(9) + kFirst + 1] = c * r41 - s * r40;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
