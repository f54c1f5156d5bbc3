// Sub-trees of an assembly that go side by side (dual_twins.hpp, dual_twin_group.hpp). That their numbers are those of
// all others is tested by dual_assembly_test.
#include "formulations/augmented_lagrangian/dual/twins/dual_twins.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/augmented_lagrangian/dual/dual_assembly.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

/// Adds failures where a lane is not what the group says of it. \returns the bodies of the group
std::size_t expect_equal_forms(const AssemblyTree& tree, const TwinPlan& plan, const TwinForm& group,
                               std::vector<int>& seen) {
  const NodeRange& range = plan.division.ranges[group.range];
  std::size_t bodies = 0;
  for (const TwinForm::Lane& lane : group.lanes) {
    EXPECT_EQ(lane.nodes.size(), group.nodes.size());
    EXPECT_EQ(lane.joints.size(), group.rows.size());
    bodies += lane.bodies.size();
    for (std::size_t n = 0; n < group.nodes.size(); ++n) {
      const TwinForm::Node& form = group.nodes[n];
      const std::size_t place = index_of(lane.nodes[n]);
      EXPECT_TRUE(range.first <= place && place < range.last);
      const AssemblyNode& node = tree.nodes()[index_of(plan.division.order[place])];
      ++seen[index_of(plan.division.order[place])];
      EXPECT_EQ(node.body, form.body < 0 ? -1 : lane.bodies[index_of(form.body)]);
      // The children, in any order.
      std::vector<int> children;
      for (const int child : form.children) {
        if (child >= 0) {
          children.push_back(plan.division.order[index_of(lane.nodes[index_of(child)])]);
        }
      }
      for (const int child : {node.child1, node.child2}) {
        EXPECT_EQ(std::count(children.begin(), children.end(), child), child < 0 ? 0 : 1);
      }
      // The joints, in any order of the closed and of the others.
      EXPECT_EQ(form.closed, node.closed.size());
      EXPECT_EQ(form.joints.size(), node.closed.size() + node.external.size());
      for (std::size_t j = 0; j < form.joints.size(); ++j) {
        const int joint = lane.joints[index_of(form.joints[j])];
        const std::vector<int>& among = j < form.closed ? node.closed : node.external;
        EXPECT_EQ(std::count(among.begin(), among.end(), joint), 1);
        EXPECT_EQ(tree.joints()[index_of(joint)].rows, group.rows[index_of(form.joints[j])]);
      }
    }
  }
  return bodies;
}

/// Bodies with random handles. \param inertia of one of them \returns the pivot that is not positive
AssemblyPivot pivot_of(const AssemblyTree& tree, int which, double inertia, std::uint64_t seed) {
  const std::vector<double> masses(index_of(tree.body_count()), 1.0);
  DualAssembly assembly(tree, masses, {ProximalRows::everywhere, 1e-6, {}, false}, {});
  RandomSource random(static_cast<std::int64_t>(seed));
  return assembly.factorise([&](int body) {
    for (std::size_t handle = 0; handle < assembly.joints(body).size(); ++handle) {
      SpatialColumns directions(6, tree.joints()[index_of(assembly.joints(body)[handle])].rows);
      for (double& number : directions.reshaped()) {
        number = random.uniform(-1.0, 1.0);
      }
      const Vec3 lever(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
      assembly.set_handle(body, static_cast<int>(handle), directions, 1.0, lever);
    }
    assembly.set_inertia(body, (body == which ? inertia : 1.0) * Mat3::Identity());
  });
}

TEST(dual_twins, are_of_equal_form_and_hold_most_of_what_is_regular) {
  const std::uint64_t seed = test::seed_of_run(6100U);
  SCOPED_TRACE(fmt::format("seed {} (another one: MBDBENCH_SEED)", seed));
  // Shares of the bodies that groups hold at least; a random tree may have none.
  const std::map<std::string, double> shares = {
      {"loop:257", 0.85},     {"pendulum:200", 0.75},
      {"pendulum:1024", 0.9}, {"ladder:127", 0.8},
      {"rings:30", 0.75},     {"balanced_tree:255", 0.8},
      {"loop:33", 0.45},      {"double_loop", 0.0},
      {"humanoid", 0.0},      {fmt::format("random_tree:seed={},bodies=400", seed), 0.0}};
  for (const auto& [key, least] : shares) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    for (const GroundClosure ground : {GroundClosure::leaf, GroundClosure::root}) {
      const AssemblyTree tree(mechanism.body_count(), assembly_joints(mechanism), ground);
      const TwinPlan plan = plan_twins(tree);
      std::vector<int> seen(tree.nodes().size(), 0);
      std::size_t bodies = 0;
      for (const TwinForm& group : plan.groups) {
        bodies += expect_equal_forms(tree, plan, group, seen);
      }
      EXPECT_TRUE(std::none_of(seen.begin(), seen.end(), [](int times) { return times > 1; })) << key;
      EXPECT_GE(static_cast<double>(bodies), least * mechanism.body_count()) << key;
    }
  }
}

// Each has a root that closes its joint to the ground and nothing else: as many bodies as the node below it.
TEST(dual_twins, of_equal_mechanisms_side_by_side_share_no_body) {
  for (const int chains : {8, 9, 24}) {
    for (const int links : {1, 2, 3, 8}) {
      std::vector<AssemblyJoint> joints(index_of(chains * links));
      for (int body = 0; body < chains * links; ++body) {
        joints[index_of(body)] = {body % links == 0 ? -1 : body - 1, body, 5};
      }
      for (const GroundClosure ground : {GroundClosure::leaf, GroundClosure::root}) {
        const AssemblyTree tree(chains * links, joints, ground);
        const TwinPlan plan = plan_twins(tree);
        std::vector<int> seen(tree.nodes().size(), 0);
        for (const TwinForm& group : plan.groups) {
          expect_equal_forms(tree, plan, group, seen);
        }
        EXPECT_TRUE(std::none_of(seen.begin(), seen.end(), [](int times) { return times > 1; })) << chains << links;
        EXPECT_EQ(plan.groups.empty(), links == 1) << chains << ' ' << links;
        EXPECT_LT(pivot_of(tree, 0, 1.0, 1).joint, 0) << chains << ' ' << links;
      }
    }
  }
}

TEST(dual_twins, name_a_joint_of_the_body_with_which_one_lane_fails) {
  const std::uint64_t seed = test::seed_of_run(6200U);
  SCOPED_TRACE(fmt::format("seed {} (another one: MBDBENCH_SEED)", seed));
  // Nodes of chains close one joint each, others several with different rows.
  for (const char* const key : {"pendulum:64", "ladder:40", "rings:12", "random_closed:seed=3,bodies=90,cuts=12"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    for (const GroundClosure ground : {GroundClosure::leaf, GroundClosure::root}) {
      const AssemblyTree tree(mechanism.body_count(), assembly_joints(mechanism), ground);
      EXPECT_LT(pivot_of(tree, 0, 1.0, seed).joint, 0) << key;
      for (int body = 1; body < mechanism.body_count(); body += 3) {
        const bool has_handles = std::any_of(
            tree.joints().begin(), tree.joints().end(),
            [body](const AssemblyJoint& joint) { return joint.rows > 0 && (joint.a == body || joint.b == body); });
        if (!has_handles) {
          continue;  // it flies by itself
        }
        for (const double inertia : {std::numeric_limits<double>::quiet_NaN(), -1e6}) {
          const AssemblyPivot failed = pivot_of(tree, body, inertia, seed);
          ASSERT_GE(failed.joint, 0) << key << " body " << body;
          EXPECT_FALSE(failed.value > 0.0) << key << " body " << body;
          EXPECT_EQ(std::isnan(failed.value), std::isnan(inertia)) << key << " body " << body;
          const AssemblyJoint& joint = tree.joints()[index_of(failed.joint)];
          EXPECT_TRUE(joint.a == body || joint.b == body) << key << " joint " << failed.joint << " body " << body;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench
