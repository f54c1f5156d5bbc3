#include "formulations/derivatives/loops/slopes/velocity_slopes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "formulations/derivatives/loops/slopes/turned_coordinates.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/formula_derivative.hpp"

namespace mbdbench {
namespace {

std::size_t place_of(const std::vector<ExpressionVariable>& variables, const std::string& name) {
  return static_cast<std::size_t>(std::find_if(variables.begin(), variables.end(),
                                               [&](const ExpressionVariable& each) { return each.name == name; }) -
                                  variables.begin());
}

}  // namespace

std::string VelocitySlopes::obstacle(const Mechanism& mechanism) {
  if (mechanism.velocity_constraints().empty()) {
    return {};
  }
  std::vector<double> q(index_of(mechanism.q_size()));
  const std::vector<ExpressionVariable> variables = coordinate_variables(mechanism, q);
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    const std::string who = "there are no exact derivatives of constraint '" + constraint.name + "': ";
    for (const VelocityConstraint::Term& term : constraint.terms) {
      const auto* const law = std::get_if<ExpressionLaw>(&term.factor);
      if (law == nullptr) {
        continue;
      }
      for (const std::string& name : Expression(law->text, variables).used_variables()) {
        if (rate_of_coordinate(mechanism, static_cast<int>(place_of(variables, name))) < 0) {
          return who + "a factor depends on " + name + ", a component of a quaternion";
        }
      }
    }
    try {
      static_cast<void>(terms_of(mechanism, constraint, variables));
    } catch (const ExpressionError& error) {
      return who + error.what();  // a second derivative may be too long to be read
    }
  }
  return {};
}

VelocitySlopes::VelocitySlopes(const Mechanism& mechanism)
    : q_(std::make_unique<std::vector<double>>(index_of(mechanism.q_size()))) {
  if (mechanism.velocity_constraints().empty()) {
    return;
  }
  const std::vector<ExpressionVariable> variables = coordinate_variables(mechanism, *q_);
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    std::vector<Term> own = terms_of(mechanism, constraint, variables);
    std::move(own.begin(), own.end(), std::back_inserter(terms_));
  }
}

std::vector<VelocitySlopes::Term> VelocitySlopes::terms_of(const Mechanism& mechanism,
                                                           const VelocityConstraint& constraint,
                                                           const std::vector<ExpressionVariable>& variables) {
  std::vector<Term> terms;
  for (const VelocityConstraint::Term& from : constraint.terms) {
    Term& term = terms.emplace_back();
    term.row = constraint.row;
    term.axis = from.u;
    term.scale = constraint.scale;
    if (const auto* const number = std::get_if<ConstantLaw>(&from.factor)) {
      term.factor = number->value / term.scale;
      continue;
    }
    const std::string& text = std::get<ExpressionLaw>(from.factor).text;
    term.formula.emplace(text, variables);
    const std::vector<std::string> names = term.formula->used_variables();
    for (const std::string& name : names) {
      const std::string slope = derivative_of(text, name);
      Slope& own =
          term.slopes.emplace_back(Slope{rate_of_coordinate(mechanism, static_cast<int>(place_of(variables, name))),
                                         Expression(slope, variables),
                                         {},
                                         0.0,
                                         0.0});
      for (const std::string& other : names) {
        own.seconds.emplace_back(derivative_of(slope, other), variables);
      }
    }
  }
  return terms;
}

void VelocitySlopes::set_positions(std::span<const double> q) {
  std::copy(q.begin(), q.end(), q_->begin());
  for (Term& term : terms_) {
    if (term.formula) {
      term.factor = (*term.formula)() / term.scale;
      for (Slope& slope : term.slopes) {
        slope.value = slope.formula() / term.scale;
      }
    }
  }
}

void VelocitySlopes::set_velocities(const Eigen::VectorXd& u) {
  for (Term& term : terms_) {
    term.speed = u[term.axis];
    term.rate = 0.0;
    term.sigma = 0.0;
    term.mu = 0.0;
    for (Slope& slope : term.slopes) {
      term.rate += slope.value * u[slope.axis];
      slope.of_rate = 0.0;
    }
    for (const Slope& slope : term.slopes) {
      for (std::size_t j = 0; j < term.slopes.size(); ++j) {
        term.slopes[j].of_rate += slope.seconds[j]() / term.scale * u[slope.axis];
      }
    }
  }
}

void VelocitySlopes::set_accelerations(const Eigen::VectorXd& accelerations, const Eigen::MatrixXd& lambda) {
  for (Term& term : terms_) {
    term.acceleration = accelerations[term.axis];
    term.lambda = lambda(term.row, 0);
  }
}

void VelocitySlopes::set_impulses(const Eigen::MatrixXd& sigma) {
  for (Term& term : terms_) {
    term.sigma = sigma(term.row, 0);
  }
}

void VelocitySlopes::set_gauge(const Eigen::VectorXd& mu) {
  for (Term& term : terms_) {
    term.mu = mu[term.row];
  }
}

void VelocitySlopes::add_rows(Eigen::MatrixXd& constraints) const {
  for (const Term& term : terms_) {
    constraints(term.row, term.axis) = term.factor;
  }
}

void VelocitySlopes::take_second_rates(Eigen::VectorXd& wanted) const {
  for (const Term& term : terms_) {
    wanted[term.row] -= term.rate * term.speed;
  }
}

void VelocitySlopes::add_momentum_rates(Eigen::VectorXd& rates) const {
  for (const Term& term : terms_) {
    rates[term.axis] += term.factor * term.mu - term.rate * term.sigma;
  }
}

void VelocitySlopes::add_forces(const Eigen::Ref<const Eigen::MatrixXd>& turns, Eigen::MatrixXd& forces) const {
  for (const Term& term : terms_) {
    for (const Slope& slope : term.slopes) {
      forces.row(term.axis) -= term.lambda * slope.value * turns.row(slope.axis);
    }
  }
}

void VelocitySlopes::add_seconds(const Eigen::Ref<const Eigen::MatrixXd>& turns,
                                 const Eigen::Ref<const Eigen::MatrixXd>& pushes, Eigen::MatrixXd& seconds) const {
  for (const Term& term : terms_) {
    seconds.row(term.row) += term.rate * pushes.row(term.axis);
    for (const Slope& slope : term.slopes) {
      seconds.row(term.row) += (slope.value * term.acceleration + slope.of_rate * term.speed) * turns.row(slope.axis) +
                               slope.value * term.speed * pushes.row(slope.axis);
    }
  }
}

void VelocitySlopes::add_changes(const Eigen::Ref<const Eigen::MatrixXd>& turns, Eigen::MatrixXd& changes) const {
  for (const Term& term : terms_) {
    for (const Slope& slope : term.slopes) {
      changes.row(term.axis) -= term.sigma * slope.value * turns.row(slope.axis);
    }
  }
}

void VelocitySlopes::add_firsts(const Eigen::Ref<const Eigen::MatrixXd>& turns, Eigen::MatrixXd& firsts) const {
  for (const Term& term : terms_) {
    for (const Slope& slope : term.slopes) {
      firsts.row(term.row) += term.speed * slope.value * turns.row(slope.axis);
    }
  }
}

void VelocitySlopes::add_momentum_rates(const Eigen::Ref<const Eigen::MatrixXd>& turns,
                                        const Eigen::Ref<const Eigen::MatrixXd>& pushes,
                                        const Eigen::Ref<const Eigen::MatrixXd>& multipliers,
                                        Eigen::MatrixXd& rates) const {
  for (const Term& term : terms_) {
    for (const Slope& slope : term.slopes) {
      rates.row(term.axis) += (term.mu * slope.value - term.sigma * slope.of_rate) * turns.row(slope.axis) -
                              term.sigma * slope.value * pushes.row(slope.axis);
    }
    if (multipliers.cols() > 0) {
      rates.row(term.axis) -= term.rate * multipliers.row(term.row);
    }
  }
}

void VelocitySlopes::add_weights(const Eigen::VectorXd& of_forces, const Eigen::VectorXd& of_seconds,
                                 Eigen::VectorXd& by_turn, Eigen::VectorXd& by_push) const {
  for (const Term& term : terms_) {
    const double force = -of_forces[term.axis] * term.lambda;
    const double second = of_seconds[term.row];
    by_push[term.axis] += second * term.rate;
    for (const Slope& slope : term.slopes) {
      by_turn[slope.axis] +=
          force * slope.value + second * (slope.value * term.acceleration + slope.of_rate * term.speed);
      by_push[slope.axis] += second * slope.value * term.speed;
    }
  }
}

void VelocitySlopes::add_weights_of_changes(const Eigen::VectorXd& of_changes, const Eigen::VectorXd& of_firsts,
                                            Eigen::VectorXd& by_turn) const {
  for (const Term& term : terms_) {
    for (const Slope& slope : term.slopes) {
      by_turn[slope.axis] += (of_firsts[term.row] * term.speed - of_changes[term.axis] * term.sigma) * slope.value;
    }
  }
}

void VelocitySlopes::add_weights_of_momenta(const Eigen::VectorXd& of_rates, Eigen::VectorXd& by_turn,
                                            Eigen::VectorXd& by_push, Eigen::VectorXd& by_multiplier) const {
  for (const Term& term : terms_) {
    const double weight = of_rates[term.axis];
    by_multiplier[term.row] += weight * term.rate;
    for (const Slope& slope : term.slopes) {
      by_turn[slope.axis] += weight * (term.sigma * slope.of_rate - term.mu * slope.value);
      by_push[slope.axis] += weight * term.sigma * slope.value;
    }
  }
}

}  // namespace mbdbench
