#include "experiments/equilibria/tangent_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/registries/formulation_choice.hpp"
#include "formulations/followed_cuts.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench {
namespace {

// Of Phi in units of the mechanism: rounding of coordinates of some turns.
constexpr double kClosed = 1e-13;
constexpr int kMostClosures = 30;
// Turns, or parts of the mechanism's length: a closure that corrects more than the step went leads elsewhere, as near
// singular positions; steps below the floor may be corrected by rounding.
constexpr double kFloorOfReach = 1e-6;
// Of the largest rate: slower components are rounding of those that the constraints hold still.
constexpr double kGoesOn = 1e-9;
// Of the largest rate's square: changes of velocities that rounding makes.
constexpr double kStays = 1e-9;
// Of the largest singular value: no search comes nearer to where branches meet than the root of rounding.
constexpr double kNearBranches = 1e-6;

}  // namespace

TangentMotion::TangentMotion(const Registries& registries, const Mechanism& mechanism, double t,
                             std::vector<TurningRate> turning)
    : mechanism_(&mechanism),
      t_(t),
      velocities_(mechanism, std::move(turning)),
      coordinate_rates_(mechanism),
      kinematics_(mechanism),
      jacobians_(mechanism),
      motions_(mechanism),
      q_(mechanism.q0()) {
  if (mechanism.rheonomic() && t != 0.0) {
    throw std::invalid_argument(fmt::format(
        "mechanism '{}' has prescribed motions, which start at 0 s: a steady motion with them is that of any time; "
        "leave out --time",
        mechanism.name()));
  }
  require_steady_drives(mechanism, t);
  for (const char* const key : {"aba", "dense"}) {
    const FormulationChoice choice = choose_formulation(registries.formulations, key);
    if (formulation_ != nullptr || (choice.entry->key == "aba" && !refusal_of(*choice.entry, mechanism).empty())) {
      continue;
    }
    // States are packed anew at every position, so that angles of cut joints are those within half a turn of q0 anyway.
    auto made = without_following(make_formulation(registries.formulations, *choice.entry, mechanism, choice.options));
    exact_ = made->without_jacobian().empty();
    if (exact_ || choice.entry->key == "dense") {
      formulation_ = std::move(made);
      key_ = key;
    }
  }
  set_positions(q_);
}

Eigen::VectorXd TangentMotion::coordinate_change(const Eigen::VectorXd& velocities) const {
  Eigen::VectorXd change(mechanism_->q_size());
  coordinate_rates_.set(view(q_), view(velocities), view(change));
  return change;
}

void TangentMotion::set_positions(const Eigen::VectorXd& q) {
  q_ = q;
  kinematics_.set_positions(view(q_));
  jacobians_.set_positions(kinematics_);
  set_basis();
  set_velocities();
}

void TangentMotion::set_velocities() {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(mechanism_->u_size());
  following_ = Eigen::MatrixXd::Zero(basis_.rows(), basis_.cols());
  if (!goes_on()) {
    u_ = rest;
    by_found_rates_.resize(rest.size(), 0);
    return;
  }
  Eigen::VectorXd drives(mechanism_->constraint_size());
  motions_.evaluate(t_);
  kinematics_.set_velocities(view(rest));
  constraint_rate_residual(kinematics_, view(rest), motions_.velocities(), view(drives));
  const Eigen::MatrixXd& phi_q = jacobians_.constraints();
  u_ = velocities_.at(phi_q, drives);
  by_found_rates_ = velocities_.by_found_rates(phi_q);
  if (phi_q.rows() == 0) {
    return;
  }
  const CharacteristicScales& scales = mechanism_->scales();
  kinematics_.set_velocities(view(u_));
  jacobians_.set_velocities(kinematics_);
  velocities_stay_ = scales.largest(jacobians_.constraint_rate() * u_) <= kStays * std::pow(scales.largest_rate(u_), 2);
  for (Eigen::Index j = 0; j < basis_.cols(); ++j) {
    // Moved along the direction, Phi_q changes by its rate at velocities of the direction.
    kinematics_.set_velocities(view(Eigen::VectorXd(basis_.col(j))));
    jacobians_.set_velocities(kinematics_);
    following_.col(j) = velocities_.following(phi_q, jacobians_.constraint_rate(), u_);
  }
}

void TangentMotion::change_found_rates(const Eigen::VectorXd& change) {
  velocities_.change_found_rates(change);
}

void TangentMotion::set_basis() {
  const CharacteristicScales& scales = mechanism_->scales();
  const Eigen::Index nu = mechanism_->u_size();
  Eigen::MatrixXd directions = Eigen::MatrixXd::Identity(nu, nu);
  if (jacobians_.constraints().rows() > 0 && nu > 0) {
    const SingularDecomposition svd = singular_decomposition(scales.scaled(jacobians_.constraints()));
    const auto rank = (svd.values.array() > kRankOfConstraints * std::max(1.0, svd.values[0])).count();
    directions = svd.v.rightCols(nu - rank);
    singular_ =
        (svd.values.array() > kNearBranches * std::max(1.0, svd.values[0])).count() < mechanism_->generic_rank().rank;
  }
  basis_ = scales.columns.asDiagonal() * directions;
  left_inverse_ = directions.transpose() * scales.columns.cwiseInverse().asDiagonal();
}

/// Newton's iteration with the smallest steps, in units of the mechanism.
bool TangentMotion::close(Eigen::VectorXd& q, double reach) {
  if (mechanism_->constraint_size() == 0) {
    return true;
  }
  const CharacteristicScales& scales = mechanism_->scales();
  Eigen::VectorXd residual(mechanism_->constraint_size());
  motions_.evaluate(t_);
  double before = std::numeric_limits<double>::infinity();
  double corrected = 0.0;
  for (int pass = 0; pass < kMostClosures; ++pass) {
    kinematics_.set_positions(view(q));
    constraint_residual(kinematics_, view(q), motions_.positions(), view(residual));
    const double size = scales.largest(residual);
    if (size <= kClosed || (size <= 1e3 * kClosed && size >= 0.5 * before)) {
      return true;
    }
    before = size;
    jacobians_.set_positions(kinematics_);
    const SingularDecomposition svd = singular_decomposition(scales.scaled(jacobians_.constraints()));
    const auto rank = (svd.values.array() > kRankOfConstraints * std::max(1.0, svd.values[0])).count();
    const Eigen::MatrixXd along = svd.v.leftCols(rank);
    // The rows of largest effect: (Phi V) y = -Phi, whose columns are orthogonal.
    const Eigen::MatrixXd effect = scales.scaled(jacobians_.constraints()) * along;
    const Eigen::VectorXd right = -(scales.rows.asDiagonal() * residual);
    const Eigen::VectorXd amounts = (effect.transpose() * right).cwiseQuotient(svd.values.head(rank).cwiseAbs2());
    corrected += amounts.norm();
    if (!(corrected <= reach)) {
      return false;
    }
    const Eigen::VectorXd step = scales.columns.asDiagonal() * (along * amounts);
    Eigen::VectorXd change(q.size());
    coordinate_rates_.set(view(q), view(step), view(change));
    q += change;
  }
  return false;
}

Eigen::VectorXd TangentMotion::moved(const Eigen::VectorXd& step) {
  const Eigen::VectorXd velocities = basis_ * step;
  std::vector<double> x(formulation_->state_size());
  Eigen::VectorXd q = q_ + coordinate_change(velocities);
  if (!close(q, std::max(step.norm(), kFloorOfReach))) {
    return {};
  }
  // Quaternions of length 1.
  Eigen::VectorXd u(mechanism_->u_size());
  if (!formulation_->pack(t_, view(q), view(u_), x).ok) {
    return {};
  }
  formulation_->after_step(t_, x);
  return formulation_->unpack(t_, x, view(q), view(u)).ok ? q : Eigen::VectorXd();
}

Eigen::VectorXd TangentMotion::later(double duration) const {
  const Eigen::VectorXd rates = coordinate_change(u_);
  Eigen::VectorXd q = q_ + duration * rates;
  for (const Joint& joint : mechanism_->tree_joints()) {
    if (has_quaternion(joint.type)) {
      // e' = e o (0, omega) / 2 with constant omega: a turn by |omega| in the time.
      constexpr Eigen::Index kQuaternion = 4;
      const double speed = u_.segment<3>(joint.u_offset).norm();
      const double half = 0.5 * speed * duration;
      const double along = speed == 0.0 ? duration : 2.0 * std::sin(half) / speed;
      q.segment<kQuaternion>(joint.q_offset) =
          std::cos(half) * q_.segment<kQuaternion>(joint.q_offset) + along * rates.segment<kQuaternion>(joint.q_offset);
    }
  }
  return q;
}

void TangentMotion::go_on(double duration) {
  Eigen::VectorXd q = later(duration);
  t_ += duration;
  motions_.evaluate(t_);
  kinematics_.set_positions(view(q));
  Eigen::VectorXd residual(mechanism_->constraint_size());
  constraint_residual(kinematics_, view(q), motions_.positions(), view(residual));
  if (!(mechanism_->scales().largest(residual) <= kOpen)) {
    throw std::runtime_error("the loops would open");
  }
  set_positions(q);
}

void TangentMotion::go_back(const Eigen::VectorXd& q, double t) {
  t_ = t;
  set_positions(q);
}

Eigen::VectorXd TangentMotion::accelerations_at(const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Eigen::VectorXd x(q.size() + u.size());
  x << q, u;
  Eigen::VectorXd rates(x.size());
  if (const RhsStatus status = formulation_->rhs(t_, view(x), view(rates)); !status.ok) {
    throw std::runtime_error("the accelerations cannot be evaluated: " + status.message());
  }
  return rates.tail(u.size());
}

Eigen::VectorXd TangentMotion::velocity_rates() {
  return accelerations_at(q_, u_);
}

bool TangentMotion::goes_on(Eigen::Index place) const {
  const CharacteristicScales& scales = mechanism_->scales();
  const auto turning = velocities_.turning();
  return std::any_of(turning.begin(), turning.end(), [&](const TurningRate& each) { return each.place == place; }) ||
         std::abs(u_[place]) > kGoesOn * scales.largest_rate(u_) * scales.columns[place];
}

}  // namespace mbdbench
