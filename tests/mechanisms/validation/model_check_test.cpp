/// \file
/// Degrees of freedom and redundancy of mechanisms whose numbers are known, and the text for `mbdbench inspect`.
#include "mechanisms/model/validation/model_check.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/support/four_bar.hpp"

namespace mbdbench {
namespace {

const MechanismDescription kFourBar = test::four_bar(3.0, {1.0, 0.2, -1.5});

TEST(model_check, trees_have_as_many_freedoms_as_velocities) {
  const ModelCheck check = check_model(make_mechanism(mechanism_registry(), "balanced_tree:7"));
  EXPECT_EQ(check.degrees_of_freedom(), 7);
  EXPECT_EQ(check.redundant(), 0);
  EXPECT_EQ(check.conditioning, 1.0);
  EXPECT_TRUE(check.loops.empty());
}

TEST(model_check, planar_four_bar_has_three_redundant_rows_of_its_own) {
  const ModelCheck check = check_model(Mechanism(kFourBar));
  EXPECT_EQ(check.degrees_of_freedom(), 1);
  EXPECT_EQ(check.constraint_rows, 5);
  EXPECT_EQ(check.rank, 2);
  EXPECT_EQ(check.redundant(), 3);
  EXPECT_EQ(check.jointly_redundant(), 0);
  EXPECT_GT(check.conditioning, 0.01);
  ASSERT_EQ(check.loops.size(), 1U);
  EXPECT_EQ(check.loops[0].cut_joint, "closure");
  EXPECT_EQ(check.loops[0].redundant(), 3);
  EXPECT_EQ(check.loops[0].bodies, (std::vector<std::string>{"ground", "crank_bar", "coupler_bar", "rocker_bar"}));
}

TEST(model_check, a_spherical_closure_keeps_one_redundant_row) {
  MechanismDescription description = kFourBar;
  description.joints[3].type = JointType::spherical;
  const ModelCheck check = check_model(Mechanism(description));
  EXPECT_EQ(check.degrees_of_freedom(), 1);
  EXPECT_EQ(check.redundant(), 1);
}

TEST(model_check, a_doubled_closure_is_redundant_only_jointly) {
  MechanismDescription description = kFourBar;
  // Of the spherical joint's three rows the one out of the plane is redundant by itself; the second joint's others
  // repeat.
  description.joints[3].type = JointType::spherical;
  description.joints.push_back(description.joints[3]);
  description.joints.back().name = "second_closure";
  const ModelCheck check = check_model(Mechanism(description));
  EXPECT_EQ(check.rank, 2);
  EXPECT_EQ(check.redundant(), 4);
  EXPECT_EQ(check.loops[0].redundant(), 1);
  EXPECT_EQ(check.loops[1].redundant(), 1);
  EXPECT_EQ(check.jointly_redundant(), 2);
}

TEST(model_check, a_prescribed_crank_takes_the_last_freedom) {
  MechanismDescription description = kFourBar;
  description.joints[0].motions = {{0, "1 + t", "1", "0"}};
  const ModelCheck check = check_model(Mechanism(description));
  EXPECT_EQ(check.motion_rows, 1);
  EXPECT_EQ(check.degrees_of_freedom(), 0);
  EXPECT_EQ(check.redundant(), 3);
}

TEST(model_check, rows_without_any_motion_have_rank_zero) {
  // Two fixed joints in a loop beside a body that can move: all rows of the cut are zero but for rounding.
  MechanismDescription description = test::four_bar(3.0, {1.0, 0.2, -1.5});
  description.joints[3].name = "second_weld";
  description.joints[3].type = JointType::fixed;
  description.joints[3].a = "crank_bar";
  description.joints[3].b = "coupler_bar";
  description.joints[1].type = JointType::fixed;
  description.joints[1].q0.clear();
  // Nothing lies on an axis, so that the zeros come out as rounding.
  description.joints[1].frame_a.position = Vec3(0.7, 0.31, 0.13);
  description.joints[1].frame_b.position = Vec3(0.23, -0.41, 0.37);
  description.joints[1].frame_b.rotation = Eigen::Vector4d(0.6, 0.48, 0.64, 0.0);
  description.joints[3].frame_a = description.joints[1].frame_a;
  description.joints[3].frame_b = description.joints[1].frame_b;
  const ModelCheck check = check_model(Mechanism(description));
  EXPECT_EQ(check.rank, 0);
  EXPECT_EQ(check.redundant(), 6);
  EXPECT_EQ(check.degrees_of_freedom(), 2);
  EXPECT_EQ(check.conditioning, 1.0);
}

TEST(model_check, loops_pass_the_nearest_common_body) {
  // Bodies 1 to 7 of a heap: 4 and 5 hang on 2, 7 on 3.
  MechanismDescription description = make_mechanism(mechanism_registry(), "balanced_tree:7").description();
  JointDescription cut;
  cut.type = JointType::planar;
  cut.cut = true;
  cut.name = "near";
  cut.a = "body4";
  cut.b = "body5";
  description.joints.push_back(cut);
  cut.name = "far";
  cut.b = "body7";
  description.joints.push_back(cut);
  // Only the paths matter here, but the loops must close: the ends meet where the joints leave all freedom.
  for (std::size_t i : {std::size_t{7}, std::size_t{8}}) {
    description.joints[i].type = JointType::free;
    description.joints[i].q0 = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  }
  const ModelCheck check = check_model(Mechanism(description));
  EXPECT_EQ(check.loops[0].bodies, (std::vector<std::string>{"body4", "body2", "body5"}));
  EXPECT_EQ(check.loops[1].bodies, (std::vector<std::string>{"body4", "body2", "body1", "body3", "body7"}));
  EXPECT_EQ(check.loops[0].rows, 0);
  EXPECT_EQ(check.degrees_of_freedom(), 7);
}

TEST(describe, lists_everything_in_aligned_columns) {
  const std::string text = describe(Mechanism(kFourBar));
  for (const char* part : {"four_bar", "degrees of freedom  1 ", "redundant           3", "crank_bar", "closure",
                           "revolute", "ground - crank_bar - coupler_bar - rocker_bar"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  // The joint table: every type stands below the heading "type".
  std::istringstream lines(text);
  std::size_t column = std::string::npos;
  int joints = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("joint ")) {
      column = line.find("type");
    } else if (line.find("revolute") != std::string::npos) {
      EXPECT_EQ(line.find("revolute"), column) << line;
      ++joints;
    }
  }
  EXPECT_EQ(joints, 4);
}

}  // namespace
}  // namespace mbdbench
