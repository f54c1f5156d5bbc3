/// \file
/// Steady motions and the motion near them, against closed forms: pendula on spindles, tops, bodies in flight, a
/// governor with loops, drives, gears, what rolls.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "experiments/command_line/turning_option.hpp"
#include "experiments/equilibria/equilibrium.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "tests/experiments/equilibria/turning_mechanisms.hpp"

namespace mbdbench {
namespace {

using test::kGravity;
using Complex = std::complex<double>;

Equilibrium motion_of(const Mechanism& mechanism, const std::vector<std::string>& turning, bool nearest = false) {
  const Registries registries = default_registries();
  TangentMotion motion(registries, mechanism, 0.0, turning_rates(mechanism, turning));
  EquilibriumOptions options;
  options.nearest = nearest;
  return find_equilibrium(motion, options);
}

/// All eigenvalues, whatever their order. Derivatives are exact: rounding of coordinates and of a simple eigenvalue.
void expect_eigenvalues(const Equilibrium& found, const std::vector<Complex>& expected, double limit = 1e-8) {
  ASSERT_EQ(found.failure, "");
  std::vector<Complex> left(found.motion.eigenvalues.begin(), found.motion.eigenvalues.end());
  ASSERT_EQ(left.size(), expected.size());
  for (const Complex value : expected) {
    const auto nearest = std::min_element(left.begin(), left.end(), [value](const Complex& a, const Complex& b) {
      return std::abs(a - value) < std::abs(b - value);
    });
    EXPECT_LT(std::abs(*nearest - value), limit * (1.0 + std::abs(value))) << *nearest << " for " << value;
    left.erase(nearest);
  }
}

// cos(theta) = g / (L w^2); with the momentum about the vertical kept, theta swings at w sqrt(1 + 3 cos^2 theta).
TEST(SteadyMotion, AConicalPendulum) {
  const test::SpindlePendulum pendulum;
  for (const double rate : {4.0, 6.5, 20.0}) {
    const Equilibrium found = motion_of(Mechanism(pendulum.description()), {fmt::format("spindle={}", rate)});
    ASSERT_EQ(found.failure, "") << rate;
    const double cosine = kGravity / (pendulum.length * rate * rate);
    EXPECT_NEAR(std::cos(found.q[1]), cosine, 1e-11);
    EXPECT_EQ(found.q[0], 0.0) << "what goes on stays where it starts";
    EXPECT_EQ(found.u, Eigen::Vector2d(rate, 0.0));
    const Complex swing(0.0, rate * std::sqrt(1.0 + 3.0 * cosine * cosine));
    expect_eigenvalues(found, {swing, -swing, 0.0});
    EXPECT_EQ(found.stability, Stability::marginal);
    EXPECT_TRUE(found.exact);
  }
}

// theta'' = sin(theta) (w^2 cos(theta) - g / L) - d theta' on a spindle that is driven: a pitchfork at w^2 = g / L.
TEST(SteadyMotion, APendulumOnADrivenHoop) {
  test::SpindlePendulum pendulum;
  pendulum.spindle = 0.3;
  const double gravity = kGravity / pendulum.length;
  constexpr double kDamping = 0.4;
  for (const double share : {0.5, 0.9, 1.2, 4.0}) {
    const double rate = std::sqrt(share * gravity);
    for (const double start : {0.0, 0.7, -0.7}) {
      SCOPED_TRACE(testing::Message() << share << ", from " << start);
      pendulum.swing = start;
      MechanismDescription description = pendulum.description();
      description.joints[0].motions = {test::constant_speed(rate)};
      const double square = pendulum.mass * pendulum.length * pendulum.length;
      description.joint_springs = {{.name = "damper", .joint = "swing", .damping = kDamping * square}};
      const Equilibrium found = motion_of(Mechanism(description), {});
      const bool out = share > 1.0 && start != 0.0;
      const double angle = out ? std::copysign(std::acos(1.0 / share), start) : 0.0;
      ASSERT_EQ(found.failure, "");
      EXPECT_NEAR(found.q[1], angle, 1e-11);
      const double stiffness = out ? std::pow(rate * std::sin(angle), 2) : gravity * (1.0 - share);
      const Complex root = std::sqrt(Complex(0.25 * kDamping * kDamping - stiffness));
      expect_eigenvalues(found, {-0.5 * kDamping + root, -0.5 * kDamping - root});
      EXPECT_EQ(found.stability, share < 1.0 || out ? Stability::stable : Stability::unstable);
    }
  }
}

// z = lean about x + i lean about y: I1 z'' - i I3 w z' - m g l z = 0. Axes of the body turn at w against those of the
// gimbals.
TEST(SteadyMotion, ATopSleepsAboveItsThreshold) {
  const test::Top top;
  for (const double share : {0.6, 0.95, 1.05, 3.0}) {
    SCOPED_TRACE(share);
    const double rate = std::sqrt(share * top.threshold());
    const Complex mean(0.0, 0.5 * top.along * rate / top.across);
    const Complex root = std::sqrt(mean * mean + top.weight_moment() / top.across);
    const std::string spin = fmt::format("{}", rate);
    const Complex turn(0.0, rate);
    const Equilibrium gimbals = motion_of(Mechanism(top.in_gimbals()), {"spin=" + spin});
    expect_eigenvalues(gimbals, {mean + root, mean - root, std::conj(mean + root), std::conj(mean - root), 0.0});
    const Equilibrium ball = motion_of(Mechanism(top.on_ball_joint()), {"ball.3=" + spin});
    expect_eigenvalues(ball, {mean + root - turn, mean - root - turn, std::conj(mean + root - turn),
                              std::conj(mean - root - turn), 0.0});
    for (const Equilibrium& found : {gimbals, ball}) {
      EXPECT_EQ(found.stability, share < 1.0 ? Stability::unstable : Stability::marginal);
    }
  }
}

// Unequal moments: in gimbals forces go round with the body, in its own axes they stand still.
TEST(SteadyMotion, NothingIsSaidWhereForcesGoRound) {
  test::Top top;
  top.across2 = 0.032;
  const Equilibrium gimbals = motion_of(Mechanism(top.in_gimbals()), {"spin=300"});
  EXPECT_EQ(gimbals.failure, "");
  EXPECT_TRUE(gimbals.periodic);
  EXPECT_EQ(gimbals.motion.eigenvalues.size(), 0);
  const Equilibrium ball = motion_of(Mechanism(top.on_ball_joint()), {"ball.3=300"});
  EXPECT_EQ(ball.failure, "");
  EXPECT_FALSE(ball.periodic);
}

// I3 w3 p - I1 p^2 cos(lean) = m g l with the precession p; V'' of the effective potential over I1 is
// ((I3 w3 - 2 I1 p cos) / I1)^2 + p^2 sin^2.
TEST(SteadyMotion, ATopPrecesses) {
  const test::Top top;
  constexpr double kLean = 0.7;
  constexpr double kPrecession = 4.0;
  const double cosine = std::cos(kLean);
  const double momentum = top.weight_moment() / kPrecession + top.across * kPrecession * cosine;
  const double spin = momentum / top.along - kPrecession * cosine;
  for (const double start : {0.4, 1.1}) {
    const Equilibrium found =
        motion_of(Mechanism(top.precessing(start)),
                  {fmt::format("spin={}", spin), fmt::format("precession={}", kPrecession)}, true);
    ASSERT_EQ(found.failure, "");
    EXPECT_NEAR(found.q[1], kLean, 1e-11);
    EXPECT_EQ(found.q[0], 0.0);
    EXPECT_EQ(found.q[2], 0.0);
    const Complex nutation(0.0, std::hypot((momentum - 2.0 * top.across * kPrecession * cosine) / top.across,
                                           kPrecession * std::sin(kLean)));
    expect_eigenvalues(found, {nutation, -nutation, 0.0, 0.0});
  }
}

// Euler's equations of a free body: about the axis of the middle moment disturbances grow.
TEST(SteadyMotion, AFreeBodySpinsAboutAnAxis) {
  const Vec3 moments(1.0, 1.6, 2.3);
  constexpr double kRate = 3.0;
  for (int axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE(axis);
    MechanismDescription description;
    description.name = "satellite";
    description.gravity = Vec3::Zero();
    description.bodies = {{"hull", 5.0, Vec3::Zero(), moments.asDiagonal()}};
    JointDescription flight = test::hinge("flight", kGround, "hull", Vec3::UnitZ());
    flight.type = JointType::free;
    // Not where it is its own inverse.
    flight.q0 = {0.8, 0.4, -0.4, 0.2, 1.0, 2.0, 3.0};
    description.joints = {flight};
    const Equilibrium found = motion_of(Mechanism(description), {fmt::format("flight.{}={}", axis + 1, kRate)});
    const double i = moments[axis];
    const double j = moments[(axis + 1) % 3];
    const double k = moments[(axis + 2) % 3];
    const Complex root = kRate * std::sqrt(Complex((k - i) * (i - j) / (j * k)));
    const Complex turn(0.0, kRate);
    // Attitudes go round against the body; three places with their velocities, and the spin.
    expect_eigenvalues(found, {root, -root, turn, -turn, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1e-7);
    EXPECT_EQ(found.stability, axis == 1 ? Stability::unstable : Stability::marginal);
  }
}

/// The shipped governor: angle from the vertical, moments about the spindle and of the swing, and the potential.
struct Governor {
  static constexpr double kLength = 0.25;
  static constexpr double kBall = 1.2;
  static constexpr double kBallInertia = 0.0005;
  static constexpr double kLink = 0.12;
  static constexpr double kCollar = 2.0;
  static constexpr double kAxial = 0.002 + 0.0012 + 2.0 * kBallInertia;
  static constexpr double kDashpot = 15.0;
  static constexpr double kSquare = 2.0 * (kBall + kLink / 3.0) * kLength * kLength;  // of the sine, in the moment
  static constexpr double kWeight = kGravity * kLength * (2.0 * kBall + 3.0 * kLink + 2.0 * kCollar);

  [[nodiscard]] static double moment(double angle) { return kAxial + kSquare * std::pow(std::sin(angle), 2); }
  /// Of the swing.
  [[nodiscard]] static double inertia(double angle) {
    const double sine2 = std::pow(std::sin(angle), 2);
    const double rods = 2.0 * kLink * kLength * kLength * (0.25 * (1.0 - sine2) + 2.25 * sine2 + 1.0 / 12.0);
    return 2.0 * (kBall * kLength * kLength + kBallInertia) + rods + kCollar * 4.0 * kLength * kLength * sine2;
  }
  /// Of the swing, N m s.
  [[nodiscard]] static double damping(double angle) { return kDashpot * std::pow(2.0 * kLength * std::sin(angle), 2); }
  /// Second derivative of the effective potential. \param free the momentum about the spindle is kept, else the rate
  [[nodiscard]] static double stiffness(double angle, double rate, bool free) {
    const double cosine = std::cos(angle);
    const double slope = 2.0 * kSquare * std::sin(angle) * cosine;
    const double curvature = 2.0 * kSquare * std::cos(2.0 * angle);
    return kWeight * cosine - 0.5 * rate * rate * curvature +
           (free ? rate * rate * slope * slope / moment(angle) : 0.0);
  }
};

TEST(SteadyMotion, AGovernorWithItsLoops) {
  const Registries registries = default_registries();
  const Mechanism governor =
      find_mechanism(registries, std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/governor.toml");
  MechanismDescription description = governor.description();
  for (const double rate : {12.0, 15.0}) {
    for (const bool free : {true, false}) {
      SCOPED_TRACE(testing::Message() << rate << (free ? " free" : " driven"));
      description.joints[0].motions.clear();
      if (!free) {
        description.joints[0].motions = {test::constant_speed(rate)};
      }
      const Equilibrium found =
          motion_of(Mechanism(description),
                    free ? std::vector<std::string>{fmt::format("spindle={}", rate)} : std::vector<std::string>());
      ASSERT_EQ(found.failure, "");
      const double angle = std::acos(Governor::kWeight / (Governor::kSquare * rate * rate));
      EXPECT_NEAR(found.q[governor.tree_joints()[1].q_offset], angle, 1e-9);
      const double decay = Governor::damping(angle) / Governor::inertia(angle);
      const double square = Governor::stiffness(angle, rate, free) / Governor::inertia(angle);
      const Complex root = std::sqrt(Complex(0.25 * decay * decay - square));
      std::vector<Complex> expected = {-0.5 * decay + root, -0.5 * decay - root};
      if (free) {
        expected.emplace_back(0.0);
      }
      expect_eigenvalues(found, expected);
      EXPECT_EQ(found.stability, free ? Stability::marginal : Stability::stable);
    }
  }
}

TEST(SteadyMotion, ARateIsFoundWhereTorqueAndDamperBalance) {
  MechanismDescription description = test::rotor(0.2);
  description.joint_loads = {{.name = "motor", .joint = "axle", .law = ConstantLaw{6.0}}};
  description.joint_springs = {{.name = "bearing", .joint = "axle", .damping = 0.5}};
  const Equilibrium found = motion_of(Mechanism(description), {"axle"});
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.u[0], 6.0 / 0.5, 1e-10);
  expect_eigenvalues(found, {-0.5 / 0.2});
  EXPECT_EQ(found.stability, Stability::stable);
  const Equilibrium held = motion_of(Mechanism(description), {"axle=10"});
  EXPECT_NE(held.failure.find("v.axle changes by 5 a second: no force keeps its rate"), std::string::npos)
      << held.failure;
}

// A shaft between a motor and a load winds up by the torque over its stiffness.
TEST(SteadyMotion, AShaftWindsUp) {
  MechanismDescription description = test::rotor(0.2);
  description.bodies.push_back({"load", 1.0, Vec3::Zero(), Vec3(0.5, 0.5, 0.5).asDiagonal()});
  description.joints.push_back(test::hinge("shaft", "wheel", "load", Vec3::UnitZ()));
  description.joint_loads = {{.name = "motor", .joint = "axle", .law = ConstantLaw{6.0}}};
  description.joint_springs = {{.name = "shaft", .joint = "shaft", .stiffness = 40.0}};
  description.body_loads = {{.name = "drag",
                             .body = "load",
                             .point = Vec3::Zero(),
                             .in_body_axes = false,
                             .force = {},
                             .torque = {ConstantLaw{0.0}, ConstantLaw{0.0}, ExpressionLaw{"-0.5*v_axle"}}}};
  const Equilibrium found = motion_of(Mechanism(description), {"axle"});
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.u[0], 12.0, 1e-9);
  EXPECT_EQ(found.u[1], 0.0);
  EXPECT_NEAR(found.q[1], -6.0 / 40.0, 1e-10);
}

TEST(SteadyMotion, WhatConstraintsTieGoesAlong) {
  MechanismDescription gears = test::rotor(0.2);
  gears.bodies.push_back({"pinion", 1.0, Vec3::Zero(), Vec3(0.1, 0.1, 0.1).asDiagonal()});
  gears.joints.push_back(test::hinge("pinion", kGround, "pinion", Vec3::UnitZ()));
  gears.couplings = {{.name = "teeth", .terms = {{"axle", 0, 3.0}, {"pinion", 0, 1.0}}, .value = 0.0}};
  const Mechanism mechanism(gears);
  const Equilibrium found = motion_of(mechanism, {"axle=2"});
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.u[1], -6.0, 1e-12);
  expect_eigenvalues(found, {0.0});
  try {
    motion_of(mechanism, {"axle=2", "pinion=4"});
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    // The least of (x - 2)^2 + ((-3 x - 4) / 4)^2: the coupling gives the pinion a unit of four.
    EXPECT_NE(std::string(error.what()).find("the nearest that do have axle=0.8, pinion=-2.4"), std::string::npos)
        << error.what();
  }
}

// Weave, capsize and castering at 5 m/s [Meijaard2007, Table 2]: the wheels roll along.
TEST(SteadyMotion, ABicycleRidesStraight) {
  const Registries registries = default_registries();
  const Mechanism bicycle =
      find_mechanism(registries, std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/bicycle.toml");
  const Equilibrium found = motion_of(bicycle, {"ride.4=5"}, true);
  ASSERT_EQ(found.failure, "");
  for (const Joint& joint : bicycle.tree_joints()) {
    if (joint.name == "rear_axle" || joint.name == "front_axle") {
      EXPECT_NEAR(found.u[joint.u_offset], 5.0 / (joint.name == "rear_axle" ? 0.3 : 0.35), 1e-12);
    }
  }
  for (const Complex published : {Complex(-0.77534188219585, 4.46486771378823), Complex(-0.32286642900409, 0.0),
                                  Complex(-14.07838969279822, 0.0)}) {
    EXPECT_LT((found.motion.eigenvalues.array() - published).abs().minCoeff(), 1e-8) << published;
  }
  EXPECT_EQ(found.stability, Stability::marginal) << "place and heading stay as disturbed";
}

}  // namespace
}  // namespace mbdbench
