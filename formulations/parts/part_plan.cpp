#include "formulations/parts/part_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

int inboard_of(const LinkTree& tree, int row) {
  return tree.rows()[index_of(row)].inboard;
}

/// \returns the deepest row that both lie on or outboard of; -1: the ground. Inboard rows have smaller numbers.
int meeting_of(const LinkTree& tree, int one, int other) {
  while (one != other) {
    int& further = one > other ? one : other;
    further = inboard_of(tree, further);
  }
  return one;
}

/// \returns the row among whose quasi-velocities u is.
int row_of(const LinkTree& tree, int u) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const LinkRow& row = tree.rows()[i];
    const int width = row.kind == RowKind::free ? 6 : row.kind == RowKind::spherical ? 3 : 1;
    if (row.u <= u && u < row.u + width) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

int direction_count(RowKind kind) {
  switch (kind) {
    case RowKind::free:
      return 6;
    case RowKind::spherical:
      return 3;
    case RowKind::driven_revolute:
    case RowKind::driven_screw:
    case RowKind::driven_prismatic:
      return 0;
    default:
      return 1;
  }
}

std::unique_ptr<bool[]> rows_loaded_by_loops(const LinkTree& tree, const PartPlan& plan) {
  auto loaded = std::make_unique<bool[]>(tree.size());
  for (std::size_t i = tree.size(); i-- > 0;) {
    const LinkRow& row = tree.rows()[i];
    // What a section leaves for the link that it hangs on goes by way of its seam.
    loaded[i] = loaded[i] || row.motion >= 0 || plan.parts[i].closing >= 0;
    if (loaded[i] && row.inboard >= 0 && plan.parts[i].source == row.inboard) {
      loaded[index_of(row.inboard)] = true;
    }
  }
  return loaded;
}

PartPlan::PartPlan(const Mechanism& mechanism, const LinkTree& tree)
    : parts(tree.size()), loops_at_(tree.size()), columns_at_(tree.size()) {
  for (const Joint& cut : mechanism.cut_joints()) {
    loop_rows.push_back(cut.nc);
    loop_offsets.push_back(cut.row_offset);
  }
  for (std::size_t c = 0; c < mechanism.couplings().size(); ++c) {
    loop_rows.push_back(1);
    loop_offsets.push_back(mechanism.cut_row_count() + static_cast<int>(c));
  }
  kept_rows.resize(index_of(mechanism.closing_row_count()));
  std::iota(kept_rows.begin(), kept_rows.end(), 0);
  for (const LinkRun& run : tree.runs()) {
    parts[index_of(run.first)].starts = run.slot >= 0;
  }
  divide(tree);
  find_ways(mechanism, tree);
  add_seams(tree);
  blocks_of_.resize(loop_rows.size());
  rate_count = static_cast<int>(loop_rows.size());
  lay_stretches();
  lay_columns(tree);
  lay_passes(mechanism, tree);
  lay_ends(mechanism, tree);
  lay_closings(tree);
  lay_steps();
  mark_first_arrivals(tree);
}

void PartPlan::find_ways(const Mechanism& mechanism, const LinkTree& tree) {
  const auto link_of = [&](int body) { return body < 0 ? -1 : tree.bodies()[index_of(body)].row; };
  ways.resize(loop_rows.size());
  int loop = 0;
  for (const Joint& cut : mechanism.cut_joints()) {
    const int a = link_of(cut.a);
    const int b = link_of(cut.b);
    add_loop(tree, loop, {b, a}, meeting_of(tree, a, b));
    ++loop;
  }
  for (const Coupling& coupling : mechanism.couplings()) {
    int meet = -2;
    std::vector<int> starts;
    for (const Coupling::Term& term : coupling.terms) {
      starts.push_back(row_of(tree, term.u));
      const int inboard = inboard_of(tree, starts.back());
      meet = meet == -2 ? inboard : meeting_of(tree, meet, inboard);
    }
    add_loop(tree, loop, starts, meet);
    ++loop;
  }
}

void PartPlan::pass_joint(int row, int loop) {
  std::vector<int>& loops = loops_at_[index_of(row)];
  if (loops.empty() || loops.back() != loop) {
    loops.push_back(loop);
  }
}

void PartPlan::add_loop(const LinkTree& tree, int loop, const std::vector<int>& starts, int meet) {
  meets_.push_back(meet);
  meets_in_.push_back(-1);
  if (loop_rows[index_of(loop)] == 0) {
    return;  // a free cut joint closes nothing
  }
  if (crosses_seams(starts, meet)) {
    add_crossing_loop(tree, loop, starts, meet);
    return;
  }
  for (const int start : starts) {
    for (int row = start; row != meet; row = inboard_of(tree, row)) {
      if (const std::vector<int>& loops = loops_at_[index_of(row)]; loops.empty() || loops.back() != loop) {
        pass_joint(row, loop);
        ways[index_of(loop)].push_back(row);
      }
    }
  }
}

// Places stay where they are: what is left out leaves them empty.
void PartPlan::keep_rows(const std::vector<bool>& is_kept) {
  for (std::size_t loop = 0; loop < loop_offsets.size(); ++loop) {
    const int all = std::exchange(loop_rows[loop], 0);
    for (int row = loop_offsets[loop]; row < loop_offsets[loop] + all; ++row) {
      if (is_kept[index_of(row)]) {
        kept_rows[index_of(loop_offsets[loop] + loop_rows[loop]++)] = row;
      }
    }
  }
  for (LoopClosing& closing : closings) {
    closing.rows = 0;
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      closing.rows += loop_rows[index_of(closed_loops[index_of(l)])];
    }
  }
}

int PartPlan::columns_at(int row, int loop) {
  for (const auto& [other, place] : columns_at_[index_of(row)]) {
    if (other == loop) {
      return place;
    }
  }
  columns_at_[index_of(row)].emplace_back(loop, column_count);
  return column_count++;
}

int PartPlan::block(int one, int other) {
  const auto [smaller, larger] = std::minmax(one, other);
  for (const auto& [loop, place] : blocks_of_[index_of(larger)]) {
    if (loop == smaller) {
      return place;
    }
  }
  blocks_of_[index_of(larger)].emplace_back(smaller, product_count);
  const int place = product_count;
  product_count += loop_rows[index_of(larger)];
  return place;
}

LoopCross PartPlan::block_of(int one, int other) const {
  const auto [smaller, larger] = std::minmax(one, other);
  for (const auto& [loop, place] : blocks_of_[index_of(larger)]) {
    if (loop == smaller) {
      return {place, one < other};
    }
  }
  return {};
}

std::size_t PartPlan::closing_of(int loop) const {
  const auto place = std::find(closed_loops.begin(), closed_loops.end(), loop) - closed_loops.begin();
  const auto closing =
      std::find_if(closings.begin(), closings.end(), [&](const LoopClosing& at) { return place < at.last_loop; });
  return static_cast<std::size_t>(closing - closings.begin());
}

std::vector<std::size_t> PartPlan::units_of(const std::vector<std::size_t>& all, const LoopClosing& closing) const {
  std::vector<std::size_t> units;
  for (int l = closing.first_loop; l < closing.last_loop; ++l) {
    const int loop = closed_loops[index_of(l)];
    for (int j = 0; j < loop_rows[index_of(loop)]; ++j) {
      units.push_back(all[index_of(row_number(index_of(loop), j))]);
    }
  }
  std::vector<std::size_t> sorted = units;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t& unit : units) {
    unit = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), unit) - sorted.begin());
  }
  return units;
}

void PartPlan::lay_passes(const Mechanism& mechanism, const LinkTree& tree) {
  const std::size_t cut_count = mechanism.cut_joints().size();
  for (int i = static_cast<int>(tree.size()) - 1; i >= 0; --i) {
    PartRow& part = parts[index_of(i)];
    const LinkRow& row = tree.rows()[index_of(i)];
    part.first_pass = part.last_pass = static_cast<int>(passes.size());
    part.first_block = static_cast<int>(blocks.size());
    const std::vector<int>& loops = loops_at_[index_of(i)];
    if (loops.empty()) {
      continue;
    }
    const int directions = direction_count(row.kind);
    part.joint = static_cast<int>(joints.size());
    joints.emplace_back();
    joints.back().direction_count = directions;
    for (std::size_t p = 0; p < loops.size(); ++p) {
      const int loop = loops[p];
      LoopPass through;
      through.loop = loop;
      through.columns = columns_at(i, loop);
      const auto own = own_columns_.find({i, loop});
      if (own == own_columns_.end()) {
        through.inward = row.inboard < 0 ? -1 : columns_at(row.inboard, loop);
      } else {
        through.inward = own->second;
        std::vector<Handover>& to = in_sections_ ? base_columns : columns_left;
        to.push_back({range_of(i), 6 * own->second, in_sections_ ? -1 : 6 * columns_at(row.inboard, loop), 6});
      }
      through.rates = rates_of_row(i, loop);
      through.along = along_count;
      along_count += directions;
      if (index_of(loop) >= cut_count && index_of(loop) < loop_offsets.size()) {
        const Coupling& coupling = mechanism.couplings()[index_of(loop) - cut_count];
        for (const Coupling::Term& term : coupling.terms) {
          if (directions > 0 && row.u <= term.u && term.u < row.u + directions) {
            if (through.factors < 0) {
              through.factors = static_cast<int>(factors.size());
              factors.insert(factors.end(), index_of(directions), 0.0);
            }
            factors[index_of(through.factors + term.u - row.u)] += term.factor;
          }
        }
      }
      passes.push_back(through);
      for (std::size_t q = 0; q <= p; ++q) {
        blocks.push_back(block_of_row(i, loop, loops[q]));
      }
    }
    part.last_pass = static_cast<int>(passes.size());
  }
}

void PartPlan::lay_ends(const Mechanism& mechanism, const LinkTree& tree) {
  int cut = 0;
  const auto link_of = [&](int body) { return body < 0 ? -1 : tree.bodies()[index_of(body)].row; };
  for (const Joint& joint : mechanism.cut_joints()) {
    for (const auto& [body, sign] : {std::pair(joint.b, 1.0), std::pair(joint.a, -1.0)}) {
      if (const int row = link_of(body); row >= 0 && joint.nc > 0) {
        ends.push_back({cut, row, columns_at(row, cut), sign});
      }
    }
    ++cut;
  }
  std::stable_sort(ends.begin(), ends.end(), [this](const End& one, const End& other) {
    return range_of_[index_of(one.row)] < range_of_[index_of(other.row)];
  });
  int end = 0;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    ranges[r].first_end = end;
    while (end < static_cast<int>(ends.size()) && ends[index_of(end)].row < tree.ranges()[r].last_row) {
      ++end;
    }
    ranges[r].last_end = end;
  }
}

void PartPlan::mark_first_arrivals(const LinkTree& tree) {
  if (ranges.size() > 1) {
    return;
  }
  std::vector<bool> written(index_of(column_count));
  for (End& end : ends) {
    end.adds = written[index_of(end.columns)];
    written[index_of(end.columns)] = true;
  }
  const FirstArrivals first =
      mark_arrivals(std::span(parts).first(tree.size()), passes, static_cast<int>(tree.size()), std::move(written));
  cleared_rows = first.rows;
  cleared_columns = first.columns;
}

FirstArrivals mark_arrivals(std::span<PartRow> parts, std::span<LoopPass> passes, int receivers,
                            std::vector<bool> written) {
  FirstArrivals first;
  std::vector<bool> arrived(index_of(receivers));
  for (std::size_t i = parts.size(); i-- > 0;) {
    PartRow& part = parts[i];
    if (!arrived[i]) {
      first.rows.push_back(static_cast<int>(i));
    }
    if (part.receiver >= 0 && part.receiver < receivers) {
      part.adds = arrived[index_of(part.receiver)];
      arrived[index_of(part.receiver)] = true;
    }
    for (int p = part.first_pass; p < part.last_pass; ++p) {
      LoopPass& through = passes[index_of(p)];
      if (!written[index_of(through.columns)]) {
        first.columns.push_back(through.columns);
      }
      if (through.inward >= 0) {
        through.adds = written[index_of(through.inward)];
        written[index_of(through.inward)] = true;
      }
    }
  }
  return first;
}

template <typename ColumnsOf>
void PartPlan::fill_closing(LoopClosing& closing, const std::vector<int>& loops, const ColumnsOf& columns) {
  closing.first_loop = static_cast<int>(closed_loops.size());
  for (const int loop : loops) {
    closed_loops.push_back(loop);
    closed_columns.push_back(columns(loop));
    closing.rows += loop_rows[index_of(loop)];
    for (const int other : loops) {
      block(loop, other);
    }
  }
  closing.last_loop = static_cast<int>(closed_loops.size());
  closing.half = half_count;
  half_count += closing.rows * closing.rows;
  closing.right = right_count;
  right_count += closing.rows;
}

void PartPlan::fill_crosses(LoopClosing& closing, const std::vector<int>& loops) {
  const PartRow& part = parts[index_of(closing.part)];
  closing.across = across_count;
  across_count += closing.rows;
  closing.open = across_count;
  across_count += closing.rows * (part.last_pass - part.first_pass);
  closing.first_cross = static_cast<int>(crosses.size());
  for (const int loop : loops) {
    for (int p = part.first_pass; p < part.last_pass; ++p) {
      const int open = passes[index_of(p)].loop;
      const int place = block(loop, open);
      crosses.push_back({place, loop < open});
    }
  }
}

void PartPlan::lay_closings(const LinkTree& tree) {
  for (int row = static_cast<int>(tree.size()) - 1; row >= -1; --row) {
    const std::vector<int>& loops = closed_at_[index_of(row + 1)];
    if (loops.empty()) {
      continue;
    }
    LoopClosing closing;
    closing.row = row;
    closing.part = row;
    fill_closing(closing, loops, [&](int loop) { return row < 0 ? -1 : columns_at(row, loop); });
    if (row >= 0) {
      parts[index_of(row)].closing = static_cast<int>(closings.size());
      fill_crosses(closing, loops);
    } else {
      ground = static_cast<int>(closings.size());
    }
    closings.push_back(closing);
  }
  int next = 0;
  for (std::size_t r = ranges.size(); r-- > 0;) {
    ranges[r].first_closing = next;
    const int first_row = r > 0 ? tree.ranges()[r].first_row : -1;
    while (next < static_cast<int>(closings.size()) && closings[index_of(next)].row >= first_row) {
      ++next;
    }
    ranges[r].last_closing = next;
  }
}

LoopClosing PartPlan::closing_at_base(int section, const std::vector<int>& loops, const std::vector<int>& open) {
  LoopClosing closing;
  closing.row = base_of(section);
  closing.part = static_cast<int>(parts.size());
  PartRow part;
  part.first_pass = static_cast<int>(passes.size());
  part.first_block = static_cast<int>(blocks.size());
  for (std::size_t p = 0; p < open.size(); ++p) {
    LoopPass through;
    through.loop = open[p];
    through.columns = columns_at_base(section, open[p]);
    through.rates = open[p];
    passes.push_back(through);
    for (std::size_t q = 0; q <= p; ++q) {
      blocks.push_back(block(open[p], open[q]));
    }
  }
  part.last_pass = static_cast<int>(passes.size());
  parts.push_back(part);
  fill_closing(closing, loops, [&](int loop) { return columns_at_base(section, loop); });
  fill_crosses(closing, loops);
  return closing;
}

}  // namespace mbdbench
