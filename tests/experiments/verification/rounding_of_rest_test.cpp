/// \file
/// `verify` on random mechanisms of the soak that nothing accelerates, or whose bodies are a million times apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "experiments/registries/registries.hpp"
#include "experiments/soak/random_mechanism.hpp"
#include "experiments/verification/reference/verification_reference.hpp"
#include "experiments/verification/verification.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

void expect_no_failure(const Mechanism& mechanism) {
  for (const VerificationResult& result : verify(default_registries(), mechanism, {})) {
    SCOPED_TRACE(result.mechanism + ", " + result.formulation);
    EXPECT_NE(result.outcome(), CheckOutcome::failed)
        << result.failure << (result.worst ? result.worst->what : std::string());
  }
}

MechanismDescription sliding_body() {
  MechanismDescription description;
  description.name = "slides_on";
  description.gravity = Vec3::Zero();
  BodyDescription body;
  body.name = "body";
  body.mass = 1.0;
  body.com = {-0.25, -0.47, -0.48};
  body.inertia = Mat3::Identity();
  description.bodies = {body};
  JointDescription joint;
  joint.name = "joint";
  joint.type = JointType::cylindrical;
  joint.a = kGround;
  joint.b = "body";
  joint.frame_a.position = {0.23, 0.26, -0.22};
  joint.frame_b.position = {-0.01, 0.14, -0.25};
  joint.axis = {-0.7788371124849764, -0.6253914258999328, -0.04794076164302147};
  joint.q0 = {0.0, 0.0};
  // A projection of velocities leaves such a spin.
  joint.v0 = {-2.7755575615628914e-17, 0.5361162036617024};
  description.joints = {joint};
  return description;
}

// Without gravity, only one of its bodies can move, along a line: all forces and accelerations are zero.
TEST(Verify, WhereNothingPullsForcesAreRoundingOfTheirTerms) {
  expect_no_failure(soak::draw_mechanism(default_registries().mechanisms, 3168));
}

// A pendulum without gravity whose free end is held: closing the loop leaves 1e-17 of the velocities that are drawn.
TEST(Verify, WhatLoopsLeaveOfDrawnVelocitiesIsRest) {
  MechanismDescription description = sliding_body();
  description.joints[0].type = JointType::revolute;
  description.joints[0].q0 = {0.3};
  description.joints[0].v0 = {0.0};
  const Mechanism open(description);
  Kinematics kinematics(open);
  kinematics.set_positions(view(open.q0()));
  JointDescription held;
  held.name = "held";
  held.type = JointType::spherical;
  held.a = kGround;
  held.b = "body";
  held.frame_b.position = {0.5, -0.3, 0.2};
  held.frame_a.position = kinematics.world_point(0, held.frame_b.position);
  held.cut = true;
  description.joints.push_back(held);
  expect_no_failure(Mechanism(description));
}

// v x m v of a body that moves on evenly is rounding of m v^2.
TEST(Verify, ABodyThatMovesOnEvenlyHasReactionsOfRounding) {
  expect_no_failure(Mechanism(sliding_body()));
}

/// A plate of 2 g and 1e-6 kg m^2 turns between bodies of a kilogram.
Mechanism plate_between_bodies() {
  return soak::draw_mechanism(default_registries().mechanisms, 1463);
}

class TangentGauge : public ::testing::TestWithParam<const char*> {};

// The plate's acceleration is p' over its inertia: what the tangent gauge adds to p' may have no part in a motion that
// the constraints leave free beyond rounding of p' itself.
TEST_P(TangentGauge, KeepsTheDigitsOfLightBodies) {
  const Mechanism mechanism = plate_between_bodies();
  const auto entry = [](std::string_view key) -> const FormulationEntry& {
    return *find_formulation(formulation_registry(), key);
  };
  VerificationReference references(mechanism, entry("dense"), entry("dense-momentum"));
  const std::string word = GetParam();
  const std::string key = word.substr(0, word.find('['));
  const std::string options = word.size() > key.size() ? word.substr(key.size() + 1, word.size() - key.size() - 2) : "";
  const auto with_gauge = [&](const std::string& gauge) {
    const std::string all = options.empty() ? gauge : options + "," + gauge;
    return entry(key).make(mechanism, parse_parameters(entry(key).options, all, key), {});
  };
  const auto published = with_gauge("gauge=none");
  const auto tangent = with_gauge("gauge=tangent");
  for (const VerificationState& state : draw_verification_states(mechanism, 5, 1).states) {
    const Reference reference = references.at(state);
    ASSERT_EQ(reference.failure, "");
    Eigen::VectorXd x(mechanism.q_size() + mechanism.u_size());
    x << state.q, reference.p;
    Eigen::VectorXd without(x.size());
    Eigen::VectorXd rates(x.size());
    ASSERT_TRUE(published->rhs(state.t, view(x), view(without)).ok);
    ASSERT_TRUE(tangent->rhs(state.t, view(x), view(rates)).ok);
    const Eigen::VectorXd momentum_rates = without.tail(mechanism.u_size());
    const Eigen::VectorXd added = rates.tail(mechanism.u_size()) - momentum_rates;
    const Eigen::VectorXd freely = reference.null_space.transpose() * added;
    // A sum over the rows and one over the columns of Phi_q round; ten times that.
    const double rounding = 10.0 * static_cast<double>(x.size()) * std::numeric_limits<double>::epsilon();
    const double size = std::max(momentum_rates.lpNorm<Eigen::Infinity>(), added.lpNorm<Eigen::Infinity>());
    EXPECT_LE(freely.lpNorm<Eigen::Infinity>(), rounding * size);
  }
}

INSTANTIATE_TEST_SUITE_P(Momenta, TangentGauge, ::testing::Values("dense-momentum", "hdca", "hdca[leaf=body]"));

TEST(Verify, LightBodiesKeepTheirAccelerations) {
  VerificationOptions options;
  options.formulations = {"dense-momentum", "naudet", "hdca", "hdca[leaf=body]"};
  for (const VerificationResult& result : verify(default_registries(), plate_between_bodies(), options)) {
    EXPECT_EQ(result.acceleration.outcome, CheckOutcome::passed)
        << result.formulation << ": " << result.acceleration.error << " of " << result.acceleration.limit;
  }
}

}  // namespace
}  // namespace mbdbench
