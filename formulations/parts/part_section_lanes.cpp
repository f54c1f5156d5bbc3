/// \file
/// Sections of a line in lanes (sections/sections_in_lanes.hpp): how they take part in a recursion over the whole.
#include <algorithm>

#include "formulations/parts/part_recursion.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// \returns a frame that is known as if `base` rested at the origin.
LinkPoses::Row behind(const LinkPoses::Row& base, const LinkPoses::Row& way) {
  const Vec3 lever = base.axes * way.origin;
  LinkPoses::Row row;
  row.axes.noalias() = base.axes * way.axes;
  row.origin = base.origin + lever;
  row.omega = base.omega + base.axes * way.omega;
  row.velocity = base.velocity + base.omega.cross(lever) + base.axes * way.velocity;
  return row;
}

}  // namespace

// Ranks are settled: sections whose ranks differ are no twins.
void PartRecursion::make_twins(const InstructionSet& set) {
  if (tree_.twin_count() == 0 || poses_wanted_ == PosesWanted::bodies) {
    return;
  }
  std::vector<int> most(plan_.closings.size(), 0);
  for (std::size_t c = 0; c < solvers_.size(); ++c) {
    most[c] = static_cast<int>(solvers_[c].most);
  }
  twins_ = SectionsInLanes::of(*mechanism_, tree_, plan_, most, kZeroRow, set);
  if (twins_ == nullptr) {
    return;
  }
  uses_lanes_ = true;
  std::vector<bool> clears(index_of(plan_.product_count), true);
  for (std::size_t range = 0; range < outcomes_.size(); ++range) {
    for (std::size_t k = 0; twins_->has(range) && k < twins_->places_of(range).inner_blocks.size(); ++k) {
      clears[index_of(twins_->places_of(range).inner_blocks[k])] = false;
    }
  }
  for (int place = 0; place < plan_.product_count; ++place) {
    if (!clears[index_of(place)]) {
      continue;
    }
    if (cleared_beside_lanes_.empty() || cleared_beside_lanes_.back().second != place) {
      cleared_beside_lanes_.emplace_back(place, place);
    }
    ++cleared_beside_lanes_.back().second;
  }
}

void PartRecursion::use_baumgarte(double alpha, double beta) {
  if (twins_ != nullptr) {
    twins_->use_baumgarte(alpha, beta);
  }
}

void PartRecursion::clear_beside_lanes() {
  for (const auto& [first, last] : cleared_beside_lanes_) {
    std::fill(products_.get() + doubles(first), products_.get() + doubles(last), 0.0);
  }
}

LineMemory PartRecursion::line_memory() {
  return {inertias_.data(), columns_.get(), products_.get(), sizes_.data()};
}

void PartRecursion::eliminate_twins(std::size_t leader) {
  for (std::size_t range = leader; range < leader + kTwinsTogether; ++range) {
    outcomes_[range] = {kSound, twins_->redundant_rows(), 0.0};  // what lanes are not sure of is found at the end
    const SectionPlaces& section = twins_->places_of(range);
    for (const int columns : section.crossing_columns) {
      std::fill_n(columns_.get() + doubles(6 * columns), doubles(6), 0.0);
    }
    for (const int e : section.crossing_ends) {
      start_end(plan_.ends[index_of(e)]);
    }
  }
  twins_->eliminate(leader, cuts_, line_memory());
}

void PartRecursion::place_crossing_ends() {
  for (std::size_t range = 0; range < tree_.ranges().size(); ++range) {
    if (!twins_->has(range)) {
      continue;
    }
    for (const int e : twins_->places_of(range).crossing_ends) {
      const PartPlan::End& end = plan_.ends[index_of(e)];
      const Joint& cut = mechanism_->cut_joints()[index_of(end.cut)];
      poses_.take(tree_, index_of(end.sign < 0.0 ? cut.a : cut.b), twins_->row_of(range, end.row));
    }
  }
}

// Sections in lanes know their links relative to their bases first, so that one base after another can be found.
void PartRecursion::place_line(std::span<const double> q, std::span<const double> u) {
  for_ranges_and_twins([&](std::size_t range) { tree_.set_positions(q, tree_.ranges()[range], positions_); },
                       [&](std::size_t leader) { twins_->set_ways(leader, q, u); });
  for (std::size_t range = 0; range < tree_.ranges().size(); ++range) {
    const bool is_twin = twins_->has(range);
    const LinkPoses::Row* const base = base_of(range);
    if (!is_twin) {
      poses_.set_positions(tree_, positions_, tree_.ranges()[range], base);
      if (!u.empty()) {
        poses_.set_velocities(tree_, u, tree_.ranges()[range], base);
      }
    }
    for (int k = plan_.ranges[range].first_child; k < plan_.ranges[range].last_child; ++k) {
      const auto child = index_of(plan_.children[index_of(k)]);
      bases_[child] = is_twin ? behind(*base, twins_->way_of(range)) : poses_.row(index_of(plan_.seams[child].row));
    }
  }
  for_branches_and_twins([](std::size_t) {}, [&](std::size_t leader) { twins_->set_poses(leader, bases_); });
  place_crossing_ends();
}

}  // namespace mbdbench
