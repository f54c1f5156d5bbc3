// Exact derivatives of mechanisms that are held by velocities alone, what rolls and velocity_constraints: against
// differences of each formulation's own right-hand sides, products against the rows, a closed form, and what is
// refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <string>
#include <utility>
#include <vector>

#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/support/rolling_bodies.hpp"

namespace mbdbench {
namespace {

using test::expect_products;
using test::kMomenta;
using test::kVariants;
using test::loop_named;
using test::state_beside;
using test::Variant;

/// Balls and discs on the ground and on a body that moves.
TEST(velocity_derivatives, of_what_rolls_agree_with_differences) {
  std::vector<MechanismDescription> descriptions = {
      test::rolling_body(JointType::rolling_ball, 0.2, 1.5, Vec3(0.03, 0.02, 0.025)),
      test::rolling_body(JointType::rolling_disc, 0.3, 2.0, Vec3(0.12, 0.1, 0.06)), test::SteadyDisc().description()};
  descriptions[1].joints.front().q0 = {0.8, 0.6, 0.0, 0.0, 0.1, 0.2, 0.3 * 0.96};  // leans by 74 degrees
  MechanismDescription carried = descriptions.front();
  carried.bodies.push_back({"plate", 4.0, Vec3(0.1, 0.0, 0.05), Vec3(0.2, 0.3, 0.4).asDiagonal()});
  JointDescription swing;
  swing.name = "swing";
  swing.type = JointType::universal;
  swing.b = "plate";
  swing.axis = Vec3::UnitX();
  swing.axis2 = Vec3::UnitY();
  carried.joints.back().a = "plate";
  carried.joints.push_back(swing);
  descriptions.push_back(carried);
  int treated = 0;
  for (MechanismDescription& description : descriptions) {
    const Mechanism mechanism(description);
    RandomSource random(5);
    for (const Variant& variant : {kVariants[0], kVariants[1], kMomenta[0], kMomenta[1]}) {
      const std::string what = fmt::format("{}[{}] on {} bodies", variant.key, variant.options, mechanism.body_count());
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      EXPECT_EQ(formulation->without_jacobian(), "") << what;
      const std::vector<double> x = state_beside(*formulation, random, 0.02);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      EXPECT_LT(test::error_beside_differences(variant.key, mechanism, x, variant.options, rows), 1e-6) << what;
      expect_products(*formulation, x, rows, random, what);
      ++treated;
    }
  }
  EXPECT_EQ(treated, 16);
}

/// Blades, grooves and gears that hold velocities alone, with factors that depend on the position.
TEST(velocity_derivatives, of_constraints_of_velocities_alone_agree_with_differences) {
  int treated = 0;
  for (MechanismDescription& description : test::held_by_blades(test::unloaded(loop_named("five_bar").description()))) {
    RandomSource random(7);
    const Mechanism mechanism = test::with_joint_loads(std::move(description), random);
    ASSERT_FALSE(mechanism.velocity_constraints().empty());
    for (const Variant& variant : {kVariants[0], kVariants[1], kMomenta[0], kMomenta[1]}) {
      const std::string what = fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name());
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      EXPECT_EQ(formulation->without_jacobian(), "") << what;
      const std::vector<double> x = state_beside(*formulation, random, 0.02);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      EXPECT_LT(test::error_beside_differences(variant.key, mechanism, x, variant.options, rows), 1e-6) << what;
      expect_products(*formulation, x, rows, random, what);
      ++treated;
    }
  }
  EXPECT_EQ(treated, 20);
}

/// A sleigh that glides straight on [Chaplygin]: a turn w dies out as w' = -m a v w / (J + m a^2) where the centre of
/// mass is ahead of the blade by a, and grows where it is behind; everything else stays.
TEST(velocity_derivatives, of_a_sleigh_have_the_eigenvalue_of_its_closed_form) {
  for (const double speed : {1.5, -0.8}) {
    test::Sleigh sleigh;
    sleigh.turn = 0.0;
    sleigh.speed = speed;
    const double expected =
        -sleigh.mass * sleigh.ahead * speed / (sleigh.inertia + sleigh.mass * sleigh.ahead * sleigh.ahead);
    const Mechanism mechanism(sleigh.description());
    for (const std::string_view key : {"dense", "dense-momentum"}) {
      const auto formulation = test::make(key, mechanism);
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      const Eigen::EigenSolver<Eigen::MatrixXd> solver(test::jacobian(*formulation, x), false);
      // A simple eigenvalue of a matrix with entries of order one.
      EXPECT_LT((solver.eigenvalues().array() - expected).abs().minCoeff(), 1e-12) << key << ", " << speed;
    }
  }
}

TEST(velocity_derivatives, of_constraints_of_velocities_alone_are_refused_with_the_reason) {
  MechanismDescription turning = test::rolling_body(JointType::rolling_ball, 0.2, 1.5, Vec3(0.03, 0.02, 0.025));
  turning.joints.pop_back();
  turning.velocity_constraints = {
      {"keel", {{"flight", 3, ExpressionLaw{"q_flight_2 + 0.4"}}, {"flight", 4, ConstantLaw{1.0}}}}};
  const Mechanism mechanism(turning);
  const std::string why = test::make("dense", mechanism)->without_jacobian();
  EXPECT_NE(why.find("constraint 'keel'"), std::string::npos) << why;
  EXPECT_NE(why.find("q_flight_2, a component of a quaternion"), std::string::npos) << why;
}

}  // namespace
}  // namespace mbdbench
