/// \file
/// Work of applied loads: springs and gravity are minus the gradient of their energy, dampers take energy out, loads in
/// cut joints do the work of a generalised force.
#include "mechanisms/model/loads/loads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/loaded_state.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

using test::LoadedState;

// Differences resolve 1e-12 of functions of order one (random_states.hpp); energies here are up to 100 J.
constexpr double kLoadsDifference = 1e-8;
// Products and sums of numbers of order one to ten.
constexpr double kLoadsRounding = 1e-12;

/// The mechanism without joint and body loads, so that only gravity, springs and dampers act.
MechanismDescription springs_only(const std::string& specification, double damping_scale) {
  MechanismDescription description = make_mechanism(mechanism_registry(), specification).description();
  description.joint_loads.clear();
  description.body_loads.clear();
  for (JointSpringDescription& spring : description.joint_springs) {
    spring.damping *= damping_scale;
  }
  for (PointSpringDescription& spring : description.point_springs) {
    spring.damping *= damping_scale;
  }
  return description;
}

void expect_power_is_lost_energy(LoadedState& state, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  const double rate =
      test::difference([&](double s) { return state.potential(test::moved(state.mechanism, q, u, s)); });
  state.set(0.0, q, u);
  EXPECT_NEAR(state.power(u), -rate, kLoadsDifference * std::max(1.0, std::abs(rate)));
}

class RandomLoads : public testing::TestWithParam<int> {
 public:
  RandomSource random{GetParam()};
};

TEST_P(RandomLoads, springs_and_gravity_are_the_gradient_of_the_energy) {
  LoadedState state(springs_only("random_tree:" + std::to_string(GetParam()), 0.0));
  const Eigen::VectorXd q = test::random_coordinates(state.mechanism, random);
  expect_power_is_lost_energy(state, q, test::random_vector(state.mechanism.u_size(), random));
}

TEST_P(RandomLoads, springs_in_cut_joints_are_the_gradient_where_the_loop_is_closed) {
  MechanismDescription description = springs_only("random_closed:" + std::to_string(GetParam()), 0.0);
  // A spring in every component of every cut joint that may have one.
  for (const JointDescription& joint : description.joints) {
    for (int i = 0; joint.cut && has_coordinate_rates(joint.type) && i < velocity_count(joint.type); ++i) {
      description.joint_springs.push_back(
          {joint.name + "_spring" + std::to_string(i), joint.name, i, 3.0 + i, 0.0, 0.1});
    }
  }
  LoadedState state(description);
  // The initial velocities keep the loops closed to first order, which is all that the derivative sees.
  expect_power_is_lost_energy(state, state.mechanism.q0(), state.mechanism.u0());
}

TEST_P(RandomLoads, dampers_take_energy_out) {
  LoadedState damped(springs_only("random_closed:" + std::to_string(GetParam()), 1.0));
  LoadedState undamped(springs_only("random_closed:" + std::to_string(GetParam()), 0.0));
  const Eigen::VectorXd& q = damped.mechanism.q0();
  const Eigen::VectorXd u = test::random_vector(damped.mechanism.u_size(), random);
  damped.set(0.0, q, u);
  undamped.set(0.0, q, u);
  double expected = 0.0;
  for (const JointSpringDescription& spring : damped.mechanism.description().joint_springs) {
    const JointReference reference = *damped.mechanism.find_joint(spring.joint);
    const Joint& joint = damped.mechanism.joint(reference);
    double v = 0.0;
    if (reference.cut) {
      // Least-squares velocity along H, solved here without the closed form that the code uses.
      const JointKinematics& cut = damped.kinematics.cut_joint(reference.index);
      const Eigen::MatrixXd h = cut.h;
      const Vec6 relative =
          damped.kinematics.velocity_at(joint.b, cut.point) - damped.kinematics.velocity_at(joint.a, cut.point);
      v = (h.transpose() * h).llt().solve(h.transpose() * relative)[spring.component];
    } else {
      v = u[joint.u_offset + spring.component];
    }
    expected += spring.damping * v * v;
  }
  for (const PointSpringDescription& spring : damped.mechanism.description().point_springs) {
    const int body1 = *damped.mechanism.find_body(spring.body1);
    const int body2 = *damped.mechanism.find_body(spring.body2);
    const auto length = [&](double s) {
      damped.kinematics.set_positions(view(test::moved(damped.mechanism, q, u, s)));
      return (damped.kinematics.world_point(body2, spring.point2) - damped.kinematics.world_point(body1, spring.point1))
          .norm();
    };
    const double rate = test::difference(length);
    expected += spring.damping * rate * rate;
  }
  damped.set(0.0, q, u);
  EXPECT_NEAR(undamped.power(u) - damped.power(u), expected, kLoadsDifference * std::max(1.0, expected));
}

TEST_P(RandomLoads, power_is_that_of_the_generalised_forces) {
  LoadedState state(make_mechanism(mechanism_registry(), "random_closed:" + std::to_string(GetParam())).description());
  const Eigen::VectorXd q = test::random_coordinates(state.mechanism, random);
  const Eigen::VectorXd u = test::random_vector(state.mechanism.u_size(), random);
  state.set(0.7, q, u);
  Jacobians jacobians(state.mechanism);
  jacobians.set_positions(state.kinematics);
  Eigen::VectorXd generalised = state.loads.joint_forces();
  for (int k = 0; k < state.mechanism.body_count(); ++k) {
    generalised += jacobians.body(k).transpose() * state.loads.body_wrench(k);
  }
  EXPECT_NEAR(generalised.dot(u), state.power(u), kLoadsRounding * std::max(1.0, generalised.norm()));
}

TEST_P(RandomLoads, evaluation_allocates_nothing) {
  if (!AllocationGuard::active()) {
    GTEST_SKIP() << "allocations are not seen in this build";
  }
  LoadedState state(make_mechanism(mechanism_registry(), "random_closed:" + std::to_string(GetParam())).description());
  const auto q = view(state.mechanism.q0());
  const auto u = view(state.mechanism.u0());
  const AllocationGuard guard;
  state.loads.evaluate(0.5, q, u, state.kinematics);
  EXPECT_EQ(guard.count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(seeds, RandomLoads, testing::Range(0, 20));

TEST(loads, force_in_a_cut_joint_does_the_work_of_a_generalised_force) {
  // One universal joint with oblique axes between two free bodies, in the tree and as a cut beside a free joint.
  for (const int component : {0, 1}) {
    RandomSource random(5);
    MechanismDescription description;
    description.name = "pair";
    description.gravity.setZero();
    const BodyDescription body{"first", 1.0, Vec3(0.1, 0.2, 0.3), Mat3::Identity()};
    description.bodies = {body, body};
    description.bodies[1].name = "second";
    JointDescription base;
    base.name = "base";
    base.type = JointType::free;
    base.b = "first";
    base.q0 = draw_coordinates(random, JointType::free);
    JointDescription universal;
    universal.name = "universal";
    universal.type = JointType::universal;
    universal.a = "first";
    universal.b = "second";
    draw_geometry(random, universal);
    universal.q0 = {0.4, -0.3};
    description.joints = {base, universal};
    description.joint_loads = {{"load", "universal", component, ConstantLaw{1.0}}};

    LoadedState tree(description);
    const Eigen::VectorXd u = test::random_vector(8, random);
    tree.set(0.0, tree.mechanism.q0(), u);
    EXPECT_NEAR(tree.power(u), u[6 + component], kLoadsRounding);

    // The same motion with the universal joint cut: the second body's free joint leads from the ground.
    JointDescription second = base;
    second.name = "second_base";
    second.b = "second";
    const Eigen::Quaterniond e(tree.kinematics.body(1).rotation);
    const Vec3 origin = tree.kinematics.body(1).origin;
    second.q0 = {e.w(), e.x(), e.y(), e.z(), origin.x(), origin.y(), origin.z()};
    description.joints[1].cut = true;
    description.joints.push_back(second);
    LoadedState cut(description);
    const Vec6 velocity = tree.kinematics.velocity_at(1, origin);
    Eigen::VectorXd cut_u(12);
    cut_u << u.head<6>(), tree.kinematics.body(1).rotation.transpose() * velocity.tail<3>(), velocity.head<3>();
    cut.set(0.0, cut.mechanism.q0(), cut_u);
    EXPECT_NEAR(cut.power(cut_u), u[6 + component], kLoadsRounding);
    EXPECT_EQ(cut.loads.joint_forces(), Eigen::VectorXd::Zero(12));
    // Action and reaction: no resultant force, and no moment about any point.
    const Vec6 first_at_origin = shift_wrench(cut.kinematics.body(0).com, cut.loads.body_wrench(0));
    const Vec6 second_at_origin = shift_wrench(cut.kinematics.body(1).com, cut.loads.body_wrench(1));
    EXPECT_LT((first_at_origin + second_at_origin).norm(), kLoadsRounding);
    EXPECT_GT(first_at_origin.norm(), 0.5);
  }
}

TEST(loads, cut_coordinates_are_those_of_the_closed_loop) {
  // The generator draws the cut coordinates and builds the loop from them; the mechanism must find the same numbers.
  for (int seed = 0; seed < 20; ++seed) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed:" + std::to_string(seed));
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
      const Joint& joint = mechanism.cut_joints()[c];
      std::vector<double> q(static_cast<std::size_t>(joint.nq));
      const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
      cut_coordinates(joint, state, joint.q0, q);
      const RelativePose pose = relative_pose(joint, q);
      // Poses at the end of a chain of eight bodies, a few m from the origin.
      EXPECT_LT((state.axes_a * pose.rotation - state.axes_b).norm(), kLoadsRounding) << seed << " " << joint.name;
      EXPECT_LT((state.axes_a * pose.translation - state.displacement).norm(), kLoadsRounding)
          << seed << " " << joint.name;
      EXPECT_EQ(q, joint.q0);
    }
  }
}

}  // namespace
}  // namespace mbdbench
