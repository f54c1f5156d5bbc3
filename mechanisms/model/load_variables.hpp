#pragma once
/// \file
/// The variables that formulas of loads may use, and their values at a state.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/model/expression.hpp"
#include "mechanisms/model/kinematics.hpp"

namespace mbdbench {

/// Storage of t, q_JOINT, v_JOINT, x_MARKER, ... and of a load's own q and v. Values never move in memory.
class LoadVariables {
 public:
  explicit LoadVariables(const Mechanism& mechanism);

  /// \returns t, joint and marker variables.
  [[nodiscard]] const std::vector<ExpressionVariable>& global() const { return global_; }
  /// \returns q and v of the joint component that a load acts on.
  [[nodiscard]] std::vector<ExpressionVariable> own();

  /// Sets t, joint and marker variables.
  void set_global(double t, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics);
  /// Sets the load's own q and v. \returns them; q is 0 for joints whose coordinates are a quaternion.
  std::pair<double, double> set_own(JointReference joint, int component, std::span<const double> q,
                                    std::span<const double> u, const Kinematics& kinematics);

 private:
  struct JointVariable {
    int q = -1;  // index into q, or -1: a velocity
    int u = -1;
  };
  const Mechanism* mechanism_;
  std::vector<JointVariable> joint_variables_;
  std::vector<double> values_;  // t, joint variables, six a marker, own q, own v
  std::vector<ExpressionVariable> global_;
};

/// \returns column `component` of H (H^T H)^-1 of a cut joint: the wrench on b at O_k of a unit generalised force.
Vec6 cut_dual_direction(const Joint& joint, const JointKinematics& state, int component);

}  // namespace mbdbench
