#include "formulations/formulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formulations/drive_forces.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/body_velocities.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/link_length.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {
namespace {

// A quaternion's length is the integrator's error; smaller deviations are not worth a restart of its history.
constexpr double kLongestQuaternionError = 1e-8;

}  // namespace

struct Formulation::ObservationWorkspace {
  ObservationWorkspace(const Mechanism& mechanism, const CutReferences* near)
      : kinematics(mechanism),
        constraints(mechanism),
        loads(mechanism, near),
        motions(mechanism),
        q(static_cast<std::size_t>(mechanism.q_size())),
        u(static_cast<std::size_t>(mechanism.u_size())) {}

  Kinematics kinematics;
  ConstraintObserver constraints;
  LoadEvaluator loads;
  PrescribedMotions motions;
  Reactions reactions;
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

double MemoryNeed::bytes(const Mechanism& mechanism) const {
  const auto n = static_cast<double>(mechanism.body_count());
  const auto velocities = static_cast<double>(mechanism.u_size());
  const auto rows = static_cast<double>(mechanism.constraint_size());
  return per_body * n + per_body_and_velocity * n * velocities + per_velocity_pair * velocities * velocities +
         per_row_and_velocity * rows * velocities + per_row_pair * rows * rows;
}

Formulation::Formulation(const Mechanism& mechanism, std::vector<StateComponent> layout)
    : mechanism_(&mechanism), layout_(std::move(layout)), cut_references_(mechanism) {}

Formulation::~Formulation() = default;

void Formulation::evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                                 std::span<RhsStatus> statuses) {
  const std::size_t size = state_size();
  for (std::size_t k = 0; k < statuses.size(); ++k) {
    statuses[k] = evaluate_alone(t, states.subspan(k * size, size), rates.subspan(k * size, size));
  }
}

RhsStatus Formulation::observe_absolute(double /*t*/, std::span<const double> /*x*/,
                                        AbsoluteObservation& /*observation*/) {
  return {false, {}, "the state has no absolute coordinates that could be observed", 0.0};
}

RhsStatus Formulation::jacobian(double /*t*/, std::span<const double> /*x*/, std::span<double> /*derivatives*/) {
  return {false, {}, "there are no exact derivatives, state components", static_cast<double>(state_size())};
}

RhsStatus Formulation::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                       std::span<double> product) {
  const std::size_t size = state_size();
  std::vector<double> rows(size * size);
  const RhsStatus status = jacobian(t, x, rows);
  for (std::size_t i = 0; status.ok && i < size; ++i) {
    product[i] = std::inner_product(direction.begin(), direction.end(),
                                    rows.begin() + static_cast<std::ptrdiff_t>(i * size), 0.0);
  }
  return status;
}

RhsStatus Formulation::vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                                       std::span<double> product) {
  const std::size_t size = state_size();
  std::vector<double> rows(size * size);
  const RhsStatus status = jacobian(t, x, rows);
  if (status.ok) {
    std::fill(product.begin(), product.end(), 0.0);
  }
  for (std::size_t k = 0; status.ok && k < size * size; ++k) {
    product[k % size] += weights[k / size] * rows[k];
  }
  return status;
}

RhsStatus Formulation::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                            std::span<double> product, const WeightsByParameter& by) {
  const RhsStatus status = vector_jacobian(t, x, weights, product);
  if (!status.ok || by.empty()) {
    return status;
  }
  std::vector<RateParameter> parameters;
  std::vector<double*> sums;
  const std::vector<Vec3> links = by.lengths.empty() ? std::vector<Vec3>() : link_directions(*mechanism_);
  for (std::size_t k = 0; k < mechanism_->tree_joints().size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    for (int component = 0; component < joint.nu && !by.forces.empty(); ++component) {
      parameters.push_back({ParameterKind::joint_force, joint.name, component});
      sums.push_back(&by.forces[index_of(joint.u_offset + component)]);
    }
    if (!by.lengths.empty()) {
      by.lengths[k] = 0.0;
      if (!links[k].isZero(0.0)) {
        parameters.push_back({ParameterKind::length, joint.name, 0});
        sums.push_back(&by.lengths[k]);
      }
    }
    if (!by.masses.empty()) {
      parameters.push_back({ParameterKind::mass, mechanism_->bodies()[k].name, 0});
      sums.push_back(&by.masses[k]);
    }
  }
  if (parameters.empty()) {
    return status;
  }
  std::vector<double> rows(weights.size() * parameters.size());
  for (double* const sum : sums) {
    *sum = 0.0;
  }
  const RhsStatus of_parameters = parameter_jacobian(t, x, parameters, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    *sums[k % sums.size()] += weights[k / sums.size()] * rows[k];
  }
  return of_parameters;
}

RhsStatus Formulation::parameter_jacobian(double t, std::span<const double> x,
                                          std::span<const RateParameter> /*parameters*/,
                                          std::span<double> derivatives) {
  return Formulation::jacobian(t, x, derivatives);
}

std::string Formulation::without_jacobian() const {
  return "this formulation has no exact derivatives; those that come with the suite have them: aba, naudet and "
         "bae-haug "
         "for example, with loops dense, bae-haug, dca, hdca and naudet";
}

RhsStatus Formulation::place(double t, std::span<const double> x) {
  if (!observation_) {
    observation_ = std::make_unique<ObservationWorkspace>(*mechanism_, &cut_references());
  }
  const RhsStatus status = unpack(t, x, observation_->q, observation_->u);
  if (status.ok) {
    observation_->kinematics.set_positions(observation_->q);
    if (mechanism_->constrained() || !mechanism_->cut_joints().empty()) {
      observation_->kinematics.set_velocities(observation_->u);
    } else {
      // No row, and no load in a cut joint, asks for more.
      set_velocities_of_bodies(observation_->kinematics, observation_->u);
    }
  }
  return status;
}

RhsStatus Formulation::observe(double t, std::span<const double> x, Observation& observation) {
  look_near(x);
  const RhsStatus status = place(t, x);
  if (!status.ok) {
    return status;
  }
  ObservationWorkspace& work = *observation_;
  observation.energies = energies(work.kinematics, work.q, &cut_references());
  observation.linear_momentum = linear_momentum(work.kinematics);
  observation.angular_momentum = angular_momentum(work.kinematics);
  const ConstraintErrors errors = work.constraints.evaluate(t, work.q, work.u, work.kinematics);
  observation.position_residual = errors.position;
  observation.velocity_residual = errors.velocity;
  observation.scaled_position = errors.scaled_position;
  observation.scaled_velocity = errors.scaled_velocity;
  observation.largest_rate = mechanism_->scales().largest_rate(
      Eigen::Map<const Eigen::VectorXd>(work.u.data(), static_cast<Eigen::Index>(work.u.size())));
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

RhsStatus Formulation::power(double t, std::span<const double> x, double& power) {
  look_near(x);
  if (!observation_) {
    observation_ = std::make_unique<ObservationWorkspace>(*mechanism_, &cut_references());
  }
  ObservationWorkspace& work = *observation_;
  if (!mechanism_->rheonomic() && !work.loads.need_bodies()) {
    // Nothing acts but along joints: where the bodies are is most of the time, and nobody asks.
    const RhsStatus status = unpack(t, x, work.q, work.u);
    if (status.ok) {
      work.loads.evaluate_without_potential(t, work.q, work.u, work.kinematics);
      power = std::inner_product(work.u.begin(), work.u.end(), work.loads.joint_forces().data(), 0.0);
    }
    return status;
  }
  RhsStatus status = place(t, x);
  if (!status.ok) {
    return status;
  }
  work.loads.evaluate_without_potential(t, work.q, work.u, work.kinematics);
  power = work.loads.power(work.u, work.kinematics);
  if (!mechanism_->rheonomic()) {
    return status;
  }
  status = reactions(t, x, work.reactions);
  work.motions.evaluate(t);
  if (status.ok) {
    // Couplings take no power: the rates of their joints cancel.
    const std::vector<double> forces = drive_forces(work.kinematics, work.reactions).drives;
    power = std::inner_product(forces.begin(), forces.end(), work.motions.velocities().begin(), power);
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
