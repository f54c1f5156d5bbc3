#include "formulations/assembly/assembly_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mbdbench {
namespace {

/// Grows the tree round by round.
class Matching {
 public:
  Matching(int body_count, std::span<const AssemblyJoint> joints, GroundClosure ground,
           std::vector<AssemblyNode>& nodes)
      : joints_(joints), ground_(ground), nodes_(nodes) {
    std::vector<std::vector<int>> handles(static_cast<std::size_t>(body_count));
    for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
      for (const int body : {joint(j).a, joint(j).b}) {
        if (body >= 0 && joint(j).rows > 0) {
          handles[static_cast<std::size_t>(body)].push_back(j);
        }
      }
    }
    for (int body = 0; body < body_count; ++body) {
      AssemblyNode leaf;
      leaf.body = body;
      for (const int j : handles[static_cast<std::size_t>(body)]) {
        (to_ground(j) && ground_ == GroundClosure::leaf ? leaf.closed : leaf.external).push_back(j);
      }
      leaf.grounded = !leaf.closed.empty();
      leaf.loops = std::max(0, static_cast<int>(leaf.closed.size()) - 1);
      current_.push_back(add(std::move(leaf)));
      bodies_.push_back(1);
    }
    cluster_of_body_ = current_;
  }

  void run() {
    while (merge_round()) {
    }
    for (const int cluster : current_) {
      if (node(cluster).external.empty()) {
        continue;
      }
      AssemblyNode root;
      root.child1 = cluster;
      root.closed = node(cluster).external;
      root.grounded = true;
      root.loops = static_cast<int>(root.closed.size()) - (node(cluster).grounded ? 0 : 1);
      root.depth = node(cluster).depth + 1;
      add(std::move(root));
    }
  }

 private:
  struct Candidate {
    int cost = 0;
    int bodies = 0;
    int width = 0;
    int first = 0;
    int second = 0;
    [[nodiscard]] auto key() const { return std::tie(cost, bodies, width, first, second); }
  };

  [[nodiscard]] const AssemblyJoint& joint(int j) const { return joints_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] const AssemblyNode& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }

  [[nodiscard]] bool to_ground(int j) const { return joint(j).a < 0 || joint(j).b < 0; }

  int rows(const std::vector<int>& list) const {
    int sum = 0;
    for (const int j : list) {
      sum += joint(j).rows;
    }
    return sum;
  }

  int add(AssemblyNode node) {
    node.closed_rows = rows(node.closed);
    node.width = rows(node.external);
    ground_rows_.push_back(ground_rows(node));
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
  }

  [[nodiscard]] int ground_rows(const AssemblyNode& node) const {
    int sum = 0;
    for (const int j : node.external) {
      sum += to_ground(j) ? joint(j).rows : 0;
    }
    return sum;
  }

  /// Joints to the ground wait for the root only while that keeps nodes narrow: each has its own copy of the ground.
  static int width_after(int all_rows, int rows_to_ground) {
    return all_rows > AssemblyTree::kFreeWidth ? all_rows - rows_to_ground : all_rows;
  }

  [[nodiscard]] int other_cluster(int j, int cluster) const {
    const auto cluster_of = [this](int body) {
      return body < 0 ? -1 : cluster_of_body_[static_cast<std::size_t>(body)];
    };
    const int a = cluster_of(joint(j).a);
    return a == cluster ? cluster_of(joint(j).b) : a;
  }

  /// Joints of `cluster` that lead to `other`.
  [[nodiscard]] std::vector<int> shared(int cluster, int other) const {
    std::vector<int> list;
    for (const int j : node(cluster).external) {
      if (other_cluster(j, cluster) == other) {
        list.push_back(j);
      }
    }
    return list;
  }

  bool merge_round() {
    std::vector<Candidate> candidates;
    shared_rows_.resize(nodes_.size(), 0);
    for (const int first : current_) {
      // One pass over the joints of a hub, however many neighbours they lead to.
      std::vector<int> neighbours;
      for (const int j : node(first).external) {
        const int second = other_cluster(j, first);
        if (second <= first) {
          continue;  // every pair once, from its earlier node
        }
        int& shared = shared_rows_[static_cast<std::size_t>(second)];
        if (shared == 0) {
          neighbours.push_back(second);
        }
        shared += joint(j).rows;
      }
      for (const int second : neighbours) {
        const int shared = std::exchange(shared_rows_[static_cast<std::size_t>(second)], 0);
        const int width =
            width_after(node(first).width + node(second).width - 2 * shared,
                        ground_rows_[static_cast<std::size_t>(first)] + ground_rows_[static_cast<std::size_t>(second)]);
        const int bodies = bodies_[static_cast<std::size_t>(first)] + bodies_[static_cast<std::size_t>(second)];
        candidates.push_back({std::max(width, AssemblyTree::kFreeWidth), bodies, width, first, second});
      }
    }
    if (candidates.empty()) {
      return false;
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& x, const Candidate& y) { return x.key() < y.key(); });
    if (candidates.front().cost > AssemblyTree::kFreeWidth && rake_hubs()) {
      return true;
    }
    std::vector<bool> merged(nodes_.size(), false);
    std::vector<int> next;
    for (const Candidate& candidate : candidates) {
      if (candidate.cost > candidates.front().cost) {
        break;  // wider merges wait until no cheaper one is left: later rounds make them narrower
      }
      if (merged[static_cast<std::size_t>(candidate.first)] || merged[static_cast<std::size_t>(candidate.second)]) {
        continue;
      }
      merged[static_cast<std::size_t>(candidate.first)] = true;
      merged[static_cast<std::size_t>(candidate.second)] = true;
      next.push_back(merge(candidate.first, candidate.second));
    }
    for (const int cluster : current_) {
      if (!merged[static_cast<std::size_t>(cluster)]) {
        next.push_back(cluster);
      }
    }
    replace_current(std::move(next));
    return true;
  }

  void replace_current(std::vector<int> next) {
    current_ = std::move(next);
    for (const int cluster : current_) {
      adopt_bodies(cluster);
    }
  }

  /// Every body with too many joints absorbs its arms. \returns whether there were any.
  bool rake_hubs() {
    std::vector<bool> raked(nodes_.size(), false);
    std::vector<int> next;
    for (const int cluster : current_) {
      if (node(cluster).body < 0 || node(cluster).width <= AssemblyTree::kFreeWidth) {
        continue;
      }
      const std::vector<RakedArm> arms = arms_of(cluster);
      if (!arms.empty()) {
        raked[static_cast<std::size_t>(cluster)] = true;
        for (const RakedArm& arm : arms) {
          raked[static_cast<std::size_t>(arm.child)] = true;
        }
        next.push_back(rake(cluster, arms));
      }
    }
    if (next.empty()) {
      return false;
    }
    for (const int cluster : current_) {
      if (!raked[static_cast<std::size_t>(cluster)]) {
        next.push_back(cluster);
      }
    }
    replace_current(std::move(next));
    return true;
  }

  /// Only floating arms: a grounded one has no inverse of D^T Xi D where its loops pin the handle.
  [[nodiscard]] std::vector<RakedArm> arms_of(int hub) const {
    std::vector<RakedArm> arms;
    for (const int j : node(hub).external) {
      const int other = other_cluster(j, hub);
      if (other >= 0 && node(other).external.size() == 1 && !node(other).grounded) {
        arms.push_back({other, j});
      }
    }
    return arms;
  }

  int rake(int hub, const std::vector<RakedArm>& arms) {
    AssemblyNode raked = node(hub);
    int bodies = bodies_[static_cast<std::size_t>(hub)];
    std::vector<bool> closed(joints_.size(), false);
    for (const RakedArm& arm : arms) {
      raked.arms.push_back(arm);
      closed[static_cast<std::size_t>(arm.joint)] = true;
      raked.depth = std::max(raked.depth, node(arm.child).depth + 1);
      bodies += bodies_[static_cast<std::size_t>(arm.child)];
    }
    std::erase_if(raked.external, [&](int j) { return closed[static_cast<std::size_t>(j)]; });
    bodies_.push_back(bodies);
    return add(std::move(raked));
  }

  int merge(int first, int second) {
    AssemblyNode parent;
    parent.child1 = first;
    parent.child2 = second;
    parent.closed = shared(first, second);
    for (const int child : {first, second}) {
      for (const int j : node(child).external) {
        if (std::find(parent.closed.begin(), parent.closed.end(), j) == parent.closed.end()) {
          parent.external.push_back(j);
        }
      }
    }
    parent.depth = std::max(node(first).depth, node(second).depth) + 1;
    const bool closes_ground = rows(parent.external) > AssemblyTree::kFreeWidth && close_ground_joints(parent);
    // Joints beyond those that make one connected part of the two, and of the ground where it is closed, close loops.
    const int floating = (node(first).grounded ? 0 : 1) + (node(second).grounded ? 0 : 1);
    const int connecting = closes_ground ? floating : std::min(floating, 1);
    parent.loops = static_cast<int>(parent.closed.size()) - connecting;
    parent.grounded = closes_ground || floating < 2;
    bodies_.push_back(bodies_[static_cast<std::size_t>(first)] + bodies_[static_cast<std::size_t>(second)]);
    return add(std::move(parent));
  }

  /// Moves the joints to the ground from the external to the closed ones. \returns whether there were any.
  [[nodiscard]] bool close_ground_joints(AssemblyNode& parent) const {
    const auto first =
        std::stable_partition(parent.external.begin(), parent.external.end(), [this](int j) { return !to_ground(j); });
    const bool any = first != parent.external.end();
    parent.closed.insert(parent.closed.end(), first, parent.external.end());
    parent.external.erase(first, parent.external.end());
    return any;
  }

  void adopt_bodies(int cluster) {
    std::vector<int> open = {cluster};
    while (!open.empty()) {
      const AssemblyNode& top = node(open.back());
      open.pop_back();
      if (top.body >= 0) {
        cluster_of_body_[static_cast<std::size_t>(top.body)] = cluster;
      }
      for (const int child : {top.child1, top.child2}) {
        if (child >= 0) {
          open.push_back(child);
        }
      }
      for (const RakedArm& arm : top.arms) {
        open.push_back(arm.child);
      }
    }
  }

  std::span<const AssemblyJoint> joints_;
  GroundClosure ground_;
  std::vector<AssemblyNode>& nodes_;
  std::vector<int> current_;          // subassemblies not yet part of a larger one
  std::vector<int> cluster_of_body_;  // the current subassembly that contains a body
  std::vector<int> bodies_;           // bodies in each node
  std::vector<int> ground_rows_;      // rows of each node's external joints to the ground
  std::vector<int> shared_rows_;      // with the neighbours of one subassembly, zero between uses
};

}  // namespace

AssemblyTree::AssemblyTree(int body_count, std::vector<AssemblyJoint> joints, GroundClosure ground)
    : body_count_(body_count), joints_(std::move(joints)) {
  Matching(body_count_, joints_, ground, nodes_).run();
  order_nodes();
  order_handles();
}

void AssemblyTree::order_handles() {
  std::vector<std::size_t> place(joints_.size(), 0);
  std::size_t next = 0;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const std::vector<int>& closed = nodes_[i].closed;
    for (std::size_t j = closed.size(); j-- > 0;) {
      place[static_cast<std::size_t>(closed[j])] = next++;
    }
    for (const RakedArm& arm : nodes_[i].arms) {
      place[static_cast<std::size_t>(arm.joint)] = next++;
    }
  }
  for (AssemblyNode& node : nodes_) {
    std::sort(node.external.begin(), node.external.end(),
              [&](int a, int b) { return place[static_cast<std::size_t>(a)] > place[static_cast<std::size_t>(b)]; });
  }
}

void AssemblyTree::order_nodes() {
  // A hub that rakes is written anew; of its versions only the last one counts.
  std::vector<int> last(static_cast<std::size_t>(body_count_), -1);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].body >= 0) {
      last[static_cast<std::size_t>(nodes_[i].body)] = static_cast<int>(i);
    }
  }
  // Every node right behind its children: what is handed up is still in the cache.
  std::vector<bool> inner(nodes_.size(), false);
  const auto children = [this](std::size_t i) {
    std::vector<int> list;
    for (const RakedArm& arm : nodes_[i].arms) {
      list.push_back(arm.child);
    }
    for (const int child : {nodes_[i].child1, nodes_[i].child2}) {
      if (child >= 0) {
        list.push_back(child);
      }
    }
    return list;
  };
  const auto counts = [&](std::size_t i) {
    return nodes_[i].body < 0 || last[static_cast<std::size_t>(nodes_[i].body)] == static_cast<int>(i);
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const int child : counts(i) ? children(i) : std::vector<int>()) {
      inner[static_cast<std::size_t>(child)] = true;
    }
  }
  std::vector<int> order;  // parents first
  std::vector<int> open;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (counts(i) && !inner[i]) {
      open.push_back(static_cast<int>(i));
    }
  }
  while (!open.empty()) {
    order.push_back(open.back());
    open.pop_back();
    const std::vector<int> below = children(static_cast<std::size_t>(order.back()));
    open.insert(open.end(), below.begin(), below.end());
  }
  std::vector<int> position(nodes_.size(), -1);
  std::vector<AssemblyNode> kept;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto old = static_cast<std::size_t>(order[i]);
    AssemblyNode& node = nodes_[old];
    for (int* const child : {&node.child1, &node.child2}) {
      *child = *child < 0 ? -1 : position[static_cast<std::size_t>(*child)];
    }
    for (RakedArm& arm : node.arms) {
      arm.child = position[static_cast<std::size_t>(arm.child)];
    }
    position[old] = static_cast<int>(kept.size());
    kept.push_back(std::move(node));
  }
  nodes_ = std::move(kept);
}

AssemblyFigures AssemblyTree::figures() const {
  AssemblyFigures figures;
  for (const AssemblyNode& node : nodes_) {
    figures.depth = std::max(figures.depth, node.depth);
    figures.max_width = std::max(figures.max_width, node.width);
    figures.max_handles = std::max(figures.max_handles, static_cast<int>(node.external.size()));
    figures.max_closed = std::max(figures.max_closed, static_cast<int>(node.closed.size()));
    figures.max_arms = std::max(figures.max_arms, static_cast<int>(node.arms.size()));
    figures.loops += node.loops;
    figures.flops += flops(node);
  }
  return figures;
}

double AssemblyTree::flops(const AssemblyNode& node) const {
  const double c = node.closed_rows;
  const double w = node.width;
  // Where loops close the rank is revealed (loop_kernels.hpp).
  double sum = (node.loops > 0 ? 4.0 : 1.0 / 3.0) * c * c * c + c * c * w + c * w * w;
  if (node.body >= 0) {
    sum += 6.0 * (c + w) * (c + w);
  }
  for (const RakedArm& arm : node.arms) {
    const double rows = joints_[static_cast<std::size_t>(arm.joint)].rows;
    sum += rows * rows * rows / 3.0 + 6.0 * rows * rows + 36.0 * rows;
  }
  return sum;
}

std::vector<WorkStage> AssemblyTree::stages(int passes) const {
  std::vector<WorkStage> upward;
  std::vector<WorkStage> right_sides;
  std::vector<WorkStage> downward;
  for (const AssemblyNode& node : nodes_) {
    const auto level = static_cast<std::size_t>(node.depth);
    upward.resize(std::max(upward.size(), level + 1), {0.0, 0.0});
    right_sides.resize(upward.size(), {0.0, 0.0});
    downward.resize(upward.size(), {0.0, 0.0});
    const double rows = node.closed_rows + node.width;
    // The largest node of a level is what the next level waits for. Right sides: multiplied by the factors.
    upward[level].operations = std::max(upward[level].operations, flops(node) + rows * rows);
    right_sides[level].operations = std::max(right_sides[level].operations, rows * rows);
    downward[level].operations = std::max(downward[level].operations, 2.0 * rows * node.closed_rows);
    for (std::vector<WorkStage>* const levels : {&upward, &right_sides, &downward}) {
      (*levels)[level].pieces += 1.0;
    }
  }
  upward.insert(upward.end(), downward.rbegin(), downward.rend());
  for (int pass = 1; pass < passes; ++pass) {
    upward.insert(upward.end(), right_sides.begin(), right_sides.end());
    upward.insert(upward.end(), downward.rbegin(), downward.rend());
  }
  return upward;
}

}  // namespace mbdbench
