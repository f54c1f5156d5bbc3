// What the rows of all joints leave, and what their multipliers do.
#include <cmath>

#include "formulations/augmented_lagrangian/augmented_system.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// \returns the largest |value|; NaN if there is one.
double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) {
    if (!(std::abs(value) <= result)) {
      result = std::abs(value);
    }
  }
  return result;
}

}  // namespace

void AugmentedSystem::reactions(std::span<const double> lambda, Reactions& result) const {
  result.tree_joints.resize(mechanism_->tree_joints().size());
  result.cut_joints.resize(mechanism_->cut_joints().size());
  for (int k = 0; k < kinematics_.joint_count(); ++k) {
    const int cut = k - mechanism_->body_count();
    Vec6& wrench = cut < 0 ? result.tree_joints[index_of(k)] : result.cut_joints[index_of(cut)];
    wrench.setZero();
    for (Eigen::Index row = 0; row < directions(k).cols(); ++row) {
      wrench += lambda[index_of(row_offset(k)) + static_cast<std::size_t>(row)] * directions(k).col(row);
    }
  }
}

void AugmentedSystem::set_position_residual(int k, std::span<double> phi) const {
  const Joint& joint = kinematics_.joint(k);
  const JointKinematics& state = kinematics_.joint_state(k);
  const auto first = index_of(row_offset(k));
  const auto own = phi.subspan(first, index_of(joint.nc));
  closure_residual(joint, state.axes_a, state.axes_b, state.displacement, own);
  drive_residual(joint, motions_.positions(), own);
  for (std::size_t m = 0; m < joint.motions.size(); ++m) {
    phi[first + index_of(joint.nc) + m] =
        q_[index_of(joint.q_offset + joint.motions[m].component)] - motions_.positions()[motion_index(k, m)];
  }
}

double AugmentedSystem::position_residual(std::span<double> phi) const {
  for_joints({}, [&](int k) { set_position_residual(k, phi); });
  return largest(phi);
}

void AugmentedSystem::set_velocity_residual(int k, std::span<double> rate) const {
  const Joint& joint = kinematics_.joint(k);
  const Vec6& relative = kinematics_.relative_velocity(k);
  double* rows = rate.data() + row_offset(k);
  for (int row = 0; row < joint.nc; ++row) {
    rows[row] = kinematics_.joint_state(k).d.col(row).dot(relative);
  }
  for (const DrivenRow& driven : joint.driven) {
    rows[driven.row] -= motions_.velocities()[index_of(driven.place)];
  }
  for (std::size_t m = 0; m < joint.motions.size(); ++m) {
    const JointKinematics& state = kinematics_.joint_state(k);
    double value = -motions_.velocities()[motion_index(k, m)];
    for (int i = 0; i < joint.nu; ++i) {
      value += state.h.col(i).dot(relative) * kinematics_.gram_inverse(k)(i, joint.motions[m].component);
    }
    rows[index_of(joint.nc) + m] = value;
  }
}

double AugmentedSystem::velocity_residual(std::span<double> rate) const {
  for_joints({}, [&](int k) { set_velocity_residual(k, rate); });
  return largest(rate);
}

double AugmentedSystem::acceleration_residual(std::span<double> second) {
  for_joints({}, [this](int k) { set_right_side(k, residual_); });
  row_residual(residual_, accelerations_, second);
  for (double& row : second) {
    row = -row;
  }
  return largest(second);
}

}  // namespace mbdbench
