/// \file
/// Steady motions of open trees and the motion near them, against closed forms: pendula on spindles, tops, bodies in
/// flight, motors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/command_line/options/turning_option.hpp"
#include "experiments/equilibria/equilibrium.hpp"
#include "formulations/registry.hpp"
#include "tests/experiments/equilibria/found_motion.hpp"
#include "tests/experiments/equilibria/turning_mechanisms.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench {
namespace {

using test::expect_eigenvalues;
using test::steady_motion_of;
using Complex = std::complex<double>;

/// `dense` without its derivatives.
class WithoutDerivatives final : public test::ForwardingFormulation {
 public:
  using ForwardingFormulation::ForwardingFormulation;
  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<WithoutDerivatives>(right().clone());
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    return right().rhs(t, x, xdot);
  }
};

Registries registries_without_derivatives() {
  Registries registries = default_registries();
  for (FormulationEntry& entry : registries.formulations.entries) {
    entry.make = [](const Mechanism& mechanism, const Parameters& /*options*/,
                    const Execution& /*execution*/) -> std::unique_ptr<Formulation> {
      const auto& registry = formulation_registry();
      return std::make_unique<WithoutDerivatives>(
          make_formulation(registry, *find_formulation(registry, "dense"), mechanism, ""));
    };
  }
  return registries;
}

// cos(theta) = g / (L w^2); with the momentum about the vertical kept, theta swings at w sqrt(1 + 3 cos^2 theta).
TEST(SteadyMotion, AConicalPendulum) {
  const test::SpindlePendulum pendulum;
  for (const double rate : {4.0, 6.5, 20.0}) {
    const Equilibrium found = steady_motion_of(Mechanism(pendulum.description()), {fmt::format("spindle={}", rate)});
    ASSERT_EQ(found.failure, "") << rate;
    const double cosine = test::kGravity / (pendulum.length * rate * rate);
    EXPECT_NEAR(std::cos(found.q[1]), cosine, 1e-11);
    EXPECT_EQ(found.q[0], 0.0) << "what goes on stays where it starts";
    EXPECT_EQ(found.u, Eigen::Vector2d(rate, 0.0));
    const Complex swing(0.0, rate * std::sqrt(1.0 + 3.0 * cosine * cosine));
    expect_eigenvalues(found, {swing, -swing, 0.0});
    // The momentum stays: the turn gives way by 2 w cot(theta) times the swing.
    const Eigen::VectorXcd mode = found.motion.modes.col(0);
    const Complex give = -2.0 * rate * cosine / std::sqrt(1.0 - cosine * cosine) * mode[1];
    EXPECT_LT(std::abs(mode[2] - give), 1e-8);
    EXPECT_LT(std::abs(mode[0] - give / swing), 1e-8);
    EXPECT_LT(std::abs(mode[3] - swing * mode[1]), 1e-8);
    EXPECT_EQ(found.stability, Stability::marginal);
    EXPECT_TRUE(found.exact);
  }
}

// theta'' = sin(theta) (w^2 cos(theta) - g / L) - d theta' on a spindle that is driven: a pitchfork at w^2 = g / L.
TEST(SteadyMotion, APendulumOnADrivenHoop) {
  test::SpindlePendulum pendulum;
  pendulum.spindle = 0.3;
  const double gravity = test::kGravity / pendulum.length;
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
      const Equilibrium found = steady_motion_of(Mechanism(description), {});
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
    const Equilibrium gimbals = steady_motion_of(Mechanism(top.in_gimbals()), {"spin=" + spin});
    expect_eigenvalues(gimbals, {mean + root, mean - root, std::conj(mean + root), std::conj(mean - root), 0.0});
    const Equilibrium ball = steady_motion_of(Mechanism(top.on_ball_joint()), {"ball.3=" + spin});
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
  const Equilibrium gimbals = steady_motion_of(Mechanism(top.in_gimbals()), {"spin=300"});
  EXPECT_EQ(gimbals.failure, "");
  EXPECT_TRUE(gimbals.periodic);
  EXPECT_EQ(gimbals.motion.eigenvalues.size(), 0);
  const Equilibrium ball = steady_motion_of(Mechanism(top.on_ball_joint()), {"ball.3=300"});
  EXPECT_EQ(ball.failure, "");
  EXPECT_FALSE(ball.periodic);
}

// Right to some 1e-10: differences of fourth order.
TEST(SteadyMotion, DifferencesTakeThePlaceOfDerivatives) {
  const Registries registries = registries_without_derivatives();
  const test::Top top;
  test::SpindlePendulum pendulum;
  pendulum.spindle = 0.3;
  for (const auto& [mechanism, turning] :
       {std::pair<Mechanism, std::string>{Mechanism(top.on_ball_joint()), "ball.3=300"},
        std::pair<Mechanism, std::string>{Mechanism(pendulum.description()), "spindle=5"}}) {
    TangentMotion motion(registries, mechanism, 0.0, turning_rates(mechanism, std::vector<std::string>{turning}));
    const Equilibrium found = find_equilibrium(motion, {});
    EXPECT_FALSE(found.exact);
    EXPECT_EQ(motion.q(), found.q);
    const Equilibrium exact = steady_motion_of(mechanism, {turning});
    EXPECT_TRUE(exact.exact);
    EXPECT_LT((found.q - exact.q).norm(), 1e-9);
    expect_eigenvalues(found, {exact.motion.eigenvalues.begin(), exact.motion.eigenvalues.end()}, 1e-7);
  }
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
        steady_motion_of(Mechanism(top.precessing(start)),
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
    const Equilibrium found = steady_motion_of(Mechanism(description), {fmt::format("flight.{}={}", axis + 1, kRate)});
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

TEST(SteadyMotion, ARateIsFoundWhereTorqueAndDamperBalance) {
  MechanismDescription description = test::rotor(0.2);
  description.joint_loads = {{.name = "motor", .joint = "axle", .law = ConstantLaw{6.0}}};
  description.joint_springs = {{.name = "bearing", .joint = "axle", .damping = 0.5}};
  const Equilibrium found = steady_motion_of(Mechanism(description), {"axle"});
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.u[0], 6.0 / 0.5, 1e-10);
  expect_eigenvalues(found, {-0.5 / 0.2});
  EXPECT_EQ(found.stability, Stability::stable);
  const Equilibrium held = steady_motion_of(Mechanism(description), {"axle=10"});
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
  const Equilibrium found = steady_motion_of(Mechanism(description), {"axle"});
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.u[0], 12.0, 1e-9);
  EXPECT_EQ(found.u[1], 0.0);
  EXPECT_NEAR(found.q[1], -6.0 / 40.0, 1e-10);
}

}  // namespace
}  // namespace mbdbench
