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

Vec3 velocity_of(const CutEnd& end, const Vec3& point) {
  return shift_velocity(point - end.com, end.velocity).head<3>();
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
  state_.axes_a.noalias() = a.rotation * joint_->rotation_a;
  state_.axes_b.noalias() = b.rotation * joint_->rotation_b;
  state_.point_b = b.origin + b.rotation * joint_->position_b;
  const Vec3 origin_a = a.origin + a.rotation * joint_->position_a;
  state_.displacement = state_.point_b - origin_a;
  state_.point_a = joint_->slides() ? state_.point_b : origin_a;
  const Vec3 omega_a = a.velocity.tail<3>();
  const Vec3 omega_b = b.velocity.tail<3>();
  constrained_directions(*joint_, state_.axes_a, state_.axes_b, state_.d);
  constrained_directions_rate(*joint_, state_.axes_a, state_.axes_b, omega_a, omega_b, state_.d_rate);
  state_.velocity_b = velocity_of(b, state_.point_b);
  state_.velocity_a = joint_->slides() ? state_.velocity_b : velocity_of(a, state_.point_a);
  closure_residual(*joint_, state_.axes_a, state_.axes_b, state_.displacement, residual_);

  Vec6 relative;
  relative << state_.velocity_b - velocity_of(a, state_.point_a), omega_b - omega_a;
  // The handles move along their bodies: Sdot^T V = [omega x (v_h - v_O); 0].
  const Vec3 bias =
      omega_b.cross(state_.velocity_b - b.point_velocity) - omega_a.cross(state_.velocity_a - a.point_velocity);
  for (Eigen::Index row = 0; row < right_side_.size(); ++row) {
    const double gamma = -state_.d_rate.col(row).dot(relative) - state_.d.col(row).head<3>().dot(bias);
    right_side_[row] =
        gamma - 2.0 * baumgarte_.alpha * state_.d.col(row).dot(relative) -
        baumgarte_.beta * baumgarte_.beta * residual_[static_cast<std::size_t>(row)];  // [Malczyk2008, Eq. (7)]
  }
}

}  // namespace mbdbench
