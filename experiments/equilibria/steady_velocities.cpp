#include "experiments/equilibria/steady_velocities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "mechanisms/model/loads/motions.hpp"
#include "mechanisms/model/start/least_change.hpp"

namespace mbdbench {
namespace {

// Of the largest rate: what rounding leaves of the rate of Phi, and what typed digits of gears leave.
constexpr double kKept = 1e-9;
// Of the speed of a motion: formulas of constants round.
constexpr double kConstant = 1e-12;
// Seconds from the start at which motions are looked at; no common divisor, so that no period fits them.
constexpr std::array<double, 7> kLater = {0.0137, 0.3108, 1.9331, 7.7017, 31.713, 173.09, 1009.7};

/// \returns the names of all prescribed motions' joints, in the order of PrescribedMotions.
std::vector<std::string> driven_joints(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const Joint& joint : mechanism.tree_joints()) {
    names.insert(names.end(), joint.motions.size(), joint.name);
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    names.insert(names.end(), joint.driven.size(), joint.name);
  }
  return names;
}

}  // namespace

void require_steady_drives(const Mechanism& mechanism, double t) {
  const std::vector<std::string> joints = driven_joints(mechanism);
  PrescribedMotions motions(mechanism);
  motions.evaluate(t);
  const std::vector<double> first(motions.velocities().begin(), motions.velocities().end());
  for (const double later : kLater) {
    motions.evaluate(t + later);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const double speed = motions.velocities()[i];
      if (!(std::abs(speed - first[i]) <= kConstant * std::abs(first[i]))) {
        throw std::invalid_argument(fmt::format(
            "mechanism '{}' has no steady motion: the prescribed motion of joint '{}' is not one of constant speed "
            "({:.6g} at {:.6g} s, {:.6g} at {:.6g} s); give it a position of the form a + b*t",
            mechanism.name(), joints[i], first[i], t, speed, t + later));
      }
    }
  }
}

SteadyVelocities::SteadyVelocities(const Mechanism& mechanism, std::vector<TurningRate> turning)
    : mechanism_(&mechanism), turning_(std::move(turning)) {
  for (Eigen::Index i = 0; i < mechanism.u_size(); ++i) {
    if (std::none_of(turning_.begin(), turning_.end(), [i](const TurningRate& held) { return held.place == i; })) {
      others_.push_back(i);
    }
  }
}

Eigen::VectorXd SteadyVelocities::answer(const Eigen::MatrixXd& phi_q, const Eigen::VectorXd& defect) const {
  Eigen::VectorXd change = Eigen::VectorXd::Zero(phi_q.cols());
  if (phi_q.rows() == 0 || others_.empty() || defect.isZero(0.0)) {
    return change;
  }
  const CharacteristicScales& scales = mechanism_->scales();
  const Eigen::MatrixXd scaled = scales.scaled(phi_q);
  const Eigen::VectorXd wanted = -(scales.rows.asDiagonal() * defect);
  change(others_) = least_change(scaled(Eigen::all, others_), wanted, kRankOfConstraints);
  return scales.columns.asDiagonal() * change;
}

// Of x = A^+ b with consistent b: dx = A^+ (db - dA x) + (I - A^+ A) dA^T A^+^T x (Golub, Pereyra 1973).
Eigen::VectorXd SteadyVelocities::following(const Eigen::MatrixXd& phi_q, const Eigen::MatrixXd& phi_q_change,
                                            const Eigen::VectorXd& u) const {
  Eigen::VectorXd change = answer(phi_q, phi_q_change * u);
  if (phi_q.rows() == 0 || others_.empty()) {
    return change;
  }
  const CharacteristicScales& scales = mechanism_->scales();
  const Eigen::MatrixXd a = scales.scaled(phi_q)(Eigen::all, others_);
  const Eigen::MatrixXd a_change = scales.scaled(phi_q_change)(Eigen::all, others_);
  const Eigen::VectorXd x = u.cwiseQuotient(scales.columns)(others_);
  const Eigen::VectorXd turned = a_change.transpose() * least_change(a.transpose(), x, kRankOfConstraints);
  Eigen::VectorXd within = Eigen::VectorXd::Zero(u.size());
  within(others_) = turned - least_change(a, a * turned, kRankOfConstraints);
  return change + scales.columns.asDiagonal() * within;
}

Eigen::VectorXd SteadyVelocities::at(const Eigen::MatrixXd& phi_q, const Eigen::VectorXd& phi_t) const {
  Eigen::VectorXd u = Eigen::VectorXd::Zero(mechanism_->u_size());
  for (const TurningRate& held : turning_) {
    u[held.place] = held.rate;
  }
  if (phi_q.rows() == 0) {
    return u;
  }
  u += answer(phi_q, phi_q * u + phi_t);
  const CharacteristicScales& scales = mechanism_->scales();
  const Eigen::VectorXd left = phi_q * u + phi_t;
  if (scales.largest(left) <= kKept * std::max(scales.largest_rate(u), scales.largest(phi_t))) {
    return u;
  }
  const Eigen::VectorXd all =
      least_change(scales.scaled(phi_q), -(scales.rows.asDiagonal() * left), kRankOfConstraints);
  const Eigen::VectorXd nearest = u + scales.columns.asDiagonal() * all;
  std::string wanted;
  for (const TurningRate& held : turning_) {
    wanted += fmt::format("{}{}={:.9g}", wanted.empty() ? "" : ", ", held.name, nearest[held.place]);
  }
  throw std::invalid_argument(
      fmt::format("--turning: no velocities of mechanism '{}' keep its constraints with these rates; the nearest that "
                  "do have {}",
                  mechanism_->name(), wanted));
}

Eigen::MatrixXd SteadyVelocities::by_found_rates(const Eigen::MatrixXd& phi_q) const {
  Eigen::MatrixXd changes(mechanism_->u_size(), found_count());
  Eigen::Index next = 0;
  for (const TurningRate& each : turning_) {
    if (each.found) {
      Eigen::VectorXd change = Eigen::VectorXd::Zero(mechanism_->u_size());
      change[each.place] = mechanism_->scales().columns[each.place];
      change += answer(phi_q, phi_q * change);
      changes.col(next++) = change;
    }
  }
  return changes;
}

void SteadyVelocities::change_found_rates(const Eigen::VectorXd& change) {
  Eigen::Index next = 0;
  for (TurningRate& each : turning_) {
    if (each.found) {
      each.rate += mechanism_->scales().columns[each.place] * change[next++];
    }
  }
}

Eigen::Index SteadyVelocities::found_count() const {
  return std::count_if(turning_.begin(), turning_.end(), [](const TurningRate& each) { return each.found; });
}

}  // namespace mbdbench
