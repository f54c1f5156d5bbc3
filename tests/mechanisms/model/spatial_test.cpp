/// \file
/// Identities of the spatial algebra. Sums of a few products of numbers of order one: rounding stays below 1e-14.
#include "mechanisms/model/kinematics/spatial.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

constexpr double kRounding = 1e-14;

class Spatial : public testing::TestWithParam<int> {
 public:
  Vec6 spatial_vector() {
    Vec6 vector;
    vector << random.point(1.0), random.point(1.0);
    return vector;
  }
  RandomSource random{GetParam()};
};

TEST_P(Spatial, skew_is_the_cross_product) {
  const Vec3 a = random.point(1.0);
  const Vec3 b = random.point(1.0);
  EXPECT_LT((skew(a) * b - a.cross(b)).norm(), kRounding);
  EXPECT_EQ(skew(a).transpose(), -skew(a));
}

TEST_P(Spatial, shifts_compose) {
  const Vec3 l_12 = random.point(1.0);
  const Vec3 l_23 = random.point(1.0);
  EXPECT_LT((shift_matrix(l_12) * shift_matrix(l_23) - shift_matrix(l_12 + l_23)).norm(), kRounding);
}

TEST_P(Spatial, shift_back_is_the_inverse) {
  const Vec3 l_12 = random.point(1.0);
  EXPECT_LT((shift_matrix(l_12) * shift_matrix(-l_12) - Mat6::Identity()).norm(), kRounding);
}

TEST_P(Spatial, shift_functions_are_the_matrix) {
  const Vec3 l_12 = random.point(1.0);
  const Vec6 vector = spatial_vector();
  EXPECT_LT((shift_wrench(l_12, vector) - shift_matrix(l_12) * vector).norm(), kRounding);
  EXPECT_LT((shift_velocity(l_12, vector) - shift_matrix(l_12).transpose() * vector).norm(), kRounding);
}

TEST_P(Spatial, shifted_velocity_is_that_of_a_rigid_body) {
  const Vec3 l_12 = random.point(1.0);
  const Vec6 velocity = spatial_vector();
  const Vec3 expected = velocity.head<3>() + Vec3(velocity.tail<3>()).cross(l_12);
  EXPECT_LT((shift_velocity(l_12, velocity).head<3>() - expected).norm(), kRounding);
  EXPECT_EQ(shift_velocity(l_12, velocity).tail<3>(), velocity.tail<3>());
}

TEST_P(Spatial, power_does_not_depend_on_the_point) {
  const Vec3 l_12 = random.point(1.0);
  const Vec6 velocity_1 = spatial_vector();
  const Vec6 wrench_2 = spatial_vector();
  EXPECT_NEAR(shift_velocity(l_12, velocity_1).dot(wrench_2), velocity_1.dot(shift_wrench(l_12, wrench_2)), kRounding);
}

TEST_P(Spatial, shift_rate_is_the_derivative_of_the_shift) {
  const Vec3 l = random.point(1.0);
  const Vec3 v = random.point(1.0);
  const Vec6 wrench = spatial_vector();
  const auto rate = test::difference([&](double s) { return Vec6(shift_wrench(l + s * v, wrench)); });
  // The shift is linear in l: only rounding over the step of 1e-3 remains.
  EXPECT_LT((rate - shift_rate_wrench(v, wrench)).norm(), 1e-11);
}

TEST_P(Spatial, rotation_about_an_axis) {
  const Vec3 axis = random.direction();
  const double angle = random.uniform(-4.0, 4.0);
  const Mat3 rotation = rotation_about(axis, angle);
  EXPECT_LT((rotation.transpose() * rotation - Mat3::Identity()).norm(), kRounding);
  EXPECT_NEAR(rotation.determinant(), 1.0, kRounding);
  EXPECT_LT((rotation * axis - axis).norm(), kRounding);
  EXPECT_LT((rotation_about(axis, 0.3) * rotation - rotation_about(axis, angle + 0.3)).norm(), kRounding);
  EXPECT_EQ(rotation_about(axis, 0.0), Mat3::Identity());
  // Right-handed: the derivative at any angle is axis~ R.
  const auto rate = test::difference([&](double s) { return Mat3(rotation_about(axis, angle + s)); });
  EXPECT_LT((rate - skew(axis) * rotation).norm(), 1e-11);
}

TEST_P(Spatial, rotation_of_a_quaternion_of_any_length) {
  const Vec3 axis = random.direction();
  const double angle = random.uniform(-3.0, 3.0);
  const double length = random.uniform(0.1, 10.0);
  const double w = length * std::cos(0.5 * angle);
  const Vec3 v = length * std::sin(0.5 * angle) * axis;
  EXPECT_LT((rotation_of_quaternion(w, v.x(), v.y(), v.z()) - rotation_about(axis, angle)).norm(), kRounding);
  EXPECT_LT((rotation_of_quaternion(-w, -v.x(), -v.y(), -v.z()) - rotation_about(axis, angle)).norm(), kRounding);
}

INSTANTIATE_TEST_SUITE_P(seeds, Spatial, testing::Range(0, 10));

}  // namespace
}  // namespace mbdbench
