#include "formulations/recursion/tree_division.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// So many branches at most: enough for eight threads to have equal shares.
constexpr std::size_t kBranches = 16;
// A sub-tree below this share of the whole is not cut any more.
constexpr double kSmallestShare = 1.0 / 64.0;
// Below it the regions that threads share would cost more than they gain (docs/understanding/formulations/parts.md),
// ns.
constexpr double kLeastCost = 2e4;
// Two threads shall need at most so much of the time of one.
constexpr double kLeastGain = 0.65;

/// \returns the time of a row in all sweeps of a right-hand side, ns about: measured shares, not times of a machine.
double row_cost(RowKind kind) {
  switch (kind) {
    case RowKind::revolute:
      return 50.0;
    case RowKind::spherical:
      return 110.0;
    case RowKind::free:
      return 160.0;
    default:
      return 65.0;
  }
}

constexpr double kLoopCost = 60.0;  // of a loop whose columns pass a row
// Of a loop that goes on from a branch into the trunk, whatever the number of threads, and what of it one thread may
// pay.
constexpr double kHandoverCost = 80.0;
constexpr double kMostHandover = 0.02;

/// Sub-trees beside one another and the trunk that they hang on, cut further and further.
class Cutting {
 public:
  Cutting(const LinkElements& tree, std::vector<ElementCost> costs)
      : tree_(&tree), costs_(std::move(costs)), children_(costs_.size()), opened_at_(costs_.size(), kNever) {
    for (const ElementCost& cost : costs_) {
      outboard_.push_back(cost.sweeps);
    }
    for (std::size_t e = costs_.size(); e-- > 0;) {
      if (const int inboard = tree.elements[e].inboard; inboard >= 0) {
        outboard_[index_of(inboard)] += outboard_[e];
        children_[index_of(inboard)].push_back(static_cast<int>(e));
      } else {
        add(static_cast<int>(e));
      }
    }
    total_ = rest_;
  }

  [[nodiscard]] double total() const { return total_; }
  [[nodiscard]] bool can_open() const { return !roots_.empty() && roots_.front().first > kSmallestShare * total_; }

  /// The most expensive sub-tree gives its root to the trunk, and all that follows up to where it branches.
  void open() {
    ++step_;
    int element = roots_.front().second;
    loops_left_ -= tree_->elements[index_of(element)].inboard >= 0 ? costs_[index_of(element)].loops : 0;
    std::pop_heap(roots_.begin(), roots_.end());
    roots_.pop_back();
    for (bool branched = false; !branched;) {
      opened_at_[index_of(element)] = step_;
      trunk_ += costs_[index_of(element)].sweeps;
      rest_ -= costs_[index_of(element)].sweeps;
      const std::vector<int>& children = children_[index_of(element)];
      branched = children.size() != 1;
      if (branched) {
        for (const int child : children) {
          loops_left_ += costs_[index_of(child)].loops;
          roots_.emplace_back(outboard_[index_of(child)], child);
          std::push_heap(roots_.begin(), roots_.end());
        }
      } else {
        element = children.front();
      }
    }
  }

  /// \returns the time with so many threads.
  [[nodiscard]] double time(int threads) const {
    if (roots_.empty()) {
      return trunk_;
    }
    constexpr std::size_t kFew = 32;
    if (roots_.size() > kFew) {
      return trunk_ + std::max(rest_ / threads, roots_.front().first);
    }
    std::vector<std::pair<double, int>> sorted = roots_;
    std::sort(sorted.rbegin(), sorted.rend());
    std::vector<double> load(static_cast<std::size_t>(threads), 0.0);
    for (const auto& root : sorted) {
      *std::min_element(load.begin(), load.end()) += root.first;
    }
    return trunk_ + *std::max_element(load.begin(), load.end());
  }

  /// \returns whether few enough loops go on from sub-trees into the trunk.
  [[nodiscard]] bool leaves_few_loops() const { return kHandoverCost * loops_left_ <= kMostHandover * total_; }
  [[nodiscard]] int step() const { return step_; }
  /// \returns whether an element was in the trunk after a step.
  [[nodiscard]] bool in_trunk(int element, int step) const { return opened_at_[index_of(element)] <= step; }
  [[nodiscard]] double outboard(int element) const { return outboard_[index_of(element)]; }

 private:
  static constexpr int kNever = 1 << 30;

  void add(int root) {
    rest_ += outboard_[index_of(root)];
    roots_.emplace_back(outboard_[index_of(root)], root);
    std::push_heap(roots_.begin(), roots_.end());
  }

  const LinkElements* tree_;
  std::vector<ElementCost> costs_;
  std::vector<double> outboard_;  // of the element and all that hangs on it
  std::vector<std::vector<int>> children_;
  std::vector<int> opened_at_;
  std::vector<std::pair<double, int>> roots_;  // a heap: the most expensive first
  double trunk_ = 0.0;
  double rest_ = 0.0;
  double total_ = 0.0;
  int loops_left_ = 0;
  int step_ = 0;
};

/// \returns after which step two, four and eight threads are fastest together; -1: two gain too little.
int best_step(Cutting& cutting) {
  int best = -1;
  double least = 0.0;
  for (bool more = true; more;) {
    const double two = cutting.time(2);
    const double all = two + cutting.time(4) + cutting.time(8);
    const bool gains = two <= kLeastGain * cutting.total() && cutting.leaves_few_loops();
    if (gains && (best < 0 || all < least)) {
      best = cutting.step();
      least = all;
    }
    more = cutting.can_open();
    if (more) {
      cutting.open();
    }
  }
  return best;
}

/// Into halves of about equal cost, these into halves, and so on: neighbours then are a fair share for 2, 4, 8 threads.
/// \param branches numbers, the most expensive first
void order_by_halves(const std::vector<int>& branches, const std::vector<double>& costs, std::vector<int>& order) {
  if (branches.size() <= 1) {
    order.insert(order.end(), branches.begin(), branches.end());
    return;
  }
  std::array<std::vector<int>, 2> halves;
  std::array<double, 2> loads{};
  for (const int branch : branches) {
    const std::size_t half = loads[0] <= loads[1] ? 0 : 1;
    halves[half].push_back(branch);
    loads[half] += costs[index_of(branch)];
  }
  order_by_halves(halves[0], costs, order);
  order_by_halves(halves[1], costs, order);
}

/// Numbers branches by neighbourhood.
void renumber(std::vector<double>& costs, std::vector<int>& branch_of_root) {
  std::vector<int> sorted(costs.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int one, int other) { return costs[index_of(one)] > costs[index_of(other)]; });
  std::vector<int> order;
  order_by_halves(sorted, costs, order);
  std::vector<int> number(costs.size());
  std::vector<double> in_order;
  for (const int branch : order) {
    number[index_of(branch)] = static_cast<int>(in_order.size()) + 1;
    in_order.push_back(costs[index_of(branch)]);
  }
  costs = std::move(in_order);
  for (int& branch : branch_of_root) {
    branch = branch > 0 ? number[index_of(branch - 1)] : 0;
  }
}

}  // namespace

std::vector<ElementCost> element_costs(const Mechanism& mechanism, const LinkElements& tree) {
  std::vector<ElementCost> costs;
  for (const LinkElement& element : tree.elements) {
    costs.push_back({row_cost(element.kind), 0});
  }
  for (const Joint& cut : mechanism.cut_joints()) {
    int a = cut.a < 0 ? -1 : tree.bodies[index_of(cut.a)].element;
    int b = cut.b < 0 ? -1 : tree.bodies[index_of(cut.b)].element;
    while (a != b) {
      int& further = a > b ? a : b;  // inboard elements have smaller numbers
      costs[index_of(further)].sweeps += kLoopCost;
      ++costs[index_of(further)].loops;
      further = tree.elements[index_of(further)].inboard;
    }
  }
  return costs;
}

TreeDivision::TreeDivision(const Mechanism& mechanism, const LinkElements& tree) {
  Cutting cutting(tree, element_costs(mechanism, tree));
  if (cutting.total() < kLeastCost) {
    return;
  }
  const int step = best_step(cutting);
  if (step < 0) {
    return;
  }
  std::vector<std::pair<double, int>> roots;  // the most expensive first, of equal ones the inboard one
  for (int e = 0; e < static_cast<int>(tree.elements.size()); ++e) {
    const int inboard = tree.elements[index_of(e)].inboard;
    if (!cutting.in_trunk(e, step) && (inboard < 0 || cutting.in_trunk(inboard, step))) {
      roots.emplace_back(-cutting.outboard(e), e);
    }
  }
  std::sort(roots.begin(), roots.end());
  costs.assign(std::min(kBranches, roots.size()), 0.0);
  branch_of.assign(tree.elements.size(), 0);
  for (const auto& [cost, root] : roots) {
    const auto least = std::min_element(costs.begin(), costs.end());
    *least -= cost;
    branch_of[index_of(root)] = static_cast<int>(least - costs.begin()) + 1;
  }
  renumber(costs, branch_of);
  for (int e = 0; e < static_cast<int>(tree.elements.size()); ++e) {
    const int inboard = tree.elements[index_of(e)].inboard;
    if (inboard >= 0 && !cutting.in_trunk(inboard, step)) {
      branch_of[index_of(e)] = branch_of[index_of(inboard)];
    }
  }
}

}  // namespace mbdbench
