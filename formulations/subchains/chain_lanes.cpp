#include "formulations/subchains/chain_lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "mechanisms/model/index_of.hpp"

namespace mbdbench {
namespace {

/// The layouts of the kernels, in numbers of one lane.
constexpr int kLanes = ChainSweeps::kLanes;
constexpr std::size_t kLinkNumbers = sizeof(kernels::LinkConstants<double>) / sizeof(double);
constexpr std::size_t kTurnNumbers = sizeof(kernels::SineCosine<double>) / sizeof(double);
constexpr std::size_t kSweepNumbers = sizeof(LinkSweep<double>) / sizeof(double);
constexpr std::size_t kMotionNumbers = sizeof(LinkMotion<double>) / sizeof(double);
constexpr std::size_t kScanNumbers = sizeof(TurnScan<double>) / sizeof(double);
constexpr std::size_t kVectorNumbers = sizeof(kernels::LinkVector<double>) / sizeof(double);
constexpr std::size_t kNodeNumbers = sizeof(LaneNode<double>) / sizeof(double);
constexpr std::size_t kExchangeNumbers = sizeof(LaneExchange<double>) / sizeof(double);

}  // namespace

ChainLanes::ChainLanes(const ChainPlan& plan)
    : plan_(&plan), blocks_(index_of(plan.division().blocks)), starts_(blocks_.size()) {
  for (ChainBlock& block : blocks_) {
    allot(block);
  }
  for (int lane = 0; lane < plan.division().lanes(); ++lane) {
    set_constants(lane);
  }
  for (int b = 0; b < plan.division().blocks; ++b) {
    set_starts(b);
  }
}

void ChainLanes::allot(ChainBlock& block) {
  block.length = plan_->division().length;
  const auto length = index_of(block.length);
  const auto take = [&](double*& array, std::size_t numbers) {
    const std::size_t bytes = numbers * std::size_t{kLanes} * sizeof(double);
    memory_.emplace_back(static_cast<double*>(::operator new(bytes, std::align_val_t(64))));
    array = memory_.back().get();
    std::memset(array, 0, bytes);
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
  take(block.node, kNodeNumbers);
  take(block.exchange, kExchangeNumbers);
}

void ChainLanes::set_constants(int lane) {
  const ChainBlock& own = blocks_[index_of(lane / kLanes)];
  const ChainLane& held = plan_->lanes()[index_of(lane)];
  for (int i = 0; i <= own.length; ++i) {
    // Behind a lane stands the next link of its arm, if it has one.
    const bool real = i < held.count || (i == own.length && !held.ends_arm);
    kernels::LinkConstants<double> link{};
    link.cos_alpha = 1.0;
    if (real) {
      const std::size_t position = index_of(held.first + i);
      link = plan_->tree().links()[position];
      own.offsets[i * kLanes + lane % kLanes] = plan_->tree().offsets()[position];
    }
    set_lane(link, own.links + index_of(i) * kLinkNumbers * std::size_t{kLanes}, lane % kLanes);
    if (i < own.length) {
      own.padding[i * kLanes + lane % kLanes] = real ? 0.0 : 1.0;
    }
  }
}

void ChainLanes::set_starts(int b) {
  std::vector<ColumnStart>& starts = starts_[index_of(b)];
  ChainBlock& own = blocks_[index_of(b)];
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
  const ChainBlock& own = blocks_[index_of(b)];
  const std::span<const int> coordinates = plan_->coordinates();
  for (int l = 0; l < kLanes; ++l) {
    const ChainLane& held = plan_->lanes()[index_of(b * kLanes + l)];
    // One more where the arm goes on; where it does not, the placement behind the lane has no angle.
    const int links = held.ends_arm ? held.count : count;
    double* to = own.*array + l;
    for (int i = 0; i < links; ++i, to += kLanes) {
      *to = values[index_of(coordinates[index_of(held.first + i)])];
    }
  }
}

void ChainLanes::gather(int b, double* ChainBlock::*array, std::span<double> values) const {
  const ChainBlock& own = blocks_[index_of(b)];
  const std::span<const int> coordinates = plan_->coordinates();
  for (int l = 0; l < kLanes; ++l) {
    const ChainLane& held = plan_->lanes()[index_of(b * kLanes + l)];
    const double* from = own.*array + l;
    for (int i = 0; i < held.count; ++i, from += kLanes) {
      values[index_of(coordinates[index_of(held.first + i)])] = *from;
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
  return blocks_[index_of(lane / kLanes)]
      .sweeps[(i * kSweepNumbers + kPivot) * std::size_t{kLanes} + index_of(lane % kLanes)];
}

}  // namespace mbdbench
