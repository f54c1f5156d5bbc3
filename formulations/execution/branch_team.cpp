#include "formulations/execution/branch_team.hpp"

#include <algorithm>
#include <numeric>

namespace mbdbench {
namespace {

/// First branches of so many takers, neighbours each, of about equal cost; the last entry is `last`.
/// \param trunk what the first taker has to do besides
std::vector<std::size_t> divided(std::span<const double> costs, std::size_t first, std::size_t last, double trunk,
                                 std::size_t takers) {
  std::vector<std::size_t> bounds(takers + 1, last);
  const double total = std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(first),
                                       costs.begin() + static_cast<std::ptrdiff_t>(last), trunk);
  double before = 0.0;
  for (std::size_t b = last; b-- > first;) {
    const double middle = total - before - 0.5 * costs[b];
    before += costs[b];
    const auto taker = static_cast<std::size_t>(static_cast<double>(takers) * middle / total);
    std::fill_n(bounds.begin(), std::min(taker, takers - 1) + 1, b);
  }
  return bounds;
}

std::vector<std::size_t> divided_among(std::span<const double> costs, const ProcessExchange* processes) {
  const std::size_t first = std::min<std::size_t>(1, costs.size());
  return divided(costs, first, costs.size(), 0.0,
                 processes == nullptr ? 1 : static_cast<std::size_t>(processes->size()));
}

}  // namespace

BranchTeam::BranchTeam(std::span<const double> costs, const Execution& execution)
    : branches_(0),
      processes_(costs.size() > 1 ? execution.processes : nullptr),
      process_bounds_(divided_among(costs, processes_)),
      team_(1) {
  const auto process = static_cast<std::size_t>(processes_ == nullptr ? 0 : processes_->process());
  const std::size_t first = process_bounds_[process];
  const std::size_t last = process_bounds_[process + 1];
  branches_ = static_cast<int>(last - first);
  team_ = ThreadTeam(std::min(execution.threads, std::max(1, branches_)));
  for (int members = 1; members <= team_.size(); ++members) {
    std::vector<std::size_t> own =
        divided(costs, first, last, costs.empty() ? 0.0 : costs.front(), static_cast<std::size_t>(members));
    own.resize(static_cast<std::size_t>(team_.size()) + 1, last);
    bounds_.insert(bounds_.end(), own.begin(), own.end());
  }
}

}  // namespace mbdbench
