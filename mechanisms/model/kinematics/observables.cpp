#include "mechanisms/model/kinematics/observables.hpp"

#include <cmath>

#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) {
    // NaN stays: a state that is not finite must not look consistent.
    if (std::abs(value) > result || std::isnan(value)) {
      result = std::abs(value);
    }
  }
  return result;
}

}  // namespace

Energies energies(const Kinematics& kinematics, std::span<const double> q, const CutReferences* near) {
  const Mechanism& mechanism = kinematics.mechanism();
  Energies result;
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const double mass = mechanism.bodies()[static_cast<std::size_t>(k)].mass;
    const BodyKinematics& body = kinematics.body(k);
    const Vec3 v = body.velocity.head<3>();
    const Vec3 omega = body.velocity.tail<3>();
    result.kinetic += 0.5 * (mass * v.squaredNorm() + omega.dot(body.inertia * omega));
    result.potential -= mass * mechanism.gravity().dot(body.com);
  }
  result.potential += spring_energy(kinematics, q, near);
  return result;
}

Vec3 linear_momentum(const Kinematics& kinematics) {
  const Mechanism& mechanism = kinematics.mechanism();
  Vec3 momentum = Vec3::Zero();
  for (int k = 0; k < mechanism.body_count(); ++k) {
    momentum += mechanism.bodies()[static_cast<std::size_t>(k)].mass * kinematics.body(k).velocity.head<3>();
  }
  return momentum;
}

Vec3 angular_momentum(const Kinematics& kinematics) {
  const Mechanism& mechanism = kinematics.mechanism();
  Vec3 momentum = Vec3::Zero();
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const BodyKinematics& body = kinematics.body(k);
    const Vec3 linear = mechanism.bodies()[static_cast<std::size_t>(k)].mass * body.velocity.head<3>();
    momentum += body.com.cross(linear) + body.inertia * body.velocity.tail<3>();
  }
  return momentum;
}

MarkerState marker_state(const BodyMotions& bodies, int index) {
  const Marker& marker = bodies.mechanism().markers()[static_cast<std::size_t>(index)];
  MarkerState state;
  state.position = bodies.world_point(marker.body, marker.point);
  state.velocity = bodies.velocity_at(marker.body, state.position).head<3>();
  return state;
}

ConstraintObserver::ConstraintObserver(const Mechanism& mechanism)
    : motions_(mechanism), residual_(static_cast<std::size_t>(mechanism.constraint_size())) {}

ConstraintErrors ConstraintObserver::evaluate(double t, std::span<const double> q, std::span<const double> u,
                                              const Kinematics& kinematics) {
  motions_.evaluate(t);
  ConstraintErrors errors;
  constraint_residual(kinematics, q, motions_.positions(), residual_);
  const Eigen::Map<const Eigen::VectorXd> rows(residual_.data(), static_cast<Eigen::Index>(residual_.size()));
  const CharacteristicScales& scales = kinematics.mechanism().scales();
  errors.position = largest(residual_);
  errors.scaled_position = scales.largest(rows);
  constraint_rate_residual(kinematics, u, motions_.velocities(), residual_);
  errors.velocity = largest(residual_);
  errors.scaled_velocity = scales.largest(rows);
  return errors;
}

}  // namespace mbdbench
