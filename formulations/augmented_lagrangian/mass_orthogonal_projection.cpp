#include "formulations/augmented_lagrangian/mass_orthogonal_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"

namespace mbdbench {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Residuals are differences of coordinates and of terms of the velocities: below some eps of these nothing is left to
// do, whatever the tolerance.
constexpr double kProjectionRounding = 8.0 * kEpsilon;
// A rotation by Theta needs |Theta| < 2; a projection that turns a body by 60 degrees is none.
constexpr double kLargestTurn = 1.0;

double magnitude_of(std::span<const double> y) {
  double size = 1.0;
  for (const double coordinate : y) {
    size = std::max(size, std::abs(coordinate));
  }
  return size;
}

double magnitude_of(std::span<const Vec6> velocities) {
  double size = 0.0;
  for (const Vec6& velocity : velocities) {
    size = std::max(size, velocity.lpNorm<Eigen::Infinity>());
  }
  return size;
}

double norm_of(std::span<const Vec6> values) {
  double sum = 0.0;
  for (const Vec6& value : values) {
    sum += value.squaredNorm();
  }
  return std::sqrt(sum);
}

}  // namespace

MassOrthogonalProjection::MassOrthogonalProjection(AugmentedSystem& system, const AugmentedOptions& options)
    : system_(&system),
      options_(options),
      anchor_(kAbsoluteCoordinates * system.kinematics().mechanism().bodies().size()),
      start_(anchor_.size()),
      displacements_(system.kinematics().mechanism().bodies().size(), Vec6::Zero()),
      step_(displacements_.size(), Vec6::Zero()),
      residual_(static_cast<std::size_t>(system.row_count())),
      multipliers_(residual_.size()) {}

bool MassOrthogonalProjection::move_to(std::span<double> y) const {
  for (std::size_t i = 0; i < displacements_.size(); ++i) {
    const double* from = anchor_.data() + kAbsoluteCoordinates * i;
    double* to = y.data() + kAbsoluteCoordinates * i;
    const Vec6& move = displacements_[i];
    const double squared = move.tail<3>().squaredNorm();
    if (!(squared < kLargestTurn * kLargestTurn)) {
      return false;
    }
    const EulerParameters e = Eigen::Map<const EulerParameters>(from + 3).normalized();
    const Vec3 turn = rotation_of_quaternion(e[0], e[1], e[2], e[3]).transpose() * move.tail<3>();
    Eigen::Map<Vec3>{to} = Eigen::Map<const Vec3>(from) + move.head<3>();
    Eigen::Map<EulerParameters>{to + 3} =
        std::sqrt(1.0 - 0.25 * squared) * e + 0.5 * euler_parameter_map(e).transpose() * turn;
  }
  return true;
}

bool MassOrthogonalProjection::iterate(double t, std::span<double> y, LevelOutcome& outcome) {
  std::copy(y.begin(), y.end(), anchor_.begin());
  std::fill(displacements_.begin(), displacements_.end(), Vec6::Zero());
  const double limit = std::max(options_.position, kEpsilon * magnitude_of(y));
  while (outcome.passes < options_.most_iterations) {
    for (double& row : residual_) {
      row = -row;
    }
    system_->correct(residual_, multipliers_, step_);  // [Malczyk2012, Eq. (41)-(56)]
    ++outcome.passes;
    for (std::size_t i = 0; i < step_.size(); ++i) {
      displacements_[i] += step_[i];
    }
    if (!move_to(y)) {
      return false;
    }
    system_->place(t, y);
    outcome.after = system_->position_residual(residual_);
    if (!(norm_of(step_) > limit)) {
      break;
    }
    if (options_.refresh) {
      outcome.status = system_->assemble();
      if (!outcome.status.ok) {
        return false;
      }
      std::copy(y.begin(), y.end(), anchor_.begin());
      std::fill(displacements_.begin(), displacements_.end(), Vec6::Zero());
    }
  }
  return true;
}

LevelOutcome MassOrthogonalProjection::project_positions(double t, std::span<double> y) {
  LevelOutcome outcome;
  system_->place(t, y);
  outcome.before = system_->position_residual(residual_);
  outcome.after = outcome.before;
  if (outcome.before <= std::max(options_.position, kProjectionRounding * magnitude_of(y))) {
    return outcome;
  }
  outcome.status = system_->assemble();
  if (!outcome.status.ok) {
    return outcome;
  }
  std::copy(y.begin(), y.end(), start_.begin());
  if (!iterate(t, y, outcome) || !(outcome.after < outcome.before)) {
    std::copy(start_.begin(), start_.end(), y.begin());
    outcome.after = outcome.before;
  }
  return outcome;
}

LevelOutcome MassOrthogonalProjection::project_velocities(double t, std::span<const double> y,
                                                          std::span<Vec6> velocities) {
  LevelOutcome outcome;
  system_->place(t, y);
  system_->set_velocities(velocities);
  outcome.before = system_->velocity_residual(residual_);
  outcome.after = outcome.before;
  if (outcome.before <= std::max(options_.velocity, kProjectionRounding * magnitude_of(velocities))) {
    return outcome;
  }
  outcome.status = system_->assemble();
  if (!outcome.status.ok) {
    return outcome;
  }
  // Phi' = D^T (V_b - V_a) - f': the residual of V_* gives the right side f'.
  std::fill(residual_.begin(), residual_.end(), 0.0);
  for (int k = 0; k < system_->kinematics().joint_count(); ++k) {
    const Joint& joint = system_->kinematics().joint(k);
    for (const DrivenRow& driven : joint.driven) {
      residual_[static_cast<std::size_t>(system_->row_offset(k) + driven.row)] =
          system_->motions().velocities()[static_cast<std::size_t>(driven.place)];
    }
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      residual_[static_cast<std::size_t>(system_->row_offset(k) + joint.nc) + m] =
          system_->motions().velocities()[system_->motion_index(k, m)];
    }
  }
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  outcome.passes = system_->refine(
      residual_, multipliers_, velocities,
      {options_.most_iterations, options_.velocity, options_.conjugate});  // [Malczyk2012, Eq. (57)-(72)]
  system_->set_velocities(velocities);
  outcome.after = system_->velocity_residual(residual_);
  return outcome;
}

}  // namespace mbdbench
