#pragma once
/// \file
/// Results of a LinkTree by quasi-velocity, whose order is that of the mechanism and not that of the branches.
#include <span>
#include <vector>

#include "formulations/execution/branch_team.hpp"
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

/// Where the pieces of arrays stand that processes exchange (BranchTeam::pieces).
struct BranchPieces {
  std::vector<std::size_t> ranges;  ///< one entry a range
  std::vector<std::size_t> roots;   ///< one entry a root
  std::vector<std::size_t> places;  ///< numbers by place

  BranchPieces(const BranchTeam& team, const LinkTree& tree, std::size_t range_size, std::size_t root_size) {
    std::vector<std::size_t> first_ranges;
    std::vector<std::size_t> first_roots;
    std::vector<std::size_t> first_places;
    for (std::size_t b = 1; b < tree.ranges().size(); ++b) {
      const LinkRange& range = tree.ranges()[b];
      first_ranges.push_back(b);
      first_roots.push_back(index_of(range.first_root));
      first_places.push_back(index_of(tree.rows()[index_of(range.first_row)].place));
    }
    first_ranges.push_back(tree.ranges().size());
    first_roots.push_back(tree.roots().size());
    first_places.push_back(tree.places().size());
    ranges = team.pieces(first_ranges, range_size);
    roots = team.pieces(first_roots, root_size);
    places = team.pieces(first_places, sizeof(double));
  }
};

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
