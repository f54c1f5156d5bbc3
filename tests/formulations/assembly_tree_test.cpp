// The assembly tree: every joint closed once, every body once, few handles and logarithmic depth where the graph allows
// it.
#include "formulations/assembly/assembly_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mechanisms/catalogue/random_source.hpp"

namespace mbdbench {
namespace {

std::vector<AssemblyJoint> chain(int bodies) {
  std::vector<AssemblyJoint> joints;
  for (int k = 0; k < bodies; ++k) {
    joints.push_back({k - 1, k, 5});
  }
  return joints;
}

/// Asserts what every assembly tree must satisfy.
void check_tree(const AssemblyTree& tree) {
  std::vector<int> closed(tree.joints().size(), 0);
  std::vector<int> leaves(static_cast<std::size_t>(tree.body_count()), 0);
  std::vector<int> used(tree.nodes().size(), 0);
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const AssemblyNode& node = tree.nodes()[i];
    if (node.body >= 0) {
      ++leaves[static_cast<std::size_t>(node.body)];
    }
    for (const int child : {node.child1, node.child2}) {
      if (child >= 0) {
        EXPECT_LT(static_cast<std::size_t>(child), i) << "children stand before parents";
        ++used[static_cast<std::size_t>(child)];
      }
    }
    for (const int joint : node.closed) {
      ++closed[static_cast<std::size_t>(joint)];
    }
  }
  EXPECT_EQ(std::count(leaves.begin(), leaves.end(), 1), tree.body_count());
  for (std::size_t j = 0; j < closed.size(); ++j) {
    EXPECT_EQ(closed[j], tree.joints()[j].rows > 0 ? 1 : 0) << "joint " << j;
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    EXPECT_EQ(used[i], tree.nodes()[i].external.empty() ? 0 : 1) << "node " << i;
  }
}

TEST(assembly_tree, chain_of_256_is_balanced_with_two_handles) {
  for (const GroundClosure ground : {GroundClosure::root, GroundClosure::leaf}) {
    const AssemblyTree tree(256, chain(256), ground);
    check_tree(tree);
    EXPECT_LE(tree.figures().depth, 9 + (ground == GroundClosure::root ? 1 : 0));
    EXPECT_EQ(tree.figures().max_handles, 2);
    EXPECT_EQ(tree.figures().max_closed, 1);
  }
}

TEST(assembly_tree, ring_needs_one_handle_more) {
  std::vector<AssemblyJoint> joints = chain(255);
  joints.push_back({254, -1, 5});
  const AssemblyTree tree(255, joints, GroundClosure::root);
  check_tree(tree);
  EXPECT_LE(tree.figures().depth, 10);
  EXPECT_LE(tree.figures().max_handles, 2);
  EXPECT_LE(tree.figures().max_closed, 2);
}

TEST(assembly_tree, binary_tree_of_255_keeps_few_handles) {
  std::vector<AssemblyJoint> joints;
  for (int k = 0; k < 255; ++k) {
    joints.push_back({k == 0 ? -1 : (k - 1) / 2, k, 5});
  }
  const AssemblyTree tree(255, joints, GroundClosure::root);
  check_tree(tree);
  EXPECT_LE(tree.figures().depth, 14);
  EXPECT_LE(tree.figures().max_handles, 4);
}

TEST(assembly_tree, ladder_closes_several_joints_at_once) {
  // Two rails of 64 bodies, connected rung by rung.
  std::vector<AssemblyJoint> joints = chain(64);
  for (int k = 0; k < 64; ++k) {
    joints.push_back({k == 0 ? -1 : 64 + k - 1, 64 + k, 5});
    joints.push_back({k, 64 + k, 5});
  }
  const AssemblyTree tree(128, joints, GroundClosure::leaf);
  check_tree(tree);
  EXPECT_LE(tree.figures().max_handles, 6);
  EXPECT_GE(tree.figures().max_closed, 2);
}

TEST(assembly_tree, free_joints_separate_and_random_graphs_close_every_joint_once) {
  RandomSource random(77);
  for (int sample = 0; sample < 100; ++sample) {
    const int bodies = 1 + static_cast<int>(random.uniform(0.0, 40.0));
    std::vector<AssemblyJoint> joints;
    for (int k = 0; k < bodies; ++k) {
      joints.push_back(
          {static_cast<int>(random.uniform(0.0, k + 1.0)) - 1, k, static_cast<int>(random.uniform(0.0, 7.0))});
    }
    for (int cut = 0; cut < sample % 4 && bodies > 2; ++cut) {
      joints.push_back({0, bodies - 1, 5});
    }
    check_tree(AssemblyTree(bodies, joints, sample % 2 == 0 ? GroundClosure::root : GroundClosure::leaf));
  }
}

}  // namespace
}  // namespace mbdbench
