#include "formulations/subchains/subchain_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "formulations/subchains/subchain_work.hpp"

namespace mbdbench {
namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

SubchainSolver::Work::Work(const Mechanism& of, ChainPlan given_plan, const Execution& execution,
                           const LoopRules& of_loop, SegmentExchange exchange)
    : ChainTeam(of, std::move(given_plan), execution),
      mechanism(&of),
      rules(plan.cut() ? of_loop : LoopRules()),
      sweeps(&chain_sweeps_for(execution.instruction_set)),
      segment_lanes(plan, lanes, *sweeps, own.blocks),
      tree(plan),
      reports(plan.segments().size()),
      met_scans(processes == nullptr || goes_along_tree(exchange, processes->size()) ? 0 : reports.size()),
      pivots(index_of(own.blocks.count())) {
  if (rules.projects) {
    lanes.allot_biases();
  }
  if (processes != nullptr && goes_along_tree(exchange, processes->size())) {
    mail.emplace(plan, tree, *processes);
  }
  const int closers = mail ? 1 : team.size();
  closings.reserve(index_of(closers));
  for (int member = 0; member < closers; ++member) {
    closings.emplace_back(of, plan, tree, *sweeps, reports);
  }
}

const SegmentClosing& SubchainSolver::Work::close(const TeamMember& member, const ClosingPass& pass) {
  if (mail) {
    member.barrier();
    if (member.index == 0) {
      mail->close(pass, closings.front());
    }
    member.barrier();
    return closings.front();
  }
  if (pass.kind == ClosingKind::rates) {
    meet_scans(member);
  } else {
    meet(member, reports);
  }
  SegmentClosing& own_closing = closings[index_of(member.index)];
  own_closing.close(pass);
  return own_closing;
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

void SubchainSolver::Work::sweep_momenta_inward(int b, bool finite) {
  const double pivot = sweeps->sweep_momenta_inward(lanes.block(b));
  pivots[index_of(b - own.blocks.first)] = finite ? pivot : std::numeric_limits<double>::quiet_NaN();
  sweeps->set_nodes(lanes.block(b), segment_lanes.nodes(b));
}

int SubchainSolver::Work::failed_joint(std::span<const double> rates) {
  const bool positive = closings.front().verdict().smallest_pivot > 0.0;
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

bool goes_along_tree(SegmentExchange exchange, int processes) {
  // Simulated (docs/understanding/simulated_cluster.md): momenta gain from 32 processes on, accelerations from 64.
  constexpr int kManyProcesses = 64;
  return exchange == SegmentExchange::tree || (exchange == SegmentExchange::automatic && processes >= kManyProcesses);
}

SubchainSolver::SubchainSolver(const Mechanism& mechanism, ChainPlan plan, const Execution& execution,
                               const LoopRules& rules, SegmentExchange exchange)
    : work_(std::make_unique<Work>(mechanism, std::move(plan), execution, rules, exchange)) {}
SubchainSolver::~SubchainSolver() = default;

RhsStatus SubchainSolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                        std::span<double> velocities, std::span<double> udot) {
  Work& work = *work_;
  const bool finite = work.processes == nullptr || (all_finite(q) && all_finite(u));
  std::copy(u.begin(), u.end(), velocities.begin());
  work.team.run([&](const TeamMember& member) {
    if (work.rules.projects) {
      work.project(member, q, u, velocities, finite);
    }
    if (member.index == 0 && !work.loads.empty()) {
      work.loads.evaluate(t, q, velocities);
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      if (!work.rules.projects) {
        work.set_turns(*work.sweeps, b, q);
      }
      work.lanes.scatter(b, velocities, &ChainBlock::rates, block.length);
      work.sweeps->scan_rates(block);
    });
    work.for_segments_of(member, [&](int s) { work.scans.report(s, true, work.reports[index_of(s)]); });
    const SegmentClosing& rates = work.close(member, {ClosingKind::rates});  // first exchange
    work.for_segments_of(member, [&](int s) { work.scans.tell_rates(s, vector_of(rates.answer_of(s).omega)); });
    if (work.rules.projects) {
      work.solve_accelerations_again(member, udot);
      return;
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_forces(b);
      const double pivot = work.sweeps->sweep_accelerations_inward(block);
      work.pivots[index_of(b - work.own.blocks.first)] = finite ? pivot : std::numeric_limits<double>::quiet_NaN();
      work.sweeps->set_nodes(block, work.segment_lanes.nodes(b));
    });
    work.close_segments(member);
    const SegmentClosing& closing = work.close(member, {ClosingKind::accelerations});  // second exchange
    work.for_segments_of(member, [&](int s) { work.segment_lanes.open(s, closing); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.sweeps->sweep_accelerations_outward(block);
      work.lanes.gather(b, &ChainBlock::results, udot);
    });
  });
  return work.status_of(work.failed_joint(udot));
}

RhsStatus SubchainSolver::momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                                  std::span<double> pdot) {
  Work& work = *work_;
  const bool loaded = work.plan.cut().has_value();
  const bool tangent = work.rules.gauge == GaugeControl::tangent;
  const double leak = work.rules.gauge == GaugeControl::leak ? work.rules.leak : 0.0;
  const bool finite = work.processes == nullptr || (all_finite(q) && all_finite(p));
  work.team.run([&](const TeamMember& member) {
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(*work.sweeps, b, q);
      if (loaded) {
        work.sweeps->scan_levers(block);
      }
      work.lanes.scatter(b, p, &ChainBlock::rates, block.length);
      work.sweep_momenta_inward(b, finite);
    });
    work.for_segments_of(member, [&](int s) {
      work.scans.report(s, false, work.reports[index_of(s)]);
      if (loaded) {
        work.segment_lanes.report_lever(s, work.reports[index_of(s)]);
      }
    });
    work.close_segments(member);
    // The only exchange: what acts on momenta needs no velocities.
    const SegmentClosing& closing = work.close(member, {ClosingKind::velocities, leak});
    work.for_segments_of(member, [&](int s) {
      const StretchAnswer& answer = closing.answer_of(s);
      work.scans.tell_moments(s, vector_of(answer.moment), vector_of(answer.gravity));
      work.segment_lanes.open(s, closing);
      if (loaded) {
        work.segment_lanes.tell_loads(s, closing);
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
    if (tangent) {
      work.make_tangent(member, u, pdot);
    }
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
  constexpr double kSegment = 900.0;
  const WorkStage meeting{1.0, kSegment * static_cast<double>(work_->plan.segments().size())};
  const auto sweep = [&](double operations) { return WorkStage{blocks, links * operations, ChainSweeps::kLanes}; };
  if (momenta) {
    std::vector<WorkStage> stages = {sweep(430.0), meeting, sweep(300.0)};
    if (work_->rules.gauge == GaugeControl::tangent) {
      stages.insert(stages.end(), {sweep(70.0), meeting, sweep(40.0)});
    }
    return stages;
  }
  if (work_->rules.projects) {
    return {sweep(510.0), meeting, sweep(150.0), {1.0, 0.0}, sweep(220.0), meeting, sweep(110.0)};
  }
  return {sweep(40.0), {1.0, 0.0}, sweep(560.0), meeting, sweep(330.0)};  // angular velocities first
}

int SubchainSolver::redundant_rows() const {
  return static_cast<int>(work_->closings.front().verdict().redundant_rows);
}

double SubchainSolver::largest_multiplier() const {
  return work_->closings.front().verdict().largest_multiplier;
}

}  // namespace mbdbench
