#include "formulations/derivatives/loops/loads/load_slopes.hpp"

#include "formulations/derivatives/loops/slopes/vector_slopes.hpp"

#include <limits>

namespace mbdbench {
WrenchSlopes held_wrench_slopes(const Vec3& place, const Vec3& force, const Vec3& torque, bool in_body_axes) {
  VectorSlopes place_slopes = VectorSlopes::Zero();
  VectorSlopes force_slopes = VectorSlopes::Zero();
  VectorSlopes torque_slopes = VectorSlopes::Zero();
  place_slopes.middleCols<6>(kOfB) = motion_of_point(place);
  if (in_body_axes) {
    force_slopes.middleCols<3>(kTurnOfB) = -skew(force);
    torque_slopes.middleCols<3>(kTurnOfB) = -skew(torque);
  }
  return slopes_of_wrench(place, place_slopes, force, force_slopes, torque_slopes);
}

WrenchSlopes point_spring_slopes(const PointSpringDescription& spring, std::pair<int, int> bodies,
                                 const BodyMotions& motions, const Vec3& center) {
  const Vec3 first = motions.world_point(bodies.first, spring.point1) - center;
  const Vec3 second = motions.world_point(bodies.second, spring.point2) - center;
  const Vec6& velocity_a = motions.body(bodies.first).velocity;
  const Vec6& velocity_b = motions.body(bodies.second).velocity;
  const Eigen::Matrix<double, 3, 6> first_moves = motion_of_point(first);
  const Eigen::Matrix<double, 3, 6> second_moves = motion_of_point(second);
  VectorSlopes second_slopes = VectorSlopes::Zero();
  second_slopes.middleCols<6>(kOfB) = second_moves;
  VectorSlopes between_slopes = second_slopes;
  between_slopes.leftCols<6>() -= first_moves;
  VectorSlopes rate_slopes;
  rate_slopes << -skew(velocity_a.tail<3>()) * first_moves, skew(velocity_b.tail<3>()) * second_moves, -first_moves,
      second_moves;
  const Vec3 between = second - first;
  const Vec3 rate = motions.velocity_at(bodies.second, second + center).head<3>() -
                    motions.velocity_at(bodies.first, first + center).head<3>();
  const double length = between.norm();
  const double held = spring.stiffness * spring.rest;
  // The pull on the first end: (k (L - L_0) + c n . v) n, n = between / L.
  VectorSlopes pull_slopes = spring.stiffness * between_slopes;
  Vec3 pull = spring.stiffness * between;
  if (held != 0.0 || spring.damping != 0.0) {
    const Vec3 along = length > 0.0 ? Vec3(between / length) : Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    const VectorSlopes along_slopes = (between_slopes - along * (along.transpose() * between_slopes)) / length;
    const double stretching = along.dot(rate);
    pull += (spring.damping * stretching - held) * along;
    pull_slopes += (spring.damping * stretching - held) * along_slopes;
    pull_slopes += spring.damping * along * (rate.transpose() * along_slopes + along.transpose() * rate_slopes);
  }
  return slopes_of_wrench(second, second_slopes, -pull, -pull_slopes, VectorSlopes::Zero());
}

WrenchSlopes bushing_slopes(const BushingDescription& description, const Bushing& bushing, const BodyMotions& motions,
                            const Vec3& center) {
  const Mat3 axes = bushing.axes(motions);
  const Mat3 to_axes = axes.transpose();
  const Vec3 first = motions.world_point(bushing.body1(), description.frame1.position) - center;
  const Vec3 second = bushing.point(motions) - center;
  const Vec6 rate =
      motions.velocity_at(bushing.body2(), second + center) - motions.velocity_at(bushing.body1(), second + center);
  const Eigen::Matrix<double, 3, 6> second_moves = motion_of_point(second);
  VectorSlopes second_slopes = VectorSlopes::Zero();
  second_slopes.middleCols<6>(kOfB) = second_moves;
  // Of a vector in axes of frame 1: A^T (dx - alpha x x).
  const auto in_axes = [&](VectorSlopes slopes, const Vec3& x) -> VectorSlopes {
    slopes.middleCols<3>(kTurnOfA) += skew(x);
    return to_axes * slopes;
  };
  VectorSlopes slopes = second_slopes;
  slopes.leftCols<6>() -= motion_of_point(first);
  const VectorSlopes displacement = in_axes(slopes, second - first);
  slopes.setZero();
  slopes.middleCols<3>(kTurnOfA) = -Mat3::Identity();
  slopes.middleCols<3>(kTurnOfB) = Mat3::Identity();
  const BushingState state = bushing.state(motions);
  const VectorSlopes turn = rotation_vector_rate(state.turn) * to_axes * slopes;
  slopes.setZero();
  slopes.middleCols<6>(kOfB) = skew(rate.tail<3>()) * second_moves;
  slopes.middleCols<6>(kVelocityOfA) = -second_moves;
  slopes.middleCols<6>(kVelocityOfB) = second_moves;
  const VectorSlopes velocity = in_axes(slopes, rate.head<3>());
  slopes.setZero();
  slopes.middleCols<3>(kSpinOfA) = -Mat3::Identity();
  slopes.middleCols<3>(kSpinOfB) = Mat3::Identity();
  const VectorSlopes spin = in_axes(slopes, rate.tail<3>());

  const Vec3 twist = description.rotational_stiffness.cwiseProduct(state.turn);
  const Mat3 by_turn =
      turned_torque_slope(state.turn, twist) +
      rotation_vector_rate(state.turn).transpose() * description.rotational_stiffness.asDiagonal().toDenseMatrix();
  const Vec6 wrench = bushing.wrench(state);
  // Back in world axes: A df + alpha x f.
  const auto in_world = [&](const VectorSlopes& own, const Vec3& x) -> VectorSlopes {
    VectorSlopes result = axes * own;
    result.middleCols<3>(kTurnOfA) -= skew(x);
    return result;
  };
  const Vec3 force = axes * wrench.head<3>();
  const Vec3 torque = axes * wrench.tail<3>();
  const VectorSlopes force_slopes = in_world(
      -(description.stiffness.asDiagonal() * displacement) - description.damping.asDiagonal() * velocity, force);
  const VectorSlopes torque_slopes =
      in_world(-(by_turn * turn) - description.rotational_damping.asDiagonal() * spin, torque);
  return slopes_of_wrench(second, second_slopes, force, force_slopes, torque_slopes);
}

}  // namespace mbdbench
