#include "formulations/dense/dense_projection.hpp"

#include <algorithm>
#include <array>

#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

constexpr int kMostCorrections = 10;

}  // namespace

DenseProjection::DenseProjection(DenseDynamics& dynamics)
    : dynamics_(&dynamics), candidate_(Eigen::VectorXd::Zero(dynamics.mechanism().q_size())) {}

void DenseProjection::move(std::span<const double> q, std::span<const double> change) {
  std::copy(q.begin(), q.end(), candidate_.data());
  std::array<double, 7> rates{};
  for (const Joint& joint : dynamics_->mechanism().tree_joints()) {
    const auto own =
        view(candidate_).subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq));
    coordinate_rates(joint, own,
                     change.subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)),
                     std::span(rates).first(own.size()));
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] += rates[i];
    }
    if (has_quaternion(joint.type)) {
      candidate_.segment<4>(joint.q_offset).normalize();
    }
  }
}

bool DenseProjection::project_positions(double t, std::span<double> q, double tolerance) {
  double residual = dynamics_->position_residual(q);
  bool changed = false;
  for (int i = 0; i < kMostCorrections && residual > tolerance; ++i) {
    move(q, view(dynamics_->position_correction()));
    if (!dynamics_->set_positions(t, view(candidate_)).ok) {
      break;
    }
    const double next = dynamics_->position_residual(view(candidate_));
    if (!(next < residual)) {
      break;
    }
    std::copy(candidate_.begin(), candidate_.end(), q.begin());
    residual = next;
    changed = true;
  }
  static_cast<void>(dynamics_->set_positions(t, q));
  return changed;
}

bool DenseProjection::project(double t, std::span<double> q, std::span<double> u, double tolerance) {
  const bool moved = project_positions(t, q, tolerance);
  const CharacteristicScales& scales = dynamics_->mechanism().scales();
  const Eigen::Map<const Eigen::VectorXd> rates(u.data(), static_cast<Eigen::Index>(u.size()));
  const double rate = std::max(scales.rate, scales.largest_rate(rates));
  if (!moved && dynamics_->velocity_residual(u) <= tolerance * rate) {
    return false;
  }
  const Eigen::VectorXd& nearest = dynamics_->projected(u);
  std::copy(nearest.begin(), nearest.end(), u.begin());
  return true;
}

}  // namespace mbdbench
