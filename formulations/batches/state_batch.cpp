#include "formulations/batches/state_batch.hpp"

#include <algorithm>
#include <numeric>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

StateBatch::StateBatch(Formulation& formulation, int threads) : formulation_(&formulation), team_(threads) {
  for (int i = 1; i < team_.size(); ++i) {
    clones_.push_back(formulation.clone());
  }
  // No states: workspaces are made here, and not by the threads of the first call.
  formulation.rhs_batch(0.0, {}, {}, {});
  for (const auto& clone : clones_) {
    clone->rhs_batch(0.0, {}, {}, {});
  }
}

void StateBatch::rhs(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses) {
  const std::size_t size = formulation_->state_size();
  const std::size_t lanes = index_of(formulation_->batch_lanes());
  const std::size_t count = statuses.size();
  const std::size_t portions = (count + lanes - 1) / lanes;
  team_.run([&](const TeamMember& member) {
    const std::size_t index = index_of(member.index);
    const std::size_t members = index_of(member.count);
    const std::size_t first = portions * index / members * lanes;
    const std::size_t last = std::min(count, portions * (index + 1) / members * lanes);
    if (first < last) {
      Formulation& own = index == 0 ? *formulation_ : *clones_[index - 1];
      own.rhs_batch(t, states.subspan(first * size, (last - first) * size),
                    rates.subspan(first * size, (last - first) * size), statuses.subspan(first, last - first));
    }
  });
}

std::size_t StateBatch::further_calls() const {
  return std::accumulate(clones_.begin(), clones_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& clone) { return sum + clone->rhs_calls(); });
}

}  // namespace mbdbench
