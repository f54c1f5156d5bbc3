/// \file
/// Mechanisms of the catalogue whose loops close along a curve that is known in closed form.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/validation/model_check.hpp"
#include "tests/support/catalogue_mechanism.hpp"
#include "tests/support/closed_form_loops.hpp"

namespace mbdbench {
namespace {

/// max |Phi| of the cut joints at q.
double opening(const Mechanism& mechanism, const Eigen::VectorXd& q) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions({q.data(), static_cast<std::size_t>(q.size())});
  std::vector<double> residual(static_cast<std::size_t>(mechanism.constraint_size()));
  constraint_residual(kinematics, {q.data(), static_cast<std::size_t>(q.size())}, {}, residual);
  double largest = 0.0;
  for (const double entry : residual) {
    largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

struct Curve {
  const char* specification;
  test::CoordinatesOnCurve coordinates;
  double start;
  int redundant;
};

const std::vector<Curve>& curves() {
  static const std::vector<Curve> all = {{"bricard", test::bricard_coordinates, 0.25 * std::numbers::pi, 1},
                                         {"bennett", test::bennett_coordinates, 0.5, 3},
                                         {"bennett:angle=2.5", test::bennett_coordinates, 2.5, 3},
                                         {"sarrus", test::sarrus_coordinates, 0.5, 1},
                                         {"sarrus:angle=2", test::sarrus_coordinates, 2.0, 1}};
  return all;
}

TEST(overconstrained_catalogue, starts_closed_without_a_correction) {
  for (const Curve& curve : curves()) {
    SCOPED_TRACE(curve.specification);
    const Mechanism mechanism = test::from_catalogue(curve.specification);
    const Eigen::VectorXd q = curve.coordinates(curve.start);
    // A few roundings of an angle near 1; a correction by the loop closure would show at 1e-12 (its limit) and more.
    EXPECT_LT((mechanism.q0() - q).lpNorm<Eigen::Infinity>(), 2e-15);
    EXPECT_LT(opening(mechanism, mechanism.q0()), 2e-15);
    const ModelCheck check = check_model(mechanism);
    EXPECT_EQ(check.degrees_of_freedom(), 1);
    EXPECT_EQ(check.redundant(), curve.redundant);
  }
}

TEST(overconstrained_catalogue, stays_closed_along_its_curve) {
  for (const Curve& curve : curves()) {
    SCOPED_TRACE(curve.specification);
    const Mechanism mechanism = test::from_catalogue(curve.specification);
    for (int i = 0; i < 200; ++i) {
      const double s = curve.start + 0.03 * i;
      // Rounding of five turns in a row; a wrong twist or length opens the loop by tenths.
      EXPECT_LT(opening(mechanism, curve.coordinates(s)), 1e-14) << "s = " << s;
    }
  }
}

TEST(overconstrained_catalogue, sarrus_platform_stands_where_its_legs_say) {
  const Mechanism mechanism = test::from_catalogue("sarrus:angle=0.7");
  Kinematics kinematics(mechanism);
  for (const double angle : {0.7, 1.3, 2.1}) {
    const Eigen::VectorXd q = test::sarrus_coordinates(angle);
    kinematics.set_positions({q.data(), static_cast<std::size_t>(q.size())});
    const Vec3 position = marker_state(kinematics, *mechanism.find_marker("P")).position;
    EXPECT_LT((position - Vec3(0.0, 0.0, 2.0 * std::cos(angle))).norm(), 1e-14);
    EXPECT_LT((kinematics.body(*mechanism.find_body("platform")).rotation - Mat3::Identity()).norm(), 1e-14);
  }
}

TEST(overconstrained_catalogue, n_four_bar_has_the_problems_energies) {
  for (const int n : {1, 3, 10}) {
    const Mechanism mechanism = test::from_catalogue("n_four_bar:" + std::to_string(n));
    Kinematics kinematics(mechanism);
    const double theta = 0.8;
    const double rate = 1.3;
    const Eigen::VectorXd q = test::n_four_bar_coordinates(n, theta);
    const Eigen::VectorXd u = rate * (test::n_four_bar_coordinates(n, 1.0) - test::n_four_bar_coordinates(n, 0.0));
    kinematics.set_positions({q.data(), static_cast<std::size_t>(q.size())});
    kinematics.set_velocities({u.data(), static_cast<std::size_t>(u.size())});
    const Energies found = energies(kinematics, {q.data(), static_cast<std::size_t>(q.size())}, nullptr);
    EXPECT_NEAR(found.kinetic, ((n + 1) / 6.0 + n / 2.0) * rate * rate, 1e-13 * n);
    EXPECT_NEAR(found.potential, ((n + 1) / 2.0 + n) * 9.81 * std::cos(theta), 1e-12 * n);
    EXPECT_LT(opening(mechanism, q), 1e-14);
    // At the start theta = 0, theta' = 1 rad/s.
    EXPECT_LT((mechanism.q0() - test::n_four_bar_coordinates(n, 0.0)).lpNorm<Eigen::Infinity>(), 1e-15);
    EXPECT_LT((mechanism.u0() - u / rate).lpNorm<Eigen::Infinity>(), 1e-15);
  }
}

TEST(overconstrained_catalogue, squeezer_starts_closed_to_the_test_sets_digits) {
  const Mechanism mechanism = test::from_catalogue("squeezer");
  EXPECT_EQ(mechanism.q0()[0], -0.0617138900142764496358948458001);
  EXPECT_EQ(mechanism.q0()[5], 1.23054744454982119249735015568);
  // Rounding of angles near 1 at levers of 0.1 m.
  EXPECT_LT(opening(mechanism, mechanism.q0()), 2e-16);
}

}  // namespace
}  // namespace mbdbench
