#include "formulations/subchains/chains/chain_team.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbdbench {

ChainTeam::ChainTeam(const Mechanism& mechanism, ChainPlan given_plan, const Execution& execution)
    : processes(execution.processes),
      plan(std::move(given_plan)),
      own(processes == nullptr ? plan.share_of(0, 1) : plan.share_of(processes->process(), processes->size())),
      lanes(plan, own, processes == nullptr),
      scans(plan, lanes),
      loads(mechanism, plan, processes == nullptr ? std::nullopt : std::optional(own.positions)),
      team(std::min(execution.threads, own.blocks.count())) {
  for (int r = 0; processes != nullptr && r < processes->size(); ++r) {
    bounds_.push_back(index_of(plan.share_of(r, processes->size()).segments.first));
  }
  bounds_.push_back(plan.segments().size());
  bytes_.resize(bounds_.size());
}

void ChainTeam::share(std::span<std::byte> parts, std::size_t size) {
  std::transform(bounds_.begin(), bounds_.end(), bytes_.begin(), [size](std::size_t bound) { return bound * size; });
  processes->share(parts, bytes_);
}

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
  if (!loads.empty()) {
    lanes.scatter(b, loads.forces(), &ChainBlock::forces, plan.division().length);
  }
}

}  // namespace mbdbench
