/// \file
/// Closed loops in lanes: velocities projected on the constraints, and the tangent gauge. Both solve for a second right
/// side with the matrices of the first (docs/understanding/formulations/sub_chains.md).
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "formulations/subchains/subchain_work.hpp"

namespace mbdbench {

void SubchainSolver::Work::project(const TeamMember& member, std::span<const double> q, std::span<const double> u,
                                   std::span<double> velocities, bool finite) {
  for_blocks_of(member, [&](int b, const ChainBlock& block) {
    set_turns(*sweeps, b, q);
    lanes.scatter(b, u, &ChainBlock::rates, block.length);
    sweeps->scan_motions(block);
  });
  for_segments_of(member, [&](int s) {
    scans.report(s, true, reports[index_of(s)]);
    segment_lanes.report_motion(s, reports[index_of(s)]);
  });
  for_blocks_of(member, [&](int b, const ChainBlock& block) {
    std::fill_n(block.rates, index_of(block.length) * std::size_t{ChainSweeps::kLanes}, 0.0);
    sweep_momenta_inward(b, finite);
  });
  close_segments(member);
  const SegmentClosing& closing = close(member, {ClosingKind::impulses});
  for_segments_of(member, [&](int s) { segment_lanes.open(s, closing); });
  for_blocks_of(member, [&](int b, const ChainBlock& block) {
    sweeps->sweep_velocities_outward(block);
    lanes.gather(b, &ChainBlock::results, velocities);
    lanes.add(b, u, velocities);
  });
  member.barrier();  // loads need all velocities, and others may still read the reports
}

void SubchainSolver::Work::solve_accelerations_again(const TeamMember& member, std::span<double> udot) {
  for_blocks_of(member, [&](int b, const ChainBlock& block) {
    set_forces(b);
    sweeps->sweep_biases_outward(block);
    sweeps->sweep_accelerations_again(block);
    sweeps->set_right_sides(block, segment_lanes.nodes(b));
  });
  for_segments_of(member, [&](int s) { segment_lanes.close_again(s, reports[index_of(s)]); });
  const SegmentClosing& closing = close(member, {ClosingKind::accelerations_again});
  for_segments_of(member, [&](int s) { segment_lanes.open(s, closing); });
  for_blocks_of(member, [&](int b, const ChainBlock& block) {
    // Of what velocity products leave the links obey the equations of velocities.
    sweeps->sweep_velocities_outward(block);
    lanes.gather(b, &ChainBlock::results, udot);
  });
}

double SubchainSolver::Work::fastest_of(int segment, std::span<const double> u) const {
  const ChainSegment& lanes_of = plan.segments()[index_of(segment)];
  const Eigen::VectorXd& units = mechanism->scales().columns;
  double fastest = 0.0;
  for (int lane = lanes_of.first_lane; lane < lanes_of.last_lane; ++lane) {
    const ChainLane& held = plan.lanes()[index_of(lane)];
    for (int position = held.first; position < held.first + held.count; ++position) {
      fastest = std::max(fastest, std::abs(u[lanes.place(position)]) / units[plan.coordinates()[index_of(position)]]);
    }
  }
  return fastest;
}

void SubchainSolver::Work::make_tangent(const TeamMember& member, std::span<const double> u, std::span<double> pdot) {
  member.barrier();  // others may still read the reports
  for_blocks_of(member, [&](int b, const ChainBlock& block) {
    lanes.scatter(b, pdot, &ChainBlock::rates, block.length);
    sweeps->sweep_momenta_again(block);
    sweeps->set_right_sides(block, segment_lanes.nodes(b));
  });
  for_segments_of(member, [&](int s) {
    reports[index_of(s)].fastest = fastest_of(s, u);
    segment_lanes.close_again(s, reports[index_of(s)]);
  });
  const SegmentClosing& closing = close(member, {ClosingKind::tangent, rules.leak});
  for_segments_of(member, [&](int s) { segment_lanes.tell_loads(s, closing); });
  for_blocks_of(member, [&](int b, const ChainBlock& block) {
    sweeps->add_loads(block);
    lanes.gather(b, &ChainBlock::momentum_rates, pdot);
  });
}

}  // namespace mbdbench
