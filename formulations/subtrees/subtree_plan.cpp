#include "formulations/subtrees/subtree_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "formulations/recursion/links/link_loads.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kTwoBlocks = 1000;

std::string refuse_rows(const Mechanism& mechanism, const LinkTree& tree) {
  for (std::size_t row = 0; row < tree.size(); ++row) {
    if (tree.rows()[row].kind != RowKind::revolute) {
      return fmt::format("sub-trees need revolute (and universal, and fixed) joints so far; joint '{}' is another",
                         mechanism.tree_joints()[index_of(tree.joint(row))].name);
    }
  }
  return {};
}

}  // namespace

std::string refuse_for_subtrees(const Mechanism& mechanism) {
  if (!mechanism.couplings().empty()) {
    return fmt::format("sub-trees couple no joints so far (coupling '{}')", mechanism.couplings().front().name);
  }
  if (!mechanism.cut_joints().empty()) {
    return "sub-trees close no loops so far";
  }
  if (mechanism.rheonomic()) {
    return "sub-trees take no prescribed motions so far";
  }
  std::string refusal = refuse_loads_with_poses(mechanism);
  if (refusal.empty()) {
    refusal = refuse_rows(mechanism, LinkTree(mechanism));
  }
  if (refusal.empty() && SubtreePlan(mechanism).blocks().empty()) {
    refusal =
        "no eight of its sub-trees have the same form; aba and naudet treat any tree, leaf=subchain serial chains";
  }
  return refusal;
}

SubtreePlan::SubtreePlan(const Mechanism& mechanism) : tree_(mechanism) {
  find_children();
  find_forms();
  covered_.assign(tree_.size(), 0);
  above_covered_.assign(tree_.size(), 0);
  std::vector<int> roots;
  const auto cover_groups = [&](std::size_t least) {
    for (std::vector<int> group = next_group(least); !group.empty(); group = next_group(least)) {
      cover(group);
      roots.insert(roots.end(), group.begin(), group.end());
    }
  };
  // Two blocks, which threads can share, where one thread does not feel the larger trunk.
  if (tree_.size() >= kTwoBlocks) {
    cover_groups(std::size_t{2} * kLanes);
  }
  cover_groups(kLanes);
  build_trunk();
  build_blocks(roots);
}

void SubtreePlan::find_children() {
  parent_.assign(tree_.size(), -1);
  run_of_.assign(tree_.size(), -1);
  children_.resize(tree_.size());
  std::vector<int> row_of_slot(index_of(tree_.slot_count()), -1);
  for (std::size_t row = 0; row < tree_.size(); ++row) {
    if (tree_.rows()[row].slot >= 0) {
      row_of_slot[index_of(tree_.rows()[row].slot)] = static_cast<int>(row);
    }
  }
  for (const LinkRun& run : tree_.runs()) {
    for (int row = run.first + 1; row < run.last; ++row) {
      parent_[index_of(row)] = row - 1;
      children_[index_of(row - 1)].push_back(row);
    }
  }
  for (std::size_t r = 0; r < tree_.runs().size(); ++r) {
    const LinkRun& run = tree_.runs()[r];
    run_of_[index_of(run.first)] = static_cast<int>(r);
    if (run.slot >= 0) {
      const int inboard = row_of_slot[index_of(run.slot)];
      parent_[index_of(run.first)] = inboard;
      children_[index_of(inboard)].push_back(run.first);
    } else {
      ground_runs_.push_back(static_cast<int>(r));
    }
  }
}

void SubtreePlan::find_forms() {
  form_.assign(tree_.size(), 0);
  size_.assign(tree_.size(), 1);
  // A form: those of the children, and whether the first one continues the run.
  std::map<std::vector<int>, int> known;
  for (std::size_t row = tree_.size(); row-- > 0;) {
    std::vector<int> form;
    for (const int child : children_[row]) {
      form.push_back(run_of_[index_of(child)] < 0 ? -1 : -2);
      form.push_back(form_[index_of(child)]);
      size_[row] += size_[index_of(child)];
    }
    form_[row] = known.emplace(std::move(form), static_cast<int>(known.size())).first->second;
  }
}

std::vector<int> SubtreePlan::next_group(std::size_t least) const {
  std::map<int, std::vector<int>> rows_of_form;
  for (std::size_t row = 0; row < tree_.size(); ++row) {
    if (covered_[row] == 0 && above_covered_[row] == 0) {
      rows_of_form[form_[row]].push_back(static_cast<int>(row));
    }
  }
  std::vector<int> best;
  int most = 0;
  for (auto& [form, rows] : rows_of_form) {
    rows.resize(rows.size() < least ? 0 : rows.size() / kLanes * kLanes);
    const int rows_covered = static_cast<int>(rows.size()) * (rows.empty() ? 0 : size_[index_of(rows.front())]);
    // Of as many rows the larger sub-trees: fewer places where lanes meet the trunk.
    if (rows_covered > most ||
        (rows_covered == most && !rows.empty() && size_[index_of(rows.front())] > size_[index_of(best.front())])) {
      most = rows_covered;
      best = rows;
    }
  }
  return best;
}

void SubtreePlan::cover(std::span<const int> roots) {
  std::vector<int> open(roots.begin(), roots.end());
  while (!open.empty()) {
    const int row = open.back();
    open.pop_back();
    covered_[index_of(row)] = 1;
    open.insert(open.end(), children_[index_of(row)].begin(), children_[index_of(row)].end());
  }
  for (const int root : roots) {
    for (int row = parent_[index_of(root)]; row >= 0; row = parent_[index_of(row)]) {
      above_covered_[index_of(row)] = 1;
    }
  }
}

/// The run that begins at `root` and all that hangs on it, without covered rows if the root is not. \param row where
/// its first row stands; receives the place behind the last one
void SubtreePlan::add_run(TreeForm& form, int lane, int root, int slot, const kernels::RunStart<double>& start,
                          int& row) {
  const auto lanes = index_of(form.lanes);
  const bool first_lane = lane == 0;
  const bool leave_covered = covered_[index_of(root)] == 0;
  TreeRun run{row, row, slot};
  std::vector<int> inboard;  // rows of the run
  for (int at = root; at >= 0;) {
    inboard.push_back(at);
    int next = -1;
    for (const int child : children_[index_of(at)]) {
      const bool left = leave_covered && covered_[index_of(child)] != 0;
      next = run_of_[index_of(child)] < 0 && !left ? child : next;
    }
    at = next;
  }
  run.last = row + static_cast<int>(inboard.size());
  row = run.last;
  if (first_lane) {
    form.runs.push_back(run);
    form.slot_of_row.resize(index_of(run.last), -1);
    form.rows.resize(index_of(run.last) * lanes, -1);
    form.starts.resize(form.runs.size() * lanes);
  }
  // Every lane meets its runs in the same order: the run is the one that ends where this one does.
  const auto place = static_cast<std::size_t>(
      std::find_if(form.runs.begin(), form.runs.end(), [&](const TreeRun& r) { return r.first == run.first; }) -
      form.runs.begin());
  form.starts[place * lanes + index_of(lane)] = start;
  for (std::size_t i = 0; i < inboard.size(); ++i) {
    form.rows[(index_of(run.first) + i) * lanes + index_of(lane)] = inboard[i];
  }
  for (std::size_t i = 0; i < inboard.size(); ++i) {
    for (const int child : children_[index_of(inboard[i])]) {
      if (run_of_[index_of(child)] < 0 || (leave_covered && covered_[index_of(child)] != 0)) {
        continue;
      }
      int& own_slot = form.slot_of_row[index_of(run.first) + i];
      if (own_slot < 0) {
        own_slot = form.slots++;
      }
      add_run(form, lane, child, own_slot, tree_.runs()[index_of(run_of_[index_of(child)])].start, row);
    }
  }
}

void SubtreePlan::build_trunk() {
  trunk_.slots = static_cast<int>(ground_runs_.size());
  int row = 0;
  for (std::size_t g = 0; g < ground_runs_.size(); ++g) {
    const int root = tree_.runs()[index_of(ground_runs_[g])].first;
    if (covered_[index_of(root)] == 0) {
      add_run(trunk_, 0, root, static_cast<int>(g), {1.0, 0.0, 0.0}, row);
    }
  }
  trunk_row_.assign(tree_.size(), -1);
  for (std::size_t i = 0; i < trunk_.rows.size(); ++i) {
    trunk_row_[index_of(trunk_.rows[i])] = static_cast<int>(i);
  }
}

int SubtreePlan::trunk_slot_of(int row) {
  int& slot = trunk_.slot_of_row[index_of(trunk_row_[index_of(row)])];
  if (slot < 0) {
    slot = trunk_.slots++;
  }
  return slot;
}

TreePort SubtreePlan::port_of(int root) {
  TreePort port;
  const int run = run_of_[index_of(root)];
  if (parent_[index_of(root)] < 0) {
    const auto found = std::find(ground_runs_.begin(), ground_runs_.end(), run);
    port.trunk_slot = static_cast<int>(found - ground_runs_.begin());
    return port;  // gravity is given in the start frame
  }
  port.trunk_slot = trunk_slot_of(parent_[index_of(root)]);
  if (run >= 0) {
    port.start = tree_.runs()[index_of(run)].start;
  }
  return port;
}

void SubtreePlan::build_blocks(std::span<const int> roots) {
  for (std::size_t first = 0; first < roots.size(); first += kLanes) {
    TreeForm form;
    form.lanes = kLanes;
    form.slots = 1;
    std::array<TreePort, kLanes> ports;
    for (int lane = 0; lane < kLanes; ++lane) {
      const int root = roots[first + index_of(lane)];
      ports[index_of(lane)] = port_of(root);
      int row = 0;
      add_run(form, lane, root, 0, ports[index_of(lane)].start, row);
    }
    blocks_.push_back(std::move(form));
    ports_.push_back(ports);
  }
}

}  // namespace mbdbench
