#include "formulations/subtrees/subtree_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "formulations/recursion/links/link_loads.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kTwoBlocks = 1000;

// What a row costs in all sweeps, alone or in lanes, and what a lane and the trunk tell each other, ns about.
constexpr double kRow = 100.0;
constexpr double kRowInLanes = 140.0;
constexpr double kLane = 40.0;

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
    const auto joints = mechanism.tree_joints();
    const auto screw = std::find_if(joints.begin(), joints.end(), [](auto& j) { return j.type == JointType::screw; });
    if (screw != joints.end()) {
      refusal = fmt::format("sub-trees have no screws so far (joint '{}')", screw->name);
    }
  }
  return refusal;
}

SubtreePlan::SubtreePlan(const Mechanism& mechanism) : tree_(mechanism) {
  find_children();
  find_forms();
  covered_.assign(tree_.size(), 0);
  above_covered_.assign(tree_.size(), 0);
  std::vector<std::vector<int>> groups;
  const auto cover_groups = [&](std::size_t least, std::size_t multiple) {
    for (auto roots = next_group(least, multiple); !roots.empty(); roots = next_group(least, multiple)) {
      cover(roots);
      groups.push_back(std::move(roots));
    }
  };
  // Two blocks, which threads can share, where one thread does not feel the larger trunk.
  if (tree_.size() >= kTwoBlocks) {
    cover_groups(2 * kManyLanes, kManyLanes);
  }
  cover_groups(kManyLanes, kManyLanes);
  cover_groups(kFewLanes, kFewLanes);
  build_trunk();
  for (const std::vector<int>& roots : groups) {
    build_group(roots);
  }
  trunk_.finish();
}

std::vector<double> SubtreePlan::costs(std::size_t lanes) const {
  std::vector<double> costs = {kRow * static_cast<double>(trunk_.rows.size())};
  for (const SubtreeGroup& group : groups_) {
    for (std::size_t first = 0; first < group.ports.size(); first += lanes) {
      costs.push_back(kRowInLanes * static_cast<double>(group.form.rows.size()) + kLane * static_cast<double>(lanes));
    }
  }
  return costs;
}

double SubtreePlan::relative_cost() const {
  const std::vector<double> all = costs(kFewLanes);
  return std::accumulate(all.begin(), all.end(), 0.0) / (kRow * static_cast<double>(tree_.size()));
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
    }
  }
}

void SubtreePlan::find_forms() {
  form_.assign(tree_.size(), 0);
  size_.assign(tree_.size(), 1);
  // A form: the kind, and the forms of the children and whether they continue the run.
  std::map<std::vector<int>, int> known;
  for (std::size_t row = tree_.size(); row-- > 0;) {
    const LinkRow& own = tree_.rows()[row];
    std::vector<int> form = {static_cast<int>(own.kind), own.massless ? 1 : 0};
    for (const int child : children_[row]) {
      form.push_back(run_of_[index_of(child)] < 0 ? -1 : -2);
      form.push_back(form_[index_of(child)]);
      size_[row] += size_[index_of(child)];
    }
    form_[row] = known.emplace(std::move(form), static_cast<int>(known.size())).first->second;
  }
}

std::vector<int> SubtreePlan::next_group(std::size_t least, std::size_t multiple) const {
  std::map<int, std::vector<int>> rows_of_form;
  for (std::size_t row = 0; row < tree_.size(); ++row) {
    if (covered_[row] == 0 && above_covered_[row] == 0) {
      rows_of_form[form_[row]].push_back(static_cast<int>(row));
    }
  }
  std::vector<int> best;
  int most = 0;
  for (auto& [form, rows] : rows_of_form) {
    rows.resize(rows.size() < least ? 0 : rows.size() / multiple * multiple);
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
    for (int row = parent_[index_of(root)]; row >= 0 && above_covered_[index_of(row)] == 0;
         row = parent_[index_of(row)]) {
      above_covered_[index_of(row)] = 1;
    }
  }
}

/// The run that begins at `root` and all that hangs on it, without covered rows if the root is not. Every lane meets
/// rows and runs in the same order.
void SubtreePlan::add_run(TreeForm& form, int lane, int root, int slot, const kernels::RunStart<double>& start,
                          NextPlace& next_place) {
  const auto lanes = index_of(form.lanes);
  const bool leave_covered = covered_[index_of(root)] == 0;
  std::vector<int> rows;
  for (int at = root; at >= 0;) {
    rows.push_back(at);
    int next = -1;
    for (const int child : children_[index_of(at)]) {
      const bool left = leave_covered && covered_[index_of(child)] != 0;
      next = run_of_[index_of(child)] < 0 && !left ? child : next;
    }
    at = next;
  }
  const int first = next_place.row;
  next_place.row += static_cast<int>(rows.size());
  if (lane == 0) {
    LinkRun run;
    run.first = first;
    run.last = next_place.row;
    run.slot = slot;
    run.start = start;
    if (run_of_[index_of(root)] >= 0) {
      run.gravity = tree_.runs()[index_of(run_of_[index_of(root)])].gravity;
    }
    form.runs.push_back(run);
    for (const int member : rows) {
      form.add(tree_.rows()[index_of(member)]);
    }
    form.members.resize(index_of(next_place.row) * lanes, -1);
    form.starts.resize(form.runs.size() * lanes);
  }
  form.starts[next_place.run++ * lanes + index_of(lane)] = start;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    form.members[(index_of(first) + i) * lanes + index_of(lane)] = rows[i];
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const int child : children_[index_of(rows[i])]) {
      if (run_of_[index_of(child)] < 0 || (leave_covered && covered_[index_of(child)] != 0)) {
        continue;
      }
      const std::size_t at = index_of(first) + i;
      if (form.rows[at].slot < 0) {
        form.rows[at].slot = form.slots++;
      }
      add_run(form, lane, child, form.rows[at].slot, tree_.runs()[index_of(run_of_[index_of(child)])].start,
              next_place);
    }
  }
}

void SubtreePlan::build_trunk() {
  NextPlace next;
  for (std::size_t root = 0; root < tree_.size(); ++root) {
    if (parent_[root] < 0 && covered_[root] == 0) {
      add_run(trunk_, 0, static_cast<int>(root), -1, {1.0, 0.0, 0.0}, next);
    }
  }
  trunk_row_.assign(tree_.size(), -1);
  for (std::size_t i = 0; i < trunk_.members.size(); ++i) {
    trunk_row_[index_of(trunk_.members[i])] = static_cast<int>(i);
  }
}

int SubtreePlan::trunk_slot_of(int row) {
  int& slot = trunk_.rows[index_of(trunk_row_[index_of(row)])].slot;
  if (slot < 0) {
    slot = trunk_.slots++;
  }
  return slot;
}

TreePort SubtreePlan::port_of(int root) {
  TreePort port;
  const int run = run_of_[index_of(root)];
  if (parent_[index_of(root)] < 0) {
    port.gravity = tree_.runs()[index_of(run)].gravity;
    return port;
  }
  port.trunk_slot = trunk_slot_of(parent_[index_of(root)]);
  if (run >= 0) {
    port.start = tree_.runs()[index_of(run)].start;
  }
  return port;
}

void SubtreePlan::build_group(std::span<const int> roots) {
  SubtreeGroup group;
  group.form.lanes = static_cast<int>(roots.size());
  group.form.slots = 1;
  for (std::size_t lane = 0; lane < roots.size(); ++lane) {
    group.ports.push_back(port_of(roots[lane]));
    NextPlace next;
    add_run(group.form, static_cast<int>(lane), roots[lane], 0, group.ports.back().start, next);
  }
  group.form.finish();
  groups_.push_back(std::move(group));
}

}  // namespace mbdbench
