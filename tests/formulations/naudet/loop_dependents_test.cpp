// Which joints close which loop by constraint matrices, and what is refused with which reason.
#include "formulations/naudet/dependents/loop_dependents.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

#include "formulations/naudet/closed_dynamics.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/four_bar.hpp"

namespace mbdbench {
namespace {

DependentLoops planned(const Mechanism& mechanism) {
  return plan_dependent_loops(mechanism, dependent_candidates(mechanism, false));
}

/// Expects that the formulation refuses the mechanism with all these words, and that the other way treats it.
void expect_refusal(const Mechanism& mechanism, const std::vector<std::string>& words,
                    std::string_view key = "naudet") {
  try {
    static_cast<void>(test::make(key, mechanism, "loops=matrices"));
    FAIL() << mechanism.name() << " must be refused";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    for (const std::string& word : words) {
      EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
    }
    for (const char* const remedy : {"loops=impulses", "with their default options these can: dense, ", "naudet, "}) {
      EXPECT_NE(text.find(remedy), std::string::npos) << text;
    }
  }
  EXPECT_NO_THROW(static_cast<void>(test::make(key, mechanism, "loops=impulses")));
}

TEST(loop_dependents, marked_joints_depend_although_the_other_end_is_better) {
  // Both ways of a loop that meets away from the ground; either pair of joints can close it.
  MechanismDescription description = make_mechanism(mechanism_registry(), "loop:9").description();
  const Mechanism plain(description);
  const DependentLoops first = planned(plain);
  ASSERT_EQ(first.loops.size(), 1U);
  EXPECT_EQ(first.loops[0].rows.size(), 2U);
  ASSERT_EQ(first.loops[0].joints.size(), 2U);
  const Joint& cut = plain.cut_joints()[0];
  for (const int end : {cut.a, cut.b}) {
    MechanismDescription marked = description;
    marked.joints[static_cast<std::size_t>(end)].dependent = true;
    marked.joints[static_cast<std::size_t>(plain.parent(end))].dependent = true;
    const Mechanism mechanism(marked);
    const DependentLoops loops = planned(mechanism);
    EXPECT_EQ(loops.loops[0].end, end);
    EXPECT_EQ(loops.loops[0].joints[0].body, end) << "from the cut inward";
    EXPECT_EQ(loops.loops[0].joints[1].body, plain.parent(end));
  }
}

TEST(loop_dependents, rounding_does_not_decide_between_equal_candidates) {
  // Symmetric mechanisms, their positions moved by less than they are known to: what another compiler may do.
  RandomSource random(11);
  for (const char* const key : {"loop:9", "loop:33", "double_loop", "rings", "five_bar"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const DependentLoops loops = planned(mechanism);
    const std::vector<bool> allowed = dependent_candidates(mechanism, false);
    const DependentChoice choice = initial_choice(mechanism, allowed);
    for (int draw = 0; draw < 20; ++draw) {
      MechanismDescription description = mechanism.description();
      for (JointDescription& joint : description.joints) {
        for (double& q : joint.q0) {
          q += random.uniform(-1e-14, 1e-14);
        }
      }
      const Mechanism moved(description);
      EXPECT_EQ(planned(moved).choice.dependent, loops.choice.dependent) << key << ", draw " << draw;
      EXPECT_EQ(initial_choice(moved, allowed).dependent, choice.dependent) << key << ", draw " << draw;
    }
  }
}

TEST(loop_dependents, bodies_are_visited_before_their_inboard_body_and_their_reference) {
  for (const std::string key : {"double_loop", "coupled_loops", "rings", "loop:33", "biped"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const DependentLoops loops = planned(mechanism);
    std::vector<std::size_t> visit(loops.order.size());
    for (std::size_t i = 0; i < loops.order.size(); ++i) {
      visit[static_cast<std::size_t>(loops.order[i])] = i;
    }
    for (std::size_t k = 0; k < visit.size(); ++k) {
      for (const int later : {mechanism.parent(static_cast<int>(k)), loops.reference[k]}) {
        if (later >= 0) {
          EXPECT_LT(visit[k], visit[static_cast<std::size_t>(later)]) << key;
        }
      }
    }
    EXPECT_EQ(loops.choice.rows.size(), loops.choice.dependent.size());
    EXPECT_EQ(loops.choice.rows.size(), initial_choice(mechanism, dependent_candidates(mechanism, false)).rows.size())
        << "the rank by complete pivoting";
  }
}

TEST(loop_dependents, links_in_line_next_to_the_cut_are_refused) {
  expect_refusal(make_mechanism(mechanism_registry(), "loop8"),
                 {"loop8", "joint9", "body8", "cannot close its loop at the initial position"});
}

TEST(loop_dependents, joints_that_close_a_loop_badly_at_the_start_are_refused) {
  // Shares of 2e-4 and 3e-3; taken, they left u errors of 9e-5 and 1e-8.
  for (const char* const key :
       {"random_closed:seed=3049,bodies=14,cuts=1,branching=0.2", "random_closed:seed=110,branching=0.3"}) {
    expect_refusal(make_mechanism(mechanism_registry(), key),
                   {"cannot close its loop at the initial position", "from the other end"});
  }
}

TEST(loop_dependents, prescribed_motion_next_to_the_cut_is_refused) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "four_bar").description();
  description.joints[3].motions.push_back({0, fmt::format("{}", description.joints[3].q0[0]), "0", "0"});
  expect_refusal(Mechanism(description), {"joint4", "prescribed"});
}

/// A planar chain of `joints` links from the ground; cut joints may be added with `close`.
MechanismDescription planar_chain(int joints) {
  MechanismDescription description;
  description.name = "chain";
  for (int i = 0; i < joints; ++i) {
    const std::string name = fmt::format("link{}", i + 1);
    description.bodies.push_back({name, 1.0, Vec3(0.5, 0.0, 0.0), Vec3(0.01, 0.1, 0.1).asDiagonal()});
    JointDescription joint;
    joint.name = fmt::format("joint{}", i + 1);
    joint.a = i == 0 ? kGround : description.bodies[static_cast<std::size_t>(i - 1)].name;
    joint.b = name;
    joint.frame_a.position = Vec3(i == 0 ? 0.0 : 1.0, 0.0, 0.0);
    joint.q0 = {i % 2 == 0 ? 0.7 : -0.4};
    description.joints.push_back(joint);
  }
  return description;
}

/// Pins a point of one body to another body where it is now.
void close(MechanismDescription& description, const std::string& name, const std::string& on, const std::string& end,
           const Vec3& point, JointType type = JointType::revolute) {
  MechanismDescription tree = description;
  std::erase_if(tree.joints, [](const JointDescription& joint) { return joint.cut; });
  const Mechanism mechanism(tree);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const BodyKinematics& base = kinematics.body(*mechanism.find_body(on));
  JointDescription cut;
  cut.name = name;
  cut.type = type;
  cut.cut = true;
  cut.a = on;
  cut.b = end;
  cut.frame_b.position = point;
  cut.frame_a.position =
      base.rotation.transpose() * (kinematics.world_point(*mechanism.find_body(end), point) - base.origin);
  description.joints.push_back(cut);
}

TEST(loop_dependents, quaternions_next_to_the_cut_are_refused_in_reduced_coordinates) {
  // Four revolute joints could close the loop, but the spherical one stands next to the cut.
  MechanismDescription description = planar_chain(5);
  description.joints[1].axis = Vec3::UnitX();
  description.joints[4].type = JointType::spherical;
  description.joints[4].q0 = {0.9, 0.1, 0.3, -0.2};
  Eigen::Map<Eigen::Vector4d>(description.joints[4].q0.data()).normalize();
  close(description, "first", kGround, "link5", Vec3(1.0, 0.2, 0.3), JointType::spherical);
  expect_refusal(Mechanism(description), {"joint5", "3 degrees of freedom", "cannot be solved for by themselves"},
                 "naudet-reduced");
}

TEST(loop_dependents, loops_that_need_the_same_joint_are_refused) {
  MechanismDescription description = planar_chain(6);
  close(description, "first", kGround, "link6", Vec3(1.0, 0.0, 0.0));
  close(description, "second", kGround, "link5", Vec3(0.5, 0.7, 0.0));
  expect_refusal(Mechanism(description), {"joint5", "two loops", "'first' and 'second'"});
}

TEST(loop_dependents, loops_that_share_part_of_their_ways_to_different_bodies_are_refused) {
  // Both loops pass link5 and end on different bodies of their own way.
  MechanismDescription description = planar_chain(10);
  close(description, "first", "link1", "link10", Vec3(1.0, 0.0, 0.0));
  close(description, "second", "link3", "link7", Vec3(0.5, 0.7, 0.0));
  expect_refusal(Mechanism(description), {"link", "refer to two bodies at once", "'link1'", "'link3'"});
}

TEST(loop_dependents, a_way_with_too_few_degrees_of_freedom_is_refused) {
  // A triangle of link4, link5 and a strut: one joint on each of the two ways, two constraints.
  MechanismDescription description = planar_chain(5);
  description.bodies.push_back({"strut", 1.0, Vec3(0.5, 0.0, 0.0), Vec3(0.01, 0.1, 0.1).asDiagonal()});
  JointDescription joint;
  joint.name = "strut_joint";
  joint.a = "link4";
  joint.b = "strut";
  joint.frame_a.position = Vec3(0.3, 0.2, 0.0);
  joint.q0 = {0.5};
  description.joints.push_back(joint);
  close(description, "first", "link5", "strut", Vec3(1.0, 0.0, 0.0));
  expect_refusal(Mechanism(description),
                 {"'first'", "2 independent constraints", "only 1 degree of freedom", "'strut'", "'link5'"});
}

TEST(loop_dependents, loops_that_follow_one_another_in_a_circle_are_refused) {
  // Two arms; each one's last two joints close the loop whose other end is on the end of the other arm.
  MechanismDescription description = planar_chain(4);
  for (int i = 0; i < 4; ++i) {
    const std::string name = fmt::format("arm{}", i + 1);
    description.bodies.push_back({name, 1.0, Vec3(0.5, 0.0, 0.0), Vec3(0.01, 0.1, 0.1).asDiagonal()});
    JointDescription joint;
    joint.name = fmt::format("arm_joint{}", i + 1);
    joint.a = i == 0 ? kGround : fmt::format("arm{}", i);
    joint.b = name;
    joint.frame_a.position = i == 0 ? Vec3(0.0, 2.0, 0.0) : Vec3(1.0, 0.0, 0.0);
    joint.q0 = {i % 2 == 0 ? -0.6 : 0.9};
    description.joints.push_back(joint);
  }
  close(description, "first", "link4", "arm4", Vec3(1.0, 0.0, 0.0));
  close(description, "second", "arm4", "link4", Vec3(0.2, 0.6, 0.0));
  expect_refusal(Mechanism(description), {"'second'", "from the other end", "in a circle"});
}

/// Adds five links to a body, with joints at these angles.
void add_arm(MechanismDescription& description, const std::string& name, const std::string& from,
             RandomSource& random) {
  for (int i = 0; i < 5; ++i) {
    const std::string link = fmt::format("{}{}", name, i + 1);
    description.bodies.push_back({link, 1.0, Vec3(0.5, 0.0, 0.0), Vec3(0.01, 0.1, 0.1).asDiagonal()});
    JointDescription joint;
    joint.name = "joint_" + link;
    joint.a = i == 0 ? from : fmt::format("{}{}", name, i);
    joint.b = link;
    joint.frame_a.position = Vec3(1.0, 0.0, 0.0);
    joint.q0 = {random.uniform(-2.0, 2.0)};
    description.joints.push_back(joint);
  }
}

TEST(loop_dependents, the_order_of_cut_joints_does_not_decide_what_is_treated) {
  // A trunk with two arms; one loop joins their ends, the other holds the end of the first arm to the ground and has
  // one usable end. The first loop, planned first, may take its joints.
  RandomSource random(3);
  int treated = 0;
  for (int draw = 0; draw < 60; ++draw) {
    MechanismDescription description = planar_chain(1);
    add_arm(description, "left", "link1", random);
    add_arm(description, "right", "link1", random);
    close(description, "ends", "right5", "left5", Vec3(1.0, 0.0, 0.0));
    close(description, "hold", kGround, "left5", Vec3(0.5, 0.6, 0.0));
    std::array<bool, 2> planned_in_order = {};
    for (bool& result : planned_in_order) {
      try {
        result = planned(Mechanism(description)).loops.size() == 2;
      } catch (const ModelError&) {
        result = false;
      }
      std::swap(description.joints[description.joints.size() - 1], description.joints[description.joints.size() - 2]);
    }
    EXPECT_EQ(planned_in_order[0], planned_in_order[1]) << "draw " << draw;
    treated += planned_in_order[0] ? 1 : 0;
  }
  EXPECT_GE(treated, 40);
}

TEST(loop_dependents, unknown_ways_to_close_loops_are_refused) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "biped");
  EXPECT_THROW(static_cast<void>(test::make("naudet", mechanism, "loops=matrix")), ParameterError);
  EXPECT_THROW(static_cast<void>(test::make("naudet-acc", mechanism, "loops=matrices")), ParameterError);
}

}  // namespace
}  // namespace mbdbench
