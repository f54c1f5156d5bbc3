#pragma once
/// \file
/// What SubchainSolver works on: the blocks of a process, what their segments report, and how they are closed.
#include <optional>
#include <span>
#include <vector>

#include "formulations/subchains/chains/chain_team.hpp"
#include "formulations/subchains/segments/segment_closing.hpp"
#include "formulations/subchains/segments/segment_lanes.hpp"
#include "formulations/subchains/segments/segment_mail.hpp"
#include "formulations/subchains/subchain_solver.hpp"

namespace mbdbench {

/// Of one mechanism in its plan. Functions that take a member are called by all members of the team.
struct SubchainSolver::Work : ChainTeam {
  Work(const Mechanism& of, ChainPlan given_plan, const Execution& execution, const LoopRules& of_loop,
       SegmentExchange exchange);

  /// From the reports of this process's segments, and what the others say of theirs, to the answers of all of them.
  /// \returns who has the answers
  const SegmentClosing& close(const TeamMember& member, const ClosingPass& pass);
  void meet_scans(const TeamMember& member);
  void close_segments(const TeamMember& member);
  /// Inward with the block's rates as momenta, and the nodes of its lanes.
  void sweep_momenta_inward(int b, bool finite);
  /// u + M^-1 Phi_q^T sigma with Phi' = 0. \param velocities receives them
  void project(const TeamMember& member, std::span<const double> q, std::span<const double> u,
               std::span<double> velocities, bool finite);
  /// u' with the matrices of `project`, once the blocks know their angular velocities.
  void solve_accelerations_again(const TeamMember& member, std::span<double> udot);
  /// p' <- p' + Phi_q^T nu + kappa Phi_q^T sigma (gauge_option.hpp), with the matrices that gave u.
  void make_tangent(const TeamMember& member, std::span<const double> u, std::span<double> pdot);
  [[nodiscard]] double fastest_of(int segment, std::span<const double> u) const;
  /// \returns -1, or a joint that fails; its pivot is left in `failed_pivot`.
  [[nodiscard]] int failed_joint(std::span<const double> rates);
  [[nodiscard]] RhsStatus status_of(int failed) const;
  [[nodiscard]] int outermost_failure();

  const Mechanism* mechanism;
  LoopRules rules;
  const ChainSweeps* sweeps;
  SegmentLanes segment_lanes;  // of this process
  SegmentTree tree;
  std::vector<SegmentReport> reports;    // of all processes; along a tree of those that this one hears of
  std::vector<SegmentScan> met_scans;    // of all processes; not used by one alone
  std::vector<SegmentClosing> closings;  // one a member; along a tree one
  std::optional<SegmentMail> mail;       // where processes close along a tree
  std::vector<double> pivots;            // the smallest of every block of this process
  double failed_pivot = 0.0;
};

}  // namespace mbdbench
