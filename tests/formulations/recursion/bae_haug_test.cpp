// bae-haug on closed loops: accelerations of the dense reference, redundant rows, Baumgarte's equation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/validation/model_check.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/four_bar.hpp"
#include "tests/support/turning_rows.hpp"

namespace mbdbench {
namespace {

/// \returns u' at (q, u).
Eigen::VectorXd accelerations(Formulation& formulation, const Mechanism& mechanism, const Eigen::VectorXd& q,
                              const Eigen::VectorXd& u) {
  const test::Evaluation state = test::evaluate_at(formulation, 0.3, q, u);
  EXPECT_TRUE(state.status.ok) << state.status.message();
  return Eigen::Map<const Eigen::VectorXd>(state.xdot.data() + mechanism.q_size(), mechanism.u_size());
}

TEST(bae_haug, closed_mechanisms_accelerate_like_the_dense_reference) {
  double worst = 0.0;
  int redundant = 0;
  int compared = 0;
  for (int seed = 100; seed < 160; ++seed) {
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={}", seed, 6 + seed % 12, 1 + seed % 4);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const auto formulation = test::make("bae-haug", mechanism);
    const auto reference = test::make("dense", mechanism);
    RandomSource random(seed);
    const Eigen::VectorXd nearby =
        test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-14);
    const Eigen::VectorXd& u = mechanism.u0();
    const Eigen::VectorXd actual = accelerations(*formulation, mechanism, mechanism.q0(), u);
    const Eigen::VectorXd expected = accelerations(*reference, mechanism, mechanism.q0(), u);
    // Singular values of Phi_q differ by up to 1e3 in these mechanisms and the mass matrix adds about as much: eps
    // times their product. The worst error found is printed (1e-13 when written).
    constexpr double kLimit = 1e-9;
    EXPECT_LT(test::relative_error(accelerations(*formulation, mechanism, nearby, u), actual), kLimit) << key;
    const double error = test::relative_error(actual, expected);
    EXPECT_LT(error, kLimit) << key;
    worst = std::max(worst, error);
    redundant += check_model(mechanism).redundant() > 0 ? 1 : 0;
    ++compared;
  }
  fmt::print("{} of 60 closed mechanisms compared, {} with redundant constraints: worst relative error {:.1e}\n",
             compared, redundant, worst);
  EXPECT_EQ(compared, 60);
  EXPECT_GT(redundant, 20);
}

TEST(bae_haug, planar_loops_in_space_have_redundant_rows) {
  MechanismDescription description = test::four_bar(3.0, {1.5707963267948966, -0.3, -1.3});
  description.gravity = Vec3(0.0, -9.81, 0.0);
  const Mechanism mechanism(description);
  BodyRecursion tree(mechanism, nullptr);
  CutRows rows(mechanism, {});
  ASSERT_TRUE(tree.set_positions(0.0, view(mechanism.q0())).ok);
  ASSERT_TRUE(rows.set_positions(tree, view(mechanism.q0())).ok);
  // Five rows of a revolute joint; two of them lie in the plane, the others no motion of the tree can violate.
  EXPECT_EQ(rows.rank(), 2);
  const Eigen::VectorXd& u = mechanism.u0();
  const Eigen::VectorXd actual = accelerations(*test::make("bae-haug", mechanism), mechanism, mechanism.q0(), u);
  const Eigen::VectorXd expected = accelerations(*test::make("dense", mechanism), mechanism, mechanism.q0(), u);
  EXPECT_LT(test::relative_error(actual, expected), 1e-12);  // a well-conditioned 3 x 3 problem: rounding
  EXPECT_GT(expected.norm(), 0.1);
}

TEST(bae_haug, errors_of_the_loops_obey_baumgartes_equation) {
  constexpr double kAlpha = 3.0;
  constexpr double kBeta = 7.0;
  int checked = 0;
  int turning = 0;
  for (int seed = 1; seed <= 24; ++seed) {
    const std::string key = fmt::format("random_closed:seed={},bodies=8,cuts=2", seed);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    if (check_model(mechanism).redundant() > 0) {
      continue;  // off the closed positions not all rows can be satisfied
    }
    const auto formulation = test::make("bae-haug", mechanism, fmt::format("alpha={},beta={}", kAlpha, kBeta));
    RandomSource random(seed);
    const Eigen::VectorXd q =
        test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 0.01);
    const Eigen::VectorXd u = mechanism.u0() + 0.1 * test::random_vector(mechanism.u_size(), random);
    const Eigen::VectorXd rates = accelerations(*formulation, mechanism, q, u);
    Kinematics kinematics(mechanism);
    Eigen::VectorXd residual(mechanism.constraint_size());
    const auto velocity_residual = [&](double s) {
      // q moves along u + s u' / 2 to second order; its third-order error is even and drops out of the difference.
      const Eigen::VectorXd moved_q = test::moved(mechanism, q, Eigen::VectorXd(u + 0.5 * s * rates), s);
      const Eigen::VectorXd moved_u = u + s * rates;
      kinematics.set_positions(view(moved_q));
      kinematics.set_velocities(view(moved_u));
      constraint_rate_residual(kinematics, view(moved_u), {}, view(residual));
      return residual;
    };
    const double h = 1e-5;
    const Eigen::VectorXd second_rate = (velocity_residual(h) - velocity_residual(-h)) / (2.0 * h);
    const Eigen::VectorXd first_rate = velocity_residual(0.0);
    Eigen::VectorXd position(mechanism.constraint_size());
    constraint_residual(kinematics, view(q), {}, view(position));
    const Eigen::VectorXd turned = test::turned_with_both_bodies(kinematics, first_rate);
    turning += turned.norm() > 1e-2 ? 1 : 0;
    const Eigen::VectorXd sum = second_rate - turned + 2.0 * kAlpha * first_rate + kBeta * kBeta * position;
    // Differences of velocities of order ten resolve 1e-15 / 1e-5 and h^2 times third derivatives of order 1e3.
    EXPECT_LT(sum.lpNorm<Eigen::Infinity>(), 1e-6) << key;
    EXPECT_GT(position.lpNorm<Eigen::Infinity>(), 1e-4) << key;
    ++checked;
  }
  EXPECT_GE(checked, 6);
  EXPECT_GE(turning, 3) << "loops whose rows turn with moving bodies";
}

TEST(bae_haug, unusable_constants_are_refused) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed");
  EXPECT_THROW(static_cast<void>(test::make("bae-haug", mechanism, "alpha=-1")), ParameterError);
  EXPECT_THROW(static_cast<void>(test::make("bae-haug", mechanism, "gamma=1")), ParameterError);
}

}  // namespace
}  // namespace mbdbench
