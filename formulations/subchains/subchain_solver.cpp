#include "formulations/subchains/subchain_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "formulations/subchains/chains/chain_team.hpp"
#include "formulations/subchains/segment_closing.hpp"
#include "formulations/subchains/segment_lanes.hpp"

namespace mbdbench {
namespace {

constexpr int kLanes = ChainSweeps::kLanes;

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

struct SubchainSolver::Work : ChainTeam {
  Work(const Mechanism& of, ChainPlan given_plan, const Execution& execution);

  void meet_scans(const TeamMember& member);
  void close_segments(const TeamMember& member);
  /// \returns -1, or a joint that fails; its pivot is left in `failed_pivot`.
  [[nodiscard]] int failed_joint(std::span<const double> rates);
  [[nodiscard]] RhsStatus status_of(int failed) const;
  [[nodiscard]] int outermost_failure();

  const Mechanism* mechanism;
  const ChainSweeps* sweeps;
  SegmentLanes segment_lanes;            // of this process
  std::vector<SegmentReport> reports;    // of all processes
  std::vector<SegmentScan> met_scans;    // of all processes; not used by one alone
  std::vector<SegmentClosing> closings;  // one a member
  std::vector<double> pivots;            // the smallest of every block of this process
  double failed_pivot = 0.0;
};

SubchainSolver::Work::Work(const Mechanism& of, ChainPlan given_plan, const Execution& execution)
    : ChainTeam(of, std::move(given_plan), execution),
      mechanism(&of),
      sweeps(&chain_sweeps_for(execution.instruction_set)),
      segment_lanes(plan, lanes, *sweeps, own.blocks),
      reports(plan.segments().size()),
      met_scans(processes == nullptr ? 0 : reports.size()),
      pivots(index_of(own.blocks.count())) {
  closings.reserve(index_of(team.size()));
  for (int member = 0; member < team.size(); ++member) {
    closings.emplace_back(of, plan, *sweeps);
  }
}

void SubchainSolver::Work::meet_scans(const TeamMember& member) {
  if (processes == nullptr) {
    member.barrier();
    return;
  }
  for_segments_of(member, [this](int s) { met_scans[index_of(s)] = reports[index_of(s)]; });
  meet(member, met_scans);
  if (member.index == 0) {
    for (std::size_t s = 0; s < met_scans.size(); ++s) {
      static_cast<SegmentScan&>(reports[s]) = met_scans[s];
    }
  }
  member.barrier();
}

void SubchainSolver::Work::close_segments(const TeamMember& member) {
  for_segments_of(member, [this](int s) {
    SegmentReport& report = reports[index_of(s)];
    segment_lanes.close(s, report);
    report.smallest_pivot = pivots[index_of(plan.segments()[index_of(s)].block - own.blocks.first)];
  });
}

int SubchainSolver::Work::failed_joint(std::span<const double> rates) {
  const bool positive = std::all_of(reports.begin(), reports.end(),
                                    [](const SegmentReport& report) { return report.smallest_pivot > 0.0; });
  if (processes != nullptr) {
    // Each looks at its own results, but what is returned from here has to be the same on all.
    return positive ? -1 : outermost_failure();
  }
  const std::span<const int> coordinates = plan.coordinates();
  // What is not a number anywhere has reached the base on the way inward and all links of the arm on the way outward.
  const bool finite = std::all_of(plan.arms().begin(), plan.arms().end(), [&](const ChainArm& arm) {
    return std::isfinite(rates[index_of(coordinates[index_of(arm.first)])]) &&
           std::isfinite(rates[index_of(coordinates[index_of(arm.last - 1)])]);
  });
  return positive && finite ? -1 : outermost_failure();
}

RhsStatus SubchainSolver::Work::status_of(int failed) const {
  if (failed < 0) {
    return {};
  }
  return {false, mechanism->tree_joints()[index_of(failed)].name,
          "the articulated inertia about the joint is not positive or not finite, it is", failed_pivot};
}

int SubchainSolver::Work::outermost_failure() {
  struct Failure {
    double position = -1.0;
    double pivot = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<Failure> failures(index_of(processes == nullptr ? 1 : processes->size()));
  Failure& mine = failures[index_of(processes == nullptr ? 0 : processes->process())];
  for (int position = own.positions.last; mine.position < 0.0 && position-- > own.positions.first;) {
    const double pivot = lanes.pivot(index_of(position));
    if (!(pivot > 0.0) || !std::isfinite(pivot)) {
      mine = {static_cast<double>(position), pivot};
    }
  }
  if (processes != nullptr) {
    std::vector<std::size_t> bounds(failures.size() + 1);
    for (std::size_t r = 0; r < bounds.size(); ++r) {
      bounds[r] = r * sizeof(Failure);
    }
    processes->share(std::as_writable_bytes(std::span(failures)), bounds);
  }
  const auto outermost = std::max_element(failures.begin(), failures.end(),
                                          [](const Failure& a, const Failure& b) { return a.position < b.position; });
  failed_pivot = outermost->pivot;
  // None: angles and pivots are numbers, rates or loads are not.
  return plan.tree().joint(outermost->position < 0.0 ? plan.coordinates().size() - 1
                                                     : static_cast<std::size_t>(outermost->position));
}

SubchainSolver::SubchainSolver(const Mechanism& mechanism, ChainPlan plan, const Execution& execution)
    : work_(std::make_unique<Work>(mechanism, std::move(plan), execution)) {}
SubchainSolver::~SubchainSolver() = default;

RhsStatus SubchainSolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                        std::span<double> udot) {
  Work& work = *work_;
  const bool finite = work.processes == nullptr || (all_finite(q) && all_finite(u));
  work.team.run([&](const TeamMember& member) {
    SegmentClosing& closing = work.closings[index_of(member.index)];
    if (member.index == 0 && !work.loads.empty()) {
      work.loads.evaluate(t, q, u);
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(*work.sweeps, b, q);
      work.lanes.scatter(b, u, &ChainBlock::rates, block.length);
      work.sweeps->scan_rates(block);
    });
    work.for_segments_of(member, [&](int s) { work.scans.report(s, true, work.reports[index_of(s)]); });
    work.meet_scans(member);  // first exchange
    work.for_segments_of(member,
                         [&](int s) { work.scans.tell_rates(s, std::span<const SegmentReport>(work.reports)); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_forces(b);
      const double pivot = work.sweeps->sweep_accelerations_inward(block);
      work.pivots[index_of(b - work.own.blocks.first)] = finite ? pivot : std::numeric_limits<double>::quiet_NaN();
      work.sweeps->set_nodes(block, work.segment_lanes.nodes(b));
    });
    work.close_segments(member);
    work.meet(member, work.reports);  // second exchange
    closing.close_accelerations(work.reports);
    work.for_segments_of(member, [&](int s) { work.segment_lanes.open(s, closing); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.sweeps->sweep_accelerations_outward(block);
      work.lanes.gather(b, &ChainBlock::results, udot);
    });
  });
  return work.status_of(work.failed_joint(udot));
}

RhsStatus SubchainSolver::momenta(double t, std::span<const double> q, std::span<const double> p, double leak,
                                  std::span<double> u, std::span<double> pdot) {
  Work& work = *work_;
  const bool loaded = work.plan.cut().has_value();
  const bool finite = work.processes == nullptr || (all_finite(q) && all_finite(p));
  work.team.run([&](const TeamMember& member) {
    SegmentClosing& closing = work.closings[index_of(member.index)];
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(*work.sweeps, b, q);
      if (loaded) {
        work.sweeps->scan_levers(block);
      }
      work.lanes.scatter(b, p, &ChainBlock::rates, block.length);
      const double pivot = work.sweeps->sweep_momenta_inward(block);
      work.pivots[index_of(b - work.own.blocks.first)] = finite ? pivot : std::numeric_limits<double>::quiet_NaN();
      work.sweeps->set_nodes(block, work.segment_lanes.nodes(b));
    });
    work.for_segments_of(member, [&](int s) {
      work.scans.report(s, false, work.reports[index_of(s)]);
      if (loaded) {
        work.segment_lanes.report_lever(s, work.reports[index_of(s)]);
      }
    });
    work.close_segments(member);
    // The only exchange: what acts on momenta needs no velocities.
    work.meet(member, work.reports);
    closing.close_velocities(work.reports, leak);
    work.for_segments_of(member, [&](int s) {
      work.scans.tell_moments(s, std::span<const SegmentReport>(work.reports));
      work.segment_lanes.open(s, closing);
      if (loaded) {
        work.segment_lanes.tell_loads(s, work.reports, closing);
      }
    });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.sweeps->sweep_velocities_outward(block);
      work.lanes.gather(b, &ChainBlock::results, u);
    });
    if (!work.loads.empty()) {
      member.barrier();  // forces such as those of dampers depend on u
      if (member.index == 0) {
        work.loads.evaluate(t, q, u);
      }
      member.barrier();
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_forces(b);
      (loaded ? work.sweeps->sweep_momentum_rates_with_loads : work.sweeps->sweep_momentum_rates)(block);
      work.lanes.gather(b, &ChainBlock::momentum_rates, pdot);
    });
  });
  const int failed = work.failed_joint(u);
  return work.status_of(failed >= 0 ? failed : work.failed_joint(pdot));
}

int SubchainSolver::threads() const {
  return work_->team.size();
}

std::vector<WorkStage> SubchainSolver::stages(StateKind rate_kind) const {
  // Operations a link of all lanes at once, and of a segment's two factorisations of 5 x 5.
  const bool momenta = rate_kind == StateKind::momentum;
  const double links = work_->plan.division().length;
  const double blocks = work_->plan.division().blocks;
  const double inward = momenta ? 430.0 : 560.0;
  const double outward = momenta ? 300.0 : 330.0;
  constexpr double kSegment = 900.0;
  const WorkStage meeting{1.0, kSegment * static_cast<double>(work_->plan.segments().size())};
  std::vector<WorkStage> stages = {{blocks, links * inward, kLanes}, meeting, {blocks, links * outward, kLanes}};
  if (!momenta) {
    stages.insert(stages.begin(), {{blocks, 40.0 * links, kLanes}, {1.0, 0.0}});  // angular velocities
  }
  return stages;
}

int SubchainSolver::redundant_rows() const {
  const LoopClosure* loop = work_->closings.front().loop();
  return loop == nullptr ? 0 : loop->redundant_rows();
}

double SubchainSolver::largest_multiplier() const {
  const LoopClosure* loop = work_->closings.front().loop();
  return loop == nullptr ? 0.0 : loop->multipliers().lpNorm<Eigen::Infinity>();
}

}  // namespace mbdbench
