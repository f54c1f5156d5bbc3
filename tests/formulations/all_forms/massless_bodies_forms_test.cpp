/// \file
/// A universal joint and two hinges with a body without mass between are the same mechanism, for every formulation that
/// takes such bodies; the others refuse them with the body's name.
#include <gtest/gtest.h>

#include <string>

#include "formulations/registry.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// A free base that carries a body by a universal joint, which carries another one by a hinge.
MechanismDescription with_universal_joint() {
  MechanismDescription description;
  description.name = "universal";
  description.bodies = {{"base", 3.0, Vec3(0.1, 0.0, -0.1), Vec3(0.2, 0.3, 0.25).asDiagonal()},
                        {"rotor", 2.0, Vec3(0.1, 0.2, 0.3), Vec3(0.1, 0.2, 0.25).asDiagonal()},
                        {"tip", 1.0, Vec3(0.0, 0.0, 0.4), Vec3(0.1, 0.1, 0.05).asDiagonal()}};
  JointDescription base;
  base.name = "floats";
  base.type = JointType::free;
  base.b = "base";
  JointDescription universal;
  universal.name = "cross";
  universal.type = JointType::universal;
  universal.a = "base";
  universal.b = "rotor";
  universal.frame_a.position = Vec3(0.3, 0.1, 0.2);
  universal.frame_b.position = Vec3(0.0, 0.1, -0.1);
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.a = "rotor";
  hinge.b = "tip";
  hinge.frame_a.position = Vec3(0.0, 0.0, 0.5);
  hinge.axis = Vec3::UnitY();
  description.joints = {base, universal, hinge};
  return description;
}

/// The same with the cross as a body of its own.
MechanismDescription with_massless_cross() {
  MechanismDescription description = with_universal_joint();
  description.bodies.insert(description.bodies.begin() + 1, {"cross", 0.0, Vec3::Zero(), Mat3::Zero()});
  JointDescription outer = description.joints[1];
  outer.type = JointType::revolute;
  outer.name = "outer";
  outer.b = "cross";
  outer.frame_b = {};
  JointDescription inner = outer;
  inner.name = "inner";
  inner.a = "cross";
  inner.b = "rotor";
  inner.axis = Vec3::UnitX();
  inner.frame_a = {};
  inner.frame_b = description.joints[1].frame_b;
  description.joints[1] = outer;
  description.joints.insert(description.joints.begin() + 2, inner);
  return description;
}

TEST(massless_bodies, move_as_the_joint_that_they_stand_for) {
  const Mechanism universal(with_universal_joint());
  const Mechanism crossed(with_massless_cross());
  int taken = 0;
  RandomSource random(71);
  for (const FormulationEntry& entry : formulation_registry()) {
    const std::string refusal = refusal_of(entry, crossed);
    if (!refusal.empty()) {
      EXPECT_NE(refusal.find("body 'cross' has no mass"), std::string::npos) << entry.key << ": " << refusal;
      continue;
    }
    ++taken;
    const auto formulation = test::make(entry.key, crossed);
    const auto reference = test::make(entry.rate_kind == StateKind::velocity ? "dense" : "dense-momentum", universal);
    for (int state = 0; state < 5; ++state) {
      Eigen::VectorXd q = test::random_vector(universal.q_size(), random);
      q.head<4>().normalize();
      const Eigen::VectorXd u = test::random_vector(universal.u_size(), random);
      const test::Evaluation wanted = test::evaluate_at(*reference, 0.0, q, u);
      const test::Evaluation found = test::evaluate_at(*formulation, 0.0, q, u);
      ASSERT_TRUE(found.status.ok) << entry.key << ": " << found.status.message();
      ASSERT_EQ(found.xdot.size(), wanted.xdot.size());
      double size = 0.0;
      double difference = 0.0;
      for (std::size_t i = 0; i < found.xdot.size(); ++i) {
        size = std::max(size, std::abs(wanted.xdot[i]));
        difference = std::max(difference, std::abs(found.xdot[i] - wanted.xdot[i]));
      }
      // Rounding times the condition of the mass matrix, which is below 1e3 here.
      EXPECT_LT(difference, 1e-12 * size) << entry.key << ", seed 71, state " << state;
    }
  }
  // dense, dense-momentum, aba, naudet, naudet-acc and their reduced forms, bae-haug
  EXPECT_EQ(taken, 8);
}

}  // namespace
}  // namespace mbdbench
