/// \file
/// Joints that roll and constraints of velocities alone as data: rates, the start, what is refused, TOML.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/io/mjcf/mjcf_writer.hpp"
#include "mechanisms/io/urdf/urdf_writer.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/validation/model_check.hpp"
#include "tests/support/rolling_bodies.hpp"

namespace mbdbench {
namespace {

std::string told_error_of(const MechanismDescription& description) {
  try {
    const Mechanism mechanism(description);
    return "";
  } catch (const ModelError& error) {
    return error.what();
  }
}

MechanismDescription lying_disc() {
  MechanismDescription description = test::SteadyDisc().description();
  description.joints[1].frame_a.rotation = Eigen::Vector4d(std::cos(0.2), std::sin(0.2), 0.0, 0.0);
  description.joints[0].v0 = {0.3, -0.5, 0.4, 0.1, 0.7, -0.2};
  description.joints[0].dependent = true;
  return description;
}

/// Phi_q u is the rate of Phi where it has one, and the rate of Phi_q is that of differences.
TEST(velocity_constraints, rates_are_those_of_differences) {
  for (const MechanismDescription& description : {lying_disc(), test::Sleigh().description()}) {
    const Mechanism mechanism(description);
    Kinematics kinematics(mechanism);
    Jacobians jacobians(mechanism);
    const Eigen::VectorXd& u = mechanism.u0();
    const auto at = [&](double time) {
      Eigen::VectorXd q = mechanism.q0();
      std::array<double, 7> rates{};
      for (const Joint& joint : mechanism.tree_joints()) {
        const auto own = view(q).subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq));
        const auto speeds =
            view(u).subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu));
        coordinate_rates(joint, own, speeds, std::span(rates).first(own.size()));
        for (std::size_t i = 0; i < own.size(); ++i) {
          own[i] += time * rates[i];
        }
      }
      kinematics.set_positions(view(q));
      kinematics.set_velocities(view(u));
      jacobians.set_positions(kinematics);
      jacobians.set_velocities(kinematics);
      Eigen::VectorXd residual(mechanism.constraint_size());
      constraint_residual(kinematics, view(q), {}, view(residual));
      return std::pair(residual, jacobians.constraints());
    };
    constexpr double kStep = 1e-5;
    const auto before = at(-kStep);
    const auto after = at(kStep);
    const auto [residual, phi_q] = at(0.0);
    // Second order: the third derivatives are of order 100.
    const Eigen::MatrixXd by_differences = (after.second - before.second) / (2.0 * kStep);
    EXPECT_LT((jacobians.constraint_rate() - by_differences).norm(), 1e-8 * (1.0 + by_differences.norm()));
    EXPECT_GT(by_differences.norm(), 0.2);
    EXPECT_LT((phi_q * u).norm(), 1e-12);
    EXPECT_LT((after.first - before.first).norm() / (2.0 * kStep), 1e-8);
    EXPECT_LT(residual.norm(), 1e-13);
    Eigen::VectorXd rate(mechanism.constraint_size());
    Eigen::VectorXd other = Eigen::VectorXd::LinSpaced(mechanism.u_size(), 1.0, 2.0);
    kinematics.set_velocities(view(other));
    constraint_rate_residual(kinematics, view(other), {}, view(rate));
    EXPECT_LT((rate - phi_q * other).norm(), 1e-13);
  }
}

/// A guess above the plane comes down; where it touches is free. Velocities change to those that roll.
TEST(velocity_constraints, a_start_is_closed) {
  MechanismDescription description = test::SteadyDisc().description();
  const double height = description.joints[0].q0[6];
  description.joints[0].q0[4] = 3.0;
  description.joints[0].q0[6] += 0.01;
  description.joints[0].dependent = true;
  const Mechanism mechanism(description);
  EXPECT_NEAR(mechanism.q0()[4], 3.0, 0.01);
  EXPECT_NEAR(mechanism.q0()[6], height, 0.01);
  description.joints[0].dependent = false;
  description.joints[0].q0[6] = height;
  description.joints[0].v0 = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  const Mechanism slipping(description);
  EXPECT_FALSE(slipping.moved_start().empty());
  // A velocity that nothing may change.
  MechanismDescription sleigh = test::Sleigh().description();
  sleigh.joints[0].v0 = {1.0, 0.0, 0.0};
  sleigh.joints[0].motions = {{0, "0.1+t", "1", "0"}, {1, "-0.2", "0", "0"}, {2, "0.7", "0", "0"}};
  EXPECT_NE(told_error_of(sleigh).find("velocity constraint 'blade' is off by"), std::string::npos)
      << told_error_of(sleigh);
}

/// v0 is that of the motion already: the message may not ask for it.
TEST(velocity_constraints, a_motion_that_contradicts_one_is_told) {
  MechanismDescription sleigh = test::Sleigh().description();
  sleigh.velocity_constraints[0].terms = {{sleigh.joints[0].name, 0, ConstantLaw{1.0}}};
  sleigh.joints[0].v0 = {1.0, 0.0, 0.0};
  sleigh.joints[0].motions = {{0, "0.1+t", "1", "0"}};
  sleigh.joints[0].q0[0] = 0.1;
  EXPECT_NE(told_error_of(sleigh).find("cannot follow its prescribed motion at t = 0"), std::string::npos)
      << told_error_of(sleigh);
}

TEST(velocity_constraints, what_is_refused_says_what_would_be_right) {
  using Spoil = void (*)(MechanismDescription&);
  const std::vector<std::pair<Spoil, const char*>> discs = {
      {[](MechanismDescription& it) { it.joints[1].radius = 0.0; }, "needs a positive radius"},
      {[](MechanismDescription& it) { it.joints[1].radius = -1.0; }, "needs a positive radius"},
      {[](MechanismDescription& it) { it.joints[0].radius = 1.0; }, "radius is for rolling_ball and rolling_disc"},
      {[](MechanismDescription& it) { it.joints[1].axis2 = Vec3(1.0, 1.0, 0.0); }, "axis2 has the length"},
      {[](MechanismDescription& it) { it.joints[1].length = 1.0; }, "length is for distance"},
      {[](MechanismDescription& it) {
         it.joints.erase(it.joints.begin());
         it.joints[0].cut = false;
       },
       "only holds two bodies"},
  };
  for (const auto& [spoil, words] : discs) {
    MechanismDescription description = test::SteadyDisc().description();
    spoil(description);
    EXPECT_NE(told_error_of(description).find(words), std::string::npos) << words << ": " << told_error_of(description);
  }
  const std::vector<std::pair<Spoil, const char*>> sleighs = {
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms.clear(); }, "it has no terms"},
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms[0].joint = "icy"; }, "'icy' is not a joint"},
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms[0].component = 3; }, "has 3 velocities"},
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms[0].component = 1; }, "stands there twice"},
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms[0].factor = ConstantLaw{0.0}; }, "factor = 0"},
      {[](MechanismDescription& it) {
         it.velocity_constraints[0].terms[0].factor = TableLaw{"t", {0, 1}, {0, 1}};
       },
       "is a table"},
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms[0].factor = ExpressionLaw{"sin(q_snow)"}; },
       "q_snow"},
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms[0].factor = ExpressionLaw{"sin(t)"}; },
       "formulas in q_JOINT"},
      {[](MechanismDescription& it) { it.velocity_constraints[0].terms[0].factor = ExpressionLaw{"sin("}; },
       "velocity constraint"},
      {[](MechanismDescription& it) { it.velocity_constraints.push_back(it.velocity_constraints[0]); }, "blade"},
  };
  for (const auto& [spoil, words] : sleighs) {
    MechanismDescription description = test::Sleigh().description();
    spoil(description);
    EXPECT_NE(told_error_of(description).find(words), std::string::npos) << words << ": " << told_error_of(description);
  }
}

TEST(velocity_constraints, toml_round_trip_and_formats_without_words) {
  for (const MechanismDescription& description : {test::SteadyDisc().description(), test::Sleigh().description()}) {
    const Mechanism mechanism(description);
    const std::string text = write_mechanism(mechanism.description());
    const Mechanism again = load_mechanism(text, "again.toml");
    EXPECT_EQ(write_mechanism(again.description()), text);
    EXPECT_EQ(again.constraint_size(), mechanism.constraint_size());
    EXPECT_EQ(again.held_by_velocity(), mechanism.held_by_velocity());
    for (const auto& write : {write_urdf, write_mjcf}) {
      try {
        static_cast<void>(write(mechanism));
        ADD_FAILURE();
      } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find("write TOML"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench
