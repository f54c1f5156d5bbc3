#include "formulations/dense/dense_dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench {
namespace {

// Kinematics carry some ten eps of the terms to the ends of a cut joint; pivots of B that are smaller are nothing else.
constexpr double kRoundingOfEnds = 1e-13;
// Loops that are open by |Phi| change singular values by about as much.
constexpr double kReachOfOpening = 0.3;

Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// [0; omega x J omega]
Vec6 gyroscopic_wrench(const BodyKinematics& body) {
  Vec6 wrench = Vec6::Zero();
  const Vec3 omega = body.velocity.tail<3>();
  wrench.tail<3>() = omega.cross(body.inertia * omega);
  return wrench;
}

Vec6 times_inertia(double mass, const Mat3& inertia, const Vec6& velocity) {
  Vec6 momentum;
  momentum.head<3>() = mass * velocity.head<3>();
  momentum.tail<3>() = inertia * velocity.tail<3>();
  return momentum;
}

}  // namespace

DenseDynamics::DenseDynamics(const Mechanism& mechanism, const CutReferences* near, bool fixed_rank)
    : mechanism_(&mechanism),
      kinematics_(mechanism),
      jacobians_(mechanism),
      loads_(mechanism, near),
      motions_(mechanism),
      mass_(Eigen::MatrixXd::Zero(mechanism.u_size(), mechanism.u_size())),
      momentum_map_(Jacobians::BodyJacobian::Zero(6, mechanism.u_size())),
      cholesky_(mechanism.u_size()),
      b_transposed_(Eigen::MatrixXd::Zero(mechanism.u_size(), mechanism.constraint_size())),
      end_(Eigen::VectorXd::Zero(mechanism.u_size())),
      solver_(mechanism.constraint_size(), mechanism.u_size()),
      generic_rank_(mechanism.generic_rank().rank),
      fixed_rank_(fixed_rank),
      right_(Eigen::VectorXd::Zero(mechanism.constraint_size())),
      y_(Eigen::VectorXd::Zero(mechanism.u_size())),
      result_(Eigen::VectorXd::Zero(mechanism.u_size())),
      sigma_(Eigen::VectorXd::Zero(mechanism.constraint_size())),
      lambda_(Eigen::VectorXd::Zero(mechanism.constraint_size())),
      u_(Eigen::VectorXd::Zero(mechanism.u_size())) {
  if (mechanism.u_size() == 0) {
    cholesky_.compute(mass_);  // of nothing, once: positions find nothing to factorise
  }
}

RhsStatus DenseDynamics::set_positions(double t, std::span<const double> q) {
  motions_.evaluate(t);
  kinematics_.set_positions(q);
  jacobians_.set_positions(kinematics_);
  if (mechanism_->u_size() == 0) {  // bodies that are welded only
    solver_.decompose(b_transposed_, 0.0, generic_rank_);
    return {};
  }
  mass_.setZero();
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const Jacobians::BodyJacobian& j = jacobians_.body(i);
    momentum_map_.topRows<3>() = mechanism_->bodies()[static_cast<std::size_t>(i)].mass * j.topRows<3>();
    momentum_map_.bottomRows<3>().noalias() = kinematics_.body(i).inertia * j.bottomRows<3>();
    mass_.noalias() += j.transpose() * momentum_map_;
  }
  cholesky_.compute(mass_);
  // Eigen's test for a positive pivot lets NaN pass.
  if (cholesky_.info() != Eigen::Success || !cholesky_.matrixLLT().diagonal().allFinite()) {
    return {false,
            {},
            "the mass matrix is not positive definite or not finite, its smallest diagonal entry is",
            mass_.diagonal().minCoeff<Eigen::PropagateNaN>()};
  }
  // B^T = L^-1 Phi_q^T, column by column: Eigen's blocked solve would allocate.
  for (Eigen::Index row = 0; row < b_transposed_.cols(); ++row) {
    auto column = b_transposed_.col(row);
    column = mechanism_->scales().rows[row] * jacobians_.constraints().row(row).transpose();
    cholesky_.matrixL().solveInPlace(column);
  }
  if (fixed_rank_) {
    solver_.decompose_with_rank(b_transposed_, generic_rank_);
  } else {
    solver_.decompose(b_transposed_, kRoundingOfEnds * size_of_ends(), generic_rank_);
  }
  return {};
}

double DenseDynamics::size_of_ends() {
  double largest = 0.0;
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const double unit = mechanism_->scales().loop_units[c];
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
    double wrench = 0.0;
    for (int row = 0; row < joint.nc; ++row) {
      const double scale = mechanism_->scales().rows[joint.row_offset + row];
      const double force = unit * scale * state.d.col(row).head<3>().norm();
      wrench = std::max(wrench, std::hypot(force, scale * state.d.col(row).tail<3>().norm()));
    }
    for (const bool second : {false, true}) {
      const int body = second ? joint.b : joint.a;
      if (body < 0) {
        continue;
      }
      const Jacobians::BodyJacobian& j = jacobians_.body(body);
      const Vec3 lever = state.point - kinematics_.body(body).com;
      double square = 0.0;
      for (Eigen::Index axis = 0; axis < 6; ++axis) {
        end_ = j.row(axis).transpose();
        if (axis < 3) {  // omega x lever
          const Eigen::Index next = (axis + 1) % 3;
          const Eigen::Index last = (axis + 2) % 3;
          end_ += lever[last] * j.row(3 + next).transpose() - lever[next] * j.row(3 + last).transpose();
          end_ /= unit;
        }
        cholesky_.matrixL().solveInPlace(end_);
        square += end_.squaredNorm();
      }
      largest = std::max(largest, wrench * std::sqrt(square));
    }
  }
  return largest;
}

void DenseDynamics::set_velocities(double t, std::span<const double> q, std::span<const double> u) {
  u_ = as_vector(u);
  kinematics_.set_velocities(u);
  jacobians_.set_velocities(kinematics_);
  loads_.evaluate(t, q, u, kinematics_);
}

void DenseDynamics::constrain(Eigen::VectorXd& multipliers) {
  if (mechanism_->u_size() == 0) {
    return;
  }
  cholesky_.matrixL().solveInPlace(y_);
  if (right_.size() > 0) {
    right_.array() *= mechanism_->scales().rows.array();
    right_.noalias() -= b_transposed_.transpose() * y_;
    y_ += solver_.solve_b(right_);
    multipliers = solver_.solve_b_transposed();
    multipliers.array() *= mechanism_->scales().rows.array();
  }
  cholesky_.matrixU().solveInPlace(y_);
}

void DenseDynamics::set_velocity_defect(std::span<const double> u) {
  right_.setZero();
  right_.noalias() -= jacobians_.constraints() * as_vector(u);
  const auto prescribed = motions_.velocities();
  for (std::size_t m = 0; m < prescribed.size(); ++m) {
    right_[motions_.rows()[m]] += prescribed[m];
  }
  right_.array() *= mechanism_->scales().rows.array();
}

const Eigen::VectorXd& DenseDynamics::projected(std::span<const double> u) {
  result_ = as_vector(u);
  if (right_.size() > 0) {
    set_velocity_defect(u);
    y_ = solver_.solve_b(right_);
    cholesky_.matrixU().solveInPlace(y_);
    result_ += y_;
  }
  return result_;
}

double DenseDynamics::velocity_residual(std::span<const double> u) {
  set_velocity_defect(u);
  return right_.lpNorm<Eigen::Infinity>();
}

double DenseDynamics::position_residual(std::span<const double> q) {
  constraint_residual(kinematics_, q, motions_.positions(), {right_.data(), static_cast<std::size_t>(right_.size())});
  right_.array() *= -mechanism_->scales().rows.array();
  return right_.lpNorm<Eigen::Infinity>();
}

const Eigen::VectorXd& DenseDynamics::position_correction() {
  solver_.drop_pivots_below(kReachOfOpening * right_.lpNorm<Eigen::Infinity>());
  y_ = solver_.solve_b(right_);
  cholesky_.matrixU().solveInPlace(y_);
  result_ = y_;
  return result_;
}

const Eigen::VectorXd& DenseDynamics::velocities_of(std::span<const double> p) {
  y_ = as_vector(p);
  right_.setZero();
  const auto prescribed = motions_.velocities();
  for (std::size_t m = 0; m < prescribed.size(); ++m) {
    right_[motions_.rows()[m]] = prescribed[m];
  }
  constrain(sigma_);
  return y_;
}

const Eigen::VectorXd& DenseDynamics::momenta_of(std::span<const double> u) {
  result_.noalias() = mass_ * as_vector(u);
  return result_;
}

const Eigen::VectorXd& DenseDynamics::momentum_rates() {
  result_ = loads_.joint_forces();
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const BodyKinematics& body = kinematics_.body(i);
    const Vec6 momentum =
        times_inertia(mechanism_->bodies()[static_cast<std::size_t>(i)].mass, body.inertia, body.velocity);
    result_.noalias() += jacobians_.body(i).transpose() * loads_.body_wrench(i);
    result_.noalias() += jacobians_.body_rate(i).transpose() * momentum;
  }
  if (sigma_.size() > 0) {
    result_.noalias() -= jacobians_.constraint_rate().transpose() * sigma_;
  }
  return result_;
}

const Eigen::VectorXd& DenseDynamics::without_constraint_part(std::span<const double> p) {
  result_ = as_vector(p);
  if (right_.size() > 0) {
    y_ = result_;
    right_.setZero();
    constrain(lambda_);
    // Not M y, which is the same: beside heavy bodies a light one has a y of |p| over its inertia, and M y rounds by as
    // much of the heavy ones. What the multipliers are off by stays within range(Phi_q^T), where it moves nothing.
    result_.noalias() += jacobians_.constraints().transpose() * lambda_;
  }
  return result_;
}

const Eigen::VectorXd& DenseDynamics::accelerations() {
  y_ = loads_.joint_forces();
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const BodyKinematics& body = kinematics_.body(i);
    const Vec6 bias = jacobians_.body_rate(i) * u_;
    const double mass = mechanism_->bodies()[static_cast<std::size_t>(i)].mass;
    const Vec6 wrench = loads_.body_wrench(i) - gyroscopic_wrench(body) - times_inertia(mass, body.inertia, bias);
    y_.noalias() += jacobians_.body(i).transpose() * wrench;
  }
  if (right_.size() > 0 && u_.size() > 0) {
    right_.setZero();
    right_.noalias() -= jacobians_.constraint_rate() * u_;
    for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
      const Joint& cut = mechanism_->cut_joints()[c];
      if (cut.world_linear) {
        const Vec3 relative = jacobians_.constraints().middleRows<3>(cut.row_offset).lazyProduct(u_);
        right_.segment<3>(cut.row_offset) += kinematics_.cut_joint(static_cast<int>(c)).turn.cross(relative);
      }
    }
    const auto prescribed = motions_.accelerations();
    for (std::size_t m = 0; m < prescribed.size(); ++m) {
      right_[motions_.rows()[m]] += prescribed[m];
    }
  }
  constrain(lambda_);
  result_ = y_;
  return result_;
}

void DenseDynamics::reactions(Reactions& result) const {
  const auto joints = mechanism_->tree_joints();
  const auto cuts = mechanism_->cut_joints();
  result.tree_joints.assign(joints.size(), Vec6::Zero());
  result.cut_joints.assign(cuts.size(), Vec6::Zero());

  // What each body still needs at its centre of mass beyond the applied loads and the cut joints.
  std::vector<Vec6> needed(joints.size());
  for (int i = 0; i < mechanism_->body_count(); ++i) {
    const BodyKinematics& body = kinematics_.body(i);
    const double mass = mechanism_->bodies()[static_cast<std::size_t>(i)].mass;
    const Vec6 acceleration = jacobians_.body(i) * result_ + jacobians_.body_rate(i) * u_;
    needed[static_cast<std::size_t>(i)] =
        times_inertia(mass, body.inertia, acceleration) + gyroscopic_wrench(body) - loads_.body_wrench(i);
  }
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const Joint& joint = cuts[c];
    const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
    const Vec6 wrench = state.d * lambda_.segment(joint.row_offset, joint.nc);
    result.cut_joints[c] = wrench;
    if (joint.b >= 0) {
      needed[static_cast<std::size_t>(joint.b)] -= shift_wrench(state.point - kinematics_.body(joint.b).com, wrench);
    }
    if (joint.a >= 0) {
      needed[static_cast<std::size_t>(joint.a)] += shift_wrench(state.point - kinematics_.body(joint.a).com, wrench);
    }
  }
  // Newton-Euler inward: joint k carries everything outboard of it.
  for (std::size_t k = joints.size(); k-- > 0;) {
    const Joint& joint = joints[k];
    const JointKinematics& state = kinematics_.tree_joint(static_cast<int>(k));
    const Vec6 carried = shift_wrench(kinematics_.body(static_cast<int>(k)).com - state.point, needed[k]);
    if (joint.a >= 0) {
      needed[static_cast<std::size_t>(joint.a)] += shift_wrench(state.point - kinematics_.body(joint.a).com, carried);
    }
    const Eigen::VectorXd dual =
        kinematics_.gram_inverse(static_cast<int>(k)) * loads_.joint_forces().segment(joint.u_offset, joint.nu);
    result.tree_joints[k] = carried - state.h * dual;
  }
}

}  // namespace mbdbench
