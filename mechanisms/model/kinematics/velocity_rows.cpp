#include "mechanisms/model/kinematics/velocity_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "mechanisms/model/characteristic_scales.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/loads/formula_derivative.hpp"

namespace mbdbench {
namespace {

/// \returns whether a component of u is a velocity, not an angular velocity.
bool is_displacement_at(const Mechanism& mechanism, int u) {
  const auto joints = mechanism.tree_joints();
  const auto joint = std::find_if(joints.begin(), joints.end(),
                                  [&](const Joint& each) { return u >= each.u_offset && u < each.u_offset + each.nu; });
  return joint != joints.end() && is_displacement(*joint, u - joint->u_offset);
}

}  // namespace

std::vector<ExpressionVariable> coordinate_variables(const Mechanism& mechanism, std::vector<double>& q) {
  std::vector<ExpressionVariable> variables;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nq; ++i) {
      variables.push_back({fmt::format("q_{}{}", joint.name, i == 0 ? "" : fmt::format("_{}", i + 1)),
                           &q[static_cast<std::size_t>(joint.q_offset + i)]});
    }
  }
  return variables;
}

VelocityRows::VelocityRows(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      q_(std::make_unique<std::vector<double>>(static_cast<std::size_t>(mechanism.q_size()))),
      rates_(q_->size()) {
  const std::vector<ExpressionVariable> variables = coordinate_variables(mechanism, *q_);
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    for (const VelocityConstraint::Term& term : constraint.terms) {
      VelocityEntry& entry = entries_.emplace_back(VelocityEntry{constraint.row, term.u, 0.0, 0.0});
      Factor& factor = factors_.emplace_back();
      factor.scale = constraint.scale;
      if (const auto* const number = std::get_if<ConstantLaw>(&term.factor)) {
        entry.factor = number->value / constraint.scale;
        continue;
      }
      const std::string& text = std::get<ExpressionLaw>(term.factor).text;
      require_formula_limits(text);
      factor.formula.emplace(text, variables);
      for (const std::string& name : factor.formula->used_variables()) {
        const auto variable = std::find_if(variables.begin(), variables.end(),
                                           [&](const ExpressionVariable& each) { return each.name == name; });
        factor.derivatives.push_back(
            {static_cast<int>(variable - variables.begin()), Expression(derivative_of(text, name), variables)});
      }
    }
  }
}

void scale_velocity_constraints(const Mechanism& mechanism, std::span<VelocityConstraint> constraints) {
  std::vector<double> start(static_cast<std::size_t>(mechanism.q_size()));
  for (const Joint& joint : mechanism.tree_joints()) {
    std::copy(joint.q0.begin(), joint.q0.end(), start.begin() + joint.q_offset);
  }
  try {
    VelocityRows rows(mechanism);
    rows.set_positions(start);
    const double length = characteristic_length(mechanism);
    for (VelocityConstraint& constraint : constraints) {
      double largest = 0.0;
      for (const VelocityEntry& entry : rows.entries()) {
        if (entry.row == constraint.row) {
          const bool turns = constraint.ties_displacements && !is_displacement_at(mechanism, entry.u);
          largest = std::max(largest, std::abs(entry.factor) / (turns ? length : 1.0));
        }
      }
      constraint.scale = largest > 0.0 && std::isfinite(largest) ? next_power_of_two(largest) : 1.0;
    }
  } catch (const ExpressionError& error) {
    throw ModelError({"velocity_constraints", 0, "terms"},
                     fmt::format("a factor of a velocity constraint: {}; factors are formulas in q_JOINT, q_JOINT_2, "
                                 "... of joints that are not cut",
                                 error.what()));
  }
}

void VelocityRows::set_positions(std::span<const double> q) {
  std::copy(q.begin(), q.end(), q_->begin());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (factors_[i].formula) {
      entries_[i].factor = (*factors_[i].formula)() / factors_[i].scale;
    }
  }
}

void VelocityRows::set_velocities(std::span<const double> u) {
  for (const Joint& joint : mechanism_->tree_joints()) {
    const auto nq = static_cast<std::size_t>(joint.nq);
    const auto first = static_cast<std::size_t>(joint.q_offset);
    coordinate_rates(joint, std::span<const double>(*q_).subspan(first, nq),
                     u.subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)),
                     std::span(rates_).subspan(first, nq));
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    double rate = 0.0;
    for (const Derivative& derivative : factors_[i].derivatives) {
      rate += derivative.formula() * rates_[static_cast<std::size_t>(derivative.q)];
    }
    entries_[i].rate = rate / factors_[i].scale;
  }
}

}  // namespace mbdbench
