#include "mechanisms/model/loads/bushing.hpp"

#include <cmath>

namespace mbdbench {
namespace {

Mat3 rotation_of(const JointFrame& frame) {
  const Eigen::Vector4d& e = frame.rotation;
  return rotation_of_quaternion(e[0], e[1], e[2], e[3]);
}

/// \returns (1 - (phi / 2) cot(phi / 2)) / phi^2.
double second_order_share(double angle) {
  // Below this the next term of the series, phi^4 / 30240, is less than rounding of the first.
  constexpr double kSmall = 1e-3;
  const double square = angle * angle;
  return angle < kSmall ? 1.0 / 12.0 + square / 720.0 : (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / square;
}

/// \returns the derivative of that by phi, over phi.
double slope_of_second_order_share(double angle) {
  // Below this the next term of the series, phi^6 / 5987520, is 2e-14 of the first; above it the closed form, times the
  // angle's cube as it is used, keeps fourteen digits of what it is added to.
  constexpr double kSmall = 0.1;
  const double square = angle * angle;
  if (angle < kSmall) {
    return 1.0 / 360.0 + square * (1.0 / 7560.0 + square / 201600.0);
  }
  const double half = 0.5 * angle;
  const double sine = std::sin(half);
  const double cotangent = std::cos(half) / sine;
  const double rest = 1.0 - half * cotangent;
  return (0.5 * (half / (sine * sine) - cotangent) - 2.0 * rest / angle) / (square * angle);
}

}  // namespace

Vec3 rotation_vector(const Mat3& rotation) {
  const Eigen::Quaterniond e(rotation);
  const double sine = e.vec().norm();
  if (sine == 0.0) {
    return Vec3::Zero();
  }
  const double angle = 2.0 * std::atan2(sine, std::abs(e.w()));
  return std::copysign(angle / sine, e.w()) * e.vec();
}

Mat3 rotation_vector_rate(const Vec3& turn) {
  const Mat3 cross = skew(turn);
  return Mat3::Identity() - 0.5 * cross + second_order_share(turn.norm()) * cross * cross;
}

Mat3 turned_torque_slope(const Vec3& turn, const Vec3& y) {
  const double angle = turn.norm();
  const Vec3 once = turn.cross(y);
  Mat3 slope = -0.5 * skew(y) - second_order_share(angle) * (skew(once) + skew(turn) * skew(y));
  slope += slope_of_second_order_share(angle) * turn.cross(once) * turn.transpose();
  return slope;
}

Bushing::Bushing(const Mechanism& mechanism, const BushingDescription& description)
    : description_(&description),
      body1_(*mechanism.find_body(description.body1)),
      body2_(*mechanism.find_body(description.body2)),
      rotation1_(rotation_of(description.frame1)),
      rotation2_(rotation_of(description.frame2)) {}

Vec3 Bushing::point(const BodyMotions& bodies) const {
  return bodies.world_point(body2_, description_->frame2.position);
}

Mat3 Bushing::axes(const BodyMotions& bodies) const {
  return bodies.body(body1_).rotation * rotation1_;
}

BushingState Bushing::state(const BodyMotions& bodies) const {
  const Mat3 to_axes = axes(bodies).transpose();
  const Vec3 place = point(bodies);
  const Vec6 relative = bodies.velocity_at(body2_, place) - bodies.velocity_at(body1_, place);
  BushingState state;
  state.displacement = to_axes * (place - bodies.world_point(body1_, description_->frame1.position));
  state.turn = rotation_vector(to_axes * bodies.body(body2_).rotation * rotation2_);
  state.velocity = to_axes * relative.head<3>();
  state.angular_velocity = to_axes * relative.tail<3>();
  return state;
}

Vec6 Bushing::wrench(const BushingState& state, double stiffness) const {
  Vec6 wrench;
  wrench.head<3>() = -stiffness * description_->stiffness.cwiseProduct(state.displacement) -
                     description_->damping.cwiseProduct(state.velocity);
  wrench.tail<3>() = -stiffness * rotation_vector_rate(state.turn).transpose() *
                         description_->rotational_stiffness.cwiseProduct(state.turn) -
                     description_->rotational_damping.cwiseProduct(state.angular_velocity);
  return wrench;
}

double Bushing::energy(const BushingState& state) const {
  return 0.5 * (state.displacement.dot(description_->stiffness.cwiseProduct(state.displacement)) +
                state.turn.dot(description_->rotational_stiffness.cwiseProduct(state.turn)));
}

}  // namespace mbdbench
