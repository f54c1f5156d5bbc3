#include "formulations/subchains/loop_closure.hpp"

#include <limits>

#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/kinematics/handle_share.hpp"

namespace mbdbench {

LoopClosure::LoopClosure(const Mechanism& mechanism, const ChainPlan& plan)
    : joint_(&mechanism.cut_joints().front()),
      share_of_b_(share_of_b(*joint_)),
      tips_(*plan.cut()),
      levers_{tips_[0].lever, tips_[1].lever},
      a_(Eigen::MatrixXd::Zero(joint_->nc, joint_->nc)),
      smallest_diagonal_(Eigen::VectorXd::Zero(joint_->nc)),
      multipliers_(Eigen::VectorXd::Zero(joint_->nc)),
      sigma_(Eigen::VectorXd::Zero(joint_->nc)),
      solver_(rows_of_one_unit(mechanism)),
      generic_rank_(mechanism.generic_rank().rank) {
  for (Rows& rows : rows_) {
    rows.setZero();
  }
}

void LoopClosure::set_handle() {
  const Vec3 apart =
      ends_[1].origin + ends_[1].rotation * tips_[1].lever - ends_[0].origin - ends_[0].rotation * tips_[0].lever;
  levers_[0] = tips_[0].lever + share_of_b_ * (ends_[0].rotation.transpose() * apart);
  levers_[1] = tips_[1].lever - (1.0 - share_of_b_) * (ends_[1].rotation.transpose() * apart);
}

void LoopClosure::set_motions() {
  for (std::size_t e = 0; e < 2; ++e) {
    const Vec6 motion = ends_[e].free - ends_[e].compliance * ends_[e].wrench;
    motions_[e].head<3>().noalias() = ends_[e].rotation * motion.head<3>();
    motions_[e].tail<3>().noalias() = ends_[e].rotation * motion.tail<3>();
  }
}

Vec3 LoopClosure::handle_velocity() const {
  Vec3 velocity = Vec3::Zero();
  for (std::size_t e = 0; e < 2; ++e) {
    const Vec3 lever = ends_[e].rotation * tips_[e].lever;
    velocity +=
        (e == 0 ? 1.0 - share_of_b_ : share_of_b_) * (motions_[e].head<3>() + motions_[e].tail<3>().cross(lever));
  }
  return velocity;
}

void LoopClosure::set_rows() {
  for (std::size_t e = 0; e < 2; ++e) {
    axes_[e].noalias() = ends_[e].rotation * tips_[e].axes;
  }
  constrained_directions(*joint_, axes_[0], axes_[1], Vec3::Zero(), d_);
  for (std::size_t e = 0; e < 2; ++e) {
    for (Eigen::Index row = 0; row < d_.cols(); ++row) {
      const Vec3 force = ends_[e].rotation.transpose() * d_.col(row).head<3>();
      rows_[e].row(row).head<3>() = force;
      rows_[e].row(row).tail<3>() = ends_[e].rotation.transpose() * d_.col(row).tail<3>() + levers_[e].cross(force);
    }
  }
}

void LoopClosure::solve_accelerations() {
  levers_ = {tips_[0].lever, tips_[1].lever};
  moves_ = false;
  set_rows();
  decompose();
  solve_accelerations_again();
}

void LoopClosure::solve_accelerations_again() {
  const std::array<Vec3, 2> omega = {ends_[0].rotation * ends_[0].omega, ends_[1].rotation * ends_[1].omega};
  constrained_directions_rate(*joint_, axes_[0], axes_[1], {omega[0], omega[1], {}, {}}, d_rate_);
  multipliers_.noalias() = -d_rate_.bottomRows<3>().transpose() * (omega[1] - omega[0]);
  const Vec3 handle = moves_ ? handle_velocity() : Vec3::Zero();
  Vec3 relative = Vec3::Zero();
  for (std::size_t e = 0; e < 2; ++e) {
    // The handle has an acceleration beside what J V tells: along the link, where it is known how it moves, otherwise
    // with it.
    const Vec3 lever = ends_[e].rotation * levers_[e];
    const Vec3 carried = omega[e].cross(lever);
    const Vec3 bias = omega[e].cross(moves_ ? Vec3(handle - motions_[e].head<3>()) : carried);
    const double sign = e == 0 ? 1.0 : -1.0;
    multipliers_.noalias() += sign * d_.topRows<3>().transpose() * bias;
    relative -= sign * (motions_[e].head<3>() + carried);
  }
  if (moves_ && share_of_b_ == 0.5) {
    // Phi' in axes that turn with the mean of both bodies.
    const Vec3 turn = 0.5 * (omega[0] + omega[1]);
    multipliers_.noalias() += d_.topRows<3>().transpose() * turn.cross(relative);
  }
  close();
}

void LoopClosure::solve_velocities(double leak) {
  solve_impulses();
  set_loads(leak);
}

void LoopClosure::solve_impulses() {
  set_handle();
  set_rows();
  decompose();
  multipliers_.setZero();
  close();
  set_motions();
  moves_ = true;
}

void LoopClosure::solve_tangent(double kappa) {
  sigma_ = multipliers_;
  multipliers_.setZero();
  close();
  for (std::size_t e = 0; e < 2; ++e) {
    const auto rows = rows_[e].topRows(sigma_.size());
    ends_[e].load.noalias() = (e == 0 ? -kappa : kappa) * (rows.transpose() * sigma_);
    ends_[e].load -= ends_[e].wrench;
  }
  multipliers_ = sigma_;
}

void LoopClosure::decompose() {
  Eigen::Matrix<double, kRows, kRows> matrix = Eigen::Matrix<double, kRows, kRows>::Zero();
  double linear = 0.0;
  double angular = 0.0;
  for (std::size_t e = 0; e < 2; ++e) {
    const Mat6& c = ends_[e].compliance;
    const Rows moved = rows_[e].lazyProduct(c);
    matrix += moved.lazyProduct(rows_[e].transpose());
    const Mat3 turns = c.bottomRightCorner<3, 3>();
    linear += c.topLeftCorner<3, 3>().trace() + turns.trace() * tips_[e].lever.squaredNorm();
    angular += turns.trace();
  }
  a_ = matrix.topLeftCorner(a_.rows(), a_.rows());
  const auto linear_rows = static_cast<Eigen::Index>(joint_->linear_rows());
  smallest_diagonal_.head(linear_rows).setConstant(kZeroRow * linear);
  smallest_diagonal_.tail(a_.rows() - linear_rows).setConstant(kZeroRow * angular);
  solved_ = true;
  decomposed_ = solver_.decompose(a_, smallest_diagonal_, generic_rank_);
}

/// \pre `decompose`; multipliers_ is what is wanted
void LoopClosure::close() {
  Eigen::Matrix<double, kRows, 1> right = Eigen::Matrix<double, kRows, 1>::Zero();
  for (std::size_t e = 0; e < 2; ++e) {
    right += (e == 0 ? 1.0 : -1.0) * rows_[e].lazyProduct(ends_[e].free);
  }
  multipliers_ += right.head(a_.rows());
  if (decomposed_) {
    solver_.solve(multipliers_);
  } else {
    multipliers_.setConstant(std::numeric_limits<double>::quiet_NaN());  // reaches all links, and is reported there
  }
  right.head(a_.rows()) = multipliers_;  // behind them stand products with zeros
  ends_[0].wrench = rows_[0].transpose().lazyProduct(right);
  ends_[1].wrench = -rows_[1].transpose().lazyProduct(right);
}

void LoopClosure::set_loads(double leak) {
  const Vec3 velocity = handle_velocity();
  constrained_directions_rate(*joint_, axes_[0], axes_[1], {motions_[0].tail<3>(), motions_[1].tail<3>(), {}, {}},
                              d_rate_);
  const Vec6 impulse = d_ * multipliers_;
  Vec6 load = leak * impulse - d_rate_ * multipliers_;
  load.tail<3>() -= velocity.cross(impulse.head<3>());
  for (std::size_t e = 0; e < 2; ++e) {
    const double sign = e == 0 ? -1.0 : 1.0;
    const Vec3 force = sign * (ends_[e].rotation.transpose() * load.head<3>());
    ends_[e].load.head<3>() = force;
    ends_[e].load.tail<3>() = sign * (ends_[e].rotation.transpose() * load.tail<3>()) + levers_[e].cross(force);
  }
}

}  // namespace mbdbench
