// How an assembly tree falls into branches and a top (formulations/assembly/assembly_division.hpp).
#include "formulations/assembly/assembly_division.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/assembly/mechanism_assembly.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/support/extent.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

AssemblyTree tree_of(const Mechanism& mechanism, GroundClosure ground = GroundClosure::root) {
  return {mechanism.body_count(), assembly_joints(mechanism), ground};
}

AssemblyTree tree_of(const std::string& key) {
  return tree_of(make_mechanism(mechanism_registry(), key));
}

/// \returns the number of branches.
std::size_t expect_whole_sub_trees(const AssemblyTree& tree, const std::string& name) {
  const AssemblyDivision division(tree);
  const std::size_t count = tree.nodes().size();
  std::vector<int> sorted = division.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> every(count);
  std::iota(every.begin(), every.end(), 0);
  EXPECT_EQ(sorted, every) << name;

  std::vector<std::size_t> place(count);
  for (std::size_t at = 0; at < count; ++at) {
    place[static_cast<std::size_t>(division.order[at])] = at;
  }
  const std::size_t top = division.ranges.front().first;
  std::size_t covered = 0;
  for (const NodeRange& range : division.ranges) {
    covered += range.last - range.first;
    for (std::size_t at = range.first; at < range.last; ++at) {
      const AssemblyNode& node = tree.nodes()[static_cast<std::size_t>(division.order[at])];
      for (const int child : {node.child1, node.child2}) {
        if (child >= 0) {
          const std::size_t below = place[static_cast<std::size_t>(child)];
          EXPECT_LT(below, at) << name;  // children first
          EXPECT_TRUE(range.first == top || below >= range.first) << name << ": a branch reaches into another one";
        }
      }
    }
  }
  EXPECT_EQ(covered, count) << name;
  EXPECT_LE(division.ranges.size(), 17U) << name;
  return division.ranges.size() - 1;
}

TEST(assembly_division, has_whole_sub_trees_in_every_branch) {
  const std::uint64_t first_seed = test::seed_of_run(4500U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  for (std::uint64_t i = 0; i < test::extent(30); ++i) {
    const std::string closed = fmt::format("random_closed:seed={},bodies={},cuts={}", first_seed + i, 30 + 10 * i, i);
    const std::string open = fmt::format("random_tree:seed={},bodies={},branching={}", first_seed + i, 30 + 10 * i,
                                         0.25 * static_cast<double>(i % 5));
    for (const std::string& key : {closed, open}) {
      const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
      for (const GroundClosure ground : {GroundClosure::root, GroundClosure::leaf}) {
        expect_whole_sub_trees(tree_of(mechanism, ground), key);
      }
    }
  }
}

TEST(assembly_division, divides_what_is_large_whatever_its_shape) {
  for (const char* const key : {"pendulum:300", "loop:301", "ladder:150", "rings:40", "balanced_tree:511"}) {
    const AssemblyDivision division(tree_of(key));
    double total = 0.0;
    for (const double cost : division.costs()) {
      total += cost;
    }
    EXPECT_GE(division.ranges.size(), 9U) << key;
    EXPECT_LT(division.ranges.front().cost, 0.1 * total) << key;  // what one thread has to do alone
  }
  EXPECT_EQ(expect_whole_sub_trees(tree_of("double_loop"), "double_loop"), 0U) << "too small for threads";
}

// Bodies that no constraint holds are trees of their own, more than there are branches.
TEST(assembly_division, gathers_separate_trees) {
  const AssemblyTree tree(400, {}, GroundClosure::root);
  EXPECT_EQ(expect_whole_sub_trees(tree, "400 free bodies"), 16U);
}

}  // namespace
}  // namespace mbdbench
