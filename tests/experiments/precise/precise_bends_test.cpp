/// \file
/// Where springs between bodies and factors of velocity constraints bend, x' has no derivative: 113 bits say so there,
/// and nowhere beside it.
#include <gtest/gtest.h>

#include <numbers>
#include <string>
#include <vector>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/registries.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::precise::bends {
namespace {

/// A slider along x, and a wheel that turns about x.
MechanismDescription slider_and_wheel(double slide, double turn) {
  MechanismDescription description;
  description.name = "slider_and_wheel";
  description.gravity = Vec3::Zero();
  for (const char* const name : {"slider", "wheel"}) {
    BodyDescription body;
    body.name = name;
    body.mass = 1.0;
    body.inertia = Mat3::Identity();
    description.bodies.push_back(body);
    JointDescription joint;
    joint.name = name;
    joint.type = name == std::string("slider") ? JointType::prismatic : JointType::revolute;
    joint.a = kGround;
    joint.b = name;
    joint.axis = Vec3::UnitX();
    joint.q0 = {joint.type == JointType::prismatic ? slide : turn};
    joint.v0 = {0.0};
    description.joints.push_back(joint);
  }
  return description;
}

/// \returns whether x' has a derivative at the start, both coordinates and both velocities changing.
bool is_smooth(const MechanismDescription& description) {
  const Mechanism mechanism(description);
  const FormulationChoice choice = choose_formulation(formulation_registry(), "dense");
  const auto formulation = make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options);
  EXPECT_EQ(refuse_precise_changes(*formulation, choice.parameters), "");
  const PreciseChanges changes(*formulation, choice.parameters);
  Eigen::VectorXd x(4);
  EXPECT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), view(x)).ok);
  const std::vector<double> direction = {0.7, 0.4, 0.3, -0.2};
  return changes.along_where_smooth(0.0, view(x), direction).has_value();
}

TEST(PreciseBends, OfASpringWhoseEndsMeet) {
  for (const double slide : {0.0, 1e-12, 1e-8, 0.1}) {
    MechanismDescription description = slider_and_wheel(slide, 0.3);
    PointSpringDescription spring;
    spring.name = "spring";
    spring.body2 = "slider";
    spring.stiffness = 3.0;
    spring.rest = 1.0;
    description.point_springs.push_back(spring);
    // The steps of differences go 7e-12 to either side.
    EXPECT_EQ(is_smooth(description), slide > 1e-11) << slide;
  }
}

TEST(PreciseBends, OfABushingAtHalfATurn) {
  for (const double turn : {std::numbers::pi, std::numbers::pi - 1e-7, 3.0, 0.0}) {
    MechanismDescription description = slider_and_wheel(0.1, turn);
    BushingDescription bushing;
    bushing.name = "bushing";
    bushing.body2 = "wheel";
    bushing.rotational_stiffness = {1.0, 2.0, 3.0};
    description.bushings.push_back(bushing);
    EXPECT_EQ(is_smooth(description), turn != std::numbers::pi) << turn;
  }
}

TEST(PreciseBends, OfAFactorOfVelocities) {
  for (const double turn : {0.0, 1e-8, -0.2}) {
    MechanismDescription description = slider_and_wheel(0.1, turn);
    description.velocity_constraints.push_back(
        {"screw", {{"slider", 0, ConstantLaw{1.0}}, {"wheel", 0, ExpressionLaw{"1 + abs(q_wheel)"}}}});
    EXPECT_EQ(is_smooth(description), turn != 0.0) << turn;
  }
}

}  // namespace
}  // namespace mbdbench::precise::bends
