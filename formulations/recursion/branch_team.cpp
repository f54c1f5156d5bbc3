#include "formulations/recursion/branch_team.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

BranchTeam::BranchTeam(const LinkTree& tree, int threads)
    : branches_(static_cast<int>(tree.ranges().size()) - 1), team_(std::min(threads, std::max(1, branches_))) {
  double total = 0.0;
  for (const LinkRange& range : tree.ranges()) {
    total += range.cost;
  }
  for (int members = 1; members <= team_.size(); ++members) {
    std::vector<std::size_t> first(index_of(team_.size() + 1), tree.ranges().size());
    double before = 0.0;
    for (std::size_t b = tree.ranges().size(); b-- > 1;) {
      const double middle = total - before - 0.5 * tree.ranges()[b].cost;
      before += tree.ranges()[b].cost;
      const auto member = static_cast<int>(members * middle / total);
      std::fill_n(first.begin(), std::min(member, members - 1) + 1, b);
    }
    bounds_.insert(bounds_.end(), first.begin(), first.end());
  }
}

void BranchTeam::deliver(const LinkTree& tree, std::span<const double> by_place, std::span<double> by_velocity) const {
  const std::span<const int> places = tree.places();
  if (places.empty()) {
    return;
  }
  for_shares([&](std::size_t index, std::size_t count) {
    for (std::size_t u = places.size() * index / count; u < places.size() * (index + 1) / count; ++u) {
      by_velocity[u] = by_place[index_of(places[u])];
    }
  });
}

}  // namespace mbdbench
