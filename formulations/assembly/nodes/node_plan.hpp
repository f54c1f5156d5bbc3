#pragma once
/// \file
/// One node of the assembly as plain data, for kernels that are compiled once an instruction set (node_steps.hpp).
///
/// Every handle owns kHandle = 8 numbers wherever it stands, of which as many count as its joint has rows (at most 6);
/// the others are zeros. So every block of two handles is some columns of one pack each, whatever the joints, and
/// moves as a whole. Handles stand in the order in which their joints are closed: blocks of a child below the diagonal
/// are blocks of its parent below the diagonal.
#include <cstddef>

namespace mbdbench {

/// Numbers of a handle.
constexpr int kHandle = 8;

/// Rows of one joint.
struct HandleRows {
  std::size_t offset = 0;  ///< among those of all joints
  int rows = 0;            ///< that count
};

/// A block of two handles in the matrices of a node's children: columns of kHandle numbers, `stride` apart.
struct BlockSource {
  const double* first = nullptr;   ///< nullptr: zeros
  const double* second = nullptr;  ///< added; nullptr: nothing
  int first_stride = 0;
  int second_stride = 0;
};

/// Right side of one handle in those of a node's children.
struct RightSource {
  const double* first = nullptr;
  const double* second = nullptr;
};

/// A node that is set up. J: closed handles, E: external ones; C: rows of J that count.
struct NodePlan {
  int closed = 0;    ///< handles J, first in order
  int external = 0;  ///< handles E
  int closed_rows = 0;
  int rank = 0;                         ///< of the closed rows
  const HandleRows* handles = nullptr;  ///< closed, then external
  /// Of the lower triangle of blocks, column by column: those of J with all handles, then those of E.
  const BlockSource* blocks = nullptr;
  const RightSource* rights = nullptr;  ///< one a handle
  /// Xi^C, lower triangle of blocks: those of external handle g stand in columns of external - g packs.
  double* matrix = nullptr;
  double* right = nullptr;    ///< xi_0, kHandle numbers a handle
  double* weights = nullptr;  ///< W, C rows of `padded_rows`: F_JJ^+ = W W^T
  double* columns = nullptr;  ///< W^T, rank rows of kHandle numbers a closed handle
  double* outside = nullptr;  ///< X = F_EJ W, rank rows of kHandle numbers an external handle
  double* reduced = nullptr;  ///< z = W^T (xi_0J - r_J), `padded_rows`

  /// \returns C, rounded up to whole packs.
  [[nodiscard]] int padded_rows() const { return (closed_rows + kHandle - 1) / kHandle * kHandle; }
};

/// A body with its handles, closed and external ones in the order of its node, raked ones behind.
struct BodyPlan {
  int handles = 0;                   ///< of the node
  int all_handles = 0;               ///< raked ones included
  const HandleRows* rows = nullptr;  ///< one a handle
  double* directions = nullptr;      ///< B^T: six packs a handle, component by component
  double inverse_mass = 1.0;         ///< 1/kg
  double inertia_inverse[9] = {};    ///< J_C^-1 in world axes
  const double* inverse = nullptr;   ///< 6 x 6 in their place, where arms were raked into the body
};

/// Memory that a node needs while it is closed, for the largest one.
struct ClosingScratch {
  double* front = nullptr;     ///< columns of J: C of kHandle numbers a handle
  double* matrix = nullptr;    ///< F_JJ, C x padded
  double* factor = nullptr;    ///< L, C x padded
  double* inverse = nullptr;   ///< L^-1, C x padded
  double* upper = nullptr;     ///< L^-T, C x padded
  double* follow = nullptr;    ///< T, C x padded
  double* followed = nullptr;  ///< C x padded
  double* gram = nullptr;      ///< C x C
  double* vectors = nullptr;   ///< three of padded
  double* shift = nullptr;     ///< C: added to the diagonal, or what it would be if no body were connected
  int* order = nullptr;        ///< C
};

/// What closing a node found.
struct NodeRank {
  int rank = 0;                 ///< -1 where the matrix is not finite, or a pivot is not positive
  double smallest_pivot = 1.0;  ///< of those kept, of the scaled matrix
  int failed_row = -1;          ///< of C, where a pivot is not positive
};

/// Limits of the numerical rank.
struct RankLimits {
  /// Smallest pivot of the scaled matrix. Pivots are squares of singular values: 1e-12 keeps those down to 1e-6. With
  /// 1e-10 a five-bar already loses its constraint at a distance of 1e-4 from the folded position.
  static constexpr double kSmallestPivot = 1e-12;
  /// A row whose diagonal fell below this part of its value at the bodies themselves cannot move at all; what is left
  /// is rounding, and scaling would blow it up.
  static constexpr double kImmobile = 1e-13;
};

/// The steps of a node, compiled for one instruction set.
struct NodeSteps {
  /// Xi = B^T M^-1 B of a body into the front's columns of J and the node's matrix. \param free_diagonal of all
  /// joints: adds the diagonal of Xi, unless nullptr
  void (*fill)(const BodyPlan&, const NodePlan&, const ClosingScratch&, double* free_diagonal);
  /// Columns of J from the children.
  void (*gather)(const NodePlan&, const ClosingScratch&);
  /// Closes J where no loop does: Cholesky. \param shifted adds `shift` to the diagonal
  NodeRank (*close)(const NodePlan&, const ClosingScratch&, bool shifted);
  /// Closes J where loops do: the rank is revealed. \param most the rank is not larger
  NodeRank (*close_loops)(const NodePlan&, const ClosingScratch&, int most);
  /// Right side of a body's handles: B^T V. \param velocity 6 numbers
  void (*project)(const BodyPlan&, const NodePlan&, const double* velocity);
  /// Right side of a node from its children.
  void (*gather_right)(const NodePlan&);
  /// Right side of E without J. \param given r of all joints
  void (*eliminate)(const NodePlan&, const double* given);
  /// sigma of J from that of E. \param sigma of all joints
  void (*recover)(const NodePlan&, double* sigma);
  /// wrench += B sigma over the first `handles` handles. \param wrench 6 numbers
  void (*add_multipliers)(const BodyPlan&, int handles, const double* sigma, double* wrench);
  /// residual -= B^T V over all handles. \param velocity 6 numbers \param residual of all joints
  void (*subtract_rates)(const BodyPlan&, const double* velocity, double* residual);
};

namespace node_kernels {
/// \tparam W doubles a register: those of an instruction set (node_steps_for_sets.cpp)
template <int W>
NodeSteps steps();
}  // namespace node_kernels

}  // namespace mbdbench
