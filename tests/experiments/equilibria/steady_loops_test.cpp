/// \file
/// Steady motions with constraints, against closed forms and published eigenvalues: a governor with its loops, gears, a
/// bicycle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/command_line/options/turning_option.hpp"
#include "experiments/equilibria/equilibrium.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "tests/experiments/equilibria/found_motion.hpp"
#include "tests/experiments/equilibria/turning_mechanisms.hpp"

namespace mbdbench {
namespace {

using test::expect_eigenvalues;
using test::steady_motion_of;
using Complex = std::complex<double>;

Mechanism example(const std::string& name) {
  const Registries registries = default_registries();
  return find_mechanism(registries, std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/" + name);
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
  static constexpr double kWeight = test::kGravity * kLength * (2.0 * kBall + 3.0 * kLink + 2.0 * kCollar);

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

TEST(SteadyLoops, AGovernorWithItsLoops) {
  const Mechanism governor = example("governor.toml");
  MechanismDescription description = governor.description();
  for (const double rate : {12.0, 15.0}) {
    for (const bool free : {true, false}) {
      SCOPED_TRACE(testing::Message() << rate << (free ? " free" : " driven"));
      description.joints[0].motions.clear();
      if (!free) {
        description.joints[0].motions = {test::constant_speed(rate)};
      }
      const Equilibrium found =
          steady_motion_of(Mechanism(description), free ? std::vector<std::string>{fmt::format("spindle={}", rate)}
                                                        : std::vector<std::string>());
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

TEST(SteadyLoops, WhatConstraintsTieGoesAlong) {
  MechanismDescription gears = test::rotor(0.2);
  gears.bodies.push_back({"pinion", 1.0, Vec3::Zero(), Vec3(0.1, 0.1, 0.1).asDiagonal()});
  gears.joints.push_back(test::hinge("pinion", kGround, "pinion", Vec3::UnitZ()));
  gears.couplings = {{.name = "teeth", .terms = {{"axle", 0, 3.0}, {"pinion", 0, 1.0}}, .value = 0.0}};
  const Mechanism mechanism(gears);
  const Equilibrium found = steady_motion_of(mechanism, {"axle=2"});
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.u[1], -6.0, 1e-12);
  expect_eigenvalues(found, {0.0});
  try {
    steady_motion_of(mechanism, {"axle=2", "pinion=4"});
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    // The least of (x - 2)^2 + ((-3 x - 4) / 4)^2: the coupling gives the pinion a unit of four.
    EXPECT_NE(std::string(error.what()).find("the nearest that do have axle=0.8, pinion=-2.4"), std::string::npos)
        << error.what();
  }
}

// Weave, capsize and castering at 5 m/s [Meijaard2007, Table 2]: the wheels roll along.
TEST(SteadyLoops, ABicycleRidesStraight) {
  const Mechanism bicycle = example("bicycle.toml");
  const Equilibrium found = steady_motion_of(bicycle, {"ride.4=5"}, true);
  ASSERT_EQ(found.failure, "");
  ASSERT_TRUE(found.has_verdict());
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

// A wheel on a ball joint that is welded to one on an axle turns by the same angle.
TEST(SteadyLoops, ABallJointTurnsWithAnAxle) {
  MechanismDescription description = test::rotor(0.2);
  description.bodies.push_back({"disc", 1.0, Vec3::Zero(), Vec3(0.1, 0.1, 0.15).asDiagonal()});
  JointDescription ball = test::hinge("ball", kGround, "disc", Vec3::UnitZ());
  ball.type = JointType::spherical;
  JointDescription weld = test::hinge("weld", "wheel", "disc", Vec3::UnitZ());
  weld.type = JointType::fixed;
  weld.cut = true;
  description.joints.push_back(ball);
  description.joints.push_back(weld);
  const Equilibrium found = steady_motion_of(Mechanism(description), {"axle=3"});
  expect_eigenvalues(found, {0.0});
  EXPECT_LT((found.u - Eigen::Vector4d(3.0, 0.0, 0.0, 3.0)).norm(), 1e-12);
}

// As a bicycle steers, its heading must turn along, which no lean or steer alone tells.
TEST(SteadyLoops, DerivativesOfTheSearchAreThoseWithVelocitiesThatFollow) {
  const Mechanism bicycle = example("bicycle.toml");
  const Registries registries = default_registries();
  TangentMotion motion(registries, bicycle, 0.0, turning_rates(bicycle, std::vector<std::string>{"ride.4=5"}));
  Eigen::MatrixXd by_positions;
  Eigen::MatrixXd by_velocities;
  motion.linearise(by_positions, by_velocities);
  const Eigen::VectorXd q = motion.q();
  // Of the place itself: neighbours have others.
  const auto units = bicycle.scales().columns.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd along = (units * motion.basis()).transpose() * units;
  constexpr double kStep = 1e-4;
  for (Eigen::Index j = 0; j < motion.freedoms(); ++j) {
    Eigen::VectorXd difference = Eigen::VectorXd::Zero(bicycle.u_size());
    for (const double side : {1.0, -1.0}) {
      motion.set_positions(q);
      motion.set_positions(motion.moved(side * kStep * Eigen::VectorXd::Unit(motion.freedoms(), j)));
      difference += side / (2.0 * kStep) * motion.velocity_rates();
    }
    // The step's square times third derivatives.
    EXPECT_LT((along * difference - by_positions.col(j)).norm(), 1e-5 * by_positions.norm()) << j;
  }
}

}  // namespace
}  // namespace mbdbench
