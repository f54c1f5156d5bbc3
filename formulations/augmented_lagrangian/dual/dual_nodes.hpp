#pragma once
/// \file
/// The numbers of the dual form (A + I / alpha) sigma = r as the sweeps over an assembly tree see them
/// (dual_sweeps.hpp): every joint's rows, at most six, fill one pack of eight, and what is left over is zero.
///
/// Within a node a column has a pack for every joint, closed ones first. All handles keep their own packs, so that
/// children are added, and multipliers read, without moving single numbers.
#include <span>

#include "formulations/augmented_lagrangian/dual/twins/dual_twin_nodes.hpp"

namespace mbdbench {

/// Numbers in a pack.
inline constexpr int kDualPack = 8;

/// Numbers of a body, [linear; angular], where columns stand without gaps.
inline constexpr int kDualBody = 6;

/// Rows of the joints of whose nodes and bodies the sizes are known at compile time: revolute ones.
inline constexpr int kCommonRows = 5;

/// A body and its handles. Packs that stand for a body hold six numbers, [linear; angular].
struct DualBody {
  int handles = 0;
  int uniform_rows = 0;  ///< of every handle, 0 if they differ
  const int* joints = nullptr;
  const int* row_counts = nullptr;    ///< of every handle
  double* columns = nullptr;          ///< B, six numbers a row of B^T
  double* reach = nullptr;            ///< M_C^-1 B, a column a row of B^T
  double* rows = nullptr;             ///< B again, 6 x `handles` packs over the rows of the handles
  double* inverse_inertia = nullptr;  ///< 1 / m three times, then J_C^-1 in the last three numbers of three packs
  double* right = nullptr;            ///< of its leaf
};

/// External handles of a child: its joint `i` is joint places[i] of the parent.
struct DualChild {
  int node = -1;
  int count = 0;
  const int* places = nullptr;
  const double* right = nullptr;  ///< xi_0^C of the child
  bool rests = false;             ///< without inputs xi_0^C is zero: a leaf that closes nothing
};

/// A leaf or a union of two children, as AssemblyNode. With F_JJ = L D L^T, the diagonal regularised, and E the handles
/// that stay (node_kernels.hpp has the same formula with square roots):
///
///   Y = F_EJ L^-T,  S = L^-T D^-1 L^-1,  K = S F_JE,  Xi^C = F_EE - Y D^-1 Y^T,
///   xi_0^C = xi_0E - K^T (xi_0J - r_J),  sigma_J = -S (xi_0J - r_J) - K sigma_E.
struct alignas(64) DualNode {
  // Passes read two lines of cache: these numbers, and the children.
  int joint_count = 0;
  int closed_joints = 0;
  int uniform_rows = 0;  ///< of every joint, 0 if they differ
  const int* joints = nullptr;
  double* right = nullptr;            ///< xi_0; then xi_0J - r_J in the closed handles, `joint_count` packs
  double* inverse = nullptr;          ///< S, `closed_rows` columns over the closed handles
  double* gain = nullptr;             ///< K, a column an external row over the closed handles
  double* gain_transposed = nullptr;  ///< K^T, `closed_rows` columns over the external handles
  DualChild children[2];
  const int* first_rows = nullptr;  ///< of every joint within the node, and `row_count`
  int body = -1;
  int closed_rows = 0;
  int row_count = 0;
  const int* slots = nullptr;  ///< of every row: 8 * joint + row within the joint
  double* schur = nullptr;     ///< Xi^C, on a stack: gone when the parent is made
};

/// \returns whether its sizes are known at compile time (dual_shapes.hpp).
inline bool is_common(const DualNode& node) {
  return node.uniform_rows == kCommonRows && node.closed_joints == 1 && node.joint_count >= 2 && node.joint_count <= 4;
}

/// Of all nodes of a range, one after the other.
struct DualScratch {
  double* front = nullptr;     ///< F, `row_count` columns
  double* columns = nullptr;   ///< Y, `closed_rows` columns over the external handles
  double* lower = nullptr;     ///< columns of L^-1, `closed_rows` x `closed_joints` packs
  double* upper = nullptr;     ///< columns of L^-T
  double* pivots = nullptr;    ///< D^-1, `closed_joints` packs
  double* products = nullptr;  ///< `closed_joints` packs
  double* factor = nullptr;    ///< of the factorisation, `closed_rows`^2 numbers
};

/// The handles that a joint connects, on bodies in their order; -1: the ground.
struct DualEnds {
  int bodies[2] = {-1, -1};
  int row_count = 0;
  int steps[2] = {};           ///< from one of the six rows of B to the next
  const double* rows[2] = {};  ///< B of the handle
};

/// One assembly.
struct DualTree {
  std::span<const DualBody> bodies;
  std::span<const DualNode> nodes;  ///< children first
  std::span<const DualEnds> ends;   ///< of all joints
  double regularisation = 0.0;      ///< 1 / alpha
};

/// The top, or a branch: nodes [first, last).
struct DualRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::span<const int> joints;  ///< closed at these nodes, in their order
  std::span<const int> bodies;  ///< among them, twins one after another
  // Those that are not in groups of twins (dual_twins.hpp), which the sweeps have for themselves.
  std::span<const int> single_joints;
  std::span<const int> single_bodies;
  std::span<const int> single_nodes;  ///< children first
  std::span<const int> closing;       ///< those of the nodes that close joints, likewise
  DualScratch scratch;
};

/// Multipliers, a pack a joint, and numbers of bodies, a pack a body.
struct DualVectors {
  double* multipliers = nullptr;
  double* bodies = nullptr;
};

/// Sums of squares of what a pass has changed, and of what stands then.
struct DualSquares {
  double multiplier_change = 0.0;
  double multipliers = 0.0;
  double body_change = 0.0;
  double bodies = 0.0;

  void add(const DualSquares& other) {
    multiplier_change += other.multiplier_change;
    multipliers += other.multipliers;
    body_change += other.body_change;
    bodies += other.bodies;
  }
};

/// The same over eight sub-trees of equal form. Rows are those of their own multipliers.
struct TwinSweeps {
  /// \returns the node a pivot of which is not positive in some lane, or -1; \param row receives the row within it
  int (*factorise)(const TwinTrees& twins, double regularisation, int& row);
  /// Rights of the roots' handles that stay are left in TwinNode::right.
  void (*eliminate)(const TwinTrees& twins, const double* right, const double* input, double* rates);
  /// \param result has the multipliers of the handles that stay
  void (*recover)(const TwinTrees& twins, bool moved, const TwinVectors& result);
  void (*residual)(const TwinTrees& twins, const double* right, const double* rates, double* residual);
  /// As `recover` for a pass of changes, which are added at once. \param change receives those of the multipliers, and
  /// has them of the handles that stay
  DualSquares (*advance)(const TwinTrees& twins, double* change, const TwinVectors& total);
  DualSquares (*squares)(const TwinTrees& twins, const TwinVectors& total);
};

/// The sweeps over part of an assembly, for one instruction set. Multipliers and rows: a pack a joint; inputs and
/// rates: a pack a body.
struct DualSweeps {
  /// B of one handle: +-D shifted to the centre of mass. \param directions D about the handle's point, six numbers a
  /// column \param sign +1 on body b, -1 on a \param lever handle minus centre of mass
  void (*set_handle)(const DualBody& body, int handle, const double* directions, double sign, const double* lever);
  /// The matrices of some nodes. \returns the node whose pivot is not positive, or -1; \param row receives the row
  /// within it
  int (*factorise)(const DualTree& tree, const DualRange& range, int& row);
  /// Toward the roots: xi_0 of (A + I / alpha) sigma = r - xi_0, and M^-1 input in `rates`. \param input null: none
  void (*eliminate)(const DualTree& tree, const DualRange& range, const double* right, const double* input,
                    double* rates);
  /// Away from the roots: sigma, and rates = M^-1 (input + B sigma) of the bodies among the nodes. \param moved whether
  /// `rates` has M^-1 input
  void (*recover)(const DualTree& tree, const DualRange& range, bool moved, double* sigma, double* rates);
  /// residual = r - D^T (V_b - V_a) of the joints.
  void (*residual)(const DualTree& tree, const DualRange& range, const double* right, const double* rates,
                   double* residual);
  /// total += change, of the multipliers of the joints and the rates of the bodies.
  DualSquares (*add)(const DualRange& range, const DualVectors& change, const DualVectors& total);
  /// \returns the squares of the multipliers of the joints and of the inputs of the bodies, as totals.
  DualSquares (*squares)(const DualRange& range, const DualVectors& total);
  TwinSweeps twins;
};

namespace dual_sweeps {
/// \tparam W doubles a register: those of an instruction set (dual_sweeps_for_sets.cpp)
template <int W>
DualSweeps sweeps();
}  // namespace dual_sweeps

}  // namespace mbdbench
