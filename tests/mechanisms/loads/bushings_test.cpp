/// \file
/// Bushings, friction and stops: what stores energy is minus the gradient of it, the rest takes energy out.
#include "mechanisms/model/loads/bushing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/loads/joint_resistance.hpp"
#include "mechanisms/model/loads/table_law.hpp"
#include "tests/support/added_loads.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/loaded_state.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

using test::LoadedState;

constexpr double kBushingDifference = 1e-8;  // of functions of order one to a hundred, as in loads_test

/// A random mechanism with nothing but gravity and what `add` adds.
template <typename Add>
MechanismDescription loaded(const std::string& specification, Add add) {
  MechanismDescription description = make_mechanism(mechanism_registry(), specification + ",loads=0").description();
  RandomSource random(7);
  add(random, description);
  return description;
}

/// The power of all loads is the rate at which the energy is lost, where nothing is damped.
/// \param anywhere at random coordinates, not at the start; loops are closed there only
void expect_conservative(const MechanismDescription& description, RandomSource& random, bool anywhere) {
  LoadedState state(description);
  const bool closed = !state.mechanism.cut_joints().empty();
  const Eigen::VectorXd q =
      closed || !anywhere ? state.mechanism.q0() : test::random_coordinates(state.mechanism, random);
  const Eigen::VectorXd u = closed ? state.mechanism.u0() : test::random_vector(state.mechanism.u_size(), random);
  const double rate =
      test::difference([&](double s) { return state.potential(test::moved(state.mechanism, q, u, s)); });
  state.set(0.0, q, u);
  EXPECT_NEAR(state.power(u), -rate, kBushingDifference * std::max(1.0, std::abs(rate)));
}

class AddedLoads : public testing::TestWithParam<int> {
 public:
  [[nodiscard]] static std::string tree() { return fmt::format("random_tree:seed={},bodies=8", GetParam()); }
  [[nodiscard]] static std::string closed() { return fmt::format("random_closed:seed={},bodies=8", GetParam()); }
  RandomSource random{GetParam()};
};

TEST_P(AddedLoads, bushings_are_the_gradient_of_their_energy) {
  for (const std::string& specification : {tree(), closed()}) {
    expect_conservative(loaded(specification, [](auto& source, auto& to) { test::add_bushings(source, to, 0.0); }),
                        random, true);
  }
}

TEST_P(AddedLoads, stops_are_the_gradient_of_their_energy) {
  for (const std::string& specification : {tree(), closed()}) {
    expect_conservative(loaded(specification, [](auto& source, auto& to) { test::add_stops(source, to, 0.0); }), random,
                        false);
  }
}

/// Without the parts that have a potential only what takes energy is left, in mechanisms as the balance asks for it.
TEST_P(AddedLoads, what_has_no_potential_takes_energy) {
  for (const std::string& specification : {tree(), closed()}) {
    const MechanismDescription description = loaded(specification, [](auto& source, auto& to) {
      test::add_bushings(source, to);
      test::add_stops(source, to);
      test::add_friction(source, to);
    });
    LoadedState state(description);
    EXPECT_TRUE(state.mechanism.exchanges_energy());
    const Eigen::VectorXd& q = state.mechanism.q0();
    const Eigen::VectorXd u = state.mechanism.cut_joints().empty()
                                  ? test::random_vector(state.mechanism.u_size(), random)
                                  : state.mechanism.u0();
    state.set(0.0, q, u);
    const double all = state.power(u);
    const double rate =
        test::difference([&](double s) { return state.potential(test::moved(state.mechanism, q, u, s)); });
    state.kinematics.set_positions(view(q));
    state.kinematics.set_velocities(view(u));
    state.loads.evaluate_without_potential(0.0, view(q), view(u), state.kinematics);
    const double lost = state.loads.power(view(u), state.kinematics);
    EXPECT_LE(lost, 0.0);
    EXPECT_NEAR(all, lost - rate, kBushingDifference * std::max(1.0, std::abs(all)));
  }
}

TEST_P(AddedLoads, evaluation_allocates_nothing) {
  if (!AllocationGuard::active()) {
    GTEST_SKIP() << "allocations are not seen in this build";
  }
  LoadedState state(loaded(closed(), [](auto& source, auto& to) {
    test::add_bushings(source, to);
    test::add_stops(source, to);
    test::add_friction(source, to);
  }));
  const auto q = view(state.mechanism.q0());
  const auto u = view(state.mechanism.u0());
  const AllocationGuard guard;
  state.loads.evaluate(0.5, q, u, state.kinematics);
  EXPECT_EQ(guard.count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(seeds, AddedLoads, testing::Range(0, 20));

TEST(bushings, the_rotation_vector_is_exact_from_tiny_turns_to_half_a_turn) {
  RandomSource random(3);
  for (const double angle : {0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.1, 1.0, 3.0, std::numbers::pi - 1e-9}) {
    const Vec3 axis = random.direction();
    const Vec3 found = rotation_vector(rotation_about(axis, angle));
    EXPECT_LT((found - angle * axis).norm(), 1e-15 + 1e-14 * angle) << angle;
  }
}

TEST(bushings, the_rate_of_the_rotation_vector_is_its_derivative) {
  RandomSource random(4);
  for (const double angle : {1e-9, 1e-4, 0.9e-3, 1.1e-3, 0.5, 2.0, 3.1}) {
    const Vec3 turn = angle * random.direction();
    const Vec3 omega = random.direction();
    const Mat3 start = rotation_about(turn.normalized(), angle);
    const Vec3 rate =
        test::difference([&](double s) { return rotation_vector(rotation_about(omega, 0.01 * s) * start); });
    EXPECT_LT((rate - 0.01 * rotation_vector_rate(turn) * omega).norm(), 1e-10) << angle;
  }
}

TEST(bushings, the_slope_of_the_turned_torque_is_its_derivative) {
  RandomSource random(5);
  // On both sides of where series stand in for closed forms.
  for (const double angle : {1e-9, 1e-4, 0.09, 0.11, 0.5, 2.0, 3.1}) {
    const Vec3 turn = angle * random.direction();
    const Vec3 twist = random.direction();
    const Vec3 way = random.direction();
    const Vec3 expected = test::difference(
        [&](double s) -> Vec3 { return rotation_vector_rate(turn + 0.01 * s * way).transpose() * twist; });
    EXPECT_LT((expected - 0.01 * turned_torque_slope(turn, twist) * way).norm(), 1e-11) << angle;
  }
}

/// Two frames apart along and about one axis: a spring and a torsion spring of that axis.
TEST(bushings, along_one_axis_it_is_a_spring) {
  MechanismDescription description;
  description.name = "block";
  description.gravity.setZero();
  description.bodies = {{"block", 1.0, Vec3::Zero(), Mat3::Identity()}};
  JointDescription base;
  base.name = "base";
  base.type = JointType::cylindrical;
  base.b = "block";
  base.q0 = {0.4, 0.2};
  base.v0 = {-3.0, 5.0};
  description.joints = {base};
  description.bushings = {{"bush",
                           kGround,
                           "block",
                           {},
                           {},
                           Vec3(1.0, 2.0, 30.0),
                           Vec3(4.0, 5.0, 6.0),
                           Vec3(7.0, 8.0, 9.0),
                           Vec3(0.1, 0.2, 0.3)}};
  LoadedState state(description);
  state.set(0.0, state.mechanism.q0(), state.mechanism.u0());
  const Vec6& wrench = state.loads.body_wrench(0);
  EXPECT_NEAR(wrench[2], -30.0 * 0.2 - 6.0 * 5.0, 1e-12);
  EXPECT_NEAR(wrench[5], -9.0 * 0.4 + 0.3 * 3.0, 1e-12);
  EXPECT_NEAR(state.potential(state.mechanism.q0()), 0.5 * 30.0 * 0.04 + 0.5 * 9.0 * 0.16, 1e-12);
}

TEST(joint_resistance, friction_is_what_its_law_says) {
  const JointFrictionDescription friction{"f", "j", 0, 2.0, 3.0, 0.1, 1e-3, 0.5};
  EXPECT_EQ(friction_force(friction, 0.0), 0.0);
  EXPECT_NEAR(friction_force(friction, 1.0), -2.5, 1e-12);  // far beyond both velocities
  EXPECT_NEAR(friction_force(friction, -1.0), 2.5, 1e-12);
  EXPECT_NEAR(friction_force(friction, 0.01), -(2.0 + std::exp(-0.01)) * std::tanh(10.0) - 0.005, 1e-14);
  JointFrictionDescription coulomb = friction;
  coulomb.breakaway = coulomb.kinetic;
  coulomb.stribeck_velocity = 0.0;
  EXPECT_NEAR(friction_force(coulomb, 5e-4), -2.0 * std::tanh(0.5) - 0.5 * 5e-4, 1e-12);
}

TEST(joint_resistance, slopes_are_derivatives) {
  const JointFrictionDescription friction{"f", "j", 0, 2.0, 3.0, 0.4, 0.2, 0.5};
  const JointFrictionDescription coulomb{"f", "j", 0, 2.0, 2.0, 0.0, 0.2, 0.5};
  const JointStopDescription stop{"s", "j", 0, -1.0, 2.0, 100.0, 0.3};
  for (const double v : {-4.0, -0.3, 0.0, 0.1, 1.0}) {
    for (const JointFrictionDescription& each : {friction, coulomb}) {
      const double expected = test::difference([&](double s) { return friction_force(each, v + 0.1 * s); });
      EXPECT_NEAR(0.1 * friction_slope(each, v), expected, 1e-9) << v;
    }
    for (const double q : {-1.2, 0.5, 2.3}) {
      const auto [by_q, by_v] = stop_slopes(stop, q, v);
      EXPECT_NEAR(by_q, test::difference([&](double s) { return stop_force(stop, q + s, v); }), 1e-8) << q << ", " << v;
      EXPECT_NEAR(by_v, test::difference([&](double s) { return stop_force(stop, q, v + s); }), 1e-8) << q << ", " << v;
    }
  }
  EXPECT_EQ(stop_slopes(stop, 2.1, -4.0), std::pair(-0.0, 0.0)) << "it would pull";
}

TEST(joint_resistance, tables_have_the_slopes_of_their_pieces) {
  const TableLaw table{"q", {-1.0, 0.0, 2.0}, {3.0, 1.0, 2.0}};
  EXPECT_EQ(slope_at(table, -1.5), 0.0);
  EXPECT_EQ(slope_at(table, -1.0), -2.0);
  EXPECT_EQ(slope_at(table, -0.5), -2.0);
  EXPECT_EQ(slope_at(table, 0.0), 0.5);
  EXPECT_EQ(slope_at(table, 2.0), 0.0);
  EXPECT_TRUE(std::isnan(slope_at(table, std::nan(""))));
}

TEST(joint_resistance, stops_push_and_never_pull) {
  const JointStopDescription stop{"s", "j", 0, -1.0, 2.0, 100.0, 0.3};
  EXPECT_EQ(stop_force(stop, 1.9, 50.0), 0.0);
  EXPECT_NEAR(stop_force(stop, 2.01, 0.0), -1.0, 1e-12);
  EXPECT_NEAR(stop_force(stop, 2.01, 2.0), -1.6, 1e-12);
  EXPECT_EQ(stop_force(stop, 2.01, -4.0), 0.0);  // it would pull
  EXPECT_NEAR(stop_force(stop, -1.01, 0.0), 1.0, 1e-12);
  EXPECT_NEAR(stop_force(stop, -1.01, -2.0), 1.6, 1e-12);
  EXPECT_EQ(stop_force(stop, -1.01, 4.0), 0.0);
  EXPECT_NEAR(stop_energy(stop, -1.2), 2.0, 1e-12);
}

}  // namespace
}  // namespace mbdbench
