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

/// Times of sub-trees, ns about.
struct SubtreeCosts {
  std::vector<double> below;  ///< of a node and all below it
  std::vector<int> roots;
  double total = 0.0;

  explicit SubtreeCosts(const AssemblyTree& tree) : below(tree.nodes().size()) {
    const std::size_t count = below.size();
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
    for (std::size_t i = count; i-- > 0;) {
      if (is_root[i]) {
        roots.push_back(static_cast<int>(i));
        total += below[i];
      }
    }
  }
};

/// Of about equal cost, as many as kBranches at most, each of one or several sub-trees.
std::vector<std::vector<int>> equal_branches(const AssemblyTree& tree, const SubtreeCosts& costs) {
  // The most expensive sub-tree gives its root to the top, again and again.
  const std::vector<double>& below = costs.below;
  std::vector<int> branches = costs.roots;
  double top = 0.0;
  const auto cheaper = [&](int one, int other) { return below[index_of(one)] < below[index_of(other)]; };
  while (costs.total >= kLeastCost && !branches.empty() && branches.size() < kBranches) {
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
  double before = 0.0;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const double cost = below[index_of(branches[b])];
    const std::size_t set = branches.size() <= kBranches
                                ? b
                                : std::min(kBranches - 1, static_cast<std::size_t>(kBranches * (before + 0.5 * cost) /
                                                                                   (costs.total - top)));
    sets[set].push_back(branches[b]);
    before += cost;
  }
  return sets;
}

}  // namespace

AssemblyDivision::AssemblyDivision(const AssemblyTree& tree)
    : AssemblyDivision(tree, equal_branches(tree, SubtreeCosts(tree))) {}

AssemblyDivision::AssemblyDivision(const AssemblyTree& tree, std::vector<std::vector<int>> branches) {
  const SubtreeCosts costs(tree);
  std::vector<double> loads;
  double top = costs.total;
  for (const std::vector<int>& roots : branches) {
    loads.push_back(0.0);
    for (const int root : roots) {
      loads.back() += costs.below[index_of(root)];
    }
    top -= loads.back();
  }
  if (costs.total < kLeastCost || shared_by_two(top, loads) > kLeastGain * costs.total) {
    branches.clear();
    top = costs.total;
  }
  const std::size_t count = tree.nodes().size();
  std::vector<bool> is_branch(count, false);
  ranges.resize(1);
  for (std::size_t branch = 0; branch < branches.size(); ++branch) {
    const std::size_t first = order.size();
    for (const int root : branches[branch]) {
      append_depth_first(tree, root, is_branch, order);
      is_branch[index_of(root)] = true;
    }
    ranges.push_back({first, order.size(), loads[branch]});
  }
  ranges.front() = {order.size(), count, top};
  for (const int root : costs.roots) {
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
