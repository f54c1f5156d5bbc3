/// \file
/// Sections of a line in a PartPlan: seams, loops that cross them, and what happens at the base of every section.
#include <algorithm>

#include "formulations/parts/part_plan.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

bool PartPlan::crosses_seams(const std::vector<int>& starts, int meet) const {
  return in_sections_ && std::any_of(starts.begin(), starts.end(), [&](int row) {
           return row >= 0 && (meet < 0 || range_of(row) != range_of(meet));
         });
}

void PartPlan::pass_to_base(const LinkTree& tree, int row, int loop) {
  for (int next = row; next >= 0 && range_of(next) == range_of(row); next = tree.rows()[index_of(next)].inboard) {
    pass_joint(next, loop);
  }
}

// From one section to the next, columns of the seam carry it. By its whole way the rows are counted that are zero
// (PartRecursion::set_negligible), and by what it has passed beyond.
void PartPlan::add_crossing_loop(const LinkTree& tree, int loop, const std::vector<int>& starts, int meet) {
  std::vector<bool> counts(tree.size(), false);
  for (const int start : starts) {
    for (int row = start; row != meet; row = tree.rows()[index_of(row)].inboard) {
      counts[index_of(row)] = true;
    }
    if (start >= 0) {
      pass_to_base(tree, start, loop);
    }
  }
  for (std::size_t row = 0; row < counts.size(); ++row) {
    if (counts[row] || (!loops_at_[row].empty() && loops_at_[row].back() == loop)) {
      ways[index_of(loop)].push_back(static_cast<int>(row));
    }
  }
  if (meet >= 0 && base_of(range_of(meet)) < base_of(1)) {
    meets_[index_of(loop)] = kAtBase;
    meets_in_[index_of(loop)] = range_of(meet);
  } else {
    meets_[index_of(loop)] = -1;  // the base of the first section is the ground
  }
}

int PartPlan::base_of(int section) const {
  const auto root = std::find_if(roots.begin(), roots.end(), [&](int row) { return range_of(row) == section; });
  return row_count_ + static_cast<int>(root - roots.begin());
}

void PartPlan::add_seams(const LinkTree& tree) {
  for (std::size_t k = 0; in_sections_ && k < roots.size(); ++k) {
    const int row = tree.rows()[index_of(roots[k])].inboard;
    const auto loop = static_cast<int>(loop_rows.size());
    loop_rows.push_back(6);
    meets_.push_back(kAtBase);
    meets_in_.push_back(-1);
    pass_to_base(tree, row, loop);
    seams.push_back({range_of(row), row, row_count_ + static_cast<int>(k), loop, -1, -1, {}});
  }
  lay_ways_to_seams(tree);
  ways.resize(loop_rows.size());
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    ranges[r].first_child = static_cast<int>(children.size());
    for (std::size_t k = 0; k < seams.size(); ++k) {
      if (seams[k].range == static_cast<int>(r)) {
        children.push_back(static_cast<int>(k));
      }
    }
    ranges[r].last_child = static_cast<int>(children.size());
  }
}

void PartPlan::lay_ways_to_seams(const LinkTree& tree) {
  std::vector<int> begins(tree.size(), -1);
  for (std::size_t run = 0; run < tree.runs().size(); ++run) {
    begins[index_of(tree.runs()[run].first)] = static_cast<int>(run);
  }
  for (Seam& seam : seams) {
    for (int row = seam.row; row >= 0; row = tree.rows()[index_of(row)].inboard) {
      seam.way.push_back({row, begins[index_of(row)]});
    }
    std::reverse(seam.way.begin(), seam.way.end());
  }
}

void PartPlan::lay_bases(const LinkTree& tree) {
  if (!in_sections_) {
    return;
  }
  at_base_.resize(ranges.size());
  closed_at_base_.resize(ranges.size());
  ground_columns_ = column_count++;
  for (std::size_t section = ranges.size(); section-- > 1;) {
    std::vector<std::pair<int, int>>& loops = at_base_[section];
    for (int row = tree.ranges()[section].first_row; row < tree.ranges()[section].last_row; ++row) {
      const bool is_base = parts[index_of(row)].source < 0 || parts[index_of(row)].source >= row_count_;
      for (std::size_t l = 0; is_base && l < loops_at_[index_of(row)].size(); ++l) {
        const int loop = loops_at_[index_of(row)][l];
        const auto own = own_columns_.find({row, loop});
        loops.emplace_back(loop, own == own_columns_.end() ? ground_columns_ : own->second);
      }
    }
    std::vector<int> passed;  // on from the sections that hang on this one
    for (int k = ranges[section].first_child; k < ranges[section].last_child; ++k) {
      const int child = range_of(roots[index_of(children[index_of(k)])]);
      for (const auto& [loop, place] : at_base_[index_of(child)]) {
        const std::vector<int>& closed = closed_at_base_[index_of(child)];
        const bool is_seam = index_of(loop) >= loop_offsets.size();
        if (!is_seam && std::find(closed.begin(), closed.end(), loop) == closed.end()) {
          passed.push_back(loop);
        }
      }
    }
    for (const int loop : passed) {
      if (columns_at_base(static_cast<int>(section), loop) < 0) {
        loops.emplace_back(loop, section == 1 ? ground_columns_ : column_count++);
      }
    }
    std::sort(loops.begin(), loops.end());
    loops.erase(std::unique(loops.begin(), loops.end()), loops.end());  // at the ground joints of several roots
    for (std::size_t loop = 0; loop < meets_in_.size(); ++loop) {
      if (meets_in_[loop] == static_cast<int>(section)) {
        closed_at_base_[section].push_back(static_cast<int>(loop));
      }
    }
  }
  for (Seam& seam : seams) {
    seam.columns = columns_at(seam.row, seam.loop);
    seam.base = columns_at_base(seam.range, seam.loop);
  }
}

int PartPlan::columns_at_base(int section, int loop) const {
  for (const auto& [other, place] : at_base_[index_of(section)]) {
    if (other == loop) {
      return place;
    }
  }
  return -1;
}

void PartPlan::lay_steps() {
  std::vector<int> in_sections;
  for (int section = static_cast<int>(ranges.size()) - 1; in_sections_ && section > 0; --section) {
    for (int k = ranges[index_of(section)].first_child; k < ranges[index_of(section)].last_child; ++k) {
      steps.push_back({-1, children[index_of(k)], {}});
      in_sections.push_back(section);
    }
    if (!closed_at_base_[index_of(section)].empty()) {
      steps.push_back({-1, -1, {}});
      in_sections.push_back(section);
    }
  }
  for (const bool closes : {true, false}) {
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if ((steps[s].seam < 0) == closes) {
        lay_step(in_sections[s], steps[s]);
      }
    }
    solver_count = closes ? closings.size() : solver_count;
  }
}

void PartPlan::lay_step(int section, Step& step) {
  const std::vector<int>& closed = closed_at_base_[index_of(section)];
  std::vector<int> loops = closed;
  if (step.seam >= 0) {
    loops = {seams[index_of(step.seam)].loop};
  }
  std::vector<int> open;
  for (const auto& [loop, place] : at_base_[index_of(section)]) {
    const auto seam =
        std::find_if(seams.begin(), seams.end(), [loop = loop](const Seam& of) { return of.loop == loop; });
    const bool is_later = seam != seams.end() && step.seam >= 0 && seam - seams.begin() > step.seam;
    const bool goes_on =
        seam == seams.end() && (step.seam >= 0 || std::find(closed.begin(), closed.end(), loop) == closed.end());
    if (is_later || goes_on) {
      open.push_back(loop);
    }
  }
  step.closing = static_cast<int>(closings.size());
  closings.push_back(closing_at_base(section, loops, open));
  if (step.seam >= 0) {
    const int child = range_of(roots[index_of(step.seam)]);
    for (const int loop : open) {
      const bool is_seam = index_of(loop) >= loop_offsets.size();
      const std::vector<int>& there = closed_at_base_[index_of(child)];
      const bool ended = std::find(there.begin(), there.end(), loop) != there.end();
      step.left.push_back(is_seam || ended ? -1 : columns_at_base(child, loop));
    }
  }
}

}  // namespace mbdbench
