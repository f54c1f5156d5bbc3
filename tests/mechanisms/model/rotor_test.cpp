/// \file
/// Rotors behind gears: the energy and the equations of motion by hand, and what is refused.
#include "mechanisms/model/description/rotor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

/// A carrier that turns about z of the ground and carries an arm that turns about `axis`.
MechanismDescription arm_on_carrier(const Vec3& axis) {
  MechanismDescription description;
  description.name = "arm";
  description.gravity.setZero();
  description.bodies = {{"carrier", 1.0, Vec3::Zero(), Vec3(0.3, 0.4, 0.5).asDiagonal()},
                        {"arm", 1.0, Vec3::Zero(), Vec3(0.2, 0.2, 0.2).asDiagonal()}};
  JointDescription base;
  base.name = "base";
  base.b = "carrier";
  base.q0 = {0.2};
  base.v0 = {1.5};
  JointDescription elbow;
  elbow.name = "elbow";
  elbow.a = "carrier";
  elbow.b = "arm";
  elbow.axis = axis;
  elbow.q0 = {0.4};
  elbow.v0 = {-0.7};
  description.joints = {base, elbow};
  return description;
}

constexpr double kRotorInertia = 1e-3;
constexpr double kRotorRatio = 50.0;

TEST(rotor, its_energy_is_that_of_a_disc_with_the_spin_of_carrier_and_gear) {
  for (const Vec3& axis : {Vec3(Vec3::UnitZ()), Vec3(Vec3::UnitX()), Vec3(0.6, 0.0, 0.8)}) {
    MechanismDescription description = arm_on_carrier(axis);
    const auto kinetic = [](const Mechanism& mechanism) {
      Kinematics kinematics(mechanism);
      kinematics.set_positions(view(mechanism.q0()));
      kinematics.set_velocities(view(mechanism.u0()));
      return energies(kinematics, view(mechanism.q0()), nullptr).kinetic;
    };
    const double without = kinetic(Mechanism(description));
    add_rotor(description, {"motor", "elbow", 0, kRotorInertia, kRotorRatio, 0.0});
    const Mechanism mechanism(description);
    const double along = 1.5 * axis.z() + kRotorRatio * -0.7;
    const double across = 1.5 * 1.5 * (1.0 - axis.z() * axis.z());
    EXPECT_NEAR(kinetic(mechanism) - without, 0.5 * kRotorInertia * (along * along + 0.5 * across), 1e-13);
    EXPECT_EQ(mechanism.constraint_size(), 1);
  }
}

TEST(rotor, toml_has_a_table_for_it) {
  const std::string text = R"(
name = "motor"
[[bodies]]
name = "arm"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "slide"
type = "prismatic"
b = "arm"
axis = [1.0, 0.0, 0.0]
v0 = [0.5]
[[rotors]]
name = "pinion"
joint = "slide"
inertia = 0.002
ratio = -40.0
)";
  const Mechanism mechanism = load_mechanism(text, "motor.toml");
  ASSERT_EQ(mechanism.body_count(), 2);
  EXPECT_EQ(mechanism.bodies()[1].inertia(0, 0), 0.002);
  EXPECT_EQ(mechanism.bodies()[1].inertia(1, 1), 0.001);
  EXPECT_NEAR(mechanism.u0()[1], -20.0, 1e-12);
  ASSERT_EQ(mechanism.couplings().size(), 1U);
  EXPECT_EQ(mechanism.couplings()[0].name, "pinion_gear");
  for (const auto& [from, to, told] :
       {std::tuple("joint = \"slide\"", "joint = \"slied\"", "motor.toml:13: rotor 'pinion': 'slied' is not a joint"),
        {"inertia = 0.002", "inertia = -1.0", "rotor 'pinion': inertia = -1"},
        {"ratio = -40.0", "ratio = 0.0", "rotor 'pinion': ratio = 0"},
        {"type = \"prismatic\"", "type = \"prismatic\"\n[[joints.motions]]\nposition=\"0.5*t\"", ""}}) {
    std::string spoilt = text;
    spoilt.replace(spoilt.find(from), std::string(from).size(), to);
    std::string message;
    try {
      load_mechanism(spoilt, "motor.toml");
    } catch (const FileError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(told), std::string::npos) << message;
  }
}

TEST(rotor, needs_an_axis_on_the_carrier) {
  MechanismDescription description = arm_on_carrier(Vec3::UnitZ());
  description.joints[1].type = JointType::spherical;
  description.joints[1].q0 = {};
  description.joints[1].v0 = {};
  EXPECT_THROW(add_rotor(description, {"motor", "elbow", 0, kRotorInertia, kRotorRatio, 0.0}), std::invalid_argument);
  description.joints[1].type = JointType::universal;
  EXPECT_THROW(add_rotor(description, {"motor", "elbow", 1, kRotorInertia, kRotorRatio, 0.0}), std::invalid_argument);
}

}  // namespace
}  // namespace mbdbench
