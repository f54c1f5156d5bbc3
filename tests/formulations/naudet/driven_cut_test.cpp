// Prescribed motions of cut joints: the same mechanism, driven at the same joint, cut there and cut elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

#include "formulations/naudet/closed_dynamics.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// A turning carrier with a loop of four links on it, whose last joint, between carrier and fourth link, is cut and
/// driven.
MechanismDescription loop_cut_at_its_drive(JointType type, int component, const Vec3& axis = Vec3::UnitZ()) {
  MechanismDescription description;
  description.name = "driven_loop";
  description.gravity = Vec3(0.0, -9.81, 0.0);
  for (const char* const name : {"carrier", "first", "second", "third", "fourth"}) {
    description.bodies.push_back({name, 1.5, Vec3(0.5, 0.0, 0.02), Vec3(0.02, 0.15, 0.14).asDiagonal()});
  }
  const Vec3 tip(1.0, 0.0, 0.0);
  const auto add = [&](const char* name, JointType kind, const char* a, const char* b, const Vec3& on_a,
                       const Vec3& on_b, double q0) {
    JointDescription& joint = description.joints.emplace_back();
    joint.name = name;
    joint.type = kind;
    joint.a = a;
    joint.b = b;
    joint.frame_a.position = on_a;
    joint.frame_b.position = on_b;
    joint.q0.assign(static_cast<std::size_t>(position_count(kind)), q0);
    joint.dependent = joint.name != "base";
  };
  add("base", JointType::revolute, kGround, "carrier", Vec3::Zero(), Vec3::Zero(), 0.3);
  description.joints.back().v0 = {0.7};
  description.joints.back().axis = Vec3(0.0, 0.6, 0.8);
  add("hip", JointType::revolute, "carrier", "first", Vec3::Zero(), Vec3::Zero(), 1.9);
  add("knee", JointType::revolute, "first", "second", tip, Vec3::Zero(), -1.2);
  add("ankle", JointType::revolute, "second", "third", tip, Vec3::Zero(), -1.0);
  add("toe", JointType::revolute, "third", "fourth", tip, Vec3::Zero(), -1.1);
  add("drive", type, "carrier", "fourth", Vec3(1.4, 0.1, 0.0), tip, 0.0);
  description.joints.back().axis = axis;
  description.joints.back().cut = true;
  const Mechanism free(description);
  const double start = free.cut_joints().front().q0[static_cast<std::size_t>(component)];
  for (std::size_t k = 0; k < free.tree_joints().size(); ++k) {
    description.joints[k].q0 = free.tree_joints()[k].q0;
  }
  description.joints.back().q0 = free.cut_joints().front().q0;
  description.joints.back().motions = {
      {component, fmt::format("{:.17g} + 0.4*sin(2*t) + 0.3*t", start), "0.8*cos(2*t) + 0.3", "-1.6*sin(2*t)"}};
  return description;
}

/// The same mechanism at the same start, cut at its knee.
MechanismDescription cut_at_the_knee(const Mechanism& cut_at_the_drive) {
  MechanismDescription description = cut_at_the_drive.description();
  Kinematics kinematics(cut_at_the_drive);
  kinematics.set_positions(view(cut_at_the_drive.q0()));
  kinematics.set_velocities(view(cut_at_the_drive.u0()));
  for (JointDescription& joint : description.joints) {
    joint.dependent = false;
    joint.cut = joint.name == "knee";
    if (joint.name == "knee") {
      joint.v0.clear();
    } else if (joint.name == "drive") {
      joint.v0.resize(static_cast<std::size_t>(velocity_count(joint.type)));
      cut_velocities(kinematics, kinematics.cut_joint(0), cut_at_the_drive.cut_joints()[0], joint.v0);
    } else if (joint.name == "ankle" || joint.name == "toe") {  // led to from the other side
      std::swap(joint.a, joint.b);
      std::swap(joint.frame_a, joint.frame_b);
      joint.q0[0] = -joint.q0[0];
      joint.v0[0] = -joint.v0[0];
    }
  }
  return description;
}

/// What both mechanisms have: velocities and accelerations of "base" and "hip", the power of the drive.
struct Answer {
  Eigen::Vector2d velocity;
  Eigen::Vector2d acceleration;
  double power = 0.0;
  Observation observation;
  double drift = 0.0;      ///< largest residual after a step of Euler's method
  double corrected = 0.0;  ///< and after what the formulation does to states after steps
};

Answer answer_of(Formulation& formulation) {
  const Mechanism& mechanism = formulation.mechanism();
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  const auto velocities_at = [&](double t, const std::vector<double>& state) {
    std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
    std::vector<double> u(static_cast<std::size_t>(mechanism.u_size()));
    EXPECT_TRUE(formulation.unpack(t, state, q, u).ok);
    const auto of = [&](const char* name) {
      return u[static_cast<std::size_t>(mechanism.joint(*mechanism.find_joint(name)).u_offset)];
    };
    return Eigen::Vector2d(of("base"), of("hip"));
  };
  Answer answer;
  answer.velocity = velocities_at(0.0, x);
  std::vector<double> xdot(x.size());
  EXPECT_TRUE(formulation.rhs(0.0, x, xdot).ok);
  // Central differences along the right-hand side serve states of any kind.
  constexpr double kStep = 1e-5;
  std::vector<double> early = x;
  std::vector<double> late = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    early[i] -= kStep * xdot[i];
    late[i] += kStep * xdot[i];
  }
  answer.acceleration = (velocities_at(kStep, late) - velocities_at(-kStep, early)) / (2.0 * kStep);
  EXPECT_TRUE(formulation.power(0.0, x, answer.power).ok);
  EXPECT_TRUE(formulation.observe(0.0, x, answer.observation).ok);
  const auto residual_at = [&](double t) {
    Observation observation;
    EXPECT_TRUE(formulation.observe(t, x, observation).ok);
    return std::max(observation.position_residual, observation.velocity_residual);
  };
  constexpr double kEuler = 1e-3;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] += kEuler * xdot[i];
  }
  answer.drift = residual_at(kEuler);
  formulation.after_step(kEuler, x);
  answer.corrected = residual_at(kEuler);
  return answer;
}

struct Drive {
  JointType type;
  int component;
  Vec3 axis = Vec3::UnitZ();  ///< across the plane in which the links move
};

class DrivenCut : public testing::TestWithParam<Drive> {};

TEST_P(DrivenCut, MovesAsWhereTheLoopIsCutElsewhere) {
  const auto& [type, component, axis] = GetParam();
  const Mechanism here(loop_cut_at_its_drive(type, component, axis));
  const Mechanism elsewhere(cut_at_the_knee(here));
  ASSERT_TRUE(here.drives_cut_joints());
  ASSERT_TRUE(elsewhere.rheonomic());
  ASSERT_FALSE(elsewhere.drives_cut_joints());
  const auto& registry = formulation_registry();
  const Answer expected = answer_of(*make_formulation(registry, *find_formulation(registry, "dense"), elsewhere));
  ASSERT_GT(expected.velocity.cwiseAbs().minCoeff(), 1e-2);
  ASSERT_GT(expected.acceleration.cwiseAbs().minCoeff(), 1e-2);
  ASSERT_GT(std::abs(expected.power), 1e-2);
  std::string compared;
  for (const FormulationEntry& entry : registry) {
    if (!refusal_of(entry, here).empty()) {
      continue;
    }
    const Answer got = answer_of(*make_formulation(registry, entry, here, test::precise_options(entry.key)));
    EXPECT_LT((got.velocity - expected.velocity).norm(), 1e-10) << entry.key;
    // Differences over 2e-5 s divide rounding by it, and leave its square.
    EXPECT_LT((got.acceleration - expected.acceleration).norm(), 1e-7 * std::max(1.0, expected.acceleration.norm()))
        << entry.key;
    EXPECT_NEAR(got.power, expected.power, 1e-9 * std::max(1.0, std::abs(expected.power))) << entry.key;
    EXPECT_LT(got.observation.position_residual, 1e-12) << entry.key;
    EXPECT_LT(got.observation.velocity_residual, 1e-11) << entry.key;
    // What projects comes back to the drive that goes on; the others leave what they find.
    EXPECT_LE(got.corrected, entry.key == "dca-alm-proj" ? 1e-3 * got.drift : got.drift + 1e-12) << entry.key;
    compared += std::string(compared.empty() ? "" : " ") + std::string(entry.key);
  }
  EXPECT_EQ(compared, "dense dense-momentum hdca dca dca-alm dca-alm-proj dca-alm-printed bae-haug naudet naudet-acc");
}

INSTANTIATE_TEST_SUITE_P(Joints, DrivenCut,
                         testing::Values(Drive{JointType::revolute, 0}, Drive{JointType::cylindrical, 0},
                                         Drive{JointType::planar, 2}, Drive{JointType::planar, 1},
                                         Drive{JointType::prismatic, 0, Vec3::UnitX()},
                                         Drive{JointType::cylindrical, 1, Vec3(0.6, 0.8, 0.0)}),
                         [](const auto& drive) {
                           return fmt::format("{}{}", to_string(drive.param.type), drive.param.component + 1);
                         });

// A drive that has turned seven times is where it was after none, but for the turns.
TEST(DrivenCutRows, WholeTurnsDoNotMatter) {
  const Mechanism mechanism(loop_cut_at_its_drive(JointType::revolute, 0));
  const Joint& cut = mechanism.cut_joints().front();
  ASSERT_EQ(cut.nc, 6);
  std::vector<double> residual = {0.0, 0.0, 0.0, 0.0, 0.0, 0.25};
  drive_residual(cut, std::vector<double>{0.25 - 14.0 * std::numbers::pi}, residual);
  EXPECT_NEAR(residual[5], 0.0, 1e-14);
}

TEST(DrivenCutRows, OthersRefuseByName) {
  const Mechanism mechanism(loop_cut_at_its_drive(JointType::revolute, 0));
  const auto& registry = formulation_registry();
  for (const auto& [key, options] : {std::pair("naudet-reduced", ""),
                                     {"naudet-acc-reduced", ""},
                                     {"naudet", "loops=matrices"},
                                     {"bae-haug", "ranks=2,projection=off"},
                                     {"hdca", "leaf=subchain"}}) {
    try {
      static_cast<void>(make_formulation(registry, *find_formulation(registry, key), mechanism, options));
      ADD_FAILURE() << key << " took it";
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("prescribed motion"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace mbdbench
