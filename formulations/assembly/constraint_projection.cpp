#include "formulations/assembly/constraint_projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mbdbench {
namespace {

// Of the scaled residual: above it a step that makes it larger is cut in half.
constexpr double kFarOpen = 1e-6;

}  // namespace

ConstraintProjection::ConstraintProjection(const Mechanism& mechanism, const InstructionSet& set)
    : mechanism_(&mechanism),
      system_(mechanism, AssemblyOptions{GroundClosure::root, CutAxes::world, {}, set}, nullptr),
      momenta_(static_cast<std::size_t>(mechanism.u_size())),
      candidate_(static_cast<std::size_t>(mechanism.q_size())),
      step_(static_cast<std::size_t>(mechanism.u_size())) {}

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
    outcome.status = system_.set_positions(t, candidate_);
    if (!outcome.status.ok) {
      return outcome;
    }
    const double residual = system_.position_residual(candidate_);
    if (iteration == 0) {
      outcome.before = residual;
    } else if (!(residual < outcome.after)) {
      if (!(outcome.after > kFarOpen) || iteration == kMostIterations) {
        return outcome;  // rounding, or Phi = 0 is out of reach from here
      }
      // Far open, curvature may outweigh a whole step.
      for (double& component : step_) {
        component *= 0.5;
      }
      std::copy(q.begin(), q.end(), candidate_.begin());
      move(candidate_, step_);
      continue;
    }
    outcome.after = residual;
    outcome.iterations = iteration;
    std::copy(candidate_.begin(), candidate_.end(), q.begin());
    outcome.reached = residual <= tolerance;
    if (outcome.reached || iteration == kMostIterations) {
      return outcome;
    }
    system_.solve_position_correction(candidate_);
    std::copy(system_.u().begin(), system_.u().end(), step_.begin());
    move(candidate_, step_);
  }
}

ProjectionOutcome ConstraintProjection::project_velocities(double t, std::span<const double> q, std::span<double> u,
                                                           double tolerance) {
  ProjectionOutcome outcome;
  if (!mechanism_->constrained()) {
    outcome.reached = true;
    return outcome;
  }
  outcome.status = system_.set_positions(t, q);
  if (!outcome.status.ok) {
    return outcome;
  }
  system_.set_velocities(u);
  const CharacteristicScales& scales = mechanism_->scales();
  const Eigen::Map<const Eigen::VectorXd> rates(u.data(), static_cast<Eigen::Index>(u.size()));
  const double limit = tolerance * std::max(scales.rate, scales.largest_rate(rates));
  outcome.before = system_.velocity_residual();
  outcome.after = outcome.before;
  outcome.reached = outcome.before <= limit;
  if (outcome.reached) {
    return outcome;
  }
  system_.outboard_momenta(momenta_);
  system_.solve_velocities(momenta_);
  const double after = system_.velocity_residual();
  if (after < outcome.before) {
    std::copy(system_.u().begin(), system_.u().end(), u.begin());
    outcome.iterations = 1;
    outcome.after = after;
    outcome.reached = after <= limit;
  }
  return outcome;
}

}  // namespace mbdbench
