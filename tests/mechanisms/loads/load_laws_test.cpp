/// \file
/// Laws of loads have the values that their authors wrote, and loads act where and along which axes they should.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/loaded_state.hpp"

namespace mbdbench {
namespace {

using test::LoadedState;

// Products and sums of numbers of order one to ten.
constexpr double kLawRounding = 1e-12;

/// A slider along x of the world that carries a link which turns about z; marker `m` 2 m along the link.
MechanismDescription slider_with_link() {
  MechanismDescription description;
  description.name = "slider_with_link";
  description.gravity = Vec3(0.0, -9.81, 0.0);
  description.bodies = {{"slider", 2.0, Vec3::Zero(), Mat3::Identity()},
                        {"link", 1.0, Vec3(1.0, 0.0, 0.0), Mat3::Identity()}};
  JointDescription slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.b = "slider";
  slide.axis = Vec3::UnitX();
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.type = JointType::revolute;
  hinge.a = "slider";
  hinge.b = "link";
  description.joints = {slide, hinge};
  description.markers = {{"m", "link", Vec3(2.0, 0.0, 0.0)}};
  return description;
}

/// \returns the generalised force on the hinge of a joint load with this law, at hand-picked values.
double hinge_force(const Law& law, double t, double q, double v) {
  MechanismDescription description = slider_with_link();
  description.joint_loads = {{"load", "hinge", 0, law}};
  LoadedState state(description);
  state.set(t, Eigen::Vector2d(0.25, q), Eigen::Vector2d(-0.5, v));
  return state.loads.joint_forces()[1];
}

TEST(loads, laws_have_the_values_of_their_formulas) {
  EXPECT_EQ(hinge_force(ConstantLaw{2.5}, 0.0, 0.0, 0.0), 2.5);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"2 * sin(t) + 3 * q - v^2"}, 0.4, 0.2, 0.7), 2.0 * std::sin(0.4) + 0.6 - 0.49,
              kLawRounding);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"q_slide + 10 * v_slide + 100 * q_hinge + 1000 * v_hinge"}, 0.0, 0.2, 0.7),
              0.25 - 5.0 + 20.0 + 700.0, kLawRounding * 1000.0);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"x_m + 10 * y_m + 100 * z_m"}, 0.0, 0.2, 0.7),
              0.25 + 2.0 * std::cos(0.2) + 20.0 * std::sin(0.2), kLawRounding);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"vx_m + 10 * vy_m + 100 * vz_m"}, 0.0, 0.2, 0.7),
              -0.5 - 1.4 * std::sin(0.2) + 14.0 * std::cos(0.2), kLawRounding);
}

TEST(loads, tables_are_linear_between_and_constant_outside_their_points) {
  const auto table = [](const char* over) { return TableLaw{over, {0.0, 1.0, 3.0}, {1.0, 2.0, -2.0}}; };
  EXPECT_EQ(hinge_force(table("t"), -1.0, 9.0, 9.0), 1.0);
  EXPECT_EQ(hinge_force(table("t"), 0.5, 9.0, 9.0), 1.5);
  EXPECT_EQ(hinge_force(table("t"), 1.0, 9.0, 9.0), 2.0);
  EXPECT_EQ(hinge_force(table("q"), 9.0, 2.0, 9.0), 0.0);
  EXPECT_EQ(hinge_force(table("v"), 9.0, 9.0, 2.5), -1.0);
  EXPECT_EQ(hinge_force(table("v"), 9.0, 9.0, 4.0), -2.0);
}

TEST(loads, a_table_passes_on_what_is_not_a_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(hinge_force(TableLaw{"v", {0.0, 1.0, 3.0}, {1.0, 2.0, -2.0}}, 0.0, 0.2, nan)));
}

TEST(loads, body_loads_act_at_their_point_in_their_axes) {
  MechanismDescription description = slider_with_link();
  BodyLoadDescription load;
  load.name = "load";
  load.body = "link";
  load.point = Vec3(2.0, 0.0, 0.0);
  load.force = {ConstantLaw{0.0}, ConstantLaw{3.0}, ConstantLaw{0.0}};
  load.torque = {ConstantLaw{0.0}, ConstantLaw{0.0}, ConstantLaw{0.5}};
  for (const bool in_body_axes : {false, true}) {
    load.in_body_axes = in_body_axes;
    description.body_loads = {load};
    LoadedState state(description);
    const double angle = 0.6;
    state.set(0.0, Eigen::Vector2d(0.0, angle), Eigen::Vector2d::Zero());
    // The centre of mass is 1 m inboard of the point; world-fixed, the force loses its lever as the link turns.
    const double moment = in_body_axes ? 3.0 : 3.0 * std::cos(angle);
    const Vec3 force = in_body_axes ? Vec3(-3.0 * std::sin(angle), 3.0 * std::cos(angle), 0.0) : Vec3(0.0, 3.0, 0.0);
    Vec6 expected;
    expected << force + Vec3(0.0, -9.81, 0.0), 0.0, 0.0, moment + 0.5;
    EXPECT_LT((state.loads.body_wrench(1) - expected).norm(), kLawRounding);
    EXPECT_EQ(state.loads.body_wrench(0).tail<3>(), Vec3::Zero());
  }
}

TEST(loads, point_spring_pulls_its_ends_together) {
  MechanismDescription description = slider_with_link();
  description.gravity.setZero();
  description.point_springs = {{"spring", kGround, "slider", Vec3::Zero(), Vec3::Zero(), 100.0, 5.0, 0.5}};
  LoadedState state(description);
  state.set(0.0, Eigen::Vector2d(2.0, 0.0), Eigen::Vector2d(0.1, 0.0));
  EXPECT_NEAR(state.loads.body_wrench(0)[0], -(100.0 * 1.5 + 5.0 * 0.1), kLawRounding * 100.0);
  // Ends that coincide have no direction; the spring then pulls nowhere instead of giving NaN.
  state.set(0.0, Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(0.1, 0.0));
  EXPECT_EQ(state.loads.body_wrench(0), Vec6::Zero());
}

}  // namespace
}  // namespace mbdbench
