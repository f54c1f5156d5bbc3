#include "formulations/bae_haug/cut_end.hpp"

#include <algorithm>

namespace mbdbench {
namespace {

/// Copies the entries of a matrix one after the other. \returns what is left of the message
template <class Matrix>
std::span<double> put(const Matrix& values, std::span<double> message) {
  std::copy(values.data(), values.data() + values.size(), message.begin());
  return message.subspan(static_cast<std::size_t>(values.size()));
}

template <class Matrix>
std::span<const double> get(std::span<const double> message, Matrix& values) {
  const auto size = static_cast<std::size_t>(values.size());
  std::copy(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size), values.data());
  return message.subspan(size);
}

BodyKinematics body_at(const CutEnd& end) {
  BodyKinematics body;
  body.rotation = end.rotation;
  body.origin = end.origin;
  body.com = end.com;
  body.velocity = end.velocity;
  return body;
}

}  // namespace

void CutEnd::write(std::span<double> message) const {
  put(point_velocity, put(velocity, put(com, put(origin, put(rotation, message)))));
}

CutEnd CutEnd::read(std::span<const double> message) {
  CutEnd end;
  get(get(get(get(get(message, end.rotation), end.origin), end.com), end.velocity), end.point_velocity);
  return end;
}

CutHandles::CutHandles(const Joint& joint, BaumgarteConstants baumgarte)
    : joint_(&joint), baumgarte_(baumgarte), residual_(6, 0.0) {
  right_side_.setZero(joint.nc);
}

void CutHandles::place(const CutEnd& a, const CutEnd& b) {
  const BodyKinematics body_a = body_at(a);
  const BodyKinematics body_b = body_at(b);
  place_joint(*joint_, body_a, body_b, state_);
  set_joint_rates(*joint_, body_a, body_b, state_);
  closure_residual(*joint_, state_.axes_a, state_.axes_b, state_.displacement, residual_);

  const Vec6 relative = body_b.velocity_at(state_.point) - body_a.velocity_at(state_.point);
  // The handles move along their bodies: Sdot^T V = [omega x (v_h - v_O); 0].
  const Vec3 bias = b.velocity.tail<3>().cross(state_.velocity - b.point_velocity) -
                    a.velocity.tail<3>().cross(state_.velocity - a.point_velocity);
  for (Eigen::Index row = 0; row < right_side_.size(); ++row) {
    const double gamma = -state_.d_rate.col(row).dot(relative) - state_.d.col(row).head<3>().dot(bias) +
                         turning_term(state_, state_.d.col(row), relative);
    right_side_[row] =
        gamma - 2.0 * baumgarte_.alpha * state_.d.col(row).dot(relative) -
        baumgarte_.beta * baumgarte_.beta * residual_[static_cast<std::size_t>(row)];  // [Malczyk2008, Eq. (7)]
  }
}

}  // namespace mbdbench
