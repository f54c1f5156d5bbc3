/// \file
/// Joints that only close loops: rods, points on lines and planes. Their rows against differences, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "tests/support/held_block.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

constexpr double kCutOnlyDifference = 1e-9;  // of functions of order one

class CutOnlyJoint : public testing::TestWithParam<JointType> {
 public:
  RandomSource random{3};
};

/// \returns the rotation after the time s.
Mat3 turned_after(const Mat3& rotation, const Vec3& omega, double s) {
  return rotation_about(omega.normalized(), s * omega.norm()) * rotation;
}

TEST_P(CutOnlyJoint, rows_are_the_rate_of_the_residual_and_their_rates_are_derivatives) {
  const Mechanism mechanism(test::held_block(GetParam()));
  const Joint& joint = mechanism.cut_joints()[0];
  const Eigen::Vector4d e = random.quaternion();
  const Mat3 axes_a = rotation_of_quaternion(e[0], e[1], e[2], e[3]);
  const Mat3 axes_b = Mat3::Identity();
  const RelativeMotion motion{random.point(1.0), random.point(1.0), random.point(1.0), random.point(1.0)};
  const auto displacement_at = [&](double s) { return Vec3(motion.displacement + s * motion.displacement_rate); };
  const auto d_at = [&](double s) {
    SpatialColumns d;
    constrained_directions(joint, turned_after(axes_a, motion.omega_a, s), turned_after(axes_b, motion.omega_b, s),
                           displacement_at(s), d);
    return Eigen::MatrixXd(d);
  };
  const auto residual_at = [&](double s) {
    Eigen::VectorXd residual(joint.nc);
    closure_residual(joint, turned_after(axes_a, motion.omega_a, s), turned_after(axes_b, motion.omega_b, s),
                     displacement_at(s), view(residual));
    return residual;
  };
  Vec6 relative;
  relative << motion.displacement_rate - motion.omega_a.cross(motion.displacement), motion.omega_b - motion.omega_a;
  EXPECT_LT((d_at(0.0).transpose() * relative - test::difference(residual_at)).norm(), kCutOnlyDifference);
  SpatialColumns rate;
  constrained_directions_rate(joint, axes_a, axes_b, motion, rate);
  EXPECT_LT((Eigen::MatrixXd(rate) - test::difference(d_at)).norm(), kCutOnlyDifference);
  EXPECT_EQ(joint.linear_rows(), joint.nc);
}

TEST_P(CutOnlyJoint, loops_close_from_a_guess) {
  MechanismDescription description = test::held_block(GetParam());
  for (double& coordinate : description.joints[1].q0) {
    coordinate += 0.01;
  }
  Eigen::Map<Eigen::Vector4d> e(description.joints[1].q0.data());
  e.normalize();
  const Mechanism mechanism(description);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const JointKinematics& state = kinematics.cut_joint(0);
  Eigen::VectorXd residual(mechanism.cut_joints()[0].nc);
  closure_residual(mechanism.cut_joints()[0], state.axes_a, state.axes_b, state.displacement, view(residual));
  EXPECT_LT(residual.norm(), 1e-12);
  kinematics.set_velocities(view(mechanism.u0()));
  const Vec6 relative = kinematics.velocity_at(mechanism.cut_joints()[0].b, state.point) -
                        kinematics.velocity_at(mechanism.cut_joints()[0].a, state.point);
  EXPECT_LT((kinematics.cut_joint(0).d.transpose() * relative).norm(), 1e-12);
}

TEST_P(CutOnlyJoint, is_cut_without_a_mark_and_never_leads_to_a_body) {
  MechanismDescription description = test::held_block(GetParam());
  std::swap(description.joints[1], description.joints[2]);  // in front of the joint that leads to the block
  description.joints[1].cut = false;
  const Mechanism mechanism(description);
  ASSERT_EQ(mechanism.cut_joints().size(), 1U);
  EXPECT_EQ(mechanism.cut_joints()[0].type, GetParam());
  description.joints.pop_back();
  try {
    const Mechanism unreached(description);
    FAIL() << "the block is held by the joint alone";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.where().section, "joints");
    EXPECT_EQ(error.where().index, 1U);
    EXPECT_NE(std::string(error.what()).find("add a joint of type \"free\" with a = \"ground\", b = \"block\""),
              std::string::npos)
        << error.what();
  }
}

TEST_P(CutOnlyJoint, has_no_coordinates_and_takes_no_load) {
  MechanismDescription description = test::held_block(GetParam());
  description.joint_loads = {{"push", description.joints[2].name, 0, ConstantLaw{1.0}}};
  EXPECT_THROW(Mechanism{description}, ModelError);
  description.joint_loads.clear();
  description.joints[2].q0 = {0.0};
  EXPECT_THROW(Mechanism{description}, ModelError);
}

INSTANTIATE_TEST_SUITE_P(types, CutOnlyJoint, testing::ValuesIn(kCutOnlyTypes),
                         [](const auto& of) { return std::string(to_string(of.param)); });

TEST(cut_only_joints, a_length_is_positive_and_only_where_it_belongs) {
  const auto message = [](const MechanismDescription& description) {
    try {
      const Mechanism mechanism(description);
    } catch (const ModelError& error) {
      return error.where().key + ": " + error.what();
    }
    return std::string();
  };
  MechanismDescription description = test::held_block(JointType::distance);
  description.joints[2].length = 0.0;
  EXPECT_NE(message(description).find("length: joint 'hold': a distance joint needs a positive length"),
            std::string::npos)
      << message(description);
  description.joints[2].length = -1.0;
  EXPECT_NE(message(description).find("not -1"), std::string::npos);
  description = test::held_block(JointType::point_on_line);
  description.joints[2].length = 1.0;
  EXPECT_NE(message(description).find("length is for distance and revolute_spherical joints"), std::string::npos)
      << message(description);
}

}  // namespace
}  // namespace mbdbench
