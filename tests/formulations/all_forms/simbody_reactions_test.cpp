/// \file
/// Reactions of joints in every formulation, against the numbers of SD/FAST that stand in Simbody's
/// TestMobilizerReactionForces.cpp: forces and moments on the outboard body at its frame of the joint, in body axes.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

// What Simbody's test allows: the printed digits.
constexpr double kPrinted = 1e-5;

struct Expected {
  const char* joint;
  Vec3 moment;
  Vec3 force;
};

JointDescription joint_of(const char* name, JointType type, const char* a, const char* b, const Vec3& on_a,
                          const Vec3& on_b) {
  JointDescription joint;
  joint.name = name;
  joint.type = type;
  joint.a = a;
  joint.b = b;
  joint.axis = type == JointType::prismatic ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitZ());
  joint.frame_a.position = on_a;
  joint.frame_b.position = on_b;
  return joint;
}

/// Turns about z, then the new x, then the new y.
std::vector<double> turned_zxy(double z, double x, double y) {
  const Eigen::Quaterniond e(Eigen::AngleAxisd(z, Vec3::UnitZ()) * Eigen::AngleAxisd(x, Vec3::UnitX()) *
                             Eigen::AngleAxisd(y, Vec3::UnitY()));
  return {e.w(), e.x(), e.y(), e.z()};
}

Mat3 full_inertia() {
  Mat3 inertia;
  inertia << 0.1, 0.01, 0.01, 0.01, 0.1, 0.01, 0.01, 0.01, 0.1;
  return inertia;
}

/// \param least formulations that take the mechanism, at least
void expect_reactions(const MechanismDescription& description, const std::vector<Expected>& expected,
                      std::size_t least) {
  const Mechanism mechanism(description);
  std::size_t taken = 0;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (!refusal_of(entry, mechanism).empty()) {
      continue;
    }
    const auto formulation = test::make(entry.key, mechanism);
    const test::Evaluation start = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(start.status.ok) << entry.key << ' ' << start.status.message();
    Reactions reactions;
    ASSERT_TRUE(formulation->reactions(0.0, start.x, reactions).ok) << entry.key;
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    ++taken;
    for (const Expected& at : expected) {
      const int index = mechanism.find_joint(at.joint)->index;
      const Mat3 to_body = kinematics.body(index).rotation.transpose();
      const Vec6& reaction = reactions.tree_joints[static_cast<std::size_t>(index)];
      const auto compare = [&](const Vec3& found, const Vec3& printed) {
        EXPECT_LT((found - printed).cwiseAbs().maxCoeff(), kPrinted * std::max(1.0, printed.norm()))
            << entry.key << ' ' << at.joint << ": " << found.transpose() << " for " << printed.transpose();
      };
      compare(to_body * reaction.tail<3>(), at.moment);
      compare(to_body * reaction.head<3>(), at.force);
    }
  }
  EXPECT_GE(taken, least);
}

MechanismDescription slider_and_pins() {
  MechanismDescription description;
  description.name = "simbody_reactions";
  description.gravity = Vec3(0.0, -9.8, 0.0);
  description.bodies = {{"body1", 10.0, Vec3::Zero(), full_inertia()},
                        {"body2", 20.0, Vec3::Zero(), full_inertia()},
                        {"body3", 20.0, Vec3::Zero(), full_inertia()},
                        {"body4", 30.0, Vec3::Zero(), full_inertia()}};
  const Vec3 below(0.0, -0.2, 0.0);
  description.joints = {joint_of("joint1", JointType::prismatic, kGround, "body1", Vec3::Zero(), Vec3::Zero()),
                        joint_of("joint2", JointType::revolute, "body1", "body2", Vec3(0.1, 0.1, 0.0), below),
                        joint_of("joint3", JointType::spherical, "body2", "body3", -below, below),
                        joint_of("joint4", JointType::revolute, "body3", "body4", -below, below)};
  return description;
}

TEST(simbody_reactions, a_chain_at_rest) {
  expect_reactions(slider_and_pins(),
                   {{"joint1", Vec3(0.0, 0.0, 68.6), Vec3(0.0, 784.0, 0.0)},
                    {"joint2", Vec3::Zero(), Vec3(0.0, 686.0, 0.0)},
                    {"joint3", Vec3::Zero(), Vec3(0.0, 490.0, 0.0)},
                    {"joint4", Vec3::Zero(), Vec3(0.0, 294.0, 0.0)}},
                   9);
}

TEST(simbody_reactions, the_chain_bent) {
  MechanismDescription description = slider_and_pins();
  description.joints[0].q0 = {1.0};
  description.joints[1].q0 = {0.5};
  description.joints[2].q0 = turned_zxy(0.2, -0.1, 2.0);
  description.joints[3].q0 = {-0.5};
  expect_reactions(description,
                   {{"joint1", Vec3(1.647327, 0.783211, 34.088183), Vec3(0.0, 359.274099, 3.342380)},
                    {"joint2", Vec3(1.688077, 0.351125, 0.0), Vec3(55.399123, 267.455570, 3.342380)},
                    {"joint3", Vec3::Zero(), Vec3(-17.757553, 174.663042, -11.383057)},
                    {"joint4", Vec3(0.910890, 0.082353, 0.0), Vec3(-13.977214, 74.444715, 4.943682)}},
                   9);
}

TEST(simbody_reactions, the_chain_moving) {
  MechanismDescription description = slider_and_pins();
  description.joints[1].v0 = {1.0};
  description.joints[2].v0 = {3.0, 4.0, 2.0};
  description.joints[3].v0 = {5.0};
  expect_reactions(description,
                   {{"joint1", Vec3(-13.549253, 2.723897, -6.355912), Vec3(0.0, 34.0, -27.088584)},
                    {"joint2", Vec3(-10.840395, 0.015039, 0.0), Vec3(-0.440882, -64.0, -27.088584)},
                    {"joint3", Vec3::Zero(), Vec3(0.692814, -256.0, -27.088584)},
                    {"joint4", Vec3(3.276930, -0.281928, 0.0), Vec3(3.796164, -372.0, 21.472977)}},
                   9);
}

MechanismDescription leg(double angle, double slide) {
  MechanismDescription description;
  description.name = "simbody_leg";
  description.gravity = Vec3(0.0, -9.8065, 0.0);
  description.bodies = {{"femur", 8.806, Vec3::Zero(), Vec3(0.1268, 0.0332, 0.1337).asDiagonal()},
                        {"tibia", 3.510, Vec3::Zero(), Vec3(0.0477, 0.0048, 0.0484).asDiagonal()}};
  description.joints = {
      joint_of("hip", JointType::revolute, kGround, "femur", Vec3(0.0, -0.07, 0.0935), Vec3(0.002, 0.1715, 0.0)),
      joint_of("knee", JointType::prismatic, "femur", "tibia", Vec3(0.0033, -0.2294, 0.0), Vec3(0.0, 0.1862, 0.0))};
  description.joints[0].q0 = {angle};
  description.joints[1].q0 = {slide};
  return description;
}

TEST(simbody_reactions, a_leg) {
  expect_reactions(leg(0.0, 0.0),
                   {{"hip", Vec3::Zero(), Vec3(0.438079, 120.773069, 0.0)},
                    {"knee", Vec3(0.0, 0.0, 0.014040), Vec3(0.0, 34.422139, 0.0)}},
                   9);
  expect_reactions(leg(-1.5707963267948966, 0.1),
                   {{"hip", Vec3::Zero(), Vec3(-39.481457, 10.489344, 0.0)},
                    {"knee", Vec3(0.0, 0.0, 1.502242), Vec3(0.0, 11.035987, 0.0)}},
                   9);
}

/// Five bodies on ball joints, the last two held by a rod. The printed angles close it to their digits, and the rest is
/// shared by all joints.
TEST(simbody_reactions, two_arms_and_a_rod) {
  MechanismDescription description;
  description.name = "simbody_rod";
  description.gravity = Vec3(0.0, -9.8, 0.0);
  description.bodies = {{"body1", 10.0, Vec3::Zero(), full_inertia()},
                        {"body2", 20.0, Vec3::Zero(), full_inertia()},
                        {"body3", 20.0, Vec3::Zero(), full_inertia()},
                        {"body4", 30.0, Vec3::Zero(), full_inertia()},
                        {"body5", 30.0, Vec3::Zero(), full_inertia()}};
  const Vec3 above(0.0, 0.2, 0.0);
  const JointType ball = JointType::spherical;
  description.joints = {joint_of("joint1", ball, kGround, "body1", Vec3::Zero(), Vec3::Zero()),
                        joint_of("joint2", ball, "body1", "body2", Vec3(0.0, -0.1, 0.2), above),
                        joint_of("joint3", ball, "body1", "body3", Vec3(0.0, -0.1, -0.2), above),
                        joint_of("joint4", ball, "body2", "body4", -above, above),
                        joint_of("joint5", ball, "body3", "body5", -above, above),
                        joint_of("rod", JointType::distance, "body4", "body5", Vec3::Zero(), Vec3::Zero())};
  description.joints[0].q0 = turned_zxy(1.0, 1.0, 1.0);
  description.joints[1].q0 = turned_zxy(0.433843, 0.647441, 0.500057);
  description.joints[2].q0 = turned_zxy(0.066156, -0.117266, -0.047605);
  description.joints[3].q0 = turned_zxy(0.000997, 0.055206, 0.0);
  description.joints[4].q0 = turned_zxy(1.008746, 0.951972, 1.0);
  description.joints[5].length = 0.15;
  description.joints[5].cut = true;
  expect_reactions(description,
                   {{"joint1", Vec3::Zero(), Vec3(99.121319, 139.500095, 95.065409)},
                    {"joint2", Vec3::Zero(), Vec3(15.359115, 55.876994, 22.508078)},
                    {"joint3", Vec3::Zero(), Vec3(15.696393, 65.002065, 13.133021)},
                    {"joint4", Vec3::Zero(), Vec3(-6.262023, 32.714510, -9.770708)},
                    {"joint5", Vec3::Zero(), Vec3(10.471620, 0.963822, -4.640161)}},
                   7);
}

}  // namespace
}  // namespace mbdbench
