#include "formulations/subchains/chains/chain_lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// The layouts of the kernels, in numbers of one lane.
constexpr int kLanes = ChainSweeps::kLanes;
constexpr std::size_t kLinkNumbers = sizeof(kernels::LinkConstants<double>) / sizeof(double);
constexpr std::size_t kTurnNumbers = sizeof(kernels::SineCosine<double>) / sizeof(double);
constexpr std::size_t kSweepNumbers = sizeof(LinkSweep<double>) / sizeof(double);
constexpr std::size_t kMotionNumbers = sizeof(LinkMotion<double>) / sizeof(double);
constexpr std::size_t kWrenchNumbers = sizeof(kernels::LinkWrench<double>) / sizeof(double);
constexpr std::size_t kScanNumbers = sizeof(TurnScan<double>) / sizeof(double);
constexpr std::size_t kVectorNumbers = sizeof(kernels::LinkVector<double>) / sizeof(double);
constexpr std::size_t kNodeNumbers = sizeof(LaneNode<double>) / sizeof(double);
constexpr std::size_t kExchangeNumbers = sizeof(LaneExchange<double>) / sizeof(double);

}  // namespace

ChainLanes::ChainLanes(const ChainPlan& plan, const ChainShare& share, bool whole)
    : plan_(&plan),
      share_(share),
      places_(plan.coordinates().begin() + share.positions.first, plan.coordinates().begin() + share.positions.last),
      blocks_(index_of(share.blocks.count())),
      starts_(blocks_.size()) {
  if (!whole) {
    std::iota(places_.begin(), places_.end(), 0);
  }
  for (ChainBlock& block : blocks_) {
    allot(block);
  }
  for (int lane = share.blocks.first * kLanes; lane < share.blocks.last * kLanes; ++lane) {
    set_constants(lane);
  }
  for (int b = share.blocks.first; b < share.blocks.last; ++b) {
    set_starts(b);
  }
}

void ChainLanes::allot(ChainBlock& block) {
  block.length = plan_->division().length;
  const auto length = index_of(block.length);
  const auto take = [&](double*& array, std::size_t numbers) {
    memory_.push_back(lane_memory(numbers));
    array = memory_.back().get();
  };
  take(block.links, (length + 1) * kLinkNumbers);
  take(block.padding, length);
  take(block.offsets, length + 1);
  take(block.angles, length + 1);
  take(block.turns, (length + 1) * kTurnNumbers);
  take(block.rates, length);
  take(block.forces, length);
  take(block.results, length);
  take(block.momentum_rates, length);
  take(block.sweeps, length * kSweepNumbers);
  take(block.motions, length * kMotionNumbers);
  take(block.scan, kScanNumbers);
  take(block.levers, kVectorNumbers);
  take(block.drift, kVectorNumbers);
  take(block.node, kNodeNumbers);
  take(block.exchange, kExchangeNumbers);
}

void ChainLanes::allot_biases() {
  for (ChainBlock& block : blocks_) {
    memory_.push_back(lane_memory(index_of(block.length) * kWrenchNumbers));
    block.biases = memory_.back().get();
  }
}

void ChainLanes::set_constants(int lane) {
  const ChainBlock& own = block(lane / kLanes);
  const ChainLane& held = plan_->lanes()[index_of(lane)];
  for (int i = 0; i <= own.length; ++i) {
    // Behind a lane stands the next link of its arm, if it has one.
    const bool real = i < held.count || (i == own.length && !held.ends_arm);
    kernels::LinkConstants<double> link{};
    link.cos_alpha = 1.0;
    if (real) {
      const std::size_t position = index_of(held.first + i);
      link = plan_->tree().links()[position];
      // The handle to the next block lies before that joint's angle (SegmentReport).
      const bool behind_block = i == own.length && lane % kLanes == kLanes - 1;
      own.offsets[i * kLanes + lane % kLanes] = behind_block ? 0.0 : plan_->tree().offsets()[position];
    }
    set_lane(link, own.links + index_of(i) * kLinkNumbers * std::size_t{kLanes}, lane % kLanes);
    if (i < own.length) {
      own.padding[i * kLanes + lane % kLanes] = real ? 0.0 : 1.0;
    }
  }
}

void ChainLanes::set_starts(int b) {
  std::vector<ColumnStart>& starts = starts_[index_of(b - share_.blocks.first)];
  ChainBlock& own = blocks_[index_of(b - share_.blocks.first)];
  starts.push_back({own.length, {}});
  for (int i = own.length - 1; i >= 0; --i) {
    ColumnStart start{i, {}};
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      const ChainLane& held = plan_->lanes()[index_of(b * kLanes + lane)];
      if (!held.ends_at_cut) {
        starts.front().lanes.at[lane] = 1.0;
      } else if (held.count - 1 == i) {
        start.lanes.at[lane] = 1.0;
        any = true;
      }
    }
    if (any) {
      starts.push_back(start);
    }
  }
  own.starts = starts.data();
  own.last_start = starts.data() + starts.size();
}

void ChainLanes::scatter(int b, std::span<const double> values, double* ChainBlock::*array, int count) const {
  const ChainBlock& own = block(b);
  for (int l = 0; l < kLanes; ++l) {
    const ChainLane& held = plan_->lanes()[index_of(b * kLanes + l)];
    // One more where the arm goes on in the block; elsewhere the placement behind the lane has no angle.
    const int links = held.ends_arm || l == kLanes - 1 ? held.count : count;
    double* to = own.*array + l;
    for (int i = 0; i < links; ++i, to += kLanes) {
      *to = values[place(held.first + i)];
    }
  }
}

void ChainLanes::gather(int b, double* ChainBlock::*array, std::span<double> values) const {
  const ChainBlock& own = block(b);
  for (int l = 0; l < kLanes; ++l) {
    const ChainLane& held = plan_->lanes()[index_of(b * kLanes + l)];
    const double* from = own.*array + l;
    for (int i = 0; i < held.count; ++i, from += kLanes) {
      values[place(held.first + i)] = *from;
    }
  }
}

void ChainLanes::add(int b, std::span<const double> values, std::span<double> to) const {
  for (int l = 0; l < kLanes; ++l) {
    const ChainLane& held = plan_->lanes()[index_of(b * kLanes + l)];
    for (int i = 0; i < held.count; ++i) {
      to[place(held.first + i)] += values[place(held.first + i)];
    }
  }
}

double ChainLanes::pivot(std::size_t position) const {
  constexpr std::size_t kPivot = offsetof(LinkSweep<double>, pivot) / sizeof(double);
  const auto holds = [position](const ChainLane& lane) {
    return static_cast<int>(position) >= lane.first && static_cast<int>(position) < lane.first + lane.count;
  };
  const auto found = std::find_if(plan_->lanes().begin(), plan_->lanes().end(), holds);
  const int lane = static_cast<int>(found - plan_->lanes().begin());
  const std::size_t i = position - index_of(found->first);
  return block(lane / kLanes).sweeps[(i * kSweepNumbers + kPivot) * std::size_t{kLanes} + index_of(lane % kLanes)];
}

}  // namespace mbdbench
