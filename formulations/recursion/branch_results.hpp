#pragma once
/// \file
/// Results of a LinkTree by quasi-velocity, whose order is that of the mechanism and not that of the branches.
#include <span>
#include <vector>

#include "formulations/execution/branch_mail.hpp"
#include "formulations/recursion/links/link_tree.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

/// \returns the costs of a tree's ranges, as a BranchTeam shares them.
inline std::vector<double> branch_costs(const LinkTree& tree) {
  std::vector<double> costs;
  for (const LinkRange& range : tree.ranges()) {
    costs.push_back(range.cost);
  }
  return costs;
}

/// \returns where sweeps write what belongs to quasi-velocities (LinkRow::place): at once, or into `by_place`.
inline std::span<double> sweep_target(std::span<double> by_velocity, std::vector<double>& by_place) {
  return by_place.empty() ? by_velocity : std::span<double>(by_place);
}

/// What branches have of numbers by place goes into a letter. \param by_place empty: nothing
inline void add_places(const LinkTree& tree, std::span<double> by_place, BranchLetter& letter) {
  for (std::size_t b = 1; b < tree.ranges().size() && !by_place.empty(); ++b) {
    const LinkRange& range = tree.ranges()[b];
    const std::size_t first = index_of(tree.rows()[index_of(range.first_row)].place);
    const std::size_t last =
        b + 1 == tree.ranges().size() ? by_place.size() : index_of(tree.rows()[index_of(range.last_row)].place);
    letter.add(b, by_place.subspan(first, last - first));
  }
}

/// From there to where it is wanted, after the sweeps and the exchange. Nothing where it has been written at once.
inline void deliver(const BranchTeam& team, const LinkTree& tree, std::span<const double> by_place,
                    std::span<double> by_velocity) {
  const std::span<const int> places = tree.places();
  if (places.empty()) {
    return;
  }
  team.run([&](const BranchShare& share) {
    share.for_each(places.size(), [&](std::size_t u) { by_velocity[u] = by_place[index_of(places[u])]; });
  });
}

}  // namespace mbdbench
