#pragma once
/// \file
/// Open chains of revolute joints by the papers' binary tree, one body a leaf [Chadaj2015], [Featherstone1999]: the
/// lower levels eight sub-trees side by side, one a lane, the upper ones a node at a time.
#include <memory>
#include <span>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/lanes/lane_solver.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"

namespace mbdbench {

/// One mechanism in its plan: the lanes are those of sub-chains, with a tree in each instead of a recursion.
class BinarySolver final : public LaneSolver {
 public:
  /// \param execution threads, at most one a block of lanes; processes, where nullptr: all links, with q, u, p by
  /// coordinate. Otherwise those of this process, as SubchainSolver has them
  BinarySolver(const Mechanism& mechanism, ChainPlan plan, const Execution& execution);
  ~BinarySolver() override;
  BinarySolver(const BinarySolver&) = delete;
  BinarySolver& operator=(const BinarySolver&) = delete;
  BinarySolver(BinarySolver&&) = delete;
  BinarySolver& operator=(BinarySolver&&) = delete;

  /// Three exchanges on processes: a handle of five rows leaves out the axis, so that a segment needs p (tau) of the
  /// link behind it, with angular velocities, before handles are closed, and the motion about the axis from inboard
  /// afterwards.
  RhsStatus accelerations(double t, std::span<const double> q, std::span<const double> u, std::span<double> velocities,
                          std::span<double> udot) override;
  RhsStatus momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                    std::span<double> pdot) override;
  [[nodiscard]] int threads() const override;
  [[nodiscard]] std::vector<WorkStage> stages(StateKind rate_kind) const override;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace mbdbench
