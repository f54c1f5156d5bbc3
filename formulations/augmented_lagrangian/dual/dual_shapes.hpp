#pragma once
/// \file
/// What the factorisation and the passes over an assembly tree with regularised rows share: products with a body's
/// matrices, and nodes whose sizes are known at compile time.
#include "formulations/augmented_lagrangian/dual/dual_nodes.hpp"
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

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
