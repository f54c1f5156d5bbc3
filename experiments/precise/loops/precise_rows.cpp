#include "experiments/precise/loops/precise_rows.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <variant>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/load_variables.hpp"

namespace mbdbench::precise {

PreciseRows::PreciseRows(const Mechanism& mechanism) {
  add_motions(mechanism);
  for (const Coupling& coupling : mechanism.couplings()) {
    Row& row = rows_.emplace_back();
    row.value = coupling.value;
    std::transform(coupling.terms.begin(), coupling.terms.end(), std::back_inserter(row.terms),
                   [](const Coupling::Term& term) {
                     return Term{term.u, index_of(term.q), term.factor, -1};
                   });
  }
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    add_velocity_constraint(mechanism, constraint);
  }
  jacobian_ = RealMatrix::Zero(count(), mechanism.u_size());
  jacobian_rate_ = jacobian_;
}

void PreciseRows::add_motions(const Mechanism& mechanism) {
  int motion = 0;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& given : joint.motions) {
      Row& row = rows_.emplace_back();
      row.terms = {{joint.u_offset + given.component, index_of(joint.q_offset + given.component), 1.0, -1}};
      row.motion = motion++;
    }
  }
}

void PreciseRows::add_velocity_constraint(const Mechanism& mechanism, const VelocityConstraint& constraint) {
  Row row;
  row.has_position = false;
  const LoadVariables names(mechanism);
  for (const VelocityConstraint::Term& given : constraint.terms) {
    Term& term = row.terms.emplace_back(Term{given.u, 0, 0.0, -1});
    if (const auto* const number = std::get_if<ConstantLaw>(&given.factor)) {
      term.factor = Real(number->value) / Real(constraint.scale);
      continue;
    }
    const auto* const law = std::get_if<ExpressionLaw>(&given.factor);
    if (law == nullptr) {
      throw std::invalid_argument("the reference of 113 bits does not know a factor of '" + constraint.name + "'");
    }
    Factor factor{PreciseFormula(law->text), {}, constraint.scale};
    for (const std::string& name : factor.formula.variables()) {
      const auto variable = names.resolve(name);
      if (!variable || variable->source != LoadVariables::Source::joint_position) {
        throw std::invalid_argument("the reference of 113 bits does not know '" + name + "' in a factor of '" +
                                    constraint.name + "'");
      }
      factor.variables.push_back(index_of(variable->index));
    }
    term.formula = static_cast<int>(factors_.size());
    factors_.push_back(std::move(factor));
  }
  rows_.push_back(std::move(row));
}

Rated PreciseRows::factor_of(const Term& term, std::span<const Real> qdot, Pieces& pieces) const {
  if (term.formula < 0) {
    return {term.factor, 0.0};
  }
  const Factor& factor = factors_[index_of(term.formula)];
  std::vector<Rated> values;
  std::transform(factor.variables.begin(), factor.variables.end(), std::back_inserter(values), [&](std::size_t i) {
    return Rated{q_[i], qdot.empty() ? Real(0.0) : qdot[i]};
  });
  const Rated found = factor.formula.value(values, pieces);
  return {found.value / factor.scale, found.rate / factor.scale};
}

void PreciseRows::place(std::span<const Real> q) {
  q_.assign(q.begin(), q.end());
  pieces_.clear();
  jacobian_.setZero();
  for (Eigen::Index row = 0; row < count(); ++row) {
    for (const Term& term : rows_[index_of(row)].terms) {
      jacobian_(row, term.u) += factor_of(term, {}, pieces_).value;
    }
  }
}

void PreciseRows::move(std::span<const Real> qdot) {
  Pieces same;
  jacobian_rate_.setZero();
  for (Eigen::Index row = 0; row < count(); ++row) {
    for (const Term& term : rows_[index_of(row)].terms) {
      jacobian_rate_(row, term.u) += factor_of(term, qdot, same).rate;
    }
  }
}

RealVector PreciseRows::openings(std::span<const double> motions) const {
  RealVector openings = -prescribed(motions);
  for (Eigen::Index i = 0; i < count(); ++i) {
    const Row& row = rows_[index_of(i)];
    openings[i] -= row.value;
    for (const Term& term : row.terms) {
      openings[i] += row.has_position ? Real(term.factor * q_[term.q]) : Real(0.0);
    }
  }
  return openings;
}

RealVector PreciseRows::prescribed(std::span<const double> motions) const {
  RealVector values = RealVector::Zero(count());
  for (Eigen::Index i = 0; i < count(); ++i) {
    if (const int motion = rows_[index_of(i)].motion; motion >= 0) {
      values[i] = motions[index_of(motion)];
    }
  }
  return values;
}

}  // namespace mbdbench::precise
