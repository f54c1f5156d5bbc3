#include "formulations/subchains/chain_team.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbdbench {

ChainTeam::ChainTeam(const Mechanism& mechanism, ChainPlan given_plan, int threads, const RankExchange* ranks)
    : plan(std::move(given_plan)),
      own(ranks == nullptr ? plan.share_of(0, 1) : plan.share_of(ranks->rank(), ranks->size())),
      lanes(plan, own, ranks == nullptr),
      scans(plan, lanes),
      loads(mechanism, plan.tree()),
      positions(plan.tree().positions()),
      team(std::min(threads, own.blocks.count())) {}

void ChainTeam::set_turns(const ChainSweeps& sweeps, int b, std::span<const double> q) const {
  constexpr int kWidth = ChainSweeps::kLanes;
  const ChainBlock& block = lanes.block(b);
  lanes.scatter(b, q, &ChainBlock::angles, block.length + 1);
  if (sweeps.set_turns(block)) {
    return;
  }
  // Huge angles: the kernel has added the offsets.
  const int count = (block.length + 1) * kWidth;
  for (int k = 0; k < count; ++k) {
    const int i = k / kWidth;
    const int l = k % kWidth;
    block.turns[2 * i * kWidth + l] = std::sin(block.angles[k]);
    block.turns[(2 * i + 1) * kWidth + l] = std::cos(block.angles[k]);
  }
}

void ChainTeam::set_forces(int b) const {
  if (loads.in_joints()) {
    lanes.scatter(b, loads.joint_forces(), &ChainBlock::forces, plan.division().length);
  }
}

}  // namespace mbdbench
