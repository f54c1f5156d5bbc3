#include "formulations/assembly/assembly_tree.hpp"

#include <algorithm>
#include <tuple>

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
        const bool to_ground = joint(j).a < 0 || joint(j).b < 0;
        (to_ground && ground_ == GroundClosure::leaf ? leaf.closed : leaf.external).push_back(j);
      }
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
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
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
    for (const int first : current_) {
      std::vector<int> seen;
      for (const int j : node(first).external) {
        const int second = other_cluster(j, first);
        if (second <= first || std::find(seen.begin(), seen.end(), second) != seen.end()) {
          continue;  // every pair once, from its earlier node
        }
        seen.push_back(second);
        const int width = node(first).width + node(second).width - 2 * rows(shared(first, second));
        const int bodies = bodies_[static_cast<std::size_t>(first)] + bodies_[static_cast<std::size_t>(second)];
        candidates.push_back({std::max(width, AssemblyTree::kFreeWidth), bodies, width, first, second});
      }
    }
    if (candidates.empty()) {
      return false;
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& x, const Candidate& y) { return x.key() < y.key(); });
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
    current_ = std::move(next);
    for (const int cluster : current_) {
      adopt_bodies(cluster, cluster);
    }
    return true;
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
    bodies_.push_back(bodies_[static_cast<std::size_t>(first)] + bodies_[static_cast<std::size_t>(second)]);
    return add(std::move(parent));
  }

  void adopt_bodies(int from, int cluster) {
    std::vector<int> open = {from};
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
    }
  }

  std::span<const AssemblyJoint> joints_;
  GroundClosure ground_;
  std::vector<AssemblyNode>& nodes_;
  std::vector<int> current_;          // subassemblies not yet part of a larger one
  std::vector<int> cluster_of_body_;  // the current subassembly that contains a body
  std::vector<int> bodies_;           // bodies in each node
};

}  // namespace

AssemblyTree::AssemblyTree(int body_count, std::vector<AssemblyJoint> joints, GroundClosure ground)
    : body_count_(body_count), joints_(std::move(joints)) {
  Matching(body_count_, joints_, ground, nodes_).run();
}

AssemblyFigures AssemblyTree::figures() const {
  AssemblyFigures figures;
  for (const AssemblyNode& node : nodes_) {
    figures.depth = std::max(figures.depth, node.depth);
    figures.max_width = std::max(figures.max_width, node.width);
    figures.max_handles = std::max(figures.max_handles, static_cast<int>(node.external.size()));
    figures.max_closed = std::max(figures.max_closed, static_cast<int>(node.closed.size()));
  }
  return figures;
}

}  // namespace mbdbench
