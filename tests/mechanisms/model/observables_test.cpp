/// \file
/// Observables against the dense mass matrix, finite differences and numbers worked out by hand.
#include "mechanisms/model/kinematics/observables.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

// Sums over eight bodies of products of numbers of order one to ten.
constexpr double kObservablesRounding = 1e-12;
// Differences resolve 1e-12 of functions of order one (random_states.hpp), here of masses of 10 kg at several m.
constexpr double kObservablesDifference = 1e-8;

class RandomObservables : public testing::TestWithParam<int> {
 public:
  [[nodiscard]] Kinematics at(double s) const {
    Kinematics result(mechanism);
    const Eigen::VectorXd position = test::moved(mechanism, q, u, s);
    result.set_positions(view(position));
    result.set_velocities(view(u));
    return result;
  }
  Mechanism mechanism = make_mechanism(mechanism_registry(), "random_tree:" + std::to_string(GetParam()));
  RandomSource random{GetParam()};
  Eigen::VectorXd q = test::random_coordinates(mechanism, random);
  Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
  Kinematics kinematics = at(0.0);
};

TEST_P(RandomObservables, kinetic_energy_is_that_of_the_mass_matrix) {
  Jacobians jacobians(mechanism);
  jacobians.set_positions(kinematics);
  Eigen::MatrixXd mass_matrix = Eigen::MatrixXd::Zero(mechanism.u_size(), mechanism.u_size());
  for (int k = 0; k < mechanism.body_count(); ++k) {
    Mat6 body = Mat6::Zero();
    body.topLeftCorner<3, 3>() = mechanism.bodies()[static_cast<std::size_t>(k)].mass * Mat3::Identity();
    body.bottomRightCorner<3, 3>() = kinematics.body(k).inertia;
    mass_matrix += jacobians.body(k).transpose() * body * jacobians.body(k);
  }
  const double expected = 0.5 * u.dot(mass_matrix * u);
  EXPECT_NEAR(energies(kinematics, view(q), nullptr).kinetic, expected, kObservablesRounding * std::max(1.0, expected));
}

TEST_P(RandomObservables, linear_momentum_moves_the_centre_of_mass) {
  const auto moment = [&](double s) {
    const Kinematics state = at(s);
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < mechanism.body_count(); ++k) {
      sum += mechanism.bodies()[static_cast<std::size_t>(k)].mass * state.body(k).com;
    }
    return sum;
  };
  EXPECT_LT(test::relative_error(linear_momentum(kinematics), test::difference(moment)), kObservablesDifference);
}

TEST_P(RandomObservables, marker_velocity_is_the_rate_of_its_position) {
  const MarkerState marker = marker_state(kinematics, 0);
  const Vec3 rate = test::difference([&](double s) { return marker_state(at(s), 0).position; });
  EXPECT_LT(test::relative_error(marker.velocity, rate), kObservablesDifference);
}

INSTANTIATE_TEST_SUITE_P(seeds, RandomObservables, testing::Range(0, 20));

/// One link of 1 kg, 1 m, J_C = 1 kg m^2 (link.hpp) that turns about y.
struct OneLink {
  OneLink(double angle, double rate) {
    q = {angle};
    u = {rate};
    kinematics.set_positions(q);
    kinematics.set_velocities(u);
  }
  Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:1");
  Kinematics kinematics{mechanism};
  std::vector<double> q;
  std::vector<double> u;
};

TEST(observables, numbers_of_one_link) {
  const OneLink link(0.5, 2.0);
  const Energies energy = energies(link.kinematics, link.q, nullptr);
  // T = (J_C + m l_C^2) q'^2 / 2, V = -m g l_C sin q, L = (J_C + m l_C^2) q' about the joint at the origin.
  EXPECT_NEAR(energy.kinetic, 0.5 * 1.25 * 4.0, kObservablesRounding);
  EXPECT_NEAR(energy.potential, -9.81 * 0.5 * std::sin(0.5), kObservablesRounding);
  EXPECT_NEAR(energy.total(), energy.kinetic + energy.potential, kObservablesRounding);
  EXPECT_LT((angular_momentum(link.kinematics) - Vec3(0.0, 2.5, 0.0)).norm(), kObservablesRounding);
  EXPECT_LT((linear_momentum(link.kinematics) - Vec3(-std::sin(0.5), 0.0, -std::cos(0.5))).norm(),
            kObservablesRounding);
  const MarkerState tip = marker_state(link.kinematics, 0);
  EXPECT_LT((tip.position - Vec3(std::cos(0.5), 0.0, -std::sin(0.5))).norm(), kObservablesRounding);
  EXPECT_LT((tip.velocity - 2.0 * Vec3(-std::sin(0.5), 0.0, -std::cos(0.5))).norm(), kObservablesRounding);
}

TEST(observables, spring_energy_is_part_of_the_potential) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:1").description();
  description.joint_springs = {{"joint_spring", "joint1", 0, 4.0, 0.0, 0.25}};
  description.point_springs = {{"point_spring", kGround, "body1", Vec3(0.0, 0.0, 2.0), Vec3::Zero(), 10.0, 0.0, 0.5}};
  const Mechanism mechanism(description);
  Kinematics kinematics(mechanism);
  const std::vector<double> q = {0.75};
  kinematics.set_positions(q);
  kinematics.set_velocities(std::vector<double>{0.0});
  const double expected = 0.5 * 4.0 * 0.25 + 0.5 * 10.0 * 1.5 * 1.5 - 9.81 * 0.5 * std::sin(0.75);
  EXPECT_NEAR(energies(kinematics, q, nullptr).potential, expected, kObservablesRounding);
}

TEST(observables, constraint_errors_vanish_at_the_start_and_see_what_is_wrong) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed:seed=3");
  Kinematics kinematics(mechanism);
  ConstraintObserver observer(mechanism);
  Eigen::VectorXd q = mechanism.q0();
  Eigen::VectorXd u = mechanism.u0();
  const auto evaluate = [&] {
    kinematics.set_positions(view(q));
    kinematics.set_velocities(view(u));
    return observer.evaluate(0.0, view(q), view(u), kinematics);
  };
  const ConstraintErrors start = evaluate();
  EXPECT_LT(start.position, 1e-13);
  EXPECT_LT(start.velocity, 1e-13);
  // A random velocity does not satisfy the constraints; the residual is Phi_q u.
  RandomSource random(2);
  u = test::random_vector(mechanism.u_size(), random);
  Jacobians jacobians(mechanism);
  jacobians.set_positions(kinematics);
  const double expected = (jacobians.constraints() * u).lpNorm<Eigen::Infinity>();
  EXPECT_GT(expected, 0.1);
  EXPECT_NEAR(evaluate().velocity, expected, kObservablesRounding);
}

TEST(observables, a_state_that_is_not_finite_does_not_look_consistent) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_tree:seed=2,motions=2");
  Kinematics kinematics(mechanism);
  ConstraintObserver observer(mechanism);
  // The first of two rows: the second one is finite and must not hide it.
  Eigen::VectorXd u = mechanism.u0();
  const Joint& first = mechanism.tree_joints()[0];
  u[first.u_offset + first.motions[0].component] = std::numeric_limits<double>::quiet_NaN();
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(u));
  EXPECT_TRUE(std::isnan(observer.evaluate(0.0, view(mechanism.q0()), view(u), kinematics).velocity));
}

TEST(observables, constraint_errors_follow_prescribed_motions) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_tree:seed=2,motions=2");
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(mechanism.u0()));
  ConstraintObserver observer(mechanism);
  const ConstraintErrors start = observer.evaluate(0.0, view(mechanism.q0()), view(mechanism.u0()), kinematics);
  EXPECT_LT(start.position, 1e-15);
  EXPECT_LT(start.velocity, 1e-15);
  // Half a second later the motions (amplitude at least 0.1, at least 0.5 rad/s) have left the initial state behind.
  const ConstraintErrors later = observer.evaluate(0.5, view(mechanism.q0()), view(mechanism.u0()), kinematics);
  EXPECT_GT(later.position, 0.02);
  EXPECT_GT(later.velocity, 1e-3);
}

TEST(observables, observing_allocates_nothing) {
  if (!AllocationGuard::active()) {
    GTEST_SKIP() << "allocations are not seen in this build";
  }
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed:seed=3");
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(mechanism.u0()));
  ConstraintObserver observer(mechanism);
  const AllocationGuard guard;
  const Energies energy = energies(kinematics, view(mechanism.q0()), nullptr);
  const ConstraintErrors errors = observer.evaluate(0.0, view(mechanism.q0()), view(mechanism.u0()), kinematics);
  const Vec3 momentum =
      angular_momentum(kinematics) + linear_momentum(kinematics) + marker_state(kinematics, 0).position;
  EXPECT_EQ(guard.count(), 0U);
  EXPECT_TRUE(std::isfinite(energy.total() + errors.position + momentum.sum()));
}

}  // namespace
}  // namespace mbdbench
