#pragma once
/// \file
/// Accelerations or momenta of serial chains by sub-chains in lanes: the divide-and-conquer algorithms of
/// [Featherstone1999], [Chadaj2015] and [Chadaj2017]. DEVIATES [Chadaj2015, Eq. (4)-(25)]: leaves are sub-chains, not
/// bodies (subchain_test: both kinds of leaves agree).
///
/// What the papers do at a leaf and in the lower levels of the assembly tree, the recursion does for all lanes at once;
/// handles between the lanes of a segment are closed by whoever owns its block, those between segments, and the cut
/// joint of a loop, by every member of the team for itself: cheaper than to wait for one that does it for all. Many
/// processes close them along a tree (segment_mail.hpp).
#include <memory>
#include <span>

#include "formulations/execution/execution.hpp"
#include "formulations/lanes/lane_solver.hpp"
#include "formulations/options/division_options.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"

namespace mbdbench {

/// \returns whether so many processes close the handles between them along a tree, not each of them all.
bool goes_along_tree(SegmentExchange exchange, int processes);

/// One mechanism in its plan.
class SubchainSolver final : public LaneSolver {
 public:
  /// \param execution threads, at most one a block of lanes; processes, where nullptr: all links, with q, u, p by
  /// coordinate. Otherwise those of this process (ChainPlan::share_of), with q, u, p of them alone, by position; all
  /// processes call the same functions together and get the same return value. A state that is not finite on one of
  /// them fails on all; what overflows afterwards does not
  SubchainSolver(const Mechanism& mechanism, ChainPlan plan, const Execution& execution, const LoopRules& rules,
                 SegmentExchange exchange = SegmentExchange::automatic);
  ~SubchainSolver() override;
  SubchainSolver(const SubchainSolver&) = delete;
  SubchainSolver& operator=(const SubchainSolver&) = delete;
  SubchainSolver(SubchainSolver&&) = delete;
  SubchainSolver& operator=(SubchainSolver&&) = delete;

  /// Two exchanges between segments: angular velocities, then the handles; one before them to project velocities.
  RhsStatus accelerations(double t, std::span<const double> q, std::span<const double> u, std::span<double> velocities,
                          std::span<double> udot) override;
  /// One exchange: the Hamiltonian form needs no velocities before the handles are closed; another one for the tangent
  /// gauge.
  RhsStatus momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                    std::span<double> pdot) override;
  [[nodiscard]] int redundant_rows() const override;
  [[nodiscard]] double largest_multiplier() const override;
  [[nodiscard]] int threads() const override;
  [[nodiscard]] std::vector<WorkStage> stages(StateKind rate_kind) const override;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace mbdbench
