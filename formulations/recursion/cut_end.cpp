#include "formulations/recursion/cut_end.hpp"

#include <algorithm>
#include <array>

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

}  // namespace

void CutEnd::write(std::span<double> message) const {
  put(point_velocity, put(body.velocity, put(body.com, put(body.origin, put(body.rotation, message)))));
}

CutEnd CutEnd::read(std::span<const double> message) {
  CutEnd end;
  get(get(get(get(get(message, end.body.rotation), end.body.origin), end.body.com), end.body.velocity),
      end.point_velocity);
  return end;
}

CutEnd cut_end(const Kinematics& kinematics, int body) {
  return body < 0 ? CutEnd() : CutEnd{kinematics.body(body), kinematics.tree_joint(body).velocity};
}

void set_cut_right_side(const Joint& joint, const JointKinematics& state, const EndMotion& a, const EndMotion& b,
                        BaumgarteConstants baumgarte, Eigen::VectorXd& right_side) {
  const Vec6 relative = b.body.velocity_at(state.point) - a.body.velocity_at(state.point);
  // The handles move along their bodies: Sdot^T V = [omega x (v_h - v_O); 0].
  const Vec3 bias = b.body.velocity.tail<3>().cross(state.velocity - b.point_velocity) -
                    a.body.velocity.tail<3>().cross(state.velocity - a.point_velocity);
  // What turns with the joint besides (turning_term).
  const Vec3 left = state.turn.cross(relative.head<3>()) - bias;
  std::array<double, 6> residual{};
  closure_residual(joint, state.axes_a, state.axes_b, state.displacement, residual);
  const double stiffness = baumgarte.beta * baumgarte.beta;
  for (int row = 0; row < joint.nc; ++row) {
    const Eigen::Map<const Vec6> d(state.d.data() + 6 * row);
    const Eigen::Map<const Vec6> d_rate(state.d_rate.data() + 6 * row);
    const double gamma = d.head<3>().dot(left) - d_rate.dot(relative);
    right_side[joint.row_offset + row] =
        gamma - 2.0 * baumgarte.alpha * d.dot(relative) - stiffness * residual[static_cast<std::size_t>(row)];
  }
}

void add_drive_right_side(const Joint& joint, const JointKinematics& state, const PrescribedMotions& motions,
                          BaumgarteConstants baumgarte, Eigen::VectorXd& right_side) {
  std::array<double, 6> closed{};
  closure_residual(joint, state.axes_a, state.axes_b, state.displacement, closed);
  std::array<double, 6> driven = closed;
  drive_residual(joint, motions.positions(), driven);
  for (const DrivenRow& drive : joint.driven) {
    const auto row = static_cast<std::size_t>(drive.row);
    const auto place = static_cast<std::size_t>(drive.place);
    right_side[joint.row_offset + drive.row] += motions.accelerations()[place] +
                                                2.0 * baumgarte.alpha * motions.velocities()[place] +
                                                baumgarte.beta * baumgarte.beta * (closed[row] - driven[row]);
  }
}

}  // namespace mbdbench
