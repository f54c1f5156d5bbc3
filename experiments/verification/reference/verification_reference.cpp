#include "experiments/verification/reference/verification_reference.hpp"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "formulations/options/gauge_option.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench {
namespace {

// A block is measured against itself unless its terms cancel to less than this part of their size: below, the relative
// error of what is left measures the cancellation and not the formulation.
constexpr double kCancellation = 1e-3;

// Constraints that agree are met within rounding times the condition of Phi_q, at most 1e-7 (the limit of a comparison)
// and more only near singular positions; those that contradict one another are not met by a part of order one.
constexpr double kContradiction = 1e-5;

double largest(const Eigen::VectorXd& vector) {
  return vector.size() > 0 ? vector.lpNorm<Eigen::Infinity>() : 0.0;
}

Vec6 times_inertia(double mass, const BodyKinematics& body, const Vec6& velocity) {
  Vec6 momentum;
  momentum.head<3>() = mass * velocity.head<3>();
  momentum.tail<3>() = body.inertia * velocity.tail<3>();
  return momentum;
}

/// Momenta change by the products of velocities and momenta, of which a body that moves on evenly leaves nothing but
/// rounding: v x m v, omega x m v and omega x J omega. \returns the sizes, in every component, of what they change by
/// as the velocity does
Vec6 changes_of_momentum_terms(double mass, const BodyKinematics& body, const Vec6& velocity, const Vec6& change) {
  const double speed = velocity.head<3>().norm();
  const double turning = velocity.tail<3>().norm();
  const double more_speed = change.head<3>().norm();
  const double more_turning = change.tail<3>().norm();
  Vec6 terms;
  terms.head<3>().setConstant(mass * (turning * more_speed + more_turning * speed));
  terms.tail<3>().setConstant(2.0 * mass * speed * more_speed + turning * (body.inertia * change.tail<3>()).norm() +
                              more_turning * (body.inertia * velocity.tail<3>()).norm());
  return terms;
}

/// \returns the sizes of these products themselves.
Vec6 momentum_terms(double mass, const BodyKinematics& body, const Vec6& velocity) {
  return 0.5 * changes_of_momentum_terms(mass, body, velocity, velocity);
}

/// Adds sizes of wrenches, or of momenta, at a centre of mass along u, with the distance from the world's origin as
/// their lever.
void add_sizes_along(const Jacobians::BodyJacobian& j, const BodyKinematics& body, double force, double moment,
                     Eigen::VectorXd& sizes) {
  if (sizes.size() > 0) {
    sizes += force * j.topRows<3>().colwise().norm().transpose();
    sizes += (moment + body.com.norm() * force) * j.bottomRows<3>().colwise().norm().transpose();
  }
}

}  // namespace

VerificationReference::VerificationReference(const Mechanism& mechanism, const FormulationEntry& dense,
                                             const FormulationEntry& dense_momentum)
    : mechanism_(&mechanism),
      dense_(dense.make(mechanism, parse_parameters(dense.options, {}, dense.key), {})),
      dense_momentum_(dense_momentum.make(
          mechanism, parse_parameters(dense_momentum.options, "gauge=none", dense_momentum.key), {})),
      kinematics_(mechanism),
      jacobians_(mechanism),
      loads_(mechanism, nullptr),
      motions_(mechanism) {}

ParameterVariation& VerificationReference::variation(double reach) {
  if (!variation_) {
    variation_ = std::make_unique<ParameterVariation>(*mechanism_, *dense_, reach);
  }
  return *variation_;
}

Reference VerificationReference::at(const VerificationState& state) {
  Reference reference;
  reference.state = state;
  kinematics_.set_positions(view(state.q));
  kinematics_.set_velocities(view(state.u));
  jacobians_.set_positions(kinematics_);
  jacobians_.set_velocities(kinematics_);
  loads_.evaluate(state.t, view(state.q), view(state.u), kinematics_);

  const Eigen::Index nq = mechanism_->q_size();
  const Eigen::Index nu = mechanism_->u_size();
  Eigen::VectorXd x(nq + nu);
  Eigen::VectorXd rates(nq + nu);
  const auto failed = [&](const RhsStatus& status) {
    reference.failure = status.message();
    return !status.ok;
  };
  if (failed(dense_->pack(state.t, view(state.q), view(state.u), view(x))) ||
      failed(dense_->rhs(state.t, view(x), view(rates))) ||
      failed(dense_->reactions(state.t, view(x), reference.reactions))) {
    return reference;
  }
  reference.velocity_q_rates = rates.head(nq);
  reference.accelerations = rates.tail(nu);

  if (failed(dense_momentum_->pack(state.t, view(state.q), view(state.u), view(x)))) {
    return reference;
  }
  set_mass();
  const Eigen::VectorXd gauge = jacobians_.constraints().transpose() * state.gauge;
  x.tail(nu) += gauge_scale(x.tail(nu), gauge) * gauge;
  reference.p = x.tail(nu);
  Eigen::VectorXd q(nq);
  reference.u.resize(nu);
  if (failed(dense_momentum_->unpack(state.t, view(x), view(q), view(reference.u))) ||
      failed(dense_momentum_->rhs(state.t, view(x), view(rates)))) {
    return reference;
  }
  reference.momentum_q_rates = rates.head(nq);
  reference.momentum_rates = rates.tail(nu);
  reference.constraint_forces = constraint_forces(reference.reactions);
  set_mass_and_scales(reference);
  set_offset_energy(reference);
  set_constraints(reference);
  set_velocity_rounding(reference);
  set_scales_where_locked(reference);
  if (reference.failure = contradiction(reference); !reference.failure.empty()) {
    return reference;
  }
  set_tangent_rates(reference);
  reference.neighbours = neighbours(reference, {reference.state.t, reference.state.q, reference.state.u, {}}, 1.0);
  return reference;
}

void VerificationReference::set_mass() {
  const Eigen::Index nu = mechanism_->u_size();
  mass_ = Eigen::MatrixXd::Zero(nu, nu);
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const Jacobians::BodyJacobian& j = jacobians_.body(i);
    const double mass = mechanism_->bodies()[static_cast<std::size_t>(i)].mass;
    Jacobians::BodyJacobian inertia_columns(6, nu);
    for (Eigen::Index column = 0; column < nu; ++column) {
      inertia_columns.col(column) = times_inertia(mass, kinematics_.body(i), j.col(column));
    }
    mass_ += j.transpose() * inertia_columns;
  }
}

double VerificationReference::gauge_scale(const Eigen::VectorXd& p, const Eigen::VectorXd& gauge) const {
  if (!(largest(gauge) > 0.0)) {
    return 0.0;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor = mass_.llt();
  return factor.matrixL().solve(p).norm() / factor.matrixL().solve(gauge).norm();
}

void VerificationReference::set_offset_energy(Reference& reference) const {
  double offset = 0.0;
  for (const std::span<const Joint> joints : {mechanism_->tree_joints(), mechanism_->cut_joints()}) {
    for (const Joint& joint : joints) {
      offset = std::max({offset, joint.position_a.norm(), joint.position_b.norm()});
    }
  }
  double force = 0.0;
  double momentum = 0.0;
  double turning = 0.0;
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const Body& body = mechanism_->bodies()[static_cast<std::size_t>(i)];
    const Vec6 velocity = jacobians_.body(i) * reference.state.u;
    offset = std::max(offset, body.com.norm());
    force += loads_.body_wrench(i).head<3>().norm();
    momentum += body.mass * velocity.head<3>().norm();
    turning = std::max(turning, velocity.tail<3>().norm());
  }
  reference.offset_energy = offset * (force + momentum * turning);
}

void VerificationReference::set_mass_and_scales(Reference& reference) {
  const Eigen::Index nu = mechanism_->u_size();
  // Sizes of the terms, each by its norm and with the distance from the world's origin as its lever: of what is zero,
  // rounding of axes, of points and of levers is left.
  Eigen::VectorXd forces = loads_.joint_forces().cwiseAbs();
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const Jacobians::BodyJacobian& j = jacobians_.body(i);
    const BodyKinematics& body = kinematics_.body(i);
    const double m = mechanism_->bodies()[static_cast<std::size_t>(i)].mass;
    const Vec6 wrench = loads_.body_wrench(i).cwiseAbs();
    const Vec6 acceleration = j * reference.accelerations + jacobians_.body_rate(i) * reference.state.u;
    const Vec6 inertia_wrench =
        times_inertia(m, body, acceleration).cwiseAbs() + momentum_terms(m, body, j * reference.state.u);
    const double force = wrench.head<3>().norm() + inertia_wrench.head<3>().norm();
    add_sizes_along(j, body, force, wrench.tail<3>().norm() + inertia_wrench.tail<3>().norm(), forces);
    reference.reaction_terms = std::max(reference.reaction_terms, (wrench + inertia_wrench).maxCoeff());
  }
  const Eigen::VectorXd diagonal = mass_.diagonal();
  const Eigen::VectorXd accelerations = forces.cwiseQuotient(diagonal);
  // At rest velocities are rounding of those that the forces and drives soon make: within a radian, or the longest way
  // from a joint to a centre of mass.
  double longest = 0.0;
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    longest = std::max(longest, (kinematics_.body(i).com - kinematics_.tree_joint(i).point).norm());
  }
  double soon = 0.0;
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const Joint& joint = mechanism_->tree_joints()[static_cast<std::size_t>(i)];
    for (int k = 0; k < joint.nu; ++k) {
      const bool turns = kinematics_.tree_joint(i).h.col(k).tail<3>().norm() > 0.0;
      const double acceleration =
          std::max(accelerations[joint.u_offset + k], std::abs(reference.accelerations[joint.u_offset + k]));
      soon = std::max(soon, std::sqrt(acceleration * (turns || longest == 0.0 ? 1.0 : longest)));
    }
  }
  reference.velocity_scale = kCancellation * std::max(soon, largest(reference.p.cwiseQuotient(diagonal)));
  reference.momentum_rate_scale = kCancellation * largest(forces);
  reference.acceleration_terms = largest(accelerations);
  reference.acceleration_scale = kCancellation * reference.acceleration_terms;
  reference.force_terms = forces;
  reference.reaction_scale = kCancellation * reference.reaction_terms;
  if (nu > 0) {
    const Eigen::VectorXd scale = diagonal.cwiseSqrt().cwiseInverse();
    const Eigen::VectorXd values = symmetric_eigenvalues(scale.asDiagonal() * mass_ * scale.asDiagonal());
    reference.condition = values[nu - 1] / values[0];
  }
}

/// Where loops and drives leave no freedom, forces do not show in u' and p' at all: these are rounding of all terms,
/// of M^-1 f with every entry that it is summed from.
void VerificationReference::set_scales_where_locked(Reference& reference) const {
  const Eigen::Index nu = mechanism_->u_size();
  if (nu == 0 || reference.null_space.cols() > 0) {
    return;
  }
  const Eigen::MatrixXd inverse = mass_.llt().solve(Eigen::MatrixXd::Identity(nu, nu));
  reference.momentum_rate_scale = largest(reference.force_terms);
  reference.acceleration_scale = largest(Eigen::VectorXd(inverse.cwiseAbs() * reference.force_terms));
}

void VerificationReference::set_constraints(Reference& reference) {
  reference.phi_q = jacobians_.constraints();
  const Eigen::Index rows = reference.phi_q.rows();
  const Eigen::Index nu = mechanism_->u_size();
  if (rows == 0 || nu == 0) {
    reference.null_space = Eigen::MatrixXd::Identity(nu, nu);
    reference.redundant = rows > 0;
    return;
  }
  const CharacteristicScales& scales = mechanism_->scales();
  const SingularDecomposition svd = singular_decomposition(scales.scaled(reference.phi_q));
  const double zero = kRankWhereClosed * std::max(1.0, svd.values[0]);
  const auto rank = (svd.values.array() > zero).count();
  reference.null_space = scales.columns.asDiagonal() * svd.v.rightCols(nu - rank);
  reference.redundant = rank < rows;
  if (rank > 0) {
    const Eigen::MatrixXd b = mass_.llt().matrixL().solve(reference.phi_q.transpose() * scales.rows.asDiagonal());
    const Eigen::VectorXd values = singular_values(b);
    reference.condition *= values[0] / values[rank - 1];
  }
}

void VerificationReference::set_velocity_rounding(Reference& reference) const {
  const Eigen::MatrixXd& z = reference.null_space;
  if (z.cols() == 0 || z.rows() == 0) {
    return;
  }
  const Eigen::MatrixXd free_inverse = z * (z.transpose() * mass_ * z).llt().solve(Eigen::MatrixXd(z.transpose()));
  Eigen::VectorXd terms = reference.p.cwiseAbs() + mass_.cwiseAbs() * reference.u.cwiseAbs();
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const Jacobians::BodyJacobian& j = jacobians_.body(i);
    const BodyKinematics& body = kinematics_.body(i);
    const Vec6 momentum = times_inertia(mechanism_->bodies()[static_cast<std::size_t>(i)].mass, body, j * reference.u);
    add_sizes_along(j, body, momentum.head<3>().norm(), momentum.tail<3>().norm(), terms);
  }
  reference.velocity_rounding = largest(Eigen::VectorXd(free_inverse.cwiseAbs() * terms));
}

std::string VerificationReference::contradiction(const Reference& reference) {
  const Eigen::VectorXd& u = reference.state.u;
  motions_.evaluate(reference.state.t);
  Eigen::VectorXd demanded = -(jacobians_.constraint_rate() * u);
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    if (cut.world_linear && u.size() > 0) {
      const Vec3 relative = reference.phi_q.middleRows<3>(cut.row_offset) * u;
      demanded.segment<3>(cut.row_offset) += kinematics_.cut_joint(static_cast<int>(c)).turn.cross(relative);
    }
  }
  for (std::size_t m = 0; m < motions_.rows().size(); ++m) {
    demanded[motions_.rows()[m]] += motions_.accelerations()[m];
  }
  // Of the terms, not of their sums, and not below what is left of larger accelerations that cancel: rows that the tree
  // keeps by itself are zero, and their rates rounding.
  const Eigen::VectorXd terms = reference.phi_q.cwiseAbs() * reference.accelerations.cwiseAbs() + demanded.cwiseAbs() +
                                jacobians_.constraint_rate().cwiseAbs() * u.cwiseAbs();
  const auto& scale = mechanism_->scales().rows.array();
  const double of_rows = largest(scale * terms.array());
  const double size = std::max(of_rows, reference.acceleration_scale + kCancellation * std::pow(largest(u), 2));
  const double rest = largest(scale * (demanded - reference.phi_q * reference.accelerations).array());
  if (rest <= kContradiction * size) {
    return "";
  }
  return fmt::format(
      "the constraints contradict one another: of the accelerations that loops, drives and couplings demand, {:.2g} of "
      "their size cannot be met",
      rest / size);
}

void VerificationReference::set_tangent_rates(Reference& reference) const {
  const Eigen::MatrixXd& z = reference.null_space;
  const Eigen::VectorXd forces = z.transpose() * reference.momentum_rates;
  const Eigen::VectorXd free_part = z * (z.transpose() * mass_ * z).llt().solve(forces);
  reference.tangent_momentum_rates = mass_ * free_part;
  reference.impulses = mass_ * reference.u - reference.p;
}

NeighbouringStates VerificationReference::neighbours(const Reference& reference, const NeighbouringState& from,
                                                     double share) {
  const VerificationState& state = reference.state;
  Eigen::VectorXd x(mechanism_->q_size() + mechanism_->u_size());
  x << from.q, from.u;
  const double scale = gauge_scale(mass_ * state.u, reference.phi_q.transpose() * state.gauge);
  const double time_scale = 1.0 / std::max({1.0, largest(state.u), std::sqrt(largest(reference.accelerations))});
  return neighbouring_states(*dense_, *dense_momentum_, from.t, x, -scale * state.gauge, share * time_scale);
}

Eigen::VectorXd VerificationReference::changes_of_force_terms(const Eigen::VectorXd& change,
                                                              const Reference& reference) const {
  Eigen::VectorXd changes = Eigen::VectorXd::Zero(mechanism_->u_size());
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const Jacobians::BodyJacobian& j = jacobians_.body(i);
    const BodyKinematics& body = kinematics_.body(i);
    const double mass = mechanism_->bodies()[static_cast<std::size_t>(i)].mass;
    const Vec6 wrench = changes_of_momentum_terms(mass, body, j * reference.state.u, j * change);
    add_sizes_along(j, body, wrench.head<3>().norm(), wrench.tail<3>().norm(), changes);
  }
  return changes;
}

double VerificationReference::largest_acceleration(const Eigen::VectorXd& forces) const {
  return largest(forces.cwiseQuotient(Eigen::VectorXd(mass_.diagonal())));
}

Eigen::VectorXd VerificationReference::constraint_forces(const Reactions& reactions) const {
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(mechanism_->u_size());
  const auto add_end = [&](int body, const Vec3& point, const Vec6& wrench) {
    if (body >= 0) {
      forces += jacobians_.body(body).transpose() * shift_wrench(point - kinematics_.body(body).com, wrench);
    }
  };
  for (std::size_t c = 0; c < reactions.cut_joints.size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& place = kinematics_.cut_joint(static_cast<int>(c));
    add_end(joint.b, place.point, reactions.cut_joints[c]);
    add_end(joint.a, place.point, -reactions.cut_joints[c]);
  }
  // What holds a free component of a joint, a prescribed motion or a coupling, does so along H.
  std::vector<bool> held(static_cast<std::size_t>(mechanism_->u_size()), false);
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      held[static_cast<std::size_t>(joint.u_offset + motion.component)] = true;
    }
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      held[static_cast<std::size_t>(term.u)] = true;
    }
  }
  for (const VelocityEntry& entry : kinematics_.velocity_entries()) {
    held[static_cast<std::size_t>(entry.u)] = true;
  }
  for (std::size_t k = 0; k < reactions.tree_joints.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    for (int i = 0; i < joint.nu; ++i) {
      if (held[static_cast<std::size_t>(joint.u_offset + i)]) {
        forces[joint.u_offset + i] +=
            kinematics_.tree_joint(static_cast<int>(k)).h.col(i).dot(reactions.tree_joints[k]);
      }
    }
  }
  return forces;
}

}  // namespace mbdbench
