/// \file
/// Derivatives of dca-alm with plain passes: by all fourteen numbers of every body, which leave joints and constraints
/// too, and by parameters, against differences of its own right-hand sides; converged passes and passes that are cut
/// off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/formulations/augmented_lagrangian/absolute_cases.hpp"

namespace mbdbench {
namespace {

TEST(AbsoluteDerivatives, AgreeWithDifferencesBesideTheConstraints) {
  RandomSource random(test::seed_of_run(5));
  int to_the_end = 0;
  for (const char* const key :
       {"pendulum:3", "pendulum_xyz:2", "four_bar:angle=0.3", "five_bar:shape=rect", "slider_crank", "double_loop",
        "loop:5", "star:arms=3", "cart_pole", "lagrange_top", "coupled_loops", "car_axis"}) {
    const Mechanism mechanism = test::absolute_named(key);
    test::compare_state(mechanism, {"dca-alm", test::options_of(mechanism)}, 1e-3, test::kOfDifferences, random);
    to_the_end += test::options_of(mechanism) == test::kConverged ? 1 : 0;
  }
  EXPECT_GT(to_the_end, 5);
}

TEST(AbsoluteDerivatives, AgreeOnRandomTreesAndLoopsUnderLoads) {
  const std::uint64_t seed = test::seed_of_run(7);
  RandomSource random(seed);
  int closed_count = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    test::compare_state(
        test::absolute_named(fmt::format("random_tree:seed={},bodies={},screws={}", seed + i, 3 + i % 3, i % 2)),
        {"dca-alm", test::kConverged}, 1e-3, test::kOfDifferences, random);
    const Mechanism closed =
        test::absolute_named(fmt::format("random_closed:seed={},bodies=4,cuts={}", seed + i, 1 + i % 2));
    if (closed.generic_rank().overconstrained) {
      continue;  // beside the constraints x' is a compromise of least squares there, which derivatives do not follow
    }
    test::compare_state(closed, {"dca-alm", test::options_of(closed)}, 1e-3, test::kOfDifferences, random);
    ++closed_count;
  }
  EXPECT_GT(closed_count, 1);
}

/// Rows that repeat others contradict them along most of the numbers, which moves nothing. Steps are so short that what
/// they are off by does not either.
TEST(AbsoluteDerivatives, AgreeOnTheConstraintsWhereRowsRepeatOthers) {
  RandomSource random(test::seed_of_run(19));
  for (const char* const key : {"four_bar:angle=0.3", "double_loop:angle=0.2", "loop:5", "five_bar:shape=rect"}) {
    const Mechanism mechanism = test::absolute_named(key);
    ASSERT_LT(mechanism.generic_rank().rank, mechanism.constraint_size());
    test::compare_state(mechanism, {"dca-alm", "alpha=1e3,eps_a=1e-14,iterations=30"}, 0.0, 3e-6, random, 0.01);
  }
}

/// At rest no pass but the first finds anything to change: neighbours of the state take more of them.
TEST(AbsoluteDerivatives, GoOnWhereTheStateIsAtRest) {
  RandomSource random(test::seed_of_run(23));
  MechanismDescription description = test::absolute_named("pendulum:3").description();
  description.gravity.setZero();
  for (BodyDescription& body : description.bodies) {
    body.mass *= 1e4;  // a pass leaves as much more of an error
    body.inertia *= 1e4;
  }
  for (JointDescription& joint : description.joints) {
    joint.v0.assign(joint.q0.size(), 0.0);
  }
  const Mechanism mechanism(description);
  const auto formulation = test::make("dca-alm", mechanism, test::kConverged);
  std::vector<double> x(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  const Eigen::MatrixXd expected = test::differences("dca-alm", mechanism, x, test::kConverged, 0.25);
  EXPECT_LT(test::column_error(test::jacobian(*formulation, x), expected), 1e-6);
}

TEST(AbsoluteDerivatives, AreThoseOfPassesThatAreCutOff) {
  RandomSource random(test::seed_of_run(11));
  for (const char* const key : {"pendulum:3", "four_bar:angle=0.3", "double_loop", "random_tree:seed=3,bodies=4",
                                "random_closed:seed=4,bodies=4,cuts=1"}) {
    test::compare_state(test::absolute_named(key), {"dca-alm", test::kCutOff}, 1e-3, test::kOfDifferences, random);
    test::compare_state(test::absolute_named(key), {"dca-alm", "alpha=10,iterations=1"}, 1e-3, test::kOfDifferences,
                        random);
  }
}

// A pole of 1e12 times its cart's mass hardly feels what presses the cart: passes that end where accelerations settle
// leave 6e-8 of the weights' derivatives, and 2e-10 of those by masses. Both ways share no right side.
TEST(AbsoluteDerivatives, OfLightBodiesAgreeBothWays) {
  RandomSource random(test::seed_of_run(15));
  for (const char* const key : {"cart_pole:ratio=1e12", "cart_pole", "dill:bodies=4,taper=0.01"}) {
    SCOPED_TRACE(key);
    const Mechanism mechanism = test::absolute_named(key);
    const auto formulation = test::make("dca-alm", mechanism, "");
    for (int k = 0; k < 6; ++k) {
      Eigen::VectorXd q = mechanism.q0();
      q += 0.5 * test::random_vector(mechanism.q_size(), random);
      const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.3, view(std::as_const(q)), view(u), x).ok);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      Eigen::MatrixXd backward(rows.rows(), rows.cols());
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        const Eigen::VectorXd weights = Eigen::VectorXd::Unit(rows.rows(), i);
        Eigen::VectorXd weighted(rows.cols());
        ASSERT_TRUE(formulation->vector_jacobian(0.3, x, view(weights), view(weighted)).ok);
        backward.row(i) = weighted.transpose();
      }
      // A change of the state by eps changes either by some 1e-14 of the largest entry.
      EXPECT_LT((backward - rows).cwiseAbs().maxCoeff(), 1e-12 * rows.cwiseAbs().maxCoeff());
    }
  }
}

TEST(AbsoluteDerivatives, AgreeByParameters) {
  RandomSource random(test::seed_of_run(13));
  std::size_t compared = 0;
  for (const std::string options : {test::kConverged, test::kCutOff}) {
    for (const char* const key : {"pendulum:3", "four_bar:angle=0.3", "robot_arm", "random_tree:seed=3,bodies=5",
                                  "random_tree:seed=8,bodies=5", "random_closed:seed=4,bodies=4,cuts=1"}) {
      compared +=
          test::compare_parameters(test::absolute_named(key), {"dca-alm", options}, test::kOfDifferences, random);
    }
  }
  EXPECT_GT(compared, 100U);
}

// A body that is fixed to the ground falls by itself before passes hold it, each of which leaves five sixths of that:
// what is left by its mass ends at zero, next to which no pass is small.
TEST(AbsoluteDerivatives, ByTheMassOfABodyThatIsHeldAreZero) {
  MechanismDescription description = test::absolute_named("pendulum:2").description();
  description.bodies.front().mass = 1000.0;
  description.joints.front().type = JointType::fixed;
  description.joints.front().q0.clear();
  description.joints.front().v0.clear();
  const Mechanism mechanism(description);
  const auto formulation = test::make("dca-alm", mechanism, "alpha=200,iterations=200");
  std::vector<double> x(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::vector<double> column(x.size());
  const std::vector<RateParameter> asked = {{ParameterKind::mass, mechanism.bodies().front().name, 0}};
  const RhsStatus status = formulation->parameter_jacobian(0.0, x, asked, column);
  ASSERT_TRUE(status.ok) << status.message();
  for (const double number : column) {
    EXPECT_NEAR(number, 0.0, 1e-12);  // beside g / m, 0.01 m/s^2 a kilogram
  }
}

// A light body on a slide of 1e7 times its mass falls at g / m a kilogram before passes hold it. Each leaves 0.98 of
// what moves the slide, a billionth of that, which is the derivative: after a thousand it is still wrong.
TEST(AbsoluteDerivatives, PassesThatEndSmallBesideTheFirstOnesAloneAreRefused) {
  MechanismDescription description = test::absolute_named("pendulum:2").description();
  description.gravity = Vec3(0.0, -9.81, 0.0);
  description.bodies.front().mass = 1e4;
  description.bodies.front().inertia = 1e4 * Mat3::Identity();
  description.bodies.back().mass = 1e-3;
  description.bodies.back().inertia = 1e-4 * Mat3::Identity();
  description.joints.front().type = JointType::prismatic;
  description.joints.front().axis = Vec3::UnitY();
  description.joints.back().q0 = {0.7};
  description.joints.back().v0 = {0.1};
  const Mechanism mechanism(description);
  const std::vector<RateParameter> asked = {{ParameterKind::mass, mechanism.bodies().back().name, 0}};
  const auto derivative = [&](const char* options, std::vector<double>& column) {
    const auto formulation = test::make("dca-alm", mechanism, options);
    std::vector<double> x(formulation->state_size());
    EXPECT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    column.resize(x.size());
    return formulation->parameter_jacobian(0.0, x, asked, column);
  };
  std::vector<double> column;
  const RhsStatus slow = derivative("alpha=200,iterations=200", column);
  EXPECT_FALSE(slow.ok);
  EXPECT_NE(slow.message().find("passes of a derivative do not converge"), std::string::npos) << slow.message();
  const RhsStatus fast = derivative("alpha=1e7", column);
  EXPECT_TRUE(fast.ok) << fast.message();
}

TEST(AbsoluteDerivatives, OfPrescribedMotions) {
  RandomSource random(test::seed_of_run(17));
  std::size_t driven = 0;
  for (const char* const key : {"slider_crank", "random_tree:seed=9,bodies=6", "random_tree:seed=12,bodies=6",
                                "random_tree:seed=14,bodies=6,screws=1"}) {
    MechanismDescription description = test::absolute_named(key).description();
    for (JointDescription& joint : description.joints) {
      joint.dependent = std::string(key) == "slider_crank" && !joint.cut;
    }
    for (std::size_t k = 1; k < description.joints.size(); k += 2) {
      JointDescription& joint = description.joints[k];
      if (joint.cut || has_quaternion(joint.type) || joint.q0.empty()) {
        continue;
      }
      const int component = static_cast<int>(joint.q0.size()) - 1;
      joint.motions = {{component, fmt::format("{} + 0.4*t^2", joint.q0.back()), "0.8*t", "0.8"}};
      joint.v0.clear();
      joint.dependent = false;
      ++driven;
      if (std::string(key) == "slider_crank") {
        break;
      }
    }
    const Mechanism mechanism(description);
    test::compare_state(mechanism, {"dca-alm", test::options_of(mechanism)}, 1e-3, test::kOfDifferences, random);
  }
  EXPECT_GT(driven, 5U);
}

TEST(AbsoluteDerivatives, SayWhereThereAreNone) {
  const Mechanism mechanism = test::absolute_named("four_bar");
  const Mechanism bricard = test::absolute_named("bricard");
  const auto ranked = test::make("dca-alm", bricard, "alpha=100,iterations=2");
  std::vector<double> any(ranked->state_size());
  std::vector<double> result(any.size());
  ASSERT_TRUE(ranked->pack(0.0, view(bricard.q0()), view(bricard.u0()), any).ok);
  const RhsStatus cut_off = ranked->jacobian_vector(0.0, any, any, result);
  EXPECT_NE(cut_off.message().find("passes end before they converge"), std::string::npos) << cut_off.message();
  const auto formulation = test::make("dca-alm", mechanism);
  std::vector<double> x(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::vector<double> column(x.size());
  EXPECT_THROW(
      formulation->parameter_jacobian(0.0, x, std::vector<RateParameter>{{ParameterKind::mass, "nobody", 0}}, column),
      ModelError);
  x[3] = std::nan("");
  const RhsStatus status = formulation->jacobian_vector(0.0, x, x, column);
  EXPECT_FALSE(status.ok);
  EXPECT_NE(status.message().find("not a number"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace mbdbench
