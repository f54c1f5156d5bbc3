// The tree over a chain's segments, and what groups of processes have of it.
#include <gtest/gtest.h>

#include <vector>

#include "formulations/subchains/segments/segment_tree.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

ChainPlan plan_of(const char* name, int subchains) {
  return {make_mechanism(mechanism_registry(), name), subchains};
}

TEST(segment_tree, joins_neighbours_until_an_arm_is_whole) {
  for (const char* const name : {"pendulum:400", "loop:401", "pendulum_xyz:250"}) {
    for (const int subchains : {8, 24, 72, 104, 200, 304, 400}) {
      const ChainPlan plan = plan_of(name, subchains);
      const SegmentTree tree(plan);
      std::vector<int> joined_to(tree.stretches().size(), 0);
      for (int k = tree.segments(); k < static_cast<int>(tree.stretches().size()); ++k) {
        const Stretch& one = tree.at(k);
        ASSERT_LT(one.inboard, k);
        ASSERT_LT(one.outboard, k);
        EXPECT_EQ(tree.at(one.inboard).first, one.first);
        EXPECT_EQ(tree.at(one.inboard).last, tree.at(one.outboard).first);
        EXPECT_EQ(tree.at(one.outboard).last, one.last);
        ++joined_to[static_cast<std::size_t>(one.inboard)];
        ++joined_to[static_cast<std::size_t>(one.outboard)];
      }
      for (std::size_t a = 0; a < plan.arms().size(); ++a) {
        const Stretch& whole = tree.at(tree.whole(a));
        EXPECT_EQ(whole.first, plan.arms()[a].first_segment);
        EXPECT_EQ(whole.last, plan.arms()[a].last_segment);
        EXPECT_EQ(whole.goes_on, plan.arms()[a].at_cut);
        ++joined_to[static_cast<std::size_t>(tree.whole(a))];
      }
      EXPECT_EQ(joined_to, std::vector<int>(joined_to.size(), 1)) << "each is joined once, or is an arm";
    }
  }
}

TEST(segment_tree, halves_are_logarithmic) {
  const SegmentTree tree(plan_of("pendulum:2048", 8 * 256));
  ASSERT_EQ(tree.segments(), 256);
  int depth = 0;
  for (int k = tree.whole(0); k >= tree.segments(); k = tree.at(k).inboard) {
    ++depth;
  }
  EXPECT_EQ(depth, 8);
  EXPECT_LE(tree.within(3, 250).size(), 14U) << "what processes send of theirs is no more than two a level";
}

TEST(segment_tree, groups_of_processes_have_all_stretches_once) {
  const ChainPlan plan = plan_of("loop:601", 600);
  const SegmentTree tree(plan);
  for (int middle = 1; middle < tree.segments(); ++middle) {
    std::vector<int> found(tree.stretches().size(), 0);
    for (const auto& [first, last] : {std::pair(0, middle), {middle, tree.segments()}}) {
      int next = first;
      for (const int k : tree.within(first, last)) {
        EXPECT_EQ(tree.at(k).first, next);
        next = tree.at(k).last;
      }
      EXPECT_EQ(next, last);
      for (const int k : tree.joined_across(first, first, last)) {
        ++found[static_cast<std::size_t>(k)];
      }
    }
    for (const int k : tree.joined_across(0, middle, tree.segments())) {
      ++found[static_cast<std::size_t>(k)];
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k], static_cast<int>(k) >= tree.segments() ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace mbdbench
