/// \file
/// `mbdbench equilibrium`: rest against closed forms of open trees and loops, stability, files and messages.
#include "experiments/equilibria/equilibrium.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/verification/reference/equation_matrices.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

constexpr double kGravity = 9.81;

MechanismDescription description_of(const std::string& key) {
  return make_mechanism(mechanism_registry(), key).description();
}

Equilibrium rest_of(const Mechanism& mechanism, bool nearest = false) {
  const Registries registries = default_registries();
  TangentMotion motion(registries, mechanism, 0.0);
  EquilibriumOptions options;
  options.nearest = nearest;
  return find_equilibrium(motion, options);
}

MechanismDescription link_between(const std::string& name, double length, double mass) {
  MechanismDescription description;
  description.name = name;
  description.gravity = Vec3(0.0, 0.0, -kGravity);
  description.bodies.push_back({.name = name + "1", .mass = mass, .com = Vec3(0.5 * length, 0.0, 0.0)});
  description.bodies.back().inertia = Mat3::Identity() * mass * length * length / 12.0;
  return description;
}

/// Links of one length and mass from the origin to a support at the same height, along an arc.
Mechanism hanging_between_supports(int links, double length, double mass) {
  MechanismDescription description = link_between("link", length, mass);
  const BodyDescription body = description.bodies.front();
  double span = 0.0;
  double before = 0.0;
  for (int i = 1; i <= links; ++i) {
    const double angle = 0.8 * (1.0 - (2.0 * i - 1.0) / links);
    if (i > 1) {
      description.bodies.push_back(body);
      description.bodies.back().name = fmt::format("link{}", i);
    }
    JointDescription joint;
    joint.name = fmt::format("joint{}", i);
    joint.a = i == 1 ? kGround : fmt::format("link{}", i - 1);
    joint.b = fmt::format("link{}", i);
    joint.axis = Vec3::UnitY();
    joint.frame_a.position = Vec3(i == 1 ? 0.0 : length, 0.0, 0.0);
    joint.q0 = {angle - before};
    description.joints.push_back(joint);
    before = angle;
    span += length * std::cos(angle);
  }
  JointDescription support;
  support.name = "support";
  support.a = kGround;
  support.b = fmt::format("link{}", links);
  support.axis = Vec3::UnitY();
  support.frame_a.position = Vec3(span, 0.0, 0.0);
  support.frame_b.position = Vec3(length, 0.0, 0.0);
  support.cut = true;
  description.joints.push_back(support);
  return Mechanism(description);
}

TEST(Equilibrium, AChainOfPendulaHangsDown) {
  for (const int links : {1, 2, 6}) {
    MechanismDescription description = description_of(fmt::format("pendulum:{}", links));
    for (JointDescription& joint : description.joints) {
      joint.q0 = {0.3};
    }
    const Equilibrium found = rest_of(Mechanism(description));
    ASSERT_EQ(found.failure, "") << links;
    for (int i = 0; i < links; ++i) {
      // Angles are right to rounding of the accelerations over their stiffness.
      EXPECT_NEAR(std::remainder(found.q[i] - (i == 0 ? 0.5 * std::numbers::pi : 0.0), 2.0 * std::numbers::pi), 0.0,
                  1e-9)
          << links;
    }
    EXPECT_EQ(found.stability, Stability::marginal) << "nothing damps it";
    EXPECT_LT(found.steps, 100) << links;
  }
}

TEST(Equilibrium, OfAHorizontalStartWhereNewtonsMatrixIsSingular) {
  MechanismDescription description = description_of("pendulum:1");
  description.joints[0].q0 = {0.0};
  const Mechanism horizontal(description);
  EXPECT_NEAR(rest_of(horizontal).q[0], 0.5 * std::numbers::pi, 1e-9);
  const Equilibrium stuck = rest_of(horizontal, true);
  EXPECT_NE(stuck.failure.find("--nearest"), std::string::npos) << stuck.failure;
}

TEST(Equilibrium, NewtonsMethodFindsTheInvertedPendulum) {
  MechanismDescription description = description_of("pendulum:1");
  description.joints[0].q0 = {-1.4};
  const Equilibrium found = rest_of(Mechanism(description), true);
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.q[0], -0.5 * std::numbers::pi, 1e-9);
  EXPECT_EQ(found.stability, Stability::unstable);
  const BodyDescription& body = description.bodies[0];
  const double lever = body.com.norm();
  const double inertia = body.inertia(1, 1) + body.mass * lever * lever;
  const double growth = std::sqrt(body.mass * description.gravity.norm() * lever / inertia);
  EXPECT_NEAR(found.motion.eigenvalues.real().maxCoeff(), growth, 1e-7 * growth);
}

TEST(Equilibrium, AMassOnADampedSpringSinksByItsWeightOverTheStiffness) {
  constexpr double kMass = 2.0;
  constexpr double kStiffness = 50.0;
  constexpr double kDamping = 1.0;
  MechanismDescription description = link_between("mass", 1.0, kMass);
  JointDescription joint;
  joint.name = "slide";
  joint.type = JointType::prismatic;
  joint.b = "mass1";
  joint.axis = Vec3::UnitZ();
  description.joints = {joint};
  description.joint_springs = {
      {.name = "spring", .joint = "slide", .component = 0, .stiffness = kStiffness, .damping = kDamping, .rest = 0.25}};
  const Equilibrium found = rest_of(Mechanism(description));
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.q[0], 0.25 - kMass * kGravity / kStiffness, 1e-12);
  EXPECT_EQ(found.stability, Stability::stable);
  const std::complex<double> expected(-0.5 * kDamping / kMass,
                                      std::sqrt(kStiffness / kMass - 0.25 * std::pow(kDamping / kMass, 2)));
  EXPECT_NEAR(std::abs(found.motion.eigenvalues[0] - expected), 0.0, 1e-10);
}

// With a constant horizontal tension H the slopes of neighbouring links differ by m g / H: equal differences.
TEST(Equilibrium, AChainBetweenTwoSupportsIsADiscreteCatenary) {
  for (const int links : {4, 9}) {
    const Equilibrium found = rest_of(hanging_between_supports(links, 0.5, 1.3));
    ASSERT_EQ(found.failure, "") << links;
    std::vector<double> slopes;
    double angle = 0.0;
    for (int i = 0; i < links; ++i) {
      angle += found.q[i];
      slopes.push_back(std::tan(angle));
    }
    const double step = slopes[1] - slopes[0];
    EXPECT_LT(step, -0.05) << "it hangs, and does not stand as an arch";
    for (int i = 1; i + 1 < links; ++i) {
      EXPECT_NEAR(slopes[static_cast<std::size_t>(i) + 1] - slopes[static_cast<std::size_t>(i)], step, 1e-8) << links;
    }
    // The ends are symmetric.
    EXPECT_NEAR(slopes.front() + slopes.back(), 0.0, 1e-8);
    EXPECT_EQ(found.stability, Stability::marginal);
  }
}

// Virtual work, from the dense matrices: forces at rest lie in the range of Phi_q^T.
TEST(Equilibrium, ForcesAtRestAreThoseOfConstraints) {
  for (const std::string key : {"four_bar", "slider_crank", "double_loop", "robot_arm", "pendulum_xyz:5"}) {
    SCOPED_TRACE(key);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const Equilibrium found = rest_of(mechanism);
    ASSERT_EQ(found.failure, "");
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(mechanism.u_size());
    const EquationMatrices at = equation_matrices(mechanism, 0.0, found.q, rest);
    Eigen::VectorXd left = at.forces;
    if (at.constraint_jacobian.rows() > 0) {
      const Eigen::MatrixXd transposed = at.constraint_jacobian.transpose();
      left -= transposed * transposed.completeOrthogonalDecomposition().solve(at.forces);
    }
    const double size = equation_matrices(mechanism, 0.0, mechanism.q0(), rest).forces.cwiseAbs().maxCoeff();
    EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-9 * std::max(1.0, size));
    Eigen::VectorXd residual(mechanism.constraint_size());
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(found.q));
    constraint_residual(kinematics, view(found.q), {}, view(residual));
    EXPECT_LT(mechanism.scales().largest(residual), 1e-10) << "loops are closed";
  }
}

TEST(Equilibrium, NothingIsSaidOfStabilityAtASingularPosition) {
  const std::string folder = std::string(MBDBENCH_SOURCE_DIR) + "/tests/experiments/mechanisms/";
  const Registries registries = default_registries();
  const Equilibrium flat = rest_of(find_mechanism(registries, folder + "flat_parallelogram.toml"));
  EXPECT_EQ(flat.failure, "");
  EXPECT_TRUE(flat.singular);
  EXPECT_EQ(flat.motion.eigenvalues.size(), 0);
}

TEST(Equilibrium, AFastDamperHidesNoInstability) {
  const std::string folder = std::string(MBDBENCH_SOURCE_DIR) + "/tests/experiments/mechanisms/";
  const Registries registries = default_registries();
  const Equilibrium rod = rest_of(find_mechanism(registries, folder + "rod_beside_a_dashpot.toml"), true);
  EXPECT_EQ(rod.failure, "");
  EXPECT_TRUE(rod.exact);
  EXPECT_EQ(to_string(rod.stability), "unstable");
  // theta'' = m g l / I theta with l = 0.5 m, I = 0.083 + 0.25 kg m^2
  EXPECT_NEAR(rod.motion.eigenvalues.real().maxCoeff(), std::sqrt(kGravity * 0.5 / 0.333), 1e-6);
}

TEST(Equilibrium, WhatNothingHoldsHasNone) {
  MechanismDescription description = description_of("pendulum:1");
  description.gravity = Vec3::Zero();
  description.joint_loads.push_back(
      {.name = "motor", .joint = description.joints[0].name, .component = 0, .law = ConstantLaw{1.0}});
  const Equilibrium found = rest_of(Mechanism(description));
  EXPECT_NE(found.failure.find("nothing may hold the mechanism"), std::string::npos) << found.failure;
}

TEST(Equilibrium, TheCommandWritesFilesThatSimulateAndLineariseTake) {
  const TemporaryDirectory directory;
  const std::string output = (directory.path() / "rest").string();
  const CommandLineCall call = call_program({"equilibrium", "-m", "pendulum:3", "--set", "q.joint1=0.4", "-o", output});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("marginal equilibrium after"), std::string::npos) << call.output;
  for (const char* const file : {"equilibrium.csv", "equilibrium.json", "mechanism.toml", "derivatives.npy",
                                 "eigenvalues.csv", "modes_real.npy", "modes_imaginary.npy", "names.json"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(output) / file)) << file;
  }
  const CommandLineCall linear = call_program({"linearise", "-m", output + "/mechanism.toml"});
  EXPECT_EQ(linear.exit_code, 0) << linear.errors;
  EXPECT_EQ(linear.output.find("no equilibrium"), std::string::npos) << linear.output;
  const CommandLineCall away = call_program({"linearise", "-m", "pendulum:3", "--set", "q.joint1=0.4"});
  EXPECT_NE(away.output.find("mbdbench equilibrium finds one"), std::string::npos) << away.output;
}

/// Bricard's linkage folds on its way down, where its rows of Phi are zero with an axis turned over, too: closures that
/// went further than the step ended there, or thousands of turns away. It rests with every other hinge at a right
/// angle.
TEST(Equilibrium, LoopsStayInTheirAssembly) {
  const Registries registries = default_registries();
  const Equilibrium found = rest_of(find_mechanism(registries, "bricard"));
  ASSERT_EQ(found.failure, "");
  ASSERT_EQ(found.q.size(), 5);
  for (int joint = 0; joint < 5; ++joint) {
    // A double zero among its eigenvalues: right to the root of rounding.
    EXPECT_NEAR(found.q[joint], joint % 2 == 0 ? std::numbers::pi / 2.0 : -std::numbers::pi / 6.0, 1e-6) << joint;
  }
  const CommandLineCall call = call_program({"equilibrium", "-m", "bricard"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
}

TEST(Equilibrium, BadInputIsNamed) {
  const auto refused = [](const std::vector<std::string>& arguments, int code, const std::string& words) {
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, code) << call.output << call.errors;
    EXPECT_NE(call.errors.find(words), std::string::npos) << call.errors;
  };
  refused({"equilibrium", "-m", "nosuch"}, 2, "nosuch");
  refused({"equilibrium", "-m", "pendulum:2", "--set", "q.nosuch=1"}, 2, "nosuch");
  refused({"equilibrium", "-m", "random_tree:seed=6,motions=2"}, 2, "is not one of constant speed");
  refused({"equilibrium", "-m", "pendulum:1", "--set", "q.joint1=0", "--nearest"}, 1, "no equilibrium of 'pendulum");
}

}  // namespace
}  // namespace mbdbench
