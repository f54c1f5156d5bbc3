/// \file
/// Geometry of all joint types at random configurations: H, D, their rates, N(q), closure residual, coordinates.
#include "mechanisms/model/description/joint.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

using test::difference;
using test::random_vector;

// A few products of matrices of order one.
constexpr double kJointRounding = 1e-14;
// Differences resolve 1e-12 of functions of order one (random_states.hpp); rotations by rates of a few rad/s cost a
// factor of 100.
constexpr double kJointDifference = 1e-10;
constexpr double kPitch = -0.3;  // of screws, m/rad

class JointGeometry : public testing::TestWithParam<std::tuple<JointType, int>> {
 public:
  void SetUp() override {
    JointDescription description;
    description.name = "joint";
    description.type = std::get<0>(GetParam());
    description.b = "body";
    draw_geometry(random, description);
    description.pitch = description.type == JointType::screw ? kPitch : 0.0;
    MechanismDescription mechanism;
    mechanism.bodies = {{"body", 1.0, Vec3::Zero(), Mat3::Identity()}};
    mechanism.joints = {description};
    joint = Mechanism(mechanism).tree_joints()[0];
    const std::vector<double> coordinates = draw_coordinates(random, joint.type);
    q = Eigen::Map<const Eigen::VectorXd>(coordinates.data(), joint.nq);
    u = random_vector(joint.nu, random);
    axes_a = random_rotation();
    axes_b = axes_a * relative_pose(joint, view(q)).rotation;
  }

  Mat3 random_rotation() {
    const Eigen::Vector4d e = random.quaternion();
    return rotation_of_quaternion(e[0], e[1], e[2], e[3]);
  }

  /// \returns axes turned by s omega.
  static Mat3 turned(const Mat3& axes, const Vec3& omega, double s) {
    return rotation_about(omega.normalized(), s * omega.norm()) * axes;
  }

  [[nodiscard]] SpatialColumns h() const {
    SpatialColumns columns;
    motion_subspace(joint, axes_a, axes_b, columns);
    return columns;
  }

  [[nodiscard]] SpatialColumns d(const Mat3& a, const Mat3& b) const {
    SpatialColumns columns;
    constrained_directions(joint, a, b, Vec3::Zero(), columns);
    return columns;
  }

  [[nodiscard]] Eigen::VectorXd residual(const Mat3& a, const Mat3& b, const Vec3& displacement) const {
    Eigen::VectorXd values(joint.nc);
    closure_residual(joint, a, b, displacement, view(values));
    return values;
  }

  /// \returns q + s N(q) u.
  [[nodiscard]] Eigen::VectorXd moved(double s) const {
    Eigen::VectorXd rates(joint.nq);
    coordinate_rates(joint, view(q), view(u), view(rates));
    return q + s * rates;
  }

  RandomSource random{std::get<1>(GetParam())};
  Joint joint;
  Eigen::VectorXd q;
  Eigen::VectorXd u;
  Mat3 axes_a;
  Mat3 axes_b;
};

TEST_P(JointGeometry, constrained_directions_are_normal_to_the_motion) {
  EXPECT_EQ(joint.nu + joint.nc, 6);
  EXPECT_EQ(h().cols(), joint.nu);
  EXPECT_EQ(d(axes_a, axes_b).cols(), joint.nc);
  EXPECT_LT((d(axes_a, axes_b).transpose() * h()).norm(), kJointRounding);
}

TEST_P(JointGeometry, motion_and_constraints_span_all_directions) {
  Mat6 both;
  both << h(), d(axes_a, axes_b);
  // H has unit columns, at most 37 deg apart from parallel, D is orthonormal: the determinant is at least sin(37 deg) =
  // 0.6.
  EXPECT_GT(std::abs(both.determinant()), 0.59);
}

TEST_P(JointGeometry, constrained_directions_are_orthonormal) {
  const SpatialColumns columns = d(axes_a, axes_b);
  EXPECT_LT((columns.transpose() * columns - Eigen::MatrixXd::Identity(joint.nc, joint.nc)).norm(), kJointRounding);
}

TEST_P(JointGeometry, gram_inverse_is_that_of_the_motion_subspace) {
  const Eigen::MatrixXd gram = h().transpose() * h();
  // The Gram matrix's condition is below 1.8 / 0.2.
  EXPECT_LT((motion_gram_inverse(joint) * gram - Eigen::MatrixXd::Identity(joint.nu, joint.nu)).norm(), 1e-13);
}

TEST_P(JointGeometry, pose_moves_with_the_motion_subspace) {
  const auto rotation = [&](double s) { return Mat3(axes_a * relative_pose(joint, view(moved(s))).rotation); };
  const auto translation = [&](double s) { return Vec3(axes_a * relative_pose(joint, view(moved(s))).translation); };
  const Mat3 omega = difference(rotation) * rotation(0.0).transpose();
  Vec6 expected;
  expected << difference(translation), omega(2, 1), omega(0, 2), omega(1, 0);
  EXPECT_LT((omega + omega.transpose()).norm(), kJointDifference);
  const Vec6 relative = h() * u;
  EXPECT_LT((relative - expected).norm(), kJointDifference);
}

TEST_P(JointGeometry, pose_satisfies_the_constraints) {
  const Vec3 displacement = axes_a * relative_pose(joint, view(q)).translation;
  const Eigen::VectorXd values = residual(axes_a, axes_b, displacement);
  EXPECT_LT(values.norm(), kJointRounding);
}

TEST_P(JointGeometry, subspace_rates_are_derivatives) {
  const Vec3 omega_a = random.point(1.0);
  const Vec3 omega_b = random.point(1.0);
  SpatialColumns h_rate;
  SpatialColumns d_rate;
  motion_subspace_rate(joint, h(), omega_a, omega_b, h_rate);
  constrained_directions_rate(joint, axes_a, axes_b, {omega_a, omega_b, Vec3::Zero(), Vec3::Zero()}, d_rate);
  const auto h_at = [&](double s) {
    SpatialColumns columns;
    motion_subspace(joint, turned(axes_a, omega_a, s), turned(axes_b, omega_b, s), columns);
    return Eigen::MatrixXd(columns);
  };
  const auto d_at = [&](double s) {
    return Eigen::MatrixXd(d(turned(axes_a, omega_a, s), turned(axes_b, omega_b, s)));
  };
  EXPECT_LT((h_rate - difference(h_at)).norm(), kJointDifference);
  EXPECT_LT((d_rate - difference(d_at)).norm(), kJointDifference);
}

TEST_P(JointGeometry, residual_rate_is_exact_where_the_ends_do_not_meet) {
  // Two bodies anywhere: the residual is far from zero, as after drift.
  Mat3 b = random_rotation();
  // The turn of a screw has no derivative where what points at it lies along the axis.
  while (joint.type == JointType::screw && std::abs((b * joint.normal1).dot(axes_a * joint.axis)) > 0.8) {
    b = random_rotation();
  }
  const Vec3 displacement = random.point(1.0);
  const Vec3 omega_a = random.point(1.0);
  const Vec3 omega_b = random.point(1.0);
  const Vec3 velocity_a = random.point(1.0);  // of the joint's origin on a
  const Vec3 velocity_b = random.point(1.0);  // of the joint's origin on b
  const auto residual_at = [&](double s) {
    return residual(turned(axes_a, omega_a, s), turned(b, omega_b, s), displacement + s * (velocity_b - velocity_a));
  };
  // Rows in world axes belong to the two origins; where the joint slides both bodies are taken at the origin on b.
  const Vec3 lever = joint.world_linear ? Vec3::Zero() : displacement;
  Vec6 relative;
  relative << velocity_b - velocity_a - omega_a.cross(lever), omega_b - omega_a;
  const Eigen::VectorXd rate = d(axes_a, b).transpose() * relative;
  EXPECT_LT((rate - difference(residual_at)).norm(), kJointDifference);
}

TEST_P(JointGeometry, coordinates_invert_the_pose) {
  const bool quaternion = has_quaternion(joint.type);
  Eigen::VectorXd given = q;
  Eigen::VectorXd near = q;
  for (int i = quaternion ? 4 : 0; i < joint.nq; ++i) {
    given[i] = random.uniform(-20.0, 20.0);  // several turns
    near[i] = given[i] + random.uniform(-3.0, 3.0);
  }
  if (quaternion) {
    near.head<4>() += 0.3 * random_vector(4, random);
  }
  Eigen::VectorXd found(joint.nq);
  joint_coordinates(joint, relative_pose(joint, view(given)), view(near), view(found));
  // Numbers up to 20, and angles from cosines and sines with errors of some 1e-16; oblique axes lose a factor 1 / 0.36.
  EXPECT_LT((found - given).norm(), 1e-13);
}

TEST_P(JointGeometry, quaternion_length_does_not_matter) {
  if (!has_quaternion(joint.type)) {
    return;
  }
  Eigen::VectorXd scaled = q;
  scaled.head<4>() *= 3.0;
  EXPECT_LT((relative_pose(joint, view(q)).rotation - relative_pose(joint, view(scaled)).rotation).norm(),
            kJointRounding);
  Eigen::VectorXd rates(joint.nq);
  Eigen::VectorXd scaled_rates(joint.nq);
  coordinate_rates(joint, view(q), view(u), view(rates));
  coordinate_rates(joint, view(scaled), view(u), view(scaled_rates));
  EXPECT_LT((scaled_rates.head<4>() - 3.0 * rates.head<4>()).norm(), kJointRounding);
  EXPECT_LT((scaled_rates.tail(joint.nq - 4) - rates.tail(joint.nq - 4)).norm(), kJointRounding);
  EXPECT_NEAR(q.head<4>().dot(rates.head<4>()), 0.0, kJointRounding);
}

std::string joint_case_name(const testing::TestParamInfo<std::tuple<JointType, int>>& info) {
  return std::string(to_string(std::get<0>(info.param))) + "_seed_" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(all_types, JointGeometry,
                         testing::Combine(testing::ValuesIn(kAllJointTypes), testing::Range(0, 10)), joint_case_name);

TEST(joint_type, names_round_trip) {
  for (const JointType type : kAllJointTypes) {
    EXPECT_EQ(joint_type_of(to_string(type)), type);
  }
  EXPECT_FALSE(joint_type_of("hinge").has_value());
}

TEST(joint, a_screw_has_turned_once_where_it_has_moved_by_its_lead) {
  JointDescription description;
  description.name = "joint";
  description.type = JointType::screw;
  description.b = "body";
  description.pitch = kPitch;
  MechanismDescription mechanism;
  mechanism.bodies = {{"body", 1.0, Vec3::Zero(), Mat3::Identity()}};
  mechanism.joints = {description};
  const Joint joint = Mechanism(mechanism).tree_joints()[0];
  const double lead = 2.0 * std::numbers::pi * kPitch;
  std::vector<double> residual(5);
  for (const double turns : {-3.0, 0.0, 1.0, 2.0}) {
    const Vec3 place(0.0, 0.0, turns * lead);
    closure_residual(joint, Mat3::Identity(), Mat3::Identity(), place, residual);
    EXPECT_LT(Eigen::Map<const Eigen::VectorXd>(residual.data(), 5).norm(), kJointRounding) << turns;
    std::vector<double> q(1);
    const std::vector<double> near = {0.0};  // the place tells the turn, whatever is expected
    joint_coordinates(joint, {Mat3::Identity(), place}, near, q);
    EXPECT_NEAR(q[0], 2.0 * std::numbers::pi * turns, 1e-13) << turns;
  }
  // A quarter turn without its advance is a quarter of the lead away.
  closure_residual(joint, Mat3::Identity(), rotation_about(Vec3::UnitZ(), 0.5 * std::numbers::pi), Vec3::Zero(),
                   residual);
  EXPECT_NEAR(residual[2] * std::sqrt(1.0 + kPitch * kPitch), -0.25 * lead, kJointRounding);
}

TEST(joint, universal_axes_follow_their_bodies) {
  // With z fixed in a and x fixed in b: after a quarter turn about z, b's axis lies along y of a, whatever the second
  // angle.
  JointDescription description;
  description.name = "joint";
  description.type = JointType::universal;
  description.b = "body";
  MechanismDescription mechanism;
  mechanism.bodies = {{"body", 1.0, Vec3::Zero(), Mat3::Identity()}};
  mechanism.joints = {description};
  const Joint joint = Mechanism(mechanism).tree_joints()[0];
  const std::vector<double> q = {0.5 * std::numbers::pi, 0.7};
  const Mat3 rotation = relative_pose(joint, q).rotation;
  EXPECT_LT((rotation * Vec3::UnitX() - Vec3::UnitY()).norm(), kJointRounding);
  SpatialColumns h;
  motion_subspace(joint, Mat3::Identity(), rotation, h);
  EXPECT_LT((h.col(0).tail<3>() - Vec3::UnitZ()).norm(), kJointRounding);
  EXPECT_LT((h.col(1).tail<3>() - Vec3::UnitY()).norm(), kJointRounding);
}

}  // namespace
}  // namespace mbdbench
