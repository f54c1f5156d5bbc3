#include "formulations/projection/constraint_projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mbdbench {

ConstraintProjection::ConstraintProjection(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      system_(make_projection_system(mechanism)),
      candidate_(static_cast<std::size_t>(mechanism.q_size())) {}

void ConstraintProjection::move(std::span<double> q, std::span<const double> direction) {
  std::array<double, 7> rates{};
  for (const Joint& joint : mechanism_->tree_joints()) {
    const auto own = q.subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq));
    coordinate_rates(joint, own,
                     direction.subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)),
                     std::span(rates).first(own.size()));
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] += rates[i];
    }
    if (has_quaternion(joint.type)) {
      Eigen::Map<Eigen::Vector4d>(own.data()).normalize();
    }
  }
}

ProjectionOutcome ConstraintProjection::project_positions(double t, std::span<double> q, double tolerance) {
  ProjectionOutcome outcome;
  if (!mechanism_->constrained()) {
    outcome.reached = true;
    return outcome;
  }
  std::copy(q.begin(), q.end(), candidate_.begin());
  for (int iteration = 0;; ++iteration) {
    outcome.status = system_->set_positions(t, candidate_);
    if (!outcome.status.ok) {
      return outcome;
    }
    const double residual = system_->position_residual(candidate_);
    if (iteration == 0) {
      outcome.before = residual;
    } else if (!(residual < outcome.after)) {
      return outcome;  // rounding, or Phi = 0 is out of reach from here
    }
    outcome.after = residual;
    outcome.iterations = iteration;
    std::copy(candidate_.begin(), candidate_.end(), q.begin());
    outcome.reached = residual <= tolerance;
    if (outcome.reached || iteration == kMostIterations) {
      return outcome;
    }
    move(candidate_, system_->position_correction(candidate_));
  }
}

ProjectionOutcome ConstraintProjection::project_velocities(double t, std::span<const double> q, std::span<double> u,
                                                           double tolerance) {
  ProjectionOutcome outcome;
  if (!mechanism_->constrained()) {
    outcome.reached = true;
    return outcome;
  }
  outcome.status = system_->set_positions(t, q);
  if (!outcome.status.ok) {
    return outcome;
  }
  outcome.before = system_->set_velocities(u);
  outcome.after = outcome.before;
  outcome.reached = outcome.before <= tolerance;
  if (outcome.reached) {
    return outcome;
  }
  const std::span<const double> nearest = system_->nearest_velocities();
  const double after = system_->nearest_residual();
  if (after < outcome.before) {
    std::copy(nearest.begin(), nearest.end(), u.begin());
    outcome.iterations = 1;
    outcome.after = after;
    outcome.reached = after <= tolerance;
  }
  return outcome;
}

}  // namespace mbdbench
