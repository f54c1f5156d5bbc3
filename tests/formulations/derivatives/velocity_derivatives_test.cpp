// Exact derivatives of mechanisms that are held by velocities alone, what rolls and velocity_constraints: against
// differences of each formulation's own right-hand sides, products against the rows, a closed form, and what is
// refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/model/link_length.hpp"
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

// By their own options: what is chosen for open trees projects nothing.
constexpr Variant kBladeVariants[] = {{"dense", "projection=velocities"},
                                      {"dense", "projection=off"},
                                      {"dense-momentum", "gauge=tangent"},
                                      {"dense-momentum", "gauge=none"}};

/// \returns x' at t = 0.3.
Eigen::VectorXd rates_at(const Variant& variant, const Mechanism& mechanism, const std::vector<double>& x) {
  Eigen::VectorXd rates(static_cast<Eigen::Index>(x.size()));
  EXPECT_TRUE(test::make(variant.key, mechanism, variant.options)->rhs(0.3, x, {rates.data(), x.size()}).ok);
  return rates;
}

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
    for (const Variant& variant : kBladeVariants) {
      const std::string what = fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name());
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      EXPECT_EQ(formulation->without_jacobian(), "") << what;
      const std::vector<double> x = state_beside(*formulation, random, 0.02);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      EXPECT_LT(test::error_beside_differences(variant.key, mechanism, x, variant.options, rows), 1e-6) << what;
      expect_products(*formulation, x, rows, random, what);
      const Variant& other = kBladeVariants[variant.options == "projection=velocities" ? 1 : 2];
      if (other.key == variant.key && other.options != variant.options) {
        EXPECT_GT((rates_at(variant, mechanism, x) - rates_at(other, mechanism, x)).cwiseAbs().maxCoeff(), 1e-6)
            << what << ": beside the constraints the two are two functions";
      }
      ++treated;
    }
  }
  EXPECT_EQ(treated, 20);
}

TEST(velocity_derivatives, by_parameters_agree_with_differences) {
  std::size_t compared = 0;
  for (MechanismDescription& given : test::held_by_blades(test::unloaded(loop_named("five_bar").description()))) {
    RandomSource random(9);
    const Mechanism mechanism = test::with_joint_loads(std::move(given), random);
    const MechanismDescription& description = mechanism.description();
    std::vector<RateParameter> parameters = test::masses_and_springs(description);
    for (const Joint& joint : mechanism.tree_joints()) {
      parameters.push_back({ParameterKind::joint_force, joint.name, 0});
      if (mechanism.cut_joints().empty() && find_link_length(mechanism, joint.name)) {
        parameters.push_back({ParameterKind::length, joint.name, 0});
      }
    }
    for (const Variant& variant : kBladeVariants) {
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      const std::vector<double> x = state_beside(*formulation, random, 0.02);
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> got(
          static_cast<Eigen::Index>(x.size()), static_cast<Eigen::Index>(parameters.size()));
      ASSERT_TRUE(
          formulation->parameter_jacobian(0.3, x, parameters, {got.data(), static_cast<std::size_t>(got.size())}).ok);
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        const auto column = static_cast<Eigen::Index>(k);
        const Eigen::VectorXd expected = test::difference([&](double s) {
          const Mechanism moved(test::with_parameter(description, parameters[k], s));
          return Eigen::VectorXd(rates_at(variant, moved, x));
        });
        // Differences of fourth order over steps of 1e-3 lose 1e-13 of x' over a step, and fifth derivatives.
        EXPECT_LT((got.col(column) - expected).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, got.cwiseAbs().maxCoeff()))
            << variant.key << '[' << variant.options << "] on " << mechanism.name() << ", " << parameters[k].name;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 80U);
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

/// Of a sleigh that turns, along changes that keep the blade: of its speed, of its turn, and of its heading with the
/// velocity. The constraint's force and its second derivatives count in all three.
TEST(velocity_derivatives, of_a_sleigh_that_turns_are_those_of_its_closed_form) {
  const test::Sleigh sleigh;
  const double c = std::cos(sleigh.heading);
  const double s = std::sin(sleigh.heading);
  const double v = sleigh.speed;
  const double w = sleigh.turn;
  const double factor = sleigh.mass * sleigh.ahead / (sleigh.inertia + sleigh.mass * sleigh.ahead * sleigh.ahead);
  const double slowed = sleigh.ahead * w * w;
  const Mechanism mechanism(sleigh.description());
  for (const std::string_view options : {"projection=off", "projection=velocities"}) {
    const auto formulation = test::make("dense", mechanism, options);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    const auto expect = [&](const std::vector<double>& direction, const Vec3& accelerations) {
      std::vector<double> product(x.size());
      ASSERT_TRUE(formulation->jacobian_vector(0.0, x, direction, product).ok);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(product[3 + i], accelerations[static_cast<Eigen::Index>(i)], 1e-13) << options << ", " << i;
      }
    };
    expect({0.0, 0.0, 0.0, c, s, 0.0}, Vec3(-s * w, c * w, -factor * w));
    expect({0.0, 0.0, 0.0, 0.0, 0.0, 1.0},
           Vec3(2.0 * sleigh.ahead * w * c - v * s, 2.0 * sleigh.ahead * w * s + v * c, -factor * v));
    expect({0.0, 0.0, 1.0, -s * v, c * v, 0.0}, Vec3(-s * slowed - c * v * w, c * slowed - s * v * w, 0.0));
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
  // Derivatives are formulas, whose letters multiply; it is the constraint that has them that is named.
  MechanismDescription sliding = test::Sleigh().description();
  std::string many = "cos(q_ice_3)";
  for (int i = 0; i < 8; ++i) {
    many += fmt::format("*cos({}*q_ice_3)", i + 2);
  }
  sliding.velocity_constraints.push_back({"long", {{"ice", 2, ExpressionLaw{many}}}});
  const std::string letters = test::make("dense", Mechanism(sliding))->without_jacobian();
  EXPECT_NE(letters.find("constraint 'long'"), std::string::npos) << letters;
  EXPECT_NE(letters.find("letters"), std::string::npos) << letters;
}

}  // namespace
}  // namespace mbdbench
