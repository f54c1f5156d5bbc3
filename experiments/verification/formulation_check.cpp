#include "experiments/verification/formulation_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "experiments/verification/derivatives/derivative_check.hpp"
#include "experiments/verification/entry_names.hpp"
#include "formulations/options/gauge_option.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Positions and inertias come out of sums over the bodies and carry errors that no condition number shows.
constexpr double kSmallestLimit = 1e-12;
// How many steps differences look ahead.
constexpr double kReach = 4.0;

// Relative change of a state whose effect is measured: far above rounding, far below where it bends.
constexpr double kStateChange = 1e-10;
// What an iteration says of its own remainder is an estimate, in another norm.
constexpr double kRemainderFactor = 10.0;

Eigen::VectorXd stacked(const Reactions& reactions) {
  Eigen::VectorXd all(static_cast<Eigen::Index>(6 * (reactions.tree_joints.size() + reactions.cut_joints.size())));
  Eigen::Index next = 0;
  for (const std::vector<Vec6>* const list : {&reactions.tree_joints, &reactions.cut_joints}) {
    for (const Vec6& wrench : *list) {
      all.segment<6>(next) = wrench;
      next += 6;
    }
  }
  return all;
}

bool equal_layouts(std::span<const StateComponent> a, std::span<const StateComponent> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StateComponent& left, const StateComponent& right) {
                      return left.name == right.name && left.kind == right.kind;
                    });
}

/// \returns option leak of the gauges that have one, 1/s; zero of others.
double leak_of(const Parameters& options, bool tangent) {
  const auto gauge = options.values().find("gauge");
  if (!tangent && (gauge == options.values().end() || std::get<std::string>(gauge->second) != "leak")) {
    return 0.0;
  }
  return options.values().contains("leak") ? options.number("leak") : kDefaultLeak;
}

Formulation& matching_reference(VerificationReference& reference, StateKind kind) {
  return kind == StateKind::momentum ? reference.momentum_form() : reference.velocity_form();
}

}  // namespace

double FormulationCheck::largest_entry(const Eigen::VectorXd& vector) {
  return vector.size() > 0 ? vector.lpNorm<Eigen::Infinity>() : 0.0;
}

Deviation FormulationCheck::relative_error(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double scale) {
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) {
      return {std::numeric_limits<double>::infinity(), i};
    }
  }
  Deviation largest;
  if (a.size() > 0) {
    const double difference = (a - b).cwiseAbs().maxCoeff(&largest.entry);
    largest.error = difference == 0.0 ? 0.0 : difference / std::max(largest_entry(b), scale);
  }
  return largest;
}

void FormulationCheck::add(BlockCheck& block, const VerificationResult& result, Deviation deviation, double tolerance,
                           double largest_limit, const std::string& component) {
  if (block.add(deviation.error, tolerance, largest_limit)) {
    block.component = component;
    block.state = result.states - 1;
  }
}

double FormulationCheck::step_along_directions(const Mechanism& mechanism) {
  return kDifferenceStep / std::sqrt(std::max(1.0, static_cast<double>(mechanism.u_size())));
}

double FormulationCheck::rounding_limit(const Reference& reference) {
  const auto n = static_cast<double>(reference.u.size());
  return std::max(kSmallestLimit, kRoundingFactor * n * kEps * reference.condition);
}

FormulationCheck::FormulationCheck(const FormulationEntry& entry, const Parameters& options, const Mechanism& mechanism,
                                   const Execution& execution, VerificationReference& reference, bool derivatives)
    : mechanism_(&mechanism),
      reference_(&reference),
      formulation_(entry.make(mechanism, options, execution)),
      rate_kind_(entry.rate_kind),
      tangent_(gauge_is_tangent(mechanism, options)),
      leak_(leak_of(options, tangent_)),
      same_layout_(equal_layouts(formulation_->layout(), matching_reference(reference, entry.rate_kind).layout())),
      x_(static_cast<Eigen::Index>(formulation_->state_size())),
      xdot_(x_.size()),
      q_(mechanism.q_size()),
      u_(mechanism.u_size()) {
  if (derivatives && formulation_->without_jacobian().empty()) {
    directions_.emplace(mechanism);
    without_precise_ = precise::refuse_precise_changes(*formulation_, options);
    if (without_precise_.empty()) {
      precise_.emplace(*formulation_, options);
    }
    parameters_.emplace(entry, options, execution, reference.variation(kReach * step_along_directions(mechanism)),
                        precise_ ? &*precise_ : nullptr);
  }
}

RhsStatus FormulationCheck::set_state(const Reference& reference) {
  const VerificationState& state = reference.state;
  if (!same_layout_) {
    return formulation_->pack(state.t, view(state.q), view(state.u), view(x_));
  }
  x_ << state.q, (rate_kind_ == StateKind::momentum ? reference.p : state.u);
  return {};
}

void FormulationCheck::keep_state(const Reference& reference, WorstComparison& worst) {
  // One that cannot be packed is written as far as that went.
  static_cast<void>(set_state(reference));
  for (const StateComponent& component : formulation_->layout()) {
    worst.names.push_back(component.name);
  }
  worst.x.assign(x_.begin(), x_.end());
}

void FormulationCheck::compare(const Reference& reference, VerificationResult& result) {
  const double t = reference.state.t;
  Reactions reactions;
  const auto failed = [&](const RhsStatus& status) {
    result.failure = status.message();
    return !status.ok;
  };
  if (failed(set_state(reference)) || failed(formulation_->unpack(t, view(x_), view(q_), view(u_))) ||
      failed(formulation_->rhs(t, view(x_), view(xdot_))) || failed(formulation_->reactions(t, view(x_), reactions))) {
    return;
  }
  ++result.states;
  result.condition = std::max(result.condition, reference.condition);
  converged_ = true;
  missing_ = 0.0;
  stated_accuracy_ = 0.0;
  by_engine_ = false;
  formulation_->diagnostics([this](std::string_view name, double value) {
    converged_ = converged_ && (name != "unconverged_change" || value == 0.0);
    missing_ = name == "unconverged_reactions" ? kRemainderFactor * value : missing_;
    by_engine_ = by_engine_ || name.starts_with("engine_");
    stated_accuracy_ = name == "stated_accuracy" ? value : stated_accuracy_;
  });
  result.largest_remainder = std::max(result.largest_remainder, missing_ / kRemainderFactor);
  result.unconverged += converged_ && missing_ <= kLargestLimit ? 0 : 1;
  set_rounding_limits(reference);
  const bool momentum = rate_kind_ == StateKind::momentum;
  if (!result.is_reference) {
    compare_velocities(reference, result);
    if (same_layout_) {
      compare_rates(reference, result);
    }
  }
  // Reference reactions are those of the velocity form: of the two references only that one would meet itself. Engines
  // tell none.
  const bool tells_reactions = !reactions.tree_joints.empty() || !reactions.cut_joints.empty();
  if (tells_reactions && (!result.is_reference || momentum)) {
    compare_reactions(reference, reactions, result);
  }
  compare_differences(reference, result);
  // The motion is that of the velocity form.
  if (!result.is_reference || momentum) {
    compare_neighbours(reference, result);
  }
  if (directions_) {
    compare_derivatives(reference, result);
  }
}

void FormulationCheck::set_rounding_limits(const Reference& reference) {
  limit_ = rounding_limit(reference);
  rate_limit_ = limit_;
  scatter_ = 0.0;
  if (same_layout_) {
    return;
  }
  // Where the state is not that of the reference, the map from it to the motion has a condition of its own: what a
  // small change of the state does, rounding of the state does too.
  RandomSource random(1);
  Eigen::VectorXd x = x_;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    // An entry that never changes says what others mean.
    const bool moves =
        xdot_[i] != 0.0 || formulation_->layout()[static_cast<std::size_t>(i)].kind != StateKind::position;
    const double sign = random.uniform(0.0, 1.0) < 0.5 ? -1.0 : 1.0;
    x[i] += moves ? sign * kStateChange * std::max(1.0, std::abs(x[i])) : 0.0;
  }
  Eigen::VectorXd u(u_.size());
  Eigen::VectorXd xdot(xdot_.size());
  Reactions before;
  Reactions after;
  const double t = reference.state.t;
  if (!formulation_->reactions(t, view(x_), before).ok || !formulation_->unpack(t, view(x), view(q_), view(u)).ok ||
      !formulation_->reactions(t, view(x), after).ok || !formulation_->rhs(t, view(x), view(xdot)).ok) {
    return;
  }
  const double of_velocities = relative_error(u, u_, reference.velocity_scale).error;
  const double of_wrenches = relative_error(stacked(after), stacked(before), reference.reaction_scale).error;
  const double of_rates = relative_error(xdot, xdot_, 0.0).error;
  const double rounding = kRoundingFactor * static_cast<double>(reference.u.size()) * kEps / kStateChange;
  limit_ = std::max(limit_, rounding * std::max(of_velocities, of_wrenches));
  rate_limit_ = std::max(limit_, rounding * of_rates);
  // Over such steps a smooth function bends by less than eps: what it bends by is what an iteration leaves.
  constexpr int kSteps = 4;
  const Eigen::VectorXd step = x - x_;
  Eigen::VectorXd before_last = xdot_;
  for (int k = 2; !converged_ && k < kSteps + 2; ++k) {
    x += step;
    Eigen::VectorXd next(xdot.size());
    if (!formulation_->rhs(t, view(std::as_const(x)), view(next)).ok) {
      return;
    }
    scatter_ = std::max(scatter_, kRoundingFactor * relative_error(xdot, 0.5 * (before_last + next), 0.0).error);
    before_last = std::exchange(xdot, next);
  }
}

double FormulationCheck::scale_of(const Eigen::VectorXd& expected, double scale, double terms) const {
  // Without the condition, which the limit has already.
  const double rounding = kRoundingFactor * static_cast<double>(u_.size()) * kEps * terms;
  return largest_entry(expected) <= rounding ? std::max(scale, terms) : scale;
}

void FormulationCheck::compare_velocities(const Reference& reference, VerificationResult& result) const {
  // The reference's velocities carry the rounding of its own solution: compared with them only where that is the task.
  const bool solves_for_u = rate_kind_ == StateKind::momentum && same_layout_;
  const Deviation deviation =
      relative_error(u_, solves_for_u ? reference.u : reference.state.u, reference.velocity_scale);
  add(result.velocity, result, deviation, velocity_limit(reference), kLargestLimit,
      velocity_entry(*mechanism_, deviation.entry));
}

double FormulationCheck::velocity_limit(const Reference& reference) const {
  const double size = std::max(largest_entry(reference.u), reference.velocity_scale);
  if (rate_kind_ != StateKind::momentum || !(size > 0.0)) {
    return limit_;
  }
  // A solution of n equations carries n roundings of its terms (the backward error of a Cholesky factorisation).
  const auto n = static_cast<double>(reference.u.size());
  return std::max(limit_, kRoundingFactor * n * kEps * reference.velocity_rounding / size);
}

double FormulationCheck::leak_at(const Reference& reference) const {
  return tangent_ ? tangent_leak(leak_, *mechanism_, view(reference.u)) : leak_;
}

void FormulationCheck::compare_rates(const Reference& reference, VerificationResult& result) const {
  const Eigen::Index nu = mechanism_->u_size();
  const double limit = limit_;
  const double limit_of_velocities = velocity_limit(reference);
  const Eigen::VectorXd& q_rates =
      rate_kind_ == StateKind::momentum ? reference.momentum_q_rates : reference.velocity_q_rates;
  const Deviation kinematic = relative_error(xdot_.head(q_rates.size()), q_rates, reference.velocity_scale);
  add(result.velocity, result, kinematic, limit_of_velocities, kLargestLimit,
      coordinate_entry(*mechanism_, kinematic.entry));
  const Eigen::VectorXd rates = xdot_.tail(nu);
  if (rate_kind_ == StateKind::momentum && reference.redundant && !tangent_) {
    // p' as published is unique up to the range of Phi_q^T only.
    const Eigen::MatrixXd projection = reference.null_space.transpose();
    const Eigen::VectorXd free_rates = projection * reference.momentum_rates;
    const double scale = scale_of(free_rates, reference.momentum_rate_scale, largest_entry(reference.force_terms));
    const Deviation projected = relative_error(projection * rates, free_rates, scale);
    // The motion that the constraints leave free, by the joint that has the largest part in it.
    Eigen::Index joint = 0;
    if (projected.entry < reference.null_space.cols()) {
      reference.null_space.col(projected.entry).cwiseAbs().maxCoeff(&joint);
    }
    add(result.rate, result, projected, limit, kLargestLimit,
        "the free motion that is largest in " + velocity_entry(*mechanism_, joint));
    return;
  }
  const bool velocities = rate_kind_ == StateKind::velocity;
  // What is tangent is left of a p' that may be larger, and carries its rounding.
  const Eigen::VectorXd momentum_rates = (tangent_ ? reference.tangent_momentum_rates : reference.momentum_rates) +
                                         leak_at(reference) * reference.impulses;
  const double size = std::max(largest_entry(momentum_rates), reference.momentum_rate_scale);
  const double of_larger = tangent_ && size > 0.0 ? std::max(1.0, largest_entry(reference.momentum_rates) / size) : 1.0;
  const Eigen::VectorXd& expected = velocities ? reference.accelerations : momentum_rates;
  const double scale = velocities
                           ? scale_of(expected, reference.acceleration_scale, reference.acceleration_terms)
                           : scale_of(expected, reference.momentum_rate_scale, largest_entry(reference.force_terms));
  const Deviation deviation = relative_error(rates, expected, scale);
  add(result.rate, result, deviation, std::max(of_larger * limit, stated_accuracy_), kLargestLimit,
      velocity_entry(*mechanism_, deviation.entry));
}

void FormulationCheck::compare_reactions(const Reference& reference, const Reactions& reactions,
                                         VerificationResult& result) const {
  if (reactions.tree_joints.size() != reference.reactions.tree_joints.size() ||
      reactions.cut_joints.size() != reference.reactions.cut_joints.size()) {
    result.failure = "reactions are not those of all joints";
    return;
  }
  if (reference.redundant) {
    const double scale =
        scale_of(reference.constraint_forces, reference.momentum_rate_scale, largest_entry(reference.force_terms));
    const Deviation deviation =
        relative_error(reference_->constraint_forces(reactions), reference.constraint_forces, scale);
    add(result.reaction, result, deviation, std::max(limit_, missing_), kLargestLimit,
        velocity_entry(*mechanism_, deviation.entry));
    return;
  }
  const Eigen::VectorXd expected = stacked(reference.reactions);
  const Deviation deviation = relative_error(stacked(reactions), expected, reference.reaction_scale);
  // Loads and inertia forces round by eps of their own size, however much of them a wrench is the difference of.
  const double cancelled = reference.reaction_terms / std::max(largest_entry(expected), reference.reaction_scale);
  const double rounding = kRoundingFactor * static_cast<double>(reference.u.size()) * kEps * cancelled;
  add(result.reaction, result, deviation, std::max({limit_, rounding, missing_}), kLargestLimit,
      wrench_entry(*mechanism_, deviation.entry));
}

}  // namespace mbdbench
