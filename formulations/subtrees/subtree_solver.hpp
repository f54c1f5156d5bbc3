#pragma once
/// \file
/// Accelerations or momenta of trees by sub-trees of equal form in lanes: divide and conquer [Featherstone1999],
/// [Chadaj2015] in which what hangs on the trunk has one handle, so that F = K V + f is all that it passes inward.
#include <algorithm>
#include <span>
#include <vector>

#include "formulations/execution/branch_mail.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/lanes/lane_solver.hpp"
#include "formulations/subtrees/tree_block.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

/// One tree in its plan. The blocks are shared by processes and their threads, the trunk is done by one thread of every
/// process; no number depends on how many there are.
class SubtreeSolver final : public LaneSolver {
 public:
  /// \param rate_kind what it will be asked for: accelerations (velocity) or momenta
  /// \param execution threads, at most one for eight lanes, and processes
  /// \throws ModelError if no four of the sub-trees have the same form
  SubtreeSolver(const Mechanism& mechanism, StateKind rate_kind, const Execution& execution);
  /// The same in lanes of another width than that of the instruction set.
  SubtreeSolver(const Mechanism& mechanism, StateKind rate_kind, const Execution& execution, const TreeSweeps& sweeps);

  RhsStatus accelerations(double t, std::span<const double> q, std::span<const double> u, std::span<double> velocities,
                          std::span<double> udot) override;
  RhsStatus momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                    std::span<double> pdot) override;
  [[nodiscard]] int threads() const override { return team_.size(); }
  [[nodiscard]] bool is_divided() const override { return team_.is_divided(); }
  [[nodiscard]] std::vector<WorkStage> stages(StateKind rate_kind) const override;

 private:
  /// Some lanes of a group.
  struct Block {
    TreeBlock trees;
    std::span<const TreePort> ports;  ///< of lanes that are not repeated

    [[nodiscard]] const TreePort& port(std::size_t lane) const { return ports[std::min(lane, ports.size() - 1)]; }
  };

  /// Where results go to: the u of momenta, u' or p'.
  struct Results {
    std::span<double> velocities;
    std::span<double> rates;
  };
  /// From q and u or p to the results. \param forces tau, or nothing
  void sweep(std::span<const double> q, std::span<const double> rates, std::span<const double> forces,
             const Results& results);
  [[nodiscard]] const KindSweeps& of_kind(const TreeSweeps& sweeps) const {
    return kind_ == StateKind::momentum ? sweeps.momenta : sweeps.accelerations;
  }
  void build_blocks();
  void hang_on_ground(const Block& block) const;
  void write_letters();
  /// Numbers of the trunk's slots to the lanes that hang there, and what these carry inward back, in their order.
  void tell(const Block& block, const KindSweeps::Numbers& numbers) const;
  void collect(const Block& block, const KindSweeps::Numbers& numbers) const;
  static void write(const TreeBlock& trees, const Results& results);
  /// \returns the failure, if a pivot is not positive or a result no number.
  RhsStatus status(std::span<const double> q, std::span<const double> results);

  const Mechanism* mechanism_;
  StateKind kind_;
  SubtreePlan plan_;
  TreeSweeps trunk_sweeps_;
  TreeSweeps sweeps_;
  TreeBlock trunk_;
  std::vector<Block> blocks_;
  std::vector<double> pivots_;  // the smallest of every block, the trunk's last
  LoadEvaluator loads_;
  BranchTeam team_;  // branch b + 1 is block b
  BranchMail mail_;
  BranchLetter left_;   // what blocks carry inward, and their pivots
  BranchLetter found_;  // results of blocks
};

}  // namespace mbdbench
