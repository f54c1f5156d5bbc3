#pragma once
/// \file
/// Accelerations or momenta of trees by sub-trees of equal form in lanes: divide and conquer [Featherstone1999],
/// [Chadaj2015] in which what hangs on the trunk has one handle, so that F = K V + f is all that it passes inward.
#include <memory>
#include <span>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/execution/thread_team.hpp"
#include "formulations/lanes/lane_solver.hpp"
#include "formulations/subtrees/tree_lanes.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

/// One tree in its plan. The blocks are shared by threads, the trunk is done by one; no number depends on how many.
class SubtreeSolver final : public LaneSolver {
 public:
  /// \param rate_kind what it will be asked for: accelerations (velocity) or momenta
  /// \param execution threads, at most one a block \throws ModelError if the mechanism is refused
  SubtreeSolver(const Mechanism& mechanism, StateKind rate_kind, const Execution& execution);

  RhsStatus accelerations(double t, std::span<const double> q, std::span<const double> u, std::span<double> velocities,
                          std::span<double> udot) override;
  RhsStatus momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                    std::span<double> pdot) override;
  [[nodiscard]] int threads() const override { return team_.size(); }
  [[nodiscard]] std::vector<WorkStage> stages(StateKind rate_kind) const override;

 private:
  template <typename Work>
  void for_blocks_of(const TeamMember& member, const Work& work);
  void set_ground(StateKind rate_kind);
  /// From the trunk's slots to the lanes that hang there; what they carry inward back, in the order of the lanes.
  void tell_blocks(std::size_t b) const;
  void collect_from_blocks() const;
  /// \returns the failure, if a pivot is not positive or a result no number.
  RhsStatus status(std::span<const double> q, std::span<const double> results);

  const Mechanism* mechanism_;
  SubtreePlan plan_;
  TreeSweeps trunk_sweeps_;
  TreeSweeps sweeps_;
  TreeLanes trunk_;
  std::vector<std::unique_ptr<TreeLanes>> blocks_;
  std::vector<double> pivots_;  // the smallest of every block, the trunk's last
  LoadEvaluator loads_;
  ThreadTeam team_;
};

}  // namespace mbdbench
