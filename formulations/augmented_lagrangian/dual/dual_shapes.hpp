#pragma once
/// \file
/// What the factorisation and the passes over an assembly tree with regularised rows share: products with a body's
/// matrices, and nodes whose sizes are known at compile time.
#include <cstdint>

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

/// Packs at any place, and parts of packs.
template <typename T>
struct Loose;
template <int N, int W>
struct Loose<kernels::Pack<N, W>> {
  using T = kernels::Pack<N, W>;
  using Half = Loose<typename T::Half>;
  MBDBENCH_KERNEL static T load(const double* from) { return {Half::load(from), Half::load(from + N / 2)}; }
  MBDBENCH_KERNEL static void store(const T& pack, double* to) {
    Half::store(pack.low, to);
    Half::store(pack.high, to + N / 2);
  }
  MBDBENCH_KERNEL static T both(const T& pack, const std::int64_t* bits) {
    return {Half::both(pack.low, bits), Half::both(pack.high, bits + N / 2)};
  }
};
template <int W>
struct Loose<kernels::Pack<W, W>> {
  using T = kernels::Pack<W, W>;
  using Numbers [[gnu::vector_size(W * 8), gnu::may_alias, gnu::aligned(8)]] = double;
  using Bits [[gnu::vector_size(W * 8), gnu::may_alias, gnu::aligned(8)]] = std::int64_t;
  MBDBENCH_KERNEL static T load(const double* from) {
    T pack;
    pack.value = *reinterpret_cast<const Numbers*>(from);
    return pack;
  }
  MBDBENCH_KERNEL static void store(const T& pack, double* to) { *reinterpret_cast<Numbers*>(to) = pack.value; }
  MBDBENCH_KERNEL static T both(const T& pack, const std::int64_t* bits) {
    T result;
    const Bits kept = reinterpret_cast<Bits>(pack.value) & *reinterpret_cast<const Bits*>(bits);
    result.value = reinterpret_cast<typename T::Type>(kept);
    return result;
  }
};

/// The last eight that begin with n ones keep n numbers.
inline constexpr std::int64_t kLaneMask[2 * kDualPack] = {-1, -1, -1, -1, -1, -1, -1, -1};

/// \returns the first `count` numbers of a pack, and zeros.
template <typename T>
MBDBENCH_KERNEL T first_lanes(const T& pack, int count) {
  return Loose<T>::both(pack, kLaneMask + kDualPack - count);
}

/// \returns M_C^-1 wrench. \param wrench six numbers and two more
template <typename T>
MBDBENCH_KERNEL T times_inverse_inertia(const DualBody& body, const double* wrench) {
  const T* const inverse = packs<T>(body.inverse_inertia);
  return inverse[0] * Loose<T>::load(wrench) +
         (inverse[1] * wrench[3] + inverse[2] * wrench[4] + inverse[3] * wrench[5]);
}

/// \returns B_h^T V of one handle. \param rows B_h, `step` numbers from one of its six rows to the next
template <typename T>
MBDBENCH_KERNEL T handle_rates(const double* rows, int step, int row_count, const double* rates) {
  const auto row = [&](int i) MBDBENCH_INLINED { return Loose<T>::load(rows + i * step); };
  const T even = row(0) * rates[0] + row(2) * rates[2] + row(4) * rates[4];
  return first_lanes(even + (row(1) * rates[1] + row(3) * rates[3] + row(5) * rates[5]), row_count);
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
  const bool revolute = is_common(node);
  if (revolute && node.joint_count == 3) {
    return kernel.template operator()<3, kCommonRows>();
  }
  if (revolute && node.joint_count == 2) {
    return kernel.template operator()<2, kCommonRows>();
  }
  if (revolute && node.joint_count == 4) {
    return kernel.template operator()<4, kCommonRows>();
  }
  return kernel.template operator()<-1, -1>();
}

/// Calls a kernel with how many rows a node of twins closes as a constant: five (revolute) or three (spherical), else
/// -1.
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

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::dual_sweeps
