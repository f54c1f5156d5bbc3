/// \file
/// Gears, racks and screws: a press with all of them against its equation of motion by hand, and who refuses it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formulations/drive_forces.hpp"
#include "formulations/projection/projected_formulation.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

Mechanism screw_press() {
  return load_mechanism(std::filesystem::path(MBDBENCH_SOURCE_DIR) / "examples/mechanisms/screw_press.toml");
}

// One coordinate, the motor's angle: the spindle turns by -1/3 of it, the ram rises by the thread's pitch times a third
// (a right-hand thread that does not turn rises where its spindle turns back), the rack moves by 25 mm/rad.
constexpr double kRatio = 1.0 / 3.0;
constexpr double kPitch = 0.0031830988618379067;
constexpr double kRadius = 0.025;
constexpr double kTorque = 1.5;
constexpr double kRamMass = 40.0;

double acceleration_by_hand() {
  const double rise = kPitch * kRatio;
  const double inertia = 0.001 + 0.02 * kRatio * kRatio + kRamMass * rise * rise + 2.0 * kRadius * kRadius;
  return (kTorque - kRamMass * 9.81 * rise) / inertia;
}

TEST(couplings, a_press_with_gears_rack_and_screw_moves_as_by_hand) {
  const Mechanism mechanism = screw_press();
  ASSERT_EQ(mechanism.couplings().size(), 2U);
  EXPECT_EQ(mechanism.generic_rank().rank, 3);
  const double expected = acceleration_by_hand();
  for (const auto& [key, options] : {std::pair("dense", ""), {"dense", "rank=fixed"}, {"dca", ""}, {"bae-haug", ""}}) {
    const auto formulation = test::make(key, mechanism, options);
    std::vector<double> x(formulation->state_size());
    std::vector<double> xdot(x.size());
    // At some speed: nothing is quadratic in it here.
    const double speed = 7.0;
    const std::vector<double> u = {speed, -kRatio * speed, kPitch * kRatio * speed, kRadius * speed};
    const Eigen::VectorXd& q = mechanism.q0();
    ASSERT_TRUE(formulation->pack(0.0, {q.data(), 4}, u, x).ok);
    ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    EXPECT_NEAR(xdot[4], expected, 1e-11 * expected) << key << options;
    EXPECT_NEAR(xdot[5], -kRatio * expected, 1e-11 * expected) << key << options;
    EXPECT_NEAR(xdot[6], kPitch * kRatio * expected, 1e-11 * expected) << key << options;
    EXPECT_NEAR(xdot[7], kRadius * expected, 1e-11 * expected) << key << options;
  }
}

TEST(couplings, initial_values_are_brought_to_agree) {
  MechanismDescription description = screw_press().description();
  description.couplings[0].value.reset();
  description.joints[0].q0 = {0.3};  // 20 * 0.3 is kept
  EXPECT_DOUBLE_EQ(*Mechanism(description).description().couplings[0].value, 6.0);
  description.couplings[0].value = 0.0;
  description.joints[0].v0 = {1.0};
  const Mechanism closed(description);
  EXPECT_NEAR(20.0 * closed.q0()[0] + 60.0 * closed.q0()[1], 0.0, 1e-12);
  EXPECT_NEAR(20.0 * closed.u0()[0] + 60.0 * closed.u0()[1], 0.0, 1e-12);
  EXPECT_GT(std::abs(closed.u0()[0]), 1e-3);
}

/// \returns u' at the mechanism's start, by central differences along the right-hand side, which serve states of any
/// kind.
Eigen::VectorXd acceleration_of(Formulation& formulation) {
  const Mechanism& mechanism = formulation.mechanism();
  std::vector<double> x(formulation.state_size());
  std::vector<double> xdot(x.size());
  EXPECT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  const RhsStatus status = formulation.rhs(0.0, x, xdot);
  EXPECT_TRUE(status.ok) << status.message();
  const auto velocities_at = [&](double t) {
    std::vector<double> moved = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      moved[i] += t * xdot[i];
    }
    Eigen::VectorXd q(mechanism.q_size());
    Eigen::VectorXd u(mechanism.u_size());
    EXPECT_TRUE(formulation.unpack(t, moved, view(q), view(u)).ok);
    return u;
  };
  constexpr double kDifference = 1e-5;
  return (velocities_at(kDifference) - velocities_at(-kDifference)) / (2.0 * kDifference);
}

TEST(couplings, an_equation_times_any_number_is_the_same_coupling) {
  const MechanismDescription description = screw_press().description();
  const double expected = acceleration_by_hand();
  for (const double factor : {-1e6, 3e7, 1e-7, -1e-9, 1e-12}) {
    MechanismDescription multiplied = description;
    for (CouplingDescription& coupling : multiplied.couplings) {
      for (CouplingTerm& term : coupling.terms) {
        term.factor *= factor;
      }
      coupling.value = *coupling.value * factor;
    }
    const Mechanism mechanism(multiplied);
    EXPECT_EQ(mechanism.generic_rank().rank, 3);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (refusal_of(entry, mechanism).empty()) {
        const auto formulation = make_formulation(formulation_registry(), entry, mechanism);
        // Differences over 2e-5 s.
        EXPECT_NEAR(acceleration_of(*formulation)[0], expected, 1e-7 * expected) << entry.key << ", times " << factor;
      }
    }
  }
}

/// Ties two or three scalar joints together; every third seed drives one of them.
void couple(MechanismDescription& description, int seed) {
  RandomSource random(seed);
  std::vector<JointDescription*> scalar;
  for (JointDescription& joint : description.joints) {
    joint.dependent = !joint.cut;
    if (!joint.cut && joint.q0.size() == 1) {
      scalar.push_back(&joint);
    }
  }
  for (int i = 0; i < 1 + seed % 2 && scalar.size() > 3; ++i) {
    CouplingDescription& gears = description.couplings.emplace_back();
    gears.name = "gears" + std::to_string(i);
    for (int term = 0; term < 2 + seed / 2 % 2; ++term) {
      const std::size_t place = random.index(scalar.size());
      gears.terms.push_back({scalar[place]->name, 0, random.uniform(0.5, 20.0)});
      if (seed % 3 == 0 && i == 0 && term == 0) {
        const std::string start = std::to_string(scalar[place]->q0[0]);
        scalar[place]->q0[0] = std::stod(start);
        scalar[place]->v0 = {0.5};
        scalar[place]->dependent = false;
        scalar[place]->motions = {{0, start + " + 0.5*sin(t) + t*t", "0.5*cos(t) + 2*t", "2 - 0.5*sin(t)"}};
      }
      scalar.erase(scalar.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
}

TEST(couplings, recursions_agree_with_the_dense_reference) {
  int compared = 0;
  int closed = 0;
  int driven = 0;
  double worst = 0.0;
  for (int seed = 1; seed <= 700; ++seed) {
    const std::string key =
        seed % 2 == 0 ? "random_closed:cuts=1,bodies=9,loads=1,seed=" : "random_tree:bodies=8,seed=";
    MechanismDescription description = make_mechanism(mechanism_registry(), key + std::to_string(seed)).description();
    couple(description, seed);
    std::unique_ptr<const Mechanism> mechanism;
    try {
      mechanism = std::make_unique<const Mechanism>(description);
    } catch (const ModelError&) {
      continue;  // coupled joints that their loop holds
    }
    if (mechanism->couplings().empty() || mechanism->generic_rank().rank >= mechanism->u_size()) {
      continue;
    }
    const Eigen::VectorXd expected = acceleration_of(*test::make("dense", *mechanism));
    for (const FormulationEntry& entry : formulation_registry()) {
      if (entry.key == "dense" || !refusal_of(entry, *mechanism).empty()) {
        continue;
      }
      const auto formulation = make_formulation(formulation_registry(), entry, *mechanism);
      const double error = (acceleration_of(*formulation) - expected).norm() / std::max(1.0, expected.norm());
      // Differences over 2e-5 s divide rounding by it, and leave its square times the third derivative.
      EXPECT_LT(error, 1e-7) << entry.key << ", seed " << seed;
      worst = std::max(worst, error);
      ++compared;
    }
    RandomSource random(seed);
    Eigen::VectorXd q =
        test::moved(*mechanism, mechanism->q0(), test::random_vector(mechanism->u_size(), random), 1e-3);
    ConstraintProjection projection(*mechanism, best_instruction_set());
    const ProjectionOutcome outcome = projection.project_positions(0.01, view(q), 1e-10);
    EXPECT_GT(outcome.before, 1e-6) << "seed " << seed;
    EXPECT_TRUE(outcome.reached) << "seed " << seed << ": " << outcome.before << " -> " << outcome.after;
    closed += mechanism->cut_joints().empty() ? 0 : 1;
    driven += mechanism->rheonomic() ? 1 : 0;
  }
  fmt::print("{} comparisons, {} closed mechanisms, {} driven ones, worst difference {:.1e}\n", compared, closed,
             driven, worst);
  EXPECT_GT(compared, 300);
  EXPECT_GT(closed, 10);
  EXPECT_GT(driven, 10);
}

TEST(couplings, projection_keeps_them) {
  const Mechanism mechanism = screw_press();
  for (const char* const key : {"dense", "dca", "bae-haug", "naudet-acc"}) {
    ProjectedFormulation formulation(test::make(key, mechanism, "projection=off"), 1e-12, best_instruction_set());
    std::vector<double> x(formulation.state_size());
    ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok) << key;
    x[0] += 1e-3;  // gears, rack and thread are open
    Observation observation;
    ASSERT_TRUE(formulation.observe(0.0, x, observation).ok);
    ASSERT_GT(observation.position_residual, 1e-4);
    formulation.after_step(0.0, x);
    ASSERT_TRUE(formulation.observe(0.0, x, observation).ok);
    EXPECT_LT(observation.position_residual, 1e-12) << key;
    EXPECT_LT(observation.velocity_residual, 1e-12) << key;
  }
}

TEST(couplings, who_does_not_know_them_says_so) {
  const Mechanism mechanism = screw_press();
  std::string able;
  for (const FormulationEntry& entry : formulation_registry()) {
    const std::string refusal = refusal_of(entry, mechanism);
    if (refusal.empty()) {
      able += std::string(entry.key) + ' ';
    } else {
      EXPECT_NE(refusal.find("coupling 'gears'"), std::string::npos) << entry.key << ": " << refusal;
    }
  }
  EXPECT_EQ(able, "dense dense-momentum hdca dca bae-haug naudet naudet-reduced naudet-acc naudet-acc-reduced ");
  for (const auto& [key, options] : {std::pair("bae-haug", "ranks=2,projection=off"),
                                     {"naudet", "loops=matrices"},
                                     {"hdca", "leaf=subchain"},
                                     {"dca", "leaf=subtree"}}) {
    try {
      static_cast<void>(test::make(key, mechanism, options));
      ADD_FAILURE() << key << " took it";
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("coupling 'gears'"), std::string::npos) << error.what();
    }
  }
}

TEST(couplings, a_screw_in_a_loop_without_couplings_is_for_everybody) {
  MechanismDescription description = screw_press().description();
  description.couplings.clear();
  description.joint_loads.front().joint = "bearing";
  const Mechanism mechanism(description);
  const double rise = kPitch;
  const double expected = (kTorque + kRamMass * 9.81 * rise) / (0.02 + kRamMass * rise * rise);
  int checked = 0;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (!refusal_of(entry, mechanism).empty()) {
      continue;
    }
    const auto formulation = test::make(std::string(entry.key), mechanism);
    std::vector<double> x(formulation->state_size());
    std::vector<double> xdot(x.size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok) << entry.key;
    ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok) << entry.key;
    // At rest momenta change as the generalised forces do; accelerations follow after a short step.
    if (entry.rate_kind == StateKind::velocity && formulation->state_size() == 8) {
      EXPECT_NEAR(xdot[5], expected, 1e-9 * expected) << entry.key;
      ++checked;
    }
  }
  EXPECT_GE(checked, 3);
}

TEST(couplings, a_drive_in_a_coupling_is_told_apart_from_it) {
  MechanismDescription description = screw_press().description();
  constexpr double kAcceleration = 6.0;
  description.joints[0].motions = {{0, "3 * t^2", "6 * t", "6"}};
  const Mechanism mechanism(description);
  const double rise = kPitch * kRatio;
  const double inertia = 0.001 + 0.02 * kRatio * kRatio + kRamMass * rise * rise + 2.0 * kRadius * kRadius;
  const double needed = inertia * kAcceleration + kRamMass * 9.81 * rise;  // of the motor's drive and its load
  const double t = 0.7;
  const double speed = kAcceleration * t;
  const std::vector<double> ratios = {1.0, -kRatio, rise, kRadius};
  std::vector<double> q;
  std::vector<double> u;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    q.push_back(mechanism.q0()[static_cast<Eigen::Index>(i)] + ratios[i] * 3.0 * t * t);
    u.push_back(ratios[i] * speed);
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(q);
  EXPECT_EQ(drive_names(mechanism), std::vector<std::string>{description.joints[0].name});
  int checked = 0;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (!refusal_of(entry, mechanism).empty()) {
      continue;
    }
    const auto formulation = test::make(entry.key, mechanism);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(t, q, u, x).ok) << entry.key;
    double power = 0.0;
    ASSERT_TRUE(formulation->power(t, x, power).ok) << entry.key;
    EXPECT_NEAR(power, needed * speed, 1e-9 * needed * speed) << entry.key << ": without what the coupling carries";
    Reactions reactions;
    ASSERT_TRUE(formulation->reactions(t, x, reactions).ok) << entry.key;
    const DriveForces forces = drive_forces(kinematics, reactions);
    EXPECT_NEAR(forces.drives.at(0), needed - kTorque, 1e-9) << entry.key;
    // The rack's coupling pushes its body, which nothing else does: 2 kg at the radius times the acceleration.
    const auto rack = std::find_if(mechanism.couplings().begin(), mechanism.couplings().end(),
                                   [](const Coupling& coupling) { return coupling.name != "gears"; });
    ASSERT_NE(rack, mechanism.couplings().end());
    const double push = forces.couplings.at(static_cast<std::size_t>(rack - mechanism.couplings().begin()));
    const double factor =
        std::find_if(rack->terms.begin(), rack->terms.end(), [](const Coupling::Term& term) { return term.u == 3; })
            ->factor *
        rack->scale;
    EXPECT_NEAR(factor * push, 2.0 * kRadius * kAcceleration, 1e-9) << entry.key;
    ++checked;
  }
  EXPECT_GE(checked, 7);
}

TEST(couplings, a_multiplier_times_the_factor_as_it_was_written_is_the_force) {
  constexpr double kLoad = 6.0;
  // Times a power of two, beside others: factors are divided by one before they are used.
  for (const double multiple : {1.0, 1e-6, -3e7}) {
    MechanismDescription description;
    description.name = "gears";
    description.gravity = Vec3::Zero();
    for (const char* name : {"held", "loaded"}) {
      description.bodies.push_back({fmt::format("{}_wheel", name), 1.0, Vec3::Zero(), Mat3::Identity()});
      JointDescription joint;
      joint.name = name;
      joint.b = description.bodies.back().name;
      description.joints.push_back(joint);
    }
    description.joints[0].motions = {{0, "0", "0", "0"}};
    description.couplings = {{"gears", {{"held", 0, 20.0 * multiple}, {"loaded", 0, 60.0 * multiple}}, {}}};
    description.joint_loads = {{"load", "loaded", 0, ConstantLaw{kLoad}}};
    const Mechanism mechanism(description);
    const auto formulation = test::make("dense", mechanism);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    Reactions reactions;
    ASSERT_TRUE(formulation->reactions(0.0, x, reactions).ok);
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    const DriveForces forces = drive_forces(kinematics, reactions);
    EXPECT_NEAR(forces.couplings.at(0) * 60.0 * multiple, -kLoad, 1e-12) << multiple;
    EXPECT_NEAR(forces.drives.at(0), kLoad / 3.0, 1e-12) << multiple;
  }
}

/// A driven wheel that holds a weight by a rack, however small the rack's radius.
TEST(couplings, a_driven_wheel_with_a_small_factor_holds_a_weight) {
  for (const double factor : {1e-3, 1e-7, 1e-8, 1e-9}) {
    MechanismDescription description;
    description.name = "held";
    description.gravity = Vec3(0.0, -9.81, 0.0);
    for (const char* name : {"wheel", "weight"}) {
      description.bodies.push_back({name, 2.0, Vec3::Zero(), Mat3::Identity()});
      JointDescription joint;
      joint.name = name;
      joint.b = name;
      description.joints.push_back(joint);
    }
    description.joints[0].motions = {{0, "0.3 * sin(2 * t)", "0.6 * cos(2 * t)", "-1.2 * sin(2 * t)"}};
    description.joints[1].type = JointType::prismatic;
    description.joints[1].axis = Vec3::UnitY();
    description.couplings = {{"rack", {{"weight", 0, 1.0}, {"wheel", 0, -factor}}, {}}};
    const Mechanism mechanism(description);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!refusal_of(entry, mechanism).empty()) {
        continue;
      }
      const auto formulation = test::make(std::string(entry.key), mechanism);
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok) << entry.key;
      Reactions reactions;
      ASSERT_TRUE(formulation->reactions(0.0, x, reactions).ok) << entry.key;
      EXPECT_NEAR(reactions.tree_joints.at(1)[1], 2.0 * 9.81, 1e-9) << entry.key << ", factor " << factor;
    }
  }
}

}  // namespace
}  // namespace mbdbench
