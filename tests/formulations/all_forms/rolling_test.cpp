/// \file
/// Rolling without slip and constraints of velocities alone, against closed forms: the formulations that take them, and
/// what the others say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/rolling_bodies.hpp"

namespace mbdbench {
namespace {

constexpr std::array kTaking = {"dense", "dense-momentum"};

/// u' at the start, by differences of the velocities along the right-hand side: the same for velocities and momenta.
Eigen::VectorXd accelerations(const std::string& key, const Mechanism& mechanism) {
  const auto formulation = test::make(key, mechanism);
  const test::Evaluation start = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
  EXPECT_TRUE(start.status.ok) << start.status.message();
  return test::difference([&](double s) {
    std::vector<double> x = start.x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += 0.01 * s * start.xdot[i];
    }
    Eigen::VectorXd q(mechanism.q_size());
    Eigen::VectorXd u(mechanism.u_size());
    EXPECT_TRUE(formulation->unpack(0.01 * s, x, view(q), view(u)).ok);
    return Eigen::VectorXd(u / 0.01);
  });
}

// Differences of order one to ten resolve 1e-9; see comparison.hpp.
constexpr double kByDifferences = 1e-7;

Vec6 reaction_of_road(const std::string& key, const Mechanism& mechanism) {
  const auto formulation = test::make(key, mechanism);
  const test::Evaluation start = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
  Reactions reactions;
  EXPECT_TRUE(formulation->reactions(0.0, start.x, reactions).ok);
  return reactions.cut_joints.at(0);
}

TEST(rolling, a_ball_rolls_down_a_slope) {
  constexpr double kSlope = 0.26;
  MechanismDescription description =
      test::rolling_body(JointType::rolling_ball, 0.05, 0.1, Vec3::Constant(0.4 * 0.1 * 0.05 * 0.05));
  description.gravity = 9.81 * Vec3(std::sin(kSlope), 0.0, -std::cos(kSlope));
  const Mechanism mechanism(description);
  EXPECT_EQ(mechanism.u_size() - mechanism.generic_rank().rank, 3);
  const double expected = 9.81 * std::sin(kSlope) / 1.4;
  for (const char* key : kTaking) {
    const Eigen::VectorXd rates = accelerations(key, mechanism);
    EXPECT_NEAR(rates[3], expected, kByDifferences * expected) << key;
    EXPECT_NEAR(rates[1], expected / 0.05, kByDifferences * expected / 0.05) << key;
    EXPECT_NEAR(rates[4], 0.0, kByDifferences) << key;
    EXPECT_NEAR(rates[5], 0.0, kByDifferences) << key;
    // Friction is what is missing of m g sin, the road carries m g cos; both at the place where they touch.
    const Vec6 reaction = reaction_of_road(key, mechanism);
    EXPECT_NEAR(reaction[0], 0.1 * (expected - 9.81 * std::sin(kSlope)), 1e-13) << key;
    EXPECT_NEAR(reaction[2], 0.1 * 9.81 * std::cos(kSlope), 1e-13) << key;
    EXPECT_LT(reaction.tail<3>().norm(), 1e-15) << key;
  }
}

TEST(rolling, a_disc_leans_steadily) {
  const test::SteadyDisc disc;
  const Mechanism mechanism(disc.description());
  ASSERT_LT((mechanism.u0() - Eigen::Map<const Eigen::VectorXd>(disc.description().joints[0].v0.data(), 6)).norm(),
            1e-14);
  const Mat3 rotation = rotation_about(Vec3::UnitY(), disc.lean);
  Eigen::VectorXd expected(6);
  expected << rotation.transpose() * disc.rate_of(disc.angular_velocity()), disc.rate_of(disc.velocity());
  EXPECT_GT(expected.head<3>().norm(), 3.0);
  for (const char* key : kTaking) {
    EXPECT_LT((accelerations(key, mechanism) - expected).norm(), kByDifferences * expected.norm()) << key;
    const Vec3 force = reaction_of_road(key, mechanism).head<3>();
    const Vec3 needed = disc.mass * (disc.rate_of(disc.velocity()) + disc.gravity * Vec3::UnitZ());
    EXPECT_LT((force - needed).norm(), 1e-11 * needed.norm()) << key;
  }
}

/// A ball on a turntable that turns with a given rate has the acceleration 2/7 Omega n x v, wherever it is.
TEST(rolling, a_ball_circles_on_a_turntable) {
  constexpr double kTurn = 2.0;
  MechanismDescription description =
      test::rolling_body(JointType::rolling_ball, 0.05, 0.1, Vec3::Constant(0.4 * 0.1 * 0.05 * 0.05));
  description.bodies.push_back({"table", 5.0, Vec3::Zero(), Vec3(1.0, 1.0, 2.0).asDiagonal()});
  JointDescription bearing;
  bearing.name = "bearing";
  bearing.b = "table";
  bearing.axis = Vec3::UnitZ();
  bearing.q0 = {0.4};
  bearing.v0 = {kTurn};
  bearing.motions = {{0, "0.4 + 2*t", "2", "0"}};
  description.joints[1].a = "table";
  description.joints.push_back(bearing);
  const Vec3 place(0.3, -0.2, 0.05);
  const Vec3 velocity(0.5, 0.4, 0.0);
  const Vec3 n = Vec3::UnitZ();
  const Vec3 spin = n.cross(Vec3(velocity - kTurn * n.cross(place))) / 0.05 + 0.7 * n;
  description.joints[0].q0 = {1.0, 0.0, 0.0, 0.0, place.x(), place.y(), place.z()};
  description.joints[0].v0 = {spin.x(), spin.y(), spin.z(), velocity.x(), velocity.y(), velocity.z()};
  const Mechanism mechanism(description);
  const int flight = mechanism.joint(*mechanism.find_joint("flight")).u_offset;
  ASSERT_LT((mechanism.u0().segment<3>(flight + 3) - velocity).norm(), 1e-13);
  const Vec3 expected = 2.0 / 7.0 * kTurn * n.cross(velocity);
  for (const char* key : kTaking) {
    const Eigen::VectorXd rates = accelerations(key, mechanism);
    EXPECT_LT((rates.segment<3>(flight + 3) - expected).norm(), kByDifferences * spin.norm()) << key;
    // The drive gives what friction takes from the table; that is where the ball's energy comes from.
    const auto formulation = test::make(key, mechanism);
    const test::Evaluation start = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
    double power = 0.0;
    ASSERT_TRUE(formulation->power(0.0, start.x, power).ok);
    EXPECT_NEAR(power, 0.1 * expected.dot(kTurn * n.cross(place)), 1e-12) << key;
  }
}

TEST(rolling, a_sleigh_turns_about_its_blade) {
  const test::Sleigh sleigh;
  const Mechanism mechanism(sleigh.description());
  const double along = sleigh.ahead * sleigh.turn * sleigh.turn;
  const double across = sleigh.speed * sleigh.turn;
  const double turn =
      -sleigh.mass * sleigh.ahead * across / (sleigh.inertia + sleigh.mass * sleigh.ahead * sleigh.ahead);
  const double c = std::cos(sleigh.heading);
  const double s = std::sin(sleigh.heading);
  for (const char* key : kTaking) {
    const Eigen::VectorXd rates = accelerations(key, mechanism);
    EXPECT_NEAR(rates[0], along * c - across * s, kByDifferences) << key;
    EXPECT_NEAR(rates[1], along * s + across * c, kByDifferences) << key;
    EXPECT_NEAR(rates[2], turn, kByDifferences) << key;
  }
  EXPECT_FALSE(mechanism.exchanges_energy());
}

// A constraint that asks for a velocity b(t) has it from a body whose motion is prescribed, whatever that weighs: the
// blade slips sideways with b = 0.3 + 0.2 t. Along it v' = b w + a w^2, and w' = -m a (b' + v w) / (J + m a^2).
TEST(rolling, a_blade_may_slip_as_time_says) {
  const test::Sleigh sleigh;
  const double slip = 0.3;
  const double slip_rate = 0.2;
  for (const double mass : {1e-3, 1.0, 1e3}) {
    MechanismDescription description = sleigh.description();
    description.bodies.push_back({"feed", mass, Vec3::Zero(), mass * Mat3::Identity()});
    JointDescription joint;
    joint.name = "slip";
    joint.type = JointType::prismatic;
    joint.a = kGround;
    joint.b = "feed";
    joint.axis = Vec3::UnitZ();
    joint.motions = {{0, "0.3*t + 0.1*t^2", "0.3 + 0.2*t", "0.2"}};
    description.joints.push_back(joint);
    description.velocity_constraints[0].terms.push_back({"slip", 0, ConstantLaw{-1.0}});
    const Mechanism mechanism(description);
    const double c = std::cos(sleigh.heading);
    const double s = std::sin(sleigh.heading);
    const Eigen::VectorXd& u = mechanism.u0();
    EXPECT_NEAR(-s * u[0] + c * u[1], slip, 1e-12);
    const double speed = c * u[0] + s * u[1];
    const double turn = u[2];
    const double along = sleigh.ahead * turn * turn;  // v' - b w
    const double across = slip_rate + speed * turn;
    for (const char* key : kTaking) {
      SCOPED_TRACE(fmt::format("{}, feed of {} kg", key, mass));
      const Eigen::VectorXd rates = accelerations(key, mechanism);
      EXPECT_NEAR(rates[0], along * c - across * s, kByDifferences);
      EXPECT_NEAR(rates[1], along * s + across * c, kByDifferences);
      EXPECT_NEAR(rates[2],
                  -sleigh.mass * sleigh.ahead * across / (sleigh.inertia + sleigh.mass * sleigh.ahead * sleigh.ahead),
                  kByDifferences);
    }
  }
}

/// The equation says the same whatever it is multiplied by.
TEST(rolling, a_constraint_times_a_number_is_the_same) {
  const test::Sleigh sleigh;
  MechanismDescription large = sleigh.description();
  large.velocity_constraints[0].terms = {{"ice", 0, ExpressionLaw{"-1e9*sin(q_ice_3)"}},
                                         {"ice", 1, ExpressionLaw{"1e9*cos(q_ice_3)"}}};
  for (const char* key : kTaking) {
    const Mechanism mechanism(sleigh.description());
    const Mechanism scaled(large);
    const auto one = test::make(key, mechanism);
    const auto other = test::make(key, scaled);
    const test::Evaluation expected = test::evaluate_at(*one, 0.0, mechanism.q0(), mechanism.u0());
    const test::Evaluation found = test::evaluate_at(*other, 0.0, scaled.q0(), scaled.u0());
    EXPECT_LT(test::block_error(found.xdot, expected.xdot), 1e-13) << key;
  }
}

TEST(rolling, other_formulations_refuse_by_name) {
  for (const MechanismDescription& description : {test::SteadyDisc().description(), test::Sleigh().description()}) {
    const Mechanism mechanism(description);
    const std::string name(mechanism.held_by_velocity());
    EXPECT_TRUE(name == "road" || name == "blade");
    for (const FormulationEntry& entry : formulation_registry()) {
      const std::string refusal = refusal_of(entry, mechanism);
      EXPECT_EQ(refusal.empty(), entry.key == "dense" || entry.key == "dense-momentum") << entry.key;
      if (!refusal.empty()) {
        try {
          static_cast<void>(make_formulation(formulation_registry(), entry, mechanism, ""));
          ADD_FAILURE() << entry.key;
        } catch (const ModelError& error) {
          const std::string told = error.what();
          EXPECT_NE(told.find("'" + name + "'"), std::string::npos) << told;
          EXPECT_NE(told.find("these can: dense, dense-momentum"), std::string::npos) << told;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench
