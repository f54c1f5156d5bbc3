/// \file
/// Forward kinematics and Jacobians of random trees and of random loops that are torn open, against finite differences.
#include "mechanisms/model/kinematics/kinematics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/random_states.hpp"
#include "tests/support/turning_rows.hpp"

namespace mbdbench {
namespace {

using test::difference;
using test::relative_error;

// Differences resolve 1e-12 of functions of order one (random_states.hpp). Along a chain of eight bodies with rates of
// a few rad/s the fifth derivatives grow by some 10^3: 1e-9; a wrong term shows as 1e-2 or more.
constexpr double kKinematicsDifference = 1e-8;
// Sums over eight bodies of products of order one to ten.
constexpr double kKinematicsRounding = 1e-12;

/// A mechanism away from its initial state: all coordinates random, loops open.
class RandomKinematics : public testing::TestWithParam<std::string> {
 public:
  /// Kinematics at q + s N(q) u with velocities u.
  [[nodiscard]] Kinematics at(double s) const {
    Kinematics result(mechanism);
    const Eigen::VectorXd position = test::moved(mechanism, q, u, s);
    result.set_positions(view(position));
    result.set_velocities(view(u));
    return result;
  }

  [[nodiscard]] Jacobians jacobians_at(double s) const {
    const Kinematics state = at(s);
    Jacobians result(mechanism);
    result.set_positions(state);
    result.set_velocities(state);
    return result;
  }

  Mechanism mechanism = make_mechanism(mechanism_registry(), GetParam());
  RandomSource random{17};
  Eigen::VectorXd q = test::random_coordinates(mechanism, random);
  Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
  Kinematics kinematics = at(0.0);
};

TEST_P(RandomKinematics, velocities_are_rates_of_poses) {
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const BodyKinematics& body = kinematics.body(k);
    const Vec3 com_rate = difference([&](double s) { return Vec3(at(s).body(k).com); });
    const Mat3 rotation_rate = difference([&](double s) { return Mat3(at(s).body(k).rotation); });
    EXPECT_LT(relative_error(body.velocity.head<3>(), com_rate), kKinematicsDifference) << "body " << k;
    EXPECT_LT(relative_error(skew(body.velocity.tail<3>()) * body.rotation, rotation_rate), kKinematicsDifference)
        << "body " << k;
  }
}

TEST_P(RandomKinematics, bodies_carry_their_inertia) {
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const BodyKinematics& body = kinematics.body(k);
    const Mat3 expected =
        body.rotation * mechanism.bodies()[static_cast<std::size_t>(k)].inertia * body.rotation.transpose();
    EXPECT_LT((body.inertia - expected).norm(), kKinematicsRounding);
    EXPECT_LT((body.inertia * body.inertia_inverse - Mat3::Identity()).norm(), kKinematicsRounding);
  }
}

TEST_P(RandomKinematics, tree_joints_hold) {
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const Joint& joint = mechanism.tree_joints()[static_cast<std::size_t>(k)];
    const JointKinematics& state = kinematics.tree_joint(k);
    EXPECT_LT((state.point - kinematics.world_point(joint.b, joint.position_b)).norm(), kKinematicsRounding);
    EXPECT_LT((state.axes_b - kinematics.body(joint.b).rotation * joint.rotation_b).norm(), kKinematicsRounding);
    Eigen::VectorXd residual(joint.nc);
    closure_residual(joint, state.axes_a, state.axes_b, state.displacement, view(residual));
    EXPECT_LT(residual.norm(), kKinematicsRounding) << joint.name;
    const Vec6 relative = kinematics.velocity_at(joint.b, state.point) - kinematics.velocity_at(joint.a, state.point);
    EXPECT_LT((relative - state.h * u.segment(joint.u_offset, joint.nu)).norm(), kKinematicsRounding) << joint.name;
    EXPECT_LT((state.d.transpose() * relative).norm(), kKinematicsRounding) << joint.name;
  }
}

TEST_P(RandomKinematics, handle_velocities_and_subspace_rates_are_derivatives) {
  const auto check = [&](const auto& joint_at, const std::string& name) {
    const JointKinematics state = joint_at(kinematics);
    const auto rate = [&](auto member) {
      return difference([&](double s) { return Eigen::MatrixXd(joint_at(at(s)).*member); });
    };
    EXPECT_LT(relative_error(state.velocity, rate(&JointKinematics::point)), kKinematicsDifference) << name;
    EXPECT_LT(relative_error(state.h_rate, rate(&JointKinematics::h)), kKinematicsDifference) << name;
    EXPECT_LT(relative_error(state.d_rate, rate(&JointKinematics::d)), kKinematicsDifference) << name;
  };
  for (int k = 0; k < mechanism.body_count(); ++k) {
    check([k](const Kinematics& state) { return state.tree_joint(k); }, "tree joint " + std::to_string(k));
  }
  for (int c = 0; c < static_cast<int>(mechanism.cut_joints().size()); ++c) {
    check([c](const Kinematics& state) { return state.cut_joint(c); }, "cut joint " + std::to_string(c));
  }
}

TEST_P(RandomKinematics, velocities_from_bodies_are_those_from_joints) {
  Kinematics from_bodies(mechanism);
  from_bodies.set_positions(view(q));
  std::vector<Vec6> velocities;
  velocities.reserve(static_cast<std::size_t>(mechanism.body_count()));
  for (int k = 0; k < mechanism.body_count(); ++k) {
    velocities.push_back(kinematics.body(k).velocity);
  }
  from_bodies.set_body_velocities(velocities);
  for (int k = 0; k < mechanism.body_count(); ++k) {
    EXPECT_EQ(from_bodies.body(k).velocity, kinematics.body(k).velocity);
    EXPECT_EQ(from_bodies.tree_joint(k).h_rate, kinematics.tree_joint(k).h_rate);
    EXPECT_EQ(from_bodies.tree_joint(k).velocity, kinematics.tree_joint(k).velocity);
  }
}

TEST_P(RandomKinematics, quaternion_lengths_do_not_matter) {
  Eigen::VectorXd scaled = q;
  for (const Joint& joint : mechanism.tree_joints()) {
    if (has_quaternion(joint.type)) {
      scaled.segment<4>(joint.q_offset) *= 1.7;
    }
  }
  Kinematics other(mechanism);
  other.set_positions(view(scaled));
  for (int k = 0; k < mechanism.body_count(); ++k) {
    EXPECT_LT((other.body(k).rotation - kinematics.body(k).rotation).norm(), kKinematicsRounding);
    EXPECT_LT((other.body(k).com - kinematics.body(k).com).norm(), kKinematicsRounding);
  }
}

TEST_P(RandomKinematics, jacobians_give_the_velocities) {
  const Jacobians jacobians = jacobians_at(0.0);
  for (int k = 0; k < mechanism.body_count(); ++k) {
    EXPECT_LT((jacobians.body(k) * u - kinematics.body(k).velocity).norm(), kKinematicsRounding) << "body " << k;
  }
}

TEST_P(RandomKinematics, jacobian_rates_are_derivatives) {
  const Jacobians jacobians = jacobians_at(0.0);
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const auto rate = difference([&](double s) { return Eigen::MatrixXd(jacobians_at(s).body(k)); });
    EXPECT_LT(relative_error(jacobians.body_rate(k), rate), kKinematicsDifference) << "body " << k;
  }
}

TEST_P(RandomKinematics, constraint_jacobian_is_the_rate_of_the_residual) {
  // The motions stand still (t fixed), so Phi' = Phi_q u, as seen from the mean turn of both bodies: random states lie
  // far open, and rows in world axes change besides.
  const std::vector<double> still(static_cast<std::size_t>(mechanism.constraint_size() - mechanism.cut_row_count()),
                                  0.0);
  const auto residual_at = [&](double s) {
    Eigen::VectorXd residual(mechanism.constraint_size());
    const Eigen::VectorXd position = test::moved(mechanism, q, u, s);
    constraint_residual(at(s), view(position), still, view(residual));
    return residual;
  };
  Eigen::VectorXd rate(mechanism.constraint_size());
  constraint_rate_residual(kinematics, view(u), still, view(rate));
  EXPECT_LT(relative_error(jacobians_at(0.0).constraints() * u, rate), kKinematicsRounding);
  rate += test::turned_with_both_bodies(kinematics, residual_at(0.0));
  EXPECT_LT(relative_error(rate, difference(residual_at)), kKinematicsDifference);
}

TEST_P(RandomKinematics, constraint_jacobian_rate_is_a_derivative) {
  const auto rate = difference([&](double s) { return Eigen::MatrixXd(jacobians_at(s).constraints()); });
  EXPECT_LT(relative_error(jacobians_at(0.0).constraint_rate(), rate), kKinematicsDifference);
}

TEST_P(RandomKinematics, sweeps_allocate_nothing) {
  if (!AllocationGuard::active()) {
    GTEST_SKIP() << "allocations are not seen in this build";
  }
  const AllocationGuard guard;
  kinematics.set_positions(view(q));
  kinematics.set_velocities(view(u));
  EXPECT_EQ(guard.count(), 0U);
}

std::vector<std::string> specifications() {
  std::vector<std::string> list = {"pendulum_xyz:5", "balanced_tree:7", "caterpillar:3",
                                   "random_tree:seed=3,bodies=6,motions=2"};
  for (int seed = 0; seed < 12; ++seed) {
    list.push_back("random_tree:" + std::to_string(seed));
    list.push_back("random_closed:seed=" + std::to_string(seed) + ",cuts=3");
  }
  return list;
}

std::string mechanism_case_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(catalogue, RandomKinematics, testing::ValuesIn(specifications()), mechanism_case_name);

}  // namespace
}  // namespace mbdbench
