#pragma once
/// \file
/// Walks an AssemblyTree: assembly (factorisation), then any number of right sides with the same matrices (assembly and
/// disassembly). HDCA solves one right side with it, its reactions another; DCA the accelerations.
///
/// Nodes without loops are factorised by Cholesky (node_kernels.hpp); where loops close the rank is revealed
/// (loop_kernels.hpp), or the rows are regularised and the solution is iterated (proximal.hpp). Which node is which
/// depends on the mechanism and the options only.
///
/// Rows of one handle stand side by side in a register (node_plan.hpp), whatever the joints and the topology; the steps
/// of a node are compiled once an instruction set. Cost O(sum over nodes of (c + w)^3): linear in n for chains, single
/// loops, ladders and trees. Serial; nodes stand children first, every node in memory of its own.
#include <cstddef>
#include <span>
#include <vector>

#include "formulations/assembly/assembly_tree.hpp"
#include "formulations/assembly/body_leaves.hpp"
#include "formulations/assembly/nodes/proximal.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

/// A pivot of the assembly that is not positive; joint -1 when all are.
struct AssemblyPivot {
  int joint = -1;
  double value = 0.0;
};

/// Storage and sweeps. No allocation after construction.
class AssemblyEngine {
 public:
  /// \param masses one a body, positive
  AssemblyEngine(AssemblyTree tree, std::span<const double> masses, const ProximalOptions& proximal,
                 const InstructionSet& set);
  /// Nodes point to one another.
  AssemblyEngine(const AssemblyEngine&) = delete;
  AssemblyEngine& operator=(const AssemblyEngine&) = delete;
  AssemblyEngine(AssemblyEngine&&) = default;
  AssemblyEngine& operator=(AssemblyEngine&&) = default;
  ~AssemblyEngine() = default;

  [[nodiscard]] const AssemblyTree& tree() const { return tree_; }
  /// \returns the length of vectors with the rows of all joints: joint j owns kHandle from row_offset(j) on, if it has
  /// any; those that do not count are zeros, and stay so.
  [[nodiscard]] int row_count() const { return row_count_; }
  [[nodiscard]] int row_offset(int joint) const { return row_offsets_[static_cast<std::size_t>(joint)]; }
  /// \returns handles and inertias of the bodies, to fill before `factorise`.
  [[nodiscard]] BodyLeaves& leaves() { return leaves_; }
  [[nodiscard]] const BodyLeaves& leaves() const { return leaves_; }

  /// Assembly of all matrices. \returns the first pivot that is not positive where no loop closes, if any.
  AssemblyPivot factorise();
  /// \returns how many constraints the loops repeat at this position: closed rows minus rank, after `factorise`; 0
  /// where
  ///          rows are regularised, since no rank is looked for.
  [[nodiscard]] int redundant_rows() const;

  /// \returns the rank of every node where loops close, after `factorise`.
  [[nodiscard]] std::vector<int> loop_ranks() const;
  /// Keeps the ranks of the nodes where loops close from growing: rows that are redundant where the loops are closed
  /// only become independent by as much as drift opens them. \param most one entry a node, as `loop_ranks` returns them
  void limit_loop_ranks(std::span<const int> most);

  /// \returns the smallest pivot that counted in each of these nodes, of a matrix with a unit diagonal.
  [[nodiscard]] std::vector<double> smallest_loop_pivots() const;
  /// \returns the limits that stand, one a node where loops close.
  [[nodiscard]] std::vector<int> loop_rank_limits() const;

  /// Assembly and disassembly of the right sides. Where loops close, the result is refined once if it leaves the
  /// constraints: a node may close joints that are nearly dependent although all joints together are not, and loses
  /// digits which the residual brings back. \param r right side of every joint's constraint, row_count() entries
  /// \param input what enters each body besides its constraint forces (momentum or wrench at the centre of mass)
  /// \param sigma receives the multipliers of every joint, row_count() entries
  /// \param rates receives V_C or A_C = M^-1 (input + B sigma) of every body
  void solve(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma, std::span<Vec6> rates);
  /// From now on `solve` goes on until every body balances (point_masses.hpp).
  /// \param length from the centres of mass to the handles, weighs turns against shifts, m
  void balance_bodies(double length);
  [[nodiscard]] bool balances() const { return !balanced_inertias_.empty(); }
  /// \returns J_C of every body in world axes, to fill before `solve`, where bodies are balanced.
  [[nodiscard]] std::span<Mat3> balanced_inertias() { return balanced_inertias_; }
  /// Passes that bring given rates to D^T (V_b - V_a) = r: V += M^-1 B (change of sigma). With rows regularised
  /// everywhere and sigma = 0 at the start this is the mass-orthogonal projection of V.
  /// \param done passes already spent of `limits.most` \returns all passes, `done` included
  int refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates, const PassLimits& limits,
             int done = 0);
  /// One pass without input: (A + E) sigma = residual, rates = M^-1 B sigma.
  void correct(std::span<const double> residual, std::span<double> sigma, std::span<Vec6> rates) {
    sweep(residual, no_input_, sigma, rates);
  }
  /// residual = r - D^T (V_b - V_a) of all joints, with the handles of the last `factorise`.
  void constraint_residual(std::span<const double> r, std::span<const Vec6> rates, std::span<double> residual) const;
  /// \returns the passes of the last `solve` with regularised rows or balanced bodies.
  [[nodiscard]] int passes() const { return passes_; }
  /// \returns what the passes of the last `refine` or `solve` left.
  [[nodiscard]] const PassRemainder& remainder() const { return remainder_; }

 private:
  struct Node {
    NodePlan plan;
    int most = 0;  // limit of the rank
    double smallest_pivot = 1.0;
    int body = -1;            // leaves
    bool loops = false;       // closes loops, and its rank is revealed: A may be singular
    bool shifted = false;     // its closed rows are regularised
    std::vector<int> joints;  // closed, then external in the order in which they are closed
    std::vector<RakedArm> arms;
  };

  [[nodiscard]] int joint_rows(int joint) const { return tree_.joints()[static_cast<std::size_t>(joint)].rows; }
  AssemblyPivot fill_leaf_front(Node& node);
  AssemblyPivot factorise_node(Node& node);
  /// Into the scratch: what is added to the diagonal of the closed rows, or their diagonal if no body were connected.
  void set_shift(const Node& node);
  [[nodiscard]] AssemblyPivot failed_pivot(const Node& node, const NodeRank& found) const;
  /// Passes over the balance of all bodies and all constraints, until the rates stay.
  void balance(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma, std::span<Vec6> rates);
  /// One assembly and disassembly.
  void sweep(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma, std::span<Vec6> rates);
  /// The passes of `refine` that are left, as conjugate residuals. \returns all passes
  int refine_conjugate(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates,
                       const PassLimits& limits, int done);
  /// sigma += factor * change. \returns whether the change of the rates is above the limits; sets remainder_
  bool add_change(double factor, std::span<const double> sigma_change, std::span<const Vec6> rate_change,
                  std::span<double> sigma, std::span<Vec6> rates, const PassLimits& limits);
  /// residual_ = r - D^T (V_b - V_a) of all joints. \returns whether it is worth refining
  bool set_residual(std::span<const double> r, std::span<const Vec6> rates);
  void set_leaf_right_side(const Node& node, std::span<const double> r, std::span<const Vec6> input);
  void recover_body(const Node& node, std::span<double> sigma, std::span<Vec6> rates);
  /// Of the constructor: memory of the nodes, then where their matrices and right sides come from.
  void reserve_nodes();
  void reserve_matrices(std::span<const AssemblyNode> from);
  void connect_nodes(std::span<const AssemblyNode> from);
  void reserve_scratch();

  AssemblyTree tree_;
  NodeSteps steps_;
  int row_count_ = 0;
  std::vector<int> row_offsets_;
  BodyLeaves leaves_;
  std::vector<Node> nodes_;
  std::vector<HandleRows> handles_;  // of all nodes
  std::vector<BlockSource> blocks_;
  std::vector<RightSource> rights_;
  AlignedMemory memory_;
  AlignedMemory matrix_memory_;
  ClosingScratch scratch_;
  AlignedMemory scratch_memory_;
  std::vector<int> scratch_order_;
  std::vector<Vec6> body_input_;       // f with what the arms add
  std::vector<double> free_diagonal_;  // of G^T Xi G if no body were connected, one a row; where loops close
  // Of the refinement: right side, no input, corrections.
  std::vector<double> residual_;
  std::vector<Vec6> no_input_;
  std::vector<Mat3> balanced_inertias_;  // empty: bodies are not balanced
  std::vector<Vec6> unbalanced_;
  double length_ = 0.0;  // m
  std::vector<double> sigma_correction_;
  std::vector<Vec6> rate_correction_;
  /// Multipliers and what they do: A (multipliers) and the rates of all bodies.
  struct Direction {
    std::vector<double> multipliers;
    std::vector<double> rows;
    std::vector<Vec6> rates;
  };
  Direction preconditioned_;  // of the residual
  Direction search_;
  Direction image_;  // (A + E)^-1 A search
  ProximalOptions proximal_;
  PassRemainder remainder_;
  PassSeries multiplier_series_;
  PassSeries rate_series_;
  int passes_ = 0;
  bool loops_ = false;  // some node closes loops, or rows are regularised
};

}  // namespace mbdbench
