#include "formulations/formulation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mechanisms/model/kinematics.hpp"

namespace mbdbench {
namespace {

// A quaternion's length is the integrator's error; smaller deviations are not worth a restart of its history.
constexpr double kLongestQuaternionError = 1e-8;

}  // namespace

struct Formulation::ObservationWorkspace {
  Kinematics kinematics;
  ConstraintObserver constraints;
  std::vector<double> q;
  std::vector<double> u;
};

std::string_view to_string(StateKind kind) {
  switch (kind) {
    case StateKind::position:
      return "position";
    case StateKind::quaternion:
      return "quaternion";
    case StateKind::velocity:
      return "velocity";
    case StateKind::momentum:
      return "momentum";
  }
  return "";
}

std::string RhsStatus::message() const {
  if (ok) {
    return {};
  }
  return joint.empty() ? fmt::format("{} ({:.3g})", reason, value)
                       : fmt::format("joint '{}': {} ({:.3g})", joint, reason, value);
}

Formulation::Formulation(const Mechanism& mechanism, std::vector<StateComponent> layout)
    : mechanism_(&mechanism), layout_(std::move(layout)) {}

Formulation::~Formulation() = default;

RhsStatus Formulation::observe(double t, std::span<const double> x, Observation& observation) {
  if (!observation_) {
    observation_ = std::make_unique<ObservationWorkspace>(
        ObservationWorkspace{Kinematics(*mechanism_), ConstraintObserver(*mechanism_), {}, {}});
    observation_->q.resize(static_cast<std::size_t>(mechanism_->q_size()));
    observation_->u.resize(static_cast<std::size_t>(mechanism_->u_size()));
  }
  ObservationWorkspace& work = *observation_;
  const RhsStatus status = unpack(t, x, work.q, work.u);
  if (!status.ok) {
    return status;
  }
  work.kinematics.set_positions(work.q);
  work.kinematics.set_velocities(work.u);
  observation.energies = energies(work.kinematics, work.q);
  observation.linear_momentum = linear_momentum(work.kinematics);
  observation.angular_momentum = angular_momentum(work.kinematics);
  const ConstraintErrors errors = work.constraints.evaluate(t, work.q, work.u, work.kinematics);
  observation.position_residual = errors.position;
  observation.velocity_residual = errors.velocity;
  observation.largest_sigma = largest_sigma();
  const std::size_t markers = mechanism_->markers().size();
  observation.marker_positions.resize(markers);
  observation.marker_velocities.resize(markers);
  for (std::size_t i = 0; i < markers; ++i) {
    const MarkerState state = marker_state(work.kinematics, static_cast<int>(i));
    observation.marker_positions[i] = state.position;
    observation.marker_velocities[i] = state.velocity;
  }
  return status;
}

bool Formulation::after_step(double /*t*/, std::span<double> x) {
  bool changed = false;
  for (std::size_t i = 0; i < layout_.size();) {
    if (layout_[i].kind != StateKind::quaternion) {
      ++i;
      continue;
    }
    const auto quaternion = x.subspan(i, 4);
    const double length =
        std::hypot(std::hypot(quaternion[0], quaternion[1]), std::hypot(quaternion[2], quaternion[3]));
    if (std::abs(length - 1.0) > kLongestQuaternionError) {
      for (double& component : quaternion) {
        component /= length;
      }
      changed = true;
    }
    i += 4;
  }
  return changed;
}

}  // namespace mbdbench
