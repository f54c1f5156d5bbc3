/// \file
/// Gears, racks and screws: a press with all of them against its equation of motion by hand, and who refuses it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "formulations/registry.hpp"
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
  for (const char* const options : {"", "rank=fixed"}) {
    const auto formulation = test::make("dense", mechanism, options);
    std::vector<double> x(formulation->state_size());
    std::vector<double> xdot(x.size());
    // At some speed: nothing is quadratic in it here.
    const double speed = 7.0;
    const std::vector<double> u = {speed, -kRatio * speed, kPitch * kRatio * speed, kRadius * speed};
    const Eigen::VectorXd& q = mechanism.q0();
    ASSERT_TRUE(formulation->pack(0.0, {q.data(), 4}, u, x).ok);
    ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    EXPECT_NEAR(xdot[4], expected, 1e-11 * expected) << options;
    EXPECT_NEAR(xdot[5], -kRatio * expected, 1e-11 * expected) << options;
    EXPECT_NEAR(xdot[6], kPitch * kRatio * expected, 1e-11 * expected) << options;
    EXPECT_NEAR(xdot[7], kRadius * expected, 1e-11 * expected) << options;
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

TEST(couplings, who_does_not_know_them_says_so) {
  const Mechanism mechanism = screw_press();
  int able = 0;
  for (const FormulationEntry& entry : formulation_registry()) {
    const std::string refusal = refusal_of(entry, mechanism);
    if (refusal.empty()) {
      ++able;
      EXPECT_EQ(entry.source, "reference") << entry.key;
    } else {
      EXPECT_NE(refusal.find("coupling 'gears'"), std::string::npos) << entry.key << ": " << refusal;
    }
  }
  EXPECT_EQ(able, 2);
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

}  // namespace
}  // namespace mbdbench
