#pragma once
/// \file
/// Constraints of velocities alone, sum of a_i(q) u_i = 0: their entries of Phi_q and the rates of these,
/// a_i' = sum of da_i/dq_j q_j', with derivatives by the rules of calculus (formula_derivative.hpp).
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/expression.hpp"

namespace mbdbench {

/// Evaluates the factors; owns its parsers, so one instance a thread.
class VelocityRows {
 public:
  /// \throws ExpressionError where a factor is no formula in coordinates of tree joints that has derivatives
  explicit VelocityRows(const Mechanism& mechanism);

  /// Factors at q, in the constraints' order; allocates nothing, like set_velocities.
  void set_positions(std::span<const double> q);
  /// Rates of the factors, after set_positions.
  void set_velocities(std::span<const double> u);
  [[nodiscard]] std::span<const VelocityEntry> entries() const { return entries_; }

 private:
  struct Derivative {
    int q = 0;
    Expression formula;
  };
  struct Factor {
    std::optional<Expression> formula;  // none: the entry is constant
    std::vector<Derivative> derivatives;
    double scale = 1.0;
  };
  const Mechanism* mechanism_;
  std::unique_ptr<std::vector<double>> q_;  // on the heap: the parsers keep its addresses when this object moves
  std::vector<double> rates_;
  std::vector<Factor> factors_;
  std::vector<VelocityEntry> entries_;
};

/// \returns q_JOINT, q_JOINT_2, ... of all tree joints, in the order of q, where their values will stand.
std::vector<ExpressionVariable> coordinate_variables(const Mechanism& mechanism, std::vector<double>& q);

/// Sets the scales of the constraints such that the largest factor at the joints' q0 is about 1, as those of couplings.
/// \throws ModelError naming the constraint and the factor that cannot be read
void scale_velocity_constraints(const Mechanism& mechanism, std::span<VelocityConstraint> constraints);

}  // namespace mbdbench
