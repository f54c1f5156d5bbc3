#include "formulations/augmented_lagrangian/dual/twins/dual_twins.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// Roots of sub-trees of equal form.
using Eight = std::array<int, kTwins>;

// Groups are what threads share, and what joins them goes one node after another: of 1024 bodies eight groups leave 3 %
// of the nodes to that. Fewer bodies than those of one group are one, or two where threads share them.
constexpr int kBodiesOfGroup = 128;
constexpr int kMostGroups = 16;
constexpr int kShared = 96;
// Time of a node in a group as a share of that of a single one, about.
constexpr double kTimeOfTwin = 0.4;

/// Sub-trees by their form.
class FormSearch {
 public:
  explicit FormSearch(const AssemblyTree& tree)
      : tree_(&tree), forms_(tree.nodes().size()), taken_(tree.nodes().size(), false) {
    std::map<std::vector<int>, int> numbers;
    for (std::size_t n = 0; n < forms_.size(); ++n) {  // children stand before parents
      const std::vector<int> key = tree.nodes()[n].body >= 0 ? form_leaf(n) : form_union(n);
      forms_[n].number = numbers.emplace(key, static_cast<int>(numbers.size())).first->second;
    }
  }

  /// \returns eights among some nodes that nobody has taken, larger ones first. \param most_bodies of one sub-tree
  std::vector<Eight> search(std::span<const int> nodes, int most_bodies) {
    std::map<std::pair<int, int>, std::vector<int>> by_form;
    for (const int n : nodes) {
      const Form& form = forms_[index_of(n)];
      if (form.bodies > 1 && form.bodies <= most_bodies) {
        // Of two with as many bodies, one of which closes handles of the other alone, the outer one comes first: the
        // number of its form is larger.
        by_form[{-form.bodies, -form.number}].push_back(n);
      }
    }
    std::vector<Eight> found;
    for (auto& [form, roots] : by_form) {
      std::erase_if(roots, [this](int n) { return taken_[index_of(n)]; });
      for (std::size_t first = 0; first + kTwins <= roots.size(); first += kTwins) {
        Eight& eight = found.emplace_back();
        for (std::size_t lane = 0; lane < kTwins; ++lane) {
          eight[lane] = roots[first + lane];
          take(eight[lane]);
        }
      }
    }
    return found;
  }

  /// \returns sub-trees that nobody has taken, not even a part of them, in two sets of about as many bodies.
  [[nodiscard]] std::array<std::vector<int>, 2> left_over() const {
    std::vector<bool> holds(taken_);
    std::vector<bool> hangs(taken_);  // on a node that belongs to one of them
    for (std::size_t n = 0; n < forms_.size(); ++n) {
      for (const int child : forms_[n].children) {
        holds[n] = holds[n] || (child >= 0 && holds[index_of(child)]);
      }
    }
    for (std::size_t n = 0; n < forms_.size(); ++n) {
      for (const int child : forms_[n].children) {
        if (child >= 0 && !holds[n]) {
          hangs[index_of(child)] = true;
        }
      }
    }
    std::array<std::vector<int>, 2> sets;
    std::array<int, 2> sizes{};
    for (std::size_t n = 0; n < forms_.size(); ++n) {
      if (!holds[n] && !hangs[n]) {
        const std::size_t lighter = sizes[1] < sizes[0] ? 1 : 0;
        sets[lighter].push_back(static_cast<int>(n));
        sizes[lighter] += forms_[n].bodies;
      }
    }
    return sets;
  }

  void forget() { std::fill(taken_.begin(), taken_.end(), false); }
  [[nodiscard]] int bodies(int n) const { return forms_[index_of(n)].bodies; }

  /// \param place of every node in the order of the division
  [[nodiscard]] TwinForm describe(const Eight& roots, std::size_t range, std::span<const int> place) const {
    TwinForm result;
    result.range = range;
    for (std::size_t lane = 0; lane < kTwins; ++lane) {
      append(roots[lane], place, result, result.lanes[lane], lane == 0);
    }
    for (const int joint : result.lanes.front().joints) {
      result.rows.push_back(rows(joint));
    }
    return result;
  }

 private:
  struct Form {
    int number = 0;
    int bodies = 0;
    std::array<int, 2> children{-1, -1};
    std::vector<int> closed;    // joints
    std::vector<int> external;  // likewise, in an order that equal forms share
  };

  [[nodiscard]] int rows(int joint) const { return tree_->joints()[index_of(joint)].rows; }

  std::vector<int> form_leaf(std::size_t n) {
    const AssemblyNode& node = tree_->nodes()[n];
    Form& form = forms_[n];
    form.bodies = 1;
    form.closed = node.closed;
    form.external = node.external;
    const auto kind = [&](int joint) {
      return std::pair(tree_->joints()[index_of(joint)].b == node.body, rows(joint));
    };
    for (std::vector<int>* const joints : {&form.closed, &form.external}) {
      std::stable_sort(joints->begin(), joints->end(), [&](int one, int other) { return kind(one) < kind(other); });
    }
    std::vector<int> key = {-1, static_cast<int>(form.closed.size())};
    for (const std::vector<int>* const joints : {&form.closed, &form.external}) {
      for (const int joint : *joints) {
        key.push_back(rows(joint));
      }
    }
    return key;
  }

  std::vector<int> form_union(std::size_t n) {
    const AssemblyNode& node = tree_->nodes()[n];
    Form& form = forms_[n];
    form.children = {node.child1, node.child2};
    if (node.child2 >= 0 && forms_[index_of(node.child1)].number > forms_[index_of(node.child2)].number) {
      std::swap(form.children[0], form.children[1]);
    }
    // The handles that the children have closed here, by their places among these.
    std::vector<int> key;
    for (const int child : form.children) {
      if (child < 0) {
        continue;
      }
      const Form& below = forms_[index_of(child)];
      form.bodies += below.bodies;
      key.push_back(below.number);
      for (const int joint : below.external) {
        const auto place = std::find(form.closed.begin(), form.closed.end(), joint);
        const bool closes = std::find(node.closed.begin(), node.closed.end(), joint) != node.closed.end();
        key.push_back(closes ? static_cast<int>(place - form.closed.begin()) : -1);
        if (!closes) {
          form.external.push_back(joint);
        } else if (place == form.closed.end()) {
          form.closed.push_back(joint);
        }
      }
    }
    return key;
  }

  void take(int n) {
    taken_[index_of(n)] = true;
    for (const int child : forms_[index_of(n)].children) {
      if (child >= 0) {
        take(child);
      }
    }
  }

  /// Adds a sub-tree to a lane, and its form to the first one. \returns the number of its root within
  int append(int n, std::span<const int> place, TwinForm& result, TwinForm::Lane& lane, bool first) const {
    const Form& form = forms_[index_of(n)];
    TwinForm::Node node;
    for (std::size_t which = 0; which < form.children.size(); ++which) {
      if (form.children[which] >= 0) {
        node.children[which] = append(form.children[which], place, result, lane, first);
      }
    }
    if (const int body = tree_->nodes()[index_of(n)].body; body >= 0) {
      node.body = static_cast<int>(lane.bodies.size());
      lane.bodies.push_back(body);
    }
    node.closed = form.closed.size();
    for (const std::vector<int>* const joints : {&form.closed, &form.external}) {
      for (const int joint : *joints) {
        const auto known = std::find(lane.joints.rbegin(), lane.joints.rend(), joint);
        if (known == lane.joints.rend()) {
          lane.joints.push_back(joint);
          node.joints.push_back(static_cast<int>(lane.joints.size()) - 1);
        } else {
          node.joints.push_back(static_cast<int>(lane.joints.rend() - known) - 1);
        }
      }
    }
    lane.nodes.push_back(place[index_of(n)]);
    if (first) {
      result.nodes.push_back(std::move(node));
    }
    return static_cast<int>(lane.nodes.size()) - 1;
  }

  const AssemblyTree* tree_;
  std::vector<Form> forms_;
  std::vector<bool> taken_;
};

/// Groups of sub-trees of at most so many bodies, and a division in which each is a branch.
struct GroupedDivision {
  std::vector<Eight> eights;
  int covered = 0;  ///< bodies
  AssemblyDivision division;
};

GroupedDivision divide_by_groups(const AssemblyTree& tree, FormSearch& search, int most_bodies) {
  search.forget();
  std::vector<int> nodes(tree.nodes().size());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<Eight> eights = search.search(nodes, most_bodies);
  std::vector<std::vector<int>> branches;
  int covered = 0;
  for (const Eight& eight : eights) {
    branches.emplace_back(eight.begin(), eight.end());
    covered += static_cast<int>(kTwins) * search.bodies(eight.front());
  }
  for (std::vector<int>& set : search.left_over()) {
    if (!set.empty()) {
      branches.push_back(std::move(set));
    }
  }
  return {std::move(eights), covered, AssemblyDivision(tree, std::move(branches))};
}

/// \returns the place of every node in the order of a division.
std::vector<int> places_in(const AssemblyDivision& division) {
  std::vector<int> places(division.order.size());
  for (std::size_t at = 0; at < places.size(); ++at) {
    places[index_of(division.order[at])] = static_cast<int>(at);
  }
  return places;
}

}  // namespace

TwinPlan plan_twins(const AssemblyTree& tree) {
  FormSearch search(tree);
  const int bodies = tree.body_count();
  int groups = std::clamp(bodies / kBodiesOfGroup, bodies < kShared ? 1 : 2, kMostGroups);
  const auto divide = [&] { return divide_by_groups(tree, search, std::max(2, bodies / (8 * groups))); };
  GroupedDivision grouped = divide();
  // An odd number of groups may not suit two threads; more of them may.
  while (grouped.division.ranges.size() == 1 && bodies >= kShared && groups < kMostGroups) {
    groups *= 2;
    GroupedDivision finer = divide();
    if (finer.division.ranges.size() > 1) {
      grouped = std::move(finer);
    }
  }
  if (2 * grouped.covered >= bodies) {
    TwinPlan plan{std::move(grouped.division), {}};
    const std::vector<int> places = places_in(plan.division);
    const bool divided = plan.division.ranges.size() > 1;
    for (std::size_t g = 0; g < grouped.eights.size(); ++g) {
      plan.groups.push_back(search.describe(grouped.eights[g], divided ? g + 1 : 0, places));
      if (divided) {
        plan.division.ranges[g + 1].cost *= kTimeOfTwin;
      }
    }
    return plan;
  }
  search.forget();
  TwinPlan plan{AssemblyDivision(tree), {}};
  const std::vector<int> places = places_in(plan.division);
  const std::span<const int> order(plan.division.order);
  for (std::size_t range = 0; range < plan.division.ranges.size(); ++range) {
    // The top has no whole sub-trees where there are branches.
    const NodeRange& own = plan.division.ranges[range];
    if (range == 0 && plan.division.ranges.size() > 1) {
      continue;
    }
    for (const Eight& eight : search.search(order.subspan(own.first, own.last - own.first), bodies)) {
      plan.groups.push_back(search.describe(eight, range, places));
    }
  }
  return plan;
}

}  // namespace mbdbench
