/// \file
/// What a branch of the tree has of its own in a PartPlan, since others are swept at the same time.
#include <algorithm>

#include "formulations/parts/part_plan.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// Packs between what two threads add to at every row: processors fetch two lines of 64 bytes at a time.
constexpr int kApart = 2;

}  // namespace

void PartPlan::divide(const LinkTree& tree) {
  range_of_.resize(tree.size());
  ranges.resize(tree.ranges().size());
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const LinkRange& range = tree.ranges()[r];
    std::fill(range_of_.begin() + range.first_row, range_of_.begin() + range.last_row, static_cast<int>(r));
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    parts[i].receiver = parts[i].source = tree.rows()[i].inboard;
  }
  in_sections_ = tree.in_sections();
  row_count_ = static_cast<int>(tree.size());
  for (const int run : tree.roots()) {
    roots.push_back(tree.runs()[index_of(run)].first);
    PartRow& root = parts[index_of(roots.back())];
    root.receiver = row_count_ + static_cast<int>(roots.size()) - 1;
    if (in_sections_) {
      root.source = root.receiver;
    }
  }
}

bool PartPlan::leaves(int range, int loop) const {
  const int meet = meets_[index_of(loop)];
  return range > 0 && (meet < 0 || range_of_[index_of(meet)] != range);
}

int PartPlan::block_of_row(int row, int one, int other) {
  const int place = block(one, other);
  const int range = range_of_[index_of(row)];
  if (!leaves(range, one) || !leaves(range, other)) {
    return place;
  }
  const auto [smaller, larger] = std::minmax(one, other);
  const auto [own, is_new] = own_blocks_.try_emplace({range, larger, smaller}, product_count);
  if (is_new) {
    product_count += kApart;
    own->second = product_count;
    products_left.push_back({range, product_count, place, loop_rows[index_of(larger)]});
    product_count += loop_rows[index_of(larger)];
  }
  return own->second;
}

int PartPlan::rates_of_row(int row, int loop) {
  const int range = range_of_[index_of(row)];
  if (!leaves(range, loop)) {
    return loop;
  }
  const auto [own, is_new] = own_rates_.try_emplace({range, loop}, rate_count);
  if (is_new) {
    rate_count += kApart;
    own->second = rate_count;
    rates_left.push_back({range, rate_count++, loop, 1});
  }
  return own->second;
}

void PartPlan::lay_stretches() {
  for (std::size_t loop = 0; loop < ways.size(); ++loop) {
    closed_in.push_back(meets_[loop] < 0 ? 0 : range_of(meets_[loop]));
    first_stretch.push_back(static_cast<int>(stretches.size()));
    std::vector<int>& way = ways[loop];
    std::stable_sort(way.begin(), way.end(), [this](int one, int other) { return range_of(one) < range_of(other); });
    for (std::size_t i = 0; i < way.size(); ++i) {
      const int at = static_cast<int>(i);
      if (i == 0 || range_of(way[i]) != stretches.back().range) {
        stretches.push_back({static_cast<int>(loop), range_of(way[i]), at, at});
      }
      ++stretches.back().last;
    }
  }
  first_stretch.push_back(static_cast<int>(stretches.size()));
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    if (stretches[s].range > 0 && stretches[s].range != closed_in[index_of(stretches[s].loop)]) {
      left.push_back(static_cast<int>(s));
    }
  }
  const auto range_of_left = [this](int s) { return stretches[index_of(s)].range; };
  std::stable_sort(left.begin(), left.end(),
                   [&](int one, int other) { return range_of_left(one) < range_of_left(other); });
  int next = 0;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    ranges[r].first_left = next;
    while (next < static_cast<int>(left.size()) && range_of_left(left[index_of(next)]) == static_cast<int>(r)) {
      ++next;
    }
    ranges[r].last_left = next;
  }
}

// Those of a range are neighbours: each clears its own.
void PartPlan::lay_columns(const LinkTree& tree) {
  closed_at_.resize(tree.size() + 1);
  for (std::size_t loop = 0; loop < meets_.size(); ++loop) {
    if (loop_rows[loop] > 0 && meets_[loop] != kAtBase) {
      closed_at_[index_of(meets_[loop] + 1)].push_back(static_cast<int>(loop));
    }
  }
  for (std::size_t r = ranges.size(); r-- > 0;) {
    ranges[r].first_column = column_count;
    for (int row = tree.ranges()[r].last_row; row-- > tree.ranges()[r].first_row;) {
      for (const int loop : loops_at_[index_of(row)]) {
        columns_at(row, loop);
        if (parts[index_of(row)].receiver >= static_cast<int>(tree.size())) {
          own_columns_[{row, loop}] = column_count++;
        }
      }
      for (const int loop : closed_at_[index_of(row + 1)]) {
        columns_at(row, loop);
      }
    }
    if (r == 0) {
      lay_bases(tree);
    }
    ranges[r].last_column = column_count;
  }
}

}  // namespace mbdbench
