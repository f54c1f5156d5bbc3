// Joint coordinates <-> absolute coordinates: round trips, signs and lengths of quaternions, turns of angles.
#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

TEST(absolute_coordinates, round_trips_of_random_states_of_all_joint_types) {
  std::array<int, kAllJointTypes.size()> coverage{};
  for (int seed = 1; seed <= 40; ++seed) {
    const Mechanism mechanism = make_mechanism(
        mechanism_registry(),
        fmt::format("random_tree:seed={},bodies={},screws={}", seed, 1 + seed % 12, seed % 5 == 4 ? 1 : 0));
    RandomSource random(seed);
    const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
    const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
    const auto formulation = test::make("dca-alm", mechanism);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.0, view(q), view(u), x).ok);
    Eigen::VectorXd q_again(q.size());
    Eigen::VectorXd u_again(u.size());
    ASSERT_TRUE(formulation->unpack(0.0, x, view(q_again), view(u_again)).ok);
    // Sums over a dozen bodies of size 1.
    EXPECT_LT((q_again - q).cwiseAbs().maxCoeff(), 1e-12) << seed;
    EXPECT_LT((u_again - u).cwiseAbs().maxCoeff(), 1e-12) << seed;
    for (const Joint& joint : mechanism.tree_joints()) {
      ++coverage[static_cast<std::size_t>(joint.type)];
    }
  }
  for (const JointType type : kAllJointTypes) {
    EXPECT_GT(coverage[static_cast<std::size_t>(type)], 0) << to_string(type);
  }
}

TEST(absolute_coordinates, rates_are_those_of_the_positions) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_tree:seed=3,bodies=9");
  RandomSource random(4);
  const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
  const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
  Kinematics tree(mechanism);
  tree.set_positions(view(q));
  tree.set_velocities(view(u));
  std::vector<Vec6> velocities;
  velocities.reserve(mechanism.bodies().size());
  for (int i = 0; i < mechanism.body_count(); ++i) {
    velocities.push_back(tree.body(i).velocity);
  }
  std::vector<double> y(kAbsoluteCoordinates * mechanism.bodies().size());
  std::vector<double> rates(y.size());
  absolute_positions(tree, y);
  absolute_rates(y, velocities, rates);
  const Eigen::VectorXd expected = test::difference([&](double s) {
    const Eigen::VectorXd along = test::moved(mechanism, q, u, s);
    tree.set_positions(view(along));
    std::vector<double> there = y;
    absolute_positions(tree, there);
    return Eigen::VectorXd(Eigen::Map<Eigen::VectorXd>(there.data(), static_cast<Eigen::Index>(there.size())));
  });
  const Eigen::Map<Eigen::VectorXd> actual(rates.data(), expected.size());
  EXPECT_LT(test::relative_error(actual, expected), 1e-10);
  std::vector<Vec6> again(velocities.size());
  body_velocities(y, rates, again);
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_LT((again[i] - velocities[i]).norm(), 1e-13 * std::max(1.0, velocities[i].norm())) << i;
  }
}

TEST(absolute_coordinates, the_other_quaternion_is_the_same_motion) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed:seed=4,bodies=9,cuts=2");
  const auto formulation = test::make("dca-alm", mechanism);
  const test::Evaluation state = test::evaluate_at(*formulation, 0.2, mechanism.q0(), mechanism.u0());
  ASSERT_TRUE(state.status.ok);
  const auto turned = [&](const std::vector<double>& values) {
    std::vector<double> result = values;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const bool quaternion = i % kAbsoluteCoordinates >= 3;
      result[i] *= quaternion ? -1.0 : 1.0;
    }
    return result;
  };
  const std::vector<double> x = turned(state.x);
  std::vector<double> xdot(x.size());
  ASSERT_TRUE(formulation->rhs(0.2, x, xdot).ok);
  EXPECT_EQ(xdot, turned(state.xdot)) << "bitwise: rotation matrices are even in e";
  Eigen::VectorXd q(mechanism.q_size());
  Eigen::VectorXd u(mechanism.u_size());
  ASSERT_TRUE(formulation->unpack(0.2, x, view(q), view(u)).ok);
  EXPECT_LT((q - mechanism.q0()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((u - mechanism.u0()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(absolute_coordinates, a_second_pack_keeps_the_signs_of_the_first) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:1");
  const auto formulation = test::make("dca-alm", mechanism);
  std::vector<double> x(formulation->state_size());
  std::vector<double> before(x.size());
  Eigen::VectorXd q = mechanism.q0();
  ASSERT_TRUE(formulation->pack(0.0, view(q), view(mechanism.u0()), before).ok);
  // Three turns by tenths: a quaternion comes back after two.
  for (int step = 0; step < 60; ++step) {
    q[0] += 0.1 * std::numbers::pi;
    ASSERT_TRUE(formulation->pack(0.0, view(q), view(mechanism.u0()), x).ok);
    for (std::size_t i = 3; i < kAbsoluteCoordinates; ++i) {
      EXPECT_NEAR(x[i], before[i], 0.2) << step;
    }
    before = x;
  }
}

TEST(absolute_coordinates, turns_of_angles_are_followed_over_accepted_steps) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:2");
  const auto formulation = test::make("dca-alm-proj", mechanism);
  std::vector<double> x(formulation->state_size());
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(mechanism.u_size());
  Eigen::VectorXd q = mechanism.q0();
  Eigen::VectorXd seen(q.size());
  Eigen::VectorXd u(rest.size());
  const auto far = test::make("dca-alm-proj", mechanism);
  for (int step = 0; step < 40; ++step) {
    q[0] += 0.4;
    q[1] -= 0.7;
    // Another formulation's state: only poses come over.
    ASSERT_TRUE(far->pack(0.0, view(q), view(rest), x).ok);
    ASSERT_TRUE(formulation->unpack(0.0, x, view(seen), view(u)).ok);
    EXPECT_LT((seen - q).cwiseAbs().maxCoeff(), 1e-12) << step;
    formulation->after_step(0.0, x);
  }
  const auto clone = formulation->clone();
  ASSERT_TRUE(clone->unpack(0.0, x, view(seen), view(u)).ok);
  EXPECT_LT((seen - q).cwiseAbs().maxCoeff(), 1e-12) << "a clone knows the turns too";
}

}  // namespace
}  // namespace mbdbench
