#pragma once
/// \file
/// The tree in which subassemblies are joined: for any graph of bodies and joints, with any number of handles a node.
///
/// A handle is one end of a joint that a subassembly does not contain completely. The width of a node is the sum of the
/// constrained directions of its external handles. Rounds of greedy matching: in each round pairs of subassemblies that
/// share joints are sorted by max(width after the merge, kFreeWidth), then by bodies, then by width; disjoint pairs of
/// the lowest such cost merge, and all joints they share are closed at that node ("compress").
///
/// When only wide merges are left, a body with many joints absorbs every floating subassembly that hangs on it by one
/// joint ("rake"): such an arm only adds to the body's inertia, whatever their number. Depth O(log n) on chains and
/// trees of any degree, as in tree contraction [MillerReif1985].
#include <span>
#include <vector>

#include "formulations/work_stage.hpp"

namespace mbdbench {

/// One joint as the assembly sees it: bodies (-1 = ground) and the number of constrained directions.
struct AssemblyJoint {
  int a = -1;
  int b = -1;
  int rows = 0;
};

/// Where joints to the ground are closed.
enum class GroundClosure {
  leaf,  ///< at the body itself, before anything is assembled
  root   ///< at the root, as in [Chadaj2015, Eq. (26)-(30)], or before a node would become wide
};

/// A floating subassembly that hangs on a hub by one joint.
struct RakedArm {
  int child = -1;  ///< its node
  int joint = -1;  ///< its only external joint, closed at the hub
};

/// A node: a leaf (one body, with the arms it has absorbed) or the union of two children; closes the joints `closed`.
struct AssemblyNode {
  int body = -1;               ///< leaves: the body; otherwise -1
  std::vector<RakedArm> arms;  ///< leaves: what was raked into the body; closes their joints too
  int child1 = -1;
  int child2 = -1;            ///< -1 also for a root that only closes joints to the ground
  std::vector<int> closed;    ///< joints J closed here
  std::vector<int> external;  ///< joints E of the remaining external handles, in the order in which they are closed
  int closed_rows = 0;
  int width = 0;  ///< rows of the external handles
  int depth = 0;  ///< 0 for leaves
  /// Loops that `closed` closes here, those through the ground included: only then can A = G^T Xi G be singular.
  int loops = 0;
  bool grounded = false;  ///< a joint to the ground is closed in here
};

/// Facts for printing.
struct AssemblyFigures {
  int depth = 0;
  int max_width = 0;
  int max_handles = 0;
  int max_closed = 0;
  int max_arms = 0;
  int loops = 0;
  double flops = 0.0;  ///< of factorising all matrices once
};

/// Children before parents; several roots when joints without constraints (free joints) separate the mechanism.
class AssemblyTree {
 public:
  /// Width in rows up to which a merge counts as cheap: four handles of revolute joints.
  static constexpr int kFreeWidth = 20;

  AssemblyTree(int body_count, std::vector<AssemblyJoint> joints, GroundClosure ground);

  [[nodiscard]] std::span<const AssemblyNode> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const AssemblyJoint> joints() const { return joints_; }
  [[nodiscard]] int body_count() const { return body_count_; }
  [[nodiscard]] AssemblyFigures figures() const;
  /// \returns operations for the factorisation of a node.
  [[nodiscard]] double flops(const AssemblyNode& node) const;
  /// \returns the levels of nodes, upward (factorisation and right side) and downward again.
  /// \param passes with the one factorisation: further ones have right sides alone
  [[nodiscard]] std::vector<WorkStage> stages(int passes = 1) const;

 private:
  /// Leaves out what hubs have replaced, and puts every node behind its children.
  void order_nodes();
  /// External handles in the order in which they are closed.
  void order_handles();

  int body_count_;
  std::vector<AssemblyJoint> joints_;
  std::vector<AssemblyNode> nodes_;
};

}  // namespace mbdbench
