/// \file
/// Derivatives of the other forms of dca-alm: conjugate residuals, whose limit is that of plain passes, and the printed
/// recursion, whose iterates are those of the dual form. Against one another and against differences of their own
/// right-hand sides.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "formulations/augmented_lagrangian/absolute/euler_parameters.hpp"
#include "tests/formulations/augmented_lagrangian/absolute_cases.hpp"

namespace mbdbench {
namespace {

// Plain passes with such a penalty are far from their limit after as many.
constexpr const char* kConjugate = "passes=conjugate,alpha=10,eps_a=1e-14,iterations=60";
constexpr const char* kPlain = "alpha=10,iterations=10";

std::vector<double> start_of(Formulation& formulation) {
  const Mechanism& mechanism = formulation.mechanism();
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  return x;
}

/// \returns directions that keep the lengths of all e and e . e' = 0, one a column.
Eigen::MatrixXd turning_directions(const std::vector<double>& x, RandomSource& random) {
  constexpr Eigen::Index kCount = 5;
  const Eigen::Index half = static_cast<Eigen::Index>(x.size()) / 2;
  Eigen::MatrixXd directions(2 * half, kCount);
  for (Eigen::Index k = 0; k < kCount; ++k) {
    directions.col(k) = test::random_vector(static_cast<int>(x.size()), random);
    for (Eigen::Index at = 3; at < half; at += static_cast<Eigen::Index>(kAbsoluteCoordinates)) {
      const Eigen::Map<const EulerParameters> e(x.data() + at);
      const Eigen::Map<const EulerParameters> rate(x.data() + half + at);
      auto turn = directions.col(k).segment<4>(at);
      auto rate_turn = directions.col(k).segment<4>(half + at);
      turn -= e * e.dot(turn) / e.squaredNorm();
      rate_turn -= e * (e.dot(rate_turn) + rate.dot(turn)) / e.squaredNorm();
    }
  }
  return directions;
}

TEST(AbsoluteFormDerivatives, OfConjugateResidualsAgreeWithDifferences) {
  RandomSource random(test::seed_of_run(37));
  int compared = 0;
  for (const char* const key :
       {"pendulum:3", "pendulum_xyz:2", "slider_crank", "star:arms=3", "random_tree:seed=3,bodies=5", "lagrange_top",
        "random_closed:seed=4,bodies=4,cuts=1", "random_closed:seed=8,bodies=5,cuts=1"}) {
    const Mechanism mechanism = test::absolute_named(key);
    if (mechanism.generic_rank().rank < mechanism.constraint_size()) {
      continue;  // beside the constraints conjugate residuals follow what rows have against one another
    }
    for (const char* const form : {"dca-alm", "dca-alm-proj"}) {
      const test::AbsoluteVariant variant{form, kConjugate};
      test::compare_state(mechanism, variant, 1e-3, test::kOfDifferences, random);
      test::compare_parameters(mechanism, variant, test::kOfDifferences, random);
      ++compared;
    }
  }
  EXPECT_GE(compared, 12);
}

/// The limit does not depend on the penalty, nor on how passes lead to it.
TEST(AbsoluteFormDerivatives, OfConjugateResidualsAreThoseOfTheLimitOfPlainPasses) {
  RandomSource random(test::seed_of_run(41));
  for (const char* const key : {"pendulum:5", "four_bar:angle=0.3", "double_loop:angle=0.2", "loop:5",
                                "random_tree:seed=3,bodies=5", "random_closed:seed=4,bodies=4,cuts=1"}) {
    SCOPED_TRACE(key);
    const Mechanism mechanism = test::absolute_named(key);
    const auto conjugate = test::make("dca-alm", mechanism, kConjugate);
    const auto limit = test::make("dca-alm", mechanism, test::kConverged);
    const auto plain = test::make("dca-alm", mechanism, kPlain);
    const std::vector<double> x = start_of(*conjugate);
    start_of(*limit);
    start_of(*plain);
    const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
    const Eigen::MatrixXd expected = test::jacobian(*limit, x);
    const Eigen::MatrixXd got = test::jacobian(*conjugate, x);
    const double scale = expected.cwiseAbs().maxCoeff();
    // Small eigenvalues of A magnify the rounding of right sides.
    EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 1e-9 * scale);
    EXPECT_GT((test::jacobian(*plain, x) - expected).cwiseAbs().maxCoeff(), 1e-6 * scale) << "nothing is compared";
    Eigen::VectorXd backward(got.rows());
    ASSERT_TRUE(conjugate->vector_jacobian(0.3, x, view(weights), view(backward)).ok);
    EXPECT_LT((backward - got.transpose() * weights).cwiseAbs().maxCoeff(), 1e-9 * scale);
  }
}

TEST(AbsoluteFormDerivatives, OfConjugateResidualsAreRefusedWhereTheyAreCutOff) {
  const Mechanism mechanism = test::absolute_named("random_closed:seed=4,bodies=4,cuts=1");
  const auto few = test::make("dca-alm", mechanism, "passes=conjugate,alpha=1,iterations=7");
  EXPECT_EQ(few->without_jacobian(), "");
  const std::vector<double> x = start_of(*few);
  std::vector<double> result(x.size());
  const std::string forward = few->jacobian_vector(0.3, x, x, result).message();
  EXPECT_NE(forward.find("conjugate residuals end before they converge"), std::string::npos) << forward;
  EXPECT_FALSE(few->vector_jacobian(0.3, x, x, result).ok);
  // The first four passes are plain.
  const auto four = test::make("dca-alm", mechanism, "passes=conjugate,alpha=1,iterations=4");
  const auto plain = test::make("dca-alm", mechanism, "alpha=1,iterations=4");
  start_of(*four);
  start_of(*plain);
  const Eigen::MatrixXd expected = test::jacobian(*plain, x);
  EXPECT_LT((test::jacobian(*four, x) - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff());
}

/// Where e' does not change the length of e both forms are the same function, cut off or at its limit.
TEST(AbsoluteFormDerivatives, OfThePrintedFormAreThoseOfTheDualForm) {
  RandomSource random(test::seed_of_run(43));
  for (const char* const key : {"pendulum:5", "four_bar:angle=0.3", "coupled_loops", "robot_arm",
                                "random_tree:seed=3,bodies=5", "random_tree:seed=4,bodies=6,motions=1"}) {
    const Mechanism mechanism = test::absolute_named(key);
    for (const char* const options : {"alpha=1e2,iterations=200", "alpha=10,iterations=3", "alpha=1e6"}) {
      SCOPED_TRACE(fmt::format("{}, {}", key, options));
      const auto printed = test::make("dca-alm-printed", mechanism, options);
      const auto dual = test::make("dca-alm", mechanism, options);
      ASSERT_EQ(printed->without_jacobian(), "");
      const std::vector<double> x = start_of(*printed);
      start_of(*dual);
      const Eigen::MatrixXd directions = turning_directions(x, random);
      const Eigen::MatrixXd rows = test::jacobian(*printed, x);
      const Eigen::MatrixXd expected = test::jacobian(*dual, x) * directions;
      EXPECT_LT((rows * directions - expected).cwiseAbs().maxCoeff(), 1e-12 * rows.cwiseAbs().maxCoeff());
    }
  }
}

/// By all numbers, the lengths of e and e' among them, of which the printed form makes something else.
TEST(AbsoluteFormDerivatives, OfThePrintedFormAgreeWithDifferencesOfIt) {
  RandomSource random(test::seed_of_run(47));
  std::size_t parameters = 0;
  // Its rounding, alpha^2 eps of x', over the steps of differences, and ten times that for what adds up over bodies.
  constexpr double kStep = 0.2;
  const auto limit = [](double alpha) {
    return test::kOfDifferences + 10.0 * alpha * alpha * std::numeric_limits<double>::epsilon() / (1e-3 * kStep);
  };
  for (const char* const key :
       {"pendulum:3", "pendulum_xyz:2", "star:arms=3", "lagrange_top", "random_tree:seed=3,bodies=4",
        "random_tree:seed=4,bodies=5,motions=1", "four_bar:angle=0.3", "coupled_loops"}) {
    const Mechanism mechanism = test::absolute_named(key);
    for (const auto& [alpha, rest] : {std::pair(1e2, "eps_a=1e-12,iterations=300"), {10.0, "iterations=3"}}) {
      if (alpha > 10.0 && mechanism.generic_rank().rank < mechanism.constraint_size()) {
        continue;  // beside the constraints passes to the end follow what rows have against one another
      }
      const test::AbsoluteVariant variant{"dca-alm-printed", fmt::format("alpha={},{}", alpha, rest)};
      test::compare_state(mechanism, variant, 1e-3, limit(alpha), random, kStep);
      parameters += test::compare_parameters(mechanism, variant, limit(alpha), random);
    }
  }
  EXPECT_GT(parameters, 50U);
}

}  // namespace
}  // namespace mbdbench
