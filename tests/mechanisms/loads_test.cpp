/// \file
/// Applied loads: springs and gravity are minus the gradient of their energy, dampers take energy out, laws have the
/// values that their authors wrote, loads in cut joints do the work of a generalised force.
#include "mechanisms/model/loads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/jacobians.hpp"
#include "mechanisms/model/observables.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

using test::view;

// Differences resolve 1e-12 of functions of order one (random_states.hpp); energies here are up to 100 J.
constexpr double kDifference = 1e-8;
// Products and sums of numbers of order one to ten.
constexpr double kRounding = 1e-12;

/// A mechanism with all it takes to evaluate its loads.
struct LoadedState {
  explicit LoadedState(const MechanismDescription& description) : mechanism(description) {}

  void set(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
    kinematics.set_positions(view(q));
    kinematics.set_velocities(view(u));
    loads.evaluate(t, view(q), view(u), kinematics);
  }

  /// \returns the power of all applied loads at velocities u.
  [[nodiscard]] double power(const Eigen::VectorXd& u) const {
    double result = loads.joint_forces().dot(u);
    for (int k = 0; k < mechanism.body_count(); ++k) {
      result += loads.body_wrench(k).dot(kinematics.body(k).velocity);
    }
    return result;
  }

  double potential(const Eigen::VectorXd& q) {
    kinematics.set_positions(view(q));
    return energies(kinematics, view(q)).potential;
  }

  Mechanism mechanism;
  Kinematics kinematics{mechanism};
  LoadEvaluator loads{mechanism};
};

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
  EXPECT_NEAR(state.power(u), -rate, kDifference * std::max(1.0, std::abs(rate)));
}

class RandomLoads : public testing::TestWithParam<int> {
 protected:
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
          damped.kinematics.velocity_at(joint.b, cut.point_b) - damped.kinematics.velocity_at(joint.a, cut.point_b);
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
  EXPECT_NEAR(undamped.power(u) - damped.power(u), expected, kDifference * std::max(1.0, expected));
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
  EXPECT_NEAR(generalised.dot(u), state.power(u), kRounding * std::max(1.0, generalised.norm()));
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

/// A slider along x of the world that carries a link which turns about z; marker `m` 2 m along the link.
MechanismDescription slider_with_link() {
  MechanismDescription description;
  description.name = "slider_with_link";
  description.gravity = Vec3(0.0, -9.81, 0.0);
  description.bodies = {{"slider", 2.0, Vec3::Zero(), Mat3::Identity()},
                        {"link", 1.0, Vec3(1.0, 0.0, 0.0), Mat3::Identity()}};
  JointDescription slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.b = "slider";
  slide.axis = Vec3::UnitX();
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.type = JointType::revolute;
  hinge.a = "slider";
  hinge.b = "link";
  description.joints = {slide, hinge};
  description.markers = {{"m", "link", Vec3(2.0, 0.0, 0.0)}};
  return description;
}

/// \returns the generalised force on the hinge of a joint load with this law, at hand-picked values.
double hinge_force(const Law& law, double t, double q, double v) {
  MechanismDescription description = slider_with_link();
  description.joint_loads = {{"load", "hinge", 0, law}};
  LoadedState state(description);
  state.set(t, Eigen::Vector2d(0.25, q), Eigen::Vector2d(-0.5, v));
  return state.loads.joint_forces()[1];
}

TEST(loads, laws_have_the_values_of_their_formulas) {
  EXPECT_EQ(hinge_force(ConstantLaw{2.5}, 0.0, 0.0, 0.0), 2.5);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"2 * sin(t) + 3 * q - v^2"}, 0.4, 0.2, 0.7), 2.0 * std::sin(0.4) + 0.6 - 0.49,
              kRounding);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"q_slide + 10 * v_slide + 100 * q_hinge + 1000 * v_hinge"}, 0.0, 0.2, 0.7),
              0.25 - 5.0 + 20.0 + 700.0, kRounding * 1000.0);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"x_m + 10 * y_m + 100 * z_m"}, 0.0, 0.2, 0.7),
              0.25 + 2.0 * std::cos(0.2) + 20.0 * std::sin(0.2), kRounding);
  EXPECT_NEAR(hinge_force(ExpressionLaw{"vx_m + 10 * vy_m + 100 * vz_m"}, 0.0, 0.2, 0.7),
              -0.5 - 1.4 * std::sin(0.2) + 14.0 * std::cos(0.2), kRounding);
}

TEST(loads, tables_are_linear_between_and_constant_outside_their_points) {
  const auto table = [](const char* over) { return TableLaw{over, {0.0, 1.0, 3.0}, {1.0, 2.0, -2.0}}; };
  EXPECT_EQ(hinge_force(table("t"), -1.0, 9.0, 9.0), 1.0);
  EXPECT_EQ(hinge_force(table("t"), 0.5, 9.0, 9.0), 1.5);
  EXPECT_EQ(hinge_force(table("t"), 1.0, 9.0, 9.0), 2.0);
  EXPECT_EQ(hinge_force(table("q"), 9.0, 2.0, 9.0), 0.0);
  EXPECT_EQ(hinge_force(table("v"), 9.0, 9.0, 2.5), -1.0);
  EXPECT_EQ(hinge_force(table("v"), 9.0, 9.0, 4.0), -2.0);
}

TEST(loads, body_loads_act_at_their_point_in_their_axes) {
  MechanismDescription description = slider_with_link();
  BodyLoadDescription load;
  load.name = "load";
  load.body = "link";
  load.point = Vec3(2.0, 0.0, 0.0);
  load.force = {ConstantLaw{0.0}, ConstantLaw{3.0}, ConstantLaw{0.0}};
  load.torque = {ConstantLaw{0.0}, ConstantLaw{0.0}, ConstantLaw{0.5}};
  for (const bool in_body_axes : {false, true}) {
    load.in_body_axes = in_body_axes;
    description.body_loads = {load};
    LoadedState state(description);
    const double angle = 0.6;
    state.set(0.0, Eigen::Vector2d(0.0, angle), Eigen::Vector2d::Zero());
    // The centre of mass is 1 m inboard of the point; world-fixed, the force loses its lever as the link turns.
    const double moment = in_body_axes ? 3.0 : 3.0 * std::cos(angle);
    const Vec3 force = in_body_axes ? Vec3(-3.0 * std::sin(angle), 3.0 * std::cos(angle), 0.0) : Vec3(0.0, 3.0, 0.0);
    Vec6 expected;
    expected << force + Vec3(0.0, -9.81, 0.0), 0.0, 0.0, moment + 0.5;
    EXPECT_LT((state.loads.body_wrench(1) - expected).norm(), kRounding);
    EXPECT_EQ(state.loads.body_wrench(0).tail<3>(), Vec3::Zero());
  }
}

TEST(loads, point_spring_pulls_its_ends_together) {
  MechanismDescription description = slider_with_link();
  description.gravity.setZero();
  description.point_springs = {{"spring", kGround, "slider", Vec3::Zero(), Vec3::Zero(), 100.0, 5.0, 0.5}};
  LoadedState state(description);
  state.set(0.0, Eigen::Vector2d(2.0, 0.0), Eigen::Vector2d(0.1, 0.0));
  EXPECT_NEAR(state.loads.body_wrench(0)[0], -(100.0 * 1.5 + 5.0 * 0.1), kRounding * 100.0);
  // Ends that coincide have no direction; the spring then pulls nowhere instead of giving NaN.
  state.set(0.0, Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(0.1, 0.0));
  EXPECT_EQ(state.loads.body_wrench(0), Vec6::Zero());
}

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
    EXPECT_NEAR(tree.power(u), u[6 + component], kRounding);

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
    EXPECT_NEAR(cut.power(cut_u), u[6 + component], kRounding);
    EXPECT_EQ(cut.loads.joint_forces(), Eigen::VectorXd::Zero(12));
    // Action and reaction: no resultant force, and no moment about any point.
    const Vec6 first_at_origin = shift_wrench(cut.kinematics.body(0).com, cut.loads.body_wrench(0));
    const Vec6 second_at_origin = shift_wrench(cut.kinematics.body(1).com, cut.loads.body_wrench(1));
    EXPECT_LT((first_at_origin + second_at_origin).norm(), kRounding);
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
      cut_coordinates(kinematics, static_cast<int>(c), q);
      const RelativePose pose = relative_pose(joint, q);
      const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
      // Poses at the end of a chain of eight bodies, a few m from the origin.
      EXPECT_LT((state.axes_a * pose.rotation - state.axes_b).norm(), kRounding) << seed << " " << joint.name;
      EXPECT_LT((state.axes_a * pose.translation - state.displacement).norm(), kRounding) << seed << " " << joint.name;
      EXPECT_EQ(q, joint.q0);
    }
  }
}

}  // namespace
}  // namespace mbdbench
