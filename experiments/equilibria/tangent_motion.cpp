#include "experiments/equilibria/tangent_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// Of the largest singular value: as where the generic rank of loops is judged.
constexpr double kRankOfConstraints = 1e-9;
// Of Phi in units of the mechanism: rounding of coordinates of some turns.
constexpr double kClosed = 1e-13;
constexpr int kMostClosures = 30;
// Turns, or parts of the mechanism's length: a closure that corrects more than the step went leads elsewhere, as near
// singular positions; steps below the floor may be corrected by rounding.
constexpr double kFloorOfReach = 1e-6;
// Fourth order leaves 1e-13 of smooth accelerations, rounding 1e-13 of stiff ones.
constexpr double kDifferenceOfFreedoms = 1e-3;

}  // namespace

TangentMotion::TangentMotion(const Registries& registries, const Mechanism& mechanism, double t)
    : mechanism_(&mechanism),
      t_(t),
      coordinate_rates_(mechanism),
      kinematics_(mechanism),
      jacobians_(mechanism),
      motions_(mechanism),
      q_(mechanism.q0()) {
  if (mechanism.rheonomic()) {
    throw std::invalid_argument(fmt::format(
        "mechanism '{}' has prescribed motions, whose time goes on: it has no rest; leave them out, or hold "
        "the joint by a fixed one",
        mechanism.name()));
  }
  for (const char* const key : {"aba", "dense"}) {
    const FormulationChoice choice = choose_formulation(registries.formulations, key);
    if (formulation_ != nullptr || (choice.entry->key == "aba" && !refusal_of(*choice.entry, mechanism).empty())) {
      continue;
    }
    // States are packed anew at every position, so that angles of cut joints are those within half a turn of q0 anyway.
    auto made = without_following(make_formulation(registries.formulations, *choice.entry, mechanism, choice.options));
    // What holds velocities alone leaves more displacements free than velocities: differences along the latter.
    exact_ = made->without_jacobian().empty() && mechanism.held_by_velocity().empty();
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
}

void TangentMotion::set_basis() {
  const CharacteristicScales& scales = mechanism_->scales();
  const Eigen::Index nu = mechanism_->u_size();
  Eigen::MatrixXd directions = Eigen::MatrixXd::Identity(nu, nu);
  if (jacobians_.constraints().rows() > 0 && nu > 0) {
    const SingularDecomposition svd = singular_decomposition(scales.scaled(jacobians_.constraints()));
    const auto rank = (svd.values.array() > kRankOfConstraints * std::max(1.0, svd.values[0])).count();
    directions = svd.v.rightCols(nu - rank);
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
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(mechanism_->u_size());
  Eigen::VectorXd u(rest.size());
  if (!formulation_->pack(t_, view(q), view(rest), x).ok) {
    return {};
  }
  formulation_->after_step(t_, x);
  return formulation_->unpack(t_, x, view(q), view(u)).ok ? q : Eigen::VectorXd();
}

Eigen::VectorXd TangentMotion::accelerations_at(const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Eigen::VectorXd x(q.size() + u.size());
  x << q, u;
  Eigen::VectorXd rates(x.size());
  if (const RhsStatus status = formulation_->rhs(t_, view(x), view(rates)); !status.ok) {
    throw std::runtime_error("the accelerations at rest cannot be evaluated: " + status.message());
  }
  return rates.tail(u.size());
}

Eigen::VectorXd TangentMotion::accelerations() {
  return left_inverse_ * accelerations_at(q_, Eigen::VectorXd::Zero(mechanism_->u_size()));
}

Eigen::MatrixXd TangentMotion::differences(bool of_positions) {
  constexpr std::array<std::pair<double, double>, 4> kWeights = {
      {{1.0, 8.0 / 12.0}, {-1.0, -8.0 / 12.0}, {2.0, -1.0 / 12.0}, {-2.0, 1.0 / 12.0}}};
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(basis_.rows(), basis_.cols());
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(basis_.rows());
  for (Eigen::Index j = 0; j < basis_.cols(); ++j) {
    const Eigen::VectorXd change = coordinate_change(basis_.col(j));
    for (const auto& [steps, weight] : kWeights) {
      const double s = steps * kDifferenceOfFreedoms;
      result.col(j) += weight / kDifferenceOfFreedoms *
                       (of_positions ? accelerations_at(q_ + s * change, rest)
                                     : accelerations_at(q_, Eigen::VectorXd(s * basis_.col(j))));
    }
  }
  return result;
}

bool TangentMotion::linearise(Eigen::MatrixXd& by_positions, Eigen::MatrixXd& by_velocities) {
  const Eigen::Index nq = q_.size();
  const Eigen::Index nu = basis_.rows();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(nq + nu);
  x.head(nq) = q_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(nq + nu, nq + nu);
  if (!exact_ || !formulation_->jacobian(t_, view(x), {rows.data(), static_cast<std::size_t>(rows.size())}).ok) {
    by_positions = left_inverse_ * differences(true);
    by_velocities = left_inverse_ * differences(false);
    return false;
  }
  Eigen::MatrixXd changes(nq, basis_.cols());
  for (Eigen::Index j = 0; j < basis_.cols(); ++j) {
    changes.col(j) = coordinate_change(basis_.col(j));
  }
  by_positions = left_inverse_ * (rows.bottomLeftCorner(nu, nq) * changes);
  by_velocities = left_inverse_ * (rows.bottomRightCorner(nu, nu) * basis_);
  return true;
}

Eigen::MatrixXcd TangentMotion::state_modes(const Eigen::MatrixXcd& modes) const {
  const Eigen::Index f = basis_.cols();
  Eigen::MatrixXcd states(q_.size() + basis_.rows(), modes.cols());
  for (Eigen::Index j = 0; j < modes.cols(); ++j) {
    const Eigen::VectorXcd turns = basis_ * modes.col(j).head(f);
    const Eigen::VectorXd real = coordinate_change(turns.real());
    const Eigen::VectorXd imaginary = coordinate_change(turns.imag());
    states.col(j).head(q_.size()).real() = real;
    states.col(j).head(q_.size()).imag() = imaginary;
    states.col(j).tail(basis_.rows()) = basis_ * modes.col(j).tail(f);
    states.col(j).normalize();
  }
  return states;
}

}  // namespace mbdbench
