#include "formulations/subchains/loop_closure.hpp"

#include <limits>

#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

LoopClosure::LoopClosure(const Mechanism& mechanism, const ChainPlan& plan)
    : joint_(&mechanism.cut_joints().front()),
      tips_(*plan.cut()),
      a_(Eigen::MatrixXd::Zero(joint_->nc, joint_->nc)),
      smallest_diagonal_(Eigen::VectorXd::Zero(joint_->nc)),
      multipliers_(Eigen::VectorXd::Zero(joint_->nc)),
      solver_(rows_of_one_unit(mechanism)),
      generic_rank_(mechanism.generic_rank().rank) {
  for (Rows& rows : rows_) {
    rows.setZero();
  }
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
      rows_[e].row(row).tail<3>() = ends_[e].rotation.transpose() * d_.col(row).tail<3>() + tips_[e].lever.cross(force);
    }
  }
}

void LoopClosure::solve_accelerations() {
  set_rows();
  const Vec3 omega_a = ends_[0].rotation * ends_[0].omega;
  const Vec3 omega_b = ends_[1].rotation * ends_[1].omega;
  constrained_directions_rate(*joint_, axes_[0], axes_[1], {omega_a, omega_b, {}, {}}, d_rate_);
  multipliers_.noalias() = -d_rate_.bottomRows<3>().transpose() * (omega_b - omega_a);
  for (std::size_t e = 0; e < 2; ++e) {
    // The joint's origin on the link has a centripetal acceleration beside what J V tells.
    const Vec3& omega = ends_[e].omega;
    const Vec3 centripetal = ends_[e].rotation * omega.cross(omega.cross(tips_[e].lever));
    const double sign = e == 0 ? 1.0 : -1.0;
    multipliers_.noalias() += sign * d_.topRows<3>().transpose() * centripetal;
  }
  solve();
}

void LoopClosure::solve_velocities(double leak) {
  set_rows();
  multipliers_.setZero();
  solve();
  set_loads(leak);
}

void LoopClosure::solve() {
  Eigen::Matrix<double, kRows, kRows> matrix = Eigen::Matrix<double, kRows, kRows>::Zero();
  Eigen::Matrix<double, kRows, 1> right = Eigen::Matrix<double, kRows, 1>::Zero();
  double linear = 0.0;
  double angular = 0.0;
  for (std::size_t e = 0; e < 2; ++e) {
    const Mat6& c = ends_[e].compliance;
    const Rows moved = rows_[e].lazyProduct(c);
    matrix += moved.lazyProduct(rows_[e].transpose());
    right += (e == 0 ? 1.0 : -1.0) * rows_[e].lazyProduct(ends_[e].free);
    const Mat3 turns = c.bottomRightCorner<3, 3>();
    linear += c.topLeftCorner<3, 3>().trace() + turns.trace() * tips_[e].lever.squaredNorm();
    angular += turns.trace();
  }
  a_ = matrix.topLeftCorner(a_.rows(), a_.rows());
  multipliers_ += right.head(a_.rows());
  const auto linear_rows = static_cast<Eigen::Index>(joint_->linear_rows());
  smallest_diagonal_.head(linear_rows).setConstant(kZeroRow * linear);
  smallest_diagonal_.tail(a_.rows() - linear_rows).setConstant(kZeroRow * angular);
  solved_ = true;
  if (solver_.decompose(a_, smallest_diagonal_, generic_rank_)) {
    solver_.solve(multipliers_);
  } else {
    multipliers_.setConstant(std::numeric_limits<double>::quiet_NaN());  // reaches all links, and is reported there
  }
  right.head(a_.rows()) = multipliers_;  // behind them stand products with zeros
  ends_[0].wrench = rows_[0].transpose().lazyProduct(right);
  ends_[1].wrench = -rows_[1].transpose().lazyProduct(right);
}

void LoopClosure::set_loads(double leak) {
  std::array<Vec3, 2> omega;
  std::array<Vec3, 2> velocity;
  for (std::size_t e = 0; e < 2; ++e) {
    const Vec6 motion = ends_[e].free - ends_[e].compliance * ends_[e].wrench;
    omega[e].noalias() = ends_[e].rotation * motion.tail<3>();
    const Vec3 handle = motion.head<3>() + motion.tail<3>().cross(tips_[e].lever);
    velocity[e].noalias() = ends_[e].rotation * handle;
  }
  constrained_directions_rate(*joint_, axes_[0], axes_[1], {omega[0], omega[1], {}, {}}, d_rate_);
  const Vec6 impulse = d_ * multipliers_;
  const Vec6 rate = d_rate_ * multipliers_;
  for (std::size_t e = 0; e < 2; ++e) {
    Vec6 load = leak * impulse - rate;
    load.tail<3>() -= velocity[e].cross(impulse.head<3>());
    if (e == 0) {
      load = -load;
    }
    const Vec3 force = ends_[e].rotation.transpose() * load.head<3>();
    ends_[e].load.head<3>() = force;
    ends_[e].load.tail<3>() = ends_[e].rotation.transpose() * load.tail<3>() + tips_[e].lever.cross(force);
  }
}

}  // namespace mbdbench
