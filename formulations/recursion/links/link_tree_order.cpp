/// \file
/// In which order the rows of a LinkTree stand: the trunk before the branches, runs, segments, bodies.
#include <cmath>

#include "formulations/recursion/links/link_tree.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

int LinkTree::branch_of(int element) const {
  return division_.branch_of.empty() ? 0 : division_.branch_of[index_of(element)];
}

void LinkTree::order_rows(const Mechanism& mechanism) {
  std::vector<int> position(elements_.size(), -1);
  // Elements are numbered outward: a run starts at every one that does not continue the run of its inboard element,
  // and that element's run has been laid out before.
  for (int branch = 0; branch <= static_cast<int>(division_.costs.size()); ++branch) {
    open_range(branch);
    for (int start = 0; start < static_cast<int>(elements_.size()); ++start) {
      if (position[index_of(start)] < 0 && branch_of(start) == branch) {
        add_run(mechanism, start, position);
      }
    }
    close_range();
  }
  number_slots();
  number_places(mechanism);
  place_bodies(position);
}

void LinkTree::add_run(const Mechanism& mechanism, int start, std::vector<int>& position) {
  Placement placement = place(start);
  LinkRun run;
  run.first = static_cast<int>(rows_.size());
  run.start = {std::cos(placement.beta), std::sin(placement.beta), placement.d};
  if (const int inboard = elements_[index_of(start)].inboard; inboard >= 0) {
    LinkRow& row = rows_[index_of(position[index_of(inboard)])];
    if (row.slot < 0) {
      row.slot = slot_count_++;
    }
    run.slot = row.slot;
    if (branch_of(inboard) != branch_of(start)) {
      run.root = static_cast<int>(roots_.size());
      roots_.push_back(static_cast<int>(runs_.size()));
    }
  } else {
    run.axes = plain_of(placement.start_axes);
    run.origin = plain_of(placement.start_origin);
    run.gravity = plain_of(Vec3(placement.start_axes.transpose() * mechanism.gravity()));
  }
  for (int element = start; element >= 0;) {
    position[index_of(element)] = static_cast<int>(rows_.size());
    add_row(mechanism, element, placement);
    const int inboard = elements_[index_of(element)].inboard;
    rows_.back().inboard = inboard < 0 ? -1 : position[index_of(inboard)];
    element = first_child_[index_of(element)];
    if (element >= 0) {
      placement = place(element);
      if (placement.d != 0.0 || branch_of(element) != branch_of(start)) {
        break;  // its own run, laid out when its number comes
      }
    }
  }
  run.last = static_cast<int>(rows_.size());
  runs_.push_back(run);
}

void LinkTree::open_range(int branch) {
  LinkRange range;
  range.first_row = static_cast<int>(rows_.size());
  range.first_run = static_cast<int>(runs_.size());
  range.first_turn = static_cast<int>(turns_.size());
  range.first_sliding = static_cast<int>(sliding_rows_.size());
  range.first_spherical = static_cast<int>(spherical_.size());
  range.first_root = static_cast<int>(roots_.size());
  range.cost = branch > 0 ? division_.costs[index_of(branch - 1)] : 0.0;
  ranges_.push_back(range);
}

void LinkTree::close_range() {
  LinkRange& range = ranges_.back();
  range.last_row = static_cast<int>(rows_.size());
  range.last_run = static_cast<int>(runs_.size());
  range.last_turn = static_cast<int>(turns_.size());
  range.last_sliding = static_cast<int>(sliding_rows_.size());
  range.last_spherical = static_cast<int>(spherical_.size());
  range.last_root = static_cast<int>(roots_.size());
}

// In the order of the rows, so that those of a range are neighbours.
void LinkTree::number_slots() {
  std::vector<int> number(index_of(slot_count_));
  int next = 0;
  for (LinkRange& range : ranges_) {
    range.first_slot = next;
    for (int i = range.first_row; i < range.last_row; ++i) {
      if (int& slot = rows_[index_of(i)].slot; slot >= 0) {
        number[index_of(slot)] = next;
        slot = next++;
      }
    }
    range.last_slot = next;
  }
  for (LinkRun& run : runs_) {
    run.slot = run.slot < 0 ? -1 : number[index_of(run.slot)];
  }
}

void LinkTree::number_places(const Mechanism& mechanism) {
  if (layout_ != TreeLayout::shared_branches || ranges_.size() == 1) {
    return;  // quasi-velocities, as add_row has it
  }
  places_.resize(index_of(mechanism.u_size()));
  int next = 0;
  for (LinkRow& row : rows_) {
    row.place = next;
    const int width = row.kind == RowKind::free ? 6 : row.kind == RowKind::spherical ? 3 : 1;
    for (int i = 0; i < width; ++i) {
      places_[index_of(row.u + i)] = next++;
    }
  }
}

void LinkTree::place_bodies(std::span<const int> position) {
  for (const BodyPlace& place : body_places_) {
    if (place.element < 0) {
      bodies_.push_back({-1, place.rotation, place.origin});
      continue;
    }
    const Frame& frame = frames_[index_of(place.element)];
    bodies_.push_back({position[index_of(place.element)], frame.axes.transpose() * place.rotation,
                       frame.axes.transpose() * (place.origin - frame.origin)});
  }
  for (LinkRange& range : ranges_) {
    range.first_body = static_cast<int>(body_order_.size());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const int row = bodies_[k].row;
      const bool moves_here = range.first_row <= row && row < range.last_row;
      if (moves_here || (row < 0 && &range == &ranges_.front())) {
        body_order_.push_back(static_cast<int>(k));
      }
    }
    range.last_body = static_cast<int>(body_order_.size());
  }
}

void LinkTree::number_turns() {
  for (const int row : turns_) {
    turn_coordinates_.push_back(rows_[index_of(row)].q);
  }
}

std::vector<LinkSegment> divide_into_segments(std::span<const LinkRow> rows, std::span<LinkRun> runs) {
  std::vector<LinkSegment> segments;
  for (LinkRun& run : runs) {
    run.first_segment = static_cast<int>(segments.size());
    for (int i = run.first; i < run.last; ++i) {
      const RowKind kind = rows[index_of(i)].kind;
      const bool continues = i > run.first && kind == RowKind::revolute && segments.back().kind == kind;
      if (!continues) {
        segments.push_back({kind, i, i});
      }
      segments.back().last = i + 1;
    }
    run.last_segment = static_cast<int>(segments.size());
  }
  return segments;
}

}  // namespace mbdbench
