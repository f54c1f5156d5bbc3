#include "formulations/assembly/assembly_division.hpp"

#include <algorithm>
#include <array>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// So many branches: enough for eight threads to have equal shares.
constexpr std::size_t kBranches = 16;
// Below it the regions that threads share would cost more than they gain
// (docs/understanding/formulations/augmented_lagrangian.md), ns.
constexpr double kLeastCost = 6e4;
// Two threads shall need at most so much of the time of one.
constexpr double kLeastGain = 0.65;

/// \returns the time of a node in all sweeps of a right-hand side, ns about: measured shares, not times of a machine.
double node_cost(const AssemblyTree& tree, const AssemblyNode& node) {
  return node.body >= 0 ? 450.0 + 0.1 * tree.flops(node) : 0.2 * tree.flops(node);
}

std::array<int, 2> children_of(const AssemblyNode& node) {
  return {node.child1, node.child2};
}

/// Appends the sub-tree of a node, children first; nodes of `stops` and what is below them are left out.
void append_depth_first(const AssemblyTree& tree, int root, const std::vector<bool>& stops, std::vector<int>& order) {
  const auto start = static_cast<std::ptrdiff_t>(order.size());
  std::vector<int> waiting = {root};
  // Parents before children, then the other way round.
  while (!waiting.empty()) {
    const int next = waiting.back();
    waiting.pop_back();
    order.push_back(next);
    for (const int child : children_of(tree.nodes()[index_of(next)])) {
      if (child >= 0 && !stops[index_of(child)]) {
        waiting.push_back(child);
      }
    }
  }
  std::reverse(order.begin() + start, order.end());
}

/// \returns the time of two threads.
double shared_by_two(double top, std::vector<double> branches) {
  std::sort(branches.rbegin(), branches.rend());
  std::array<double, 2> loads{};
  for (const double cost : branches) {
    *std::min_element(loads.begin(), loads.end()) += cost;
  }
  return top + *std::max_element(loads.begin(), loads.end());
}

}  // namespace

AssemblyDivision::AssemblyDivision(const AssemblyTree& tree) {
  const std::size_t count = tree.nodes().size();
  std::vector<double> below(count);  // the node and all below it
  std::vector<bool> is_root(count, true);
  for (std::size_t i = 0; i < count; ++i) {  // children stand before parents
    below[i] += node_cost(tree, tree.nodes()[i]);
    for (const int child : children_of(tree.nodes()[i])) {
      if (child >= 0) {
        below[i] += below[index_of(child)];
        is_root[index_of(child)] = false;
      }
    }
  }
  std::vector<int> roots;
  double total = 0.0;
  for (std::size_t i = count; i-- > 0;) {
    if (is_root[i]) {
      roots.push_back(static_cast<int>(i));
      total += below[i];
    }
  }

  // The most expensive sub-tree gives its root to the top, again and again.
  std::vector<int> branches = roots;
  std::vector<bool> is_branch(count, false);
  double top = 0.0;
  const auto cheaper = [&](int one, int other) { return below[index_of(one)] < below[index_of(other)]; };
  while (total >= kLeastCost && !branches.empty() && branches.size() < kBranches) {
    const auto largest = std::max_element(branches.begin(), branches.end(), cheaper);
    const AssemblyNode& node = tree.nodes()[index_of(*largest)];
    if (node.child1 < 0) {
      break;  // a body
    }
    top += node_cost(tree, node);
    *largest = node.child1;
    if (node.child2 >= 0) {
      branches.insert(largest + 1, node.child2);
    }
  }
  // More free bodies than branches: each branch has several sub-trees.
  std::vector<std::vector<int>> sets(std::min(branches.size(), kBranches));
  std::vector<double> loads(sets.size(), 0.0);
  double before = 0.0;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const double cost = below[index_of(branches[b])];
    const std::size_t set =
        branches.size() <= kBranches
            ? b
            : std::min(kBranches - 1, static_cast<std::size_t>(kBranches * (before + 0.5 * cost) / (total - top)));
    sets[set].push_back(branches[b]);
    loads[set] += cost;
    before += cost;
  }
  if (total < kLeastCost || shared_by_two(top, loads) > kLeastGain * total) {
    sets.clear();
    top = total;
  }

  ranges.resize(1);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::size_t first = order.size();
    for (const int branch : sets[set]) {
      append_depth_first(tree, branch, is_branch, order);
      is_branch[index_of(branch)] = true;
    }
    ranges.push_back({first, order.size(), loads[set]});
  }
  ranges.front() = {order.size(), count, top};
  for (const int root : roots) {
    if (!is_branch[index_of(root)]) {
      append_depth_first(tree, root, is_branch, order);
    }
  }
}

std::vector<double> AssemblyDivision::costs() const {
  std::vector<double> list;
  for (const NodeRange& range : ranges) {
    list.push_back(range.cost);
  }
  return list;
}

}  // namespace mbdbench
