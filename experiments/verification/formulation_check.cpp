#include "experiments/verification/formulation_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "experiments/verification/derivatives/derivative_check.hpp"
#include "experiments/verification/derivatives/precise_answer.hpp"
#include "experiments/verification/derivatives/state_derivative.hpp"
#include "experiments/verification/entry_names.hpp"
#include "formulations/options/gauge_option.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Limits. A stable solution of an n x n system with condition number c is right to about n eps c; the factor covers the
// recursion around it. c is that of the scaled matrices, which a formulation may do better than but not much worse.
constexpr double kRoundingFactor = 10.0;
// Positions and inertias come out of sums over the bodies and carry errors that no condition number shows.
constexpr double kSmallestLimit = 1e-12;
// Of the velocity scale, which is a thousandth of the velocities that forces soon make: below, what projection leaves
// of drawn velocities that drives hold at zero is a few eps.
constexpr double kRest = 1e4 * std::numeric_limits<double>::epsilon();
// A wrong term shows far above this. Where rounding may explain more, a disagreement proves nothing.
constexpr double kLargestLimit = 1e-7;
// The same for differences, whose own uncertainty is estimated from two steps.
constexpr double kSmallestDifferenceLimit = 1e-9;
constexpr double kLargestDifferenceLimit = 1e-4;
constexpr double kDifferenceStep = 1e-3;
// How many steps differences look ahead.
constexpr double kReach = 4.0;

/// Every joint turns by about 1 along a direction of states, every number changes by about itself along one of
/// parameters; at the end of a chain changes of random signs add up to the root of their number.
double step_along_directions(const Mechanism& mechanism) {
  return kDifferenceStep / std::sqrt(std::max(1.0, static_cast<double>(mechanism.u_size())));
}

// Along which derivatives are compared, a state: with random numbers a wrong entry shows in each.
constexpr int kDirections = 2;
// One-sided differences lose half the digits; of a smooth motion they leave some more.
constexpr double kEngineDerivatives = 1e-5;

// Rates of a smooth motion differ from step to step by what its accelerations do, times what forces, gauge and
// coordinates add; a jump by a thousandth of them is none of these.
constexpr double kRougherThanMotion = 1e3;
constexpr double kLargestJumpLimit = 0.1;
// Fourth differences span so many steps; nearer ones are a tenth, ..., a thousandth of the usual one, and twelve cover
// one.
constexpr std::size_t kJumpSteps = 4;
constexpr double kNearer = 0.1;
constexpr double kNearest = 5e-4;
// A step between neighbours takes entries of the state so far at most, unless they mean something else.
constexpr double kSameMeaning = 0.05;
// Relative change of a state whose effect is measured: far above rounding, far below where it bends.
constexpr double kStateChange = 1e-10;
// Passes that begin at zero and shrink every error leave at most all of it.
constexpr double kUnconvergedLimit = 1.0;
// What an iteration says of its own remainder is an estimate, in another norm.
constexpr double kRemainderFactor = 10.0;

constexpr double kEps = std::numeric_limits<double>::epsilon();

double largest_entry(const Eigen::VectorXd& vector) {
  return vector.size() > 0 ? vector.lpNorm<Eigen::Infinity>() : 0.0;
}

/// \returns max|a - b| / max(max|b|, scale); infinite for a value that is not finite.
Deviation relative_error(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double scale) {
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

/// Adds a state to a block and names the entry if it is the worst.
void add(BlockCheck& block, const VerificationResult& result, Deviation deviation, double tolerance,
         double largest_limit, const std::string& component) {
  if (block.add(deviation.error, tolerance, largest_limit)) {
    block.component = component;
    block.state = result.states - 1;
  }
}

/// Takes from a direction what prescribed motions do not let joints do.
void hold_prescribed(const Mechanism& mechanism, TangentDirection& along) {
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      along.q[joint.q_offset + motion.component] = 0.0;
      along.u[joint.u_offset + motion.component] = 0.0;
    }
  }
}

double tolerance(const Reference& reference) {
  const auto n = static_cast<double>(reference.u.size());
  return std::max(kSmallestLimit, kRoundingFactor * n * kEps * reference.condition);
}

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
  limit_ = tolerance(reference);
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

FormulationCheck::NeighbourRates FormulationCheck::rates_at(const NeighbouringState& neighbour) {
  NeighbourRates result;
  if (same_layout_) {
    x_ << neighbour.q, (rate_kind_ == StateKind::momentum ? neighbour.p : neighbour.u);
  } else if (!formulation_->pack(neighbour.t, view(neighbour.q), view(neighbour.u), view(x_)).ok) {
    return result;
  }
  if (formulation_->rhs(neighbour.t, view(x_), view(xdot_)).ok) {
    result.x = x_;
    result.rates = xdot_;
    for (Eigen::Index i = 0; i < xdot_.size(); ++i) {
      const StateKind kind = formulation_->layout()[static_cast<std::size_t>(i)].kind;
      result.rates[i] *= kind == StateKind::velocity || kind == StateKind::momentum ? 1.0 : 0.0;
    }
  }
  return result;
}

std::optional<FormulationCheck::Jump> FormulationCheck::largest_jump(const NeighbouringStates& neighbours,
                                                                     double scale) {
  std::vector<NeighbourRates> all;
  double size = scale;  // rates that are rounding of zero jump by all of themselves
  for (const NeighbouringState& neighbour : neighbours.states) {
    all.push_back(rates_at(neighbour));
    size = std::max(size, largest_entry(all.back().rates));
  }
  if (size == 0.0) {
    return std::nullopt;
  }
  // Fourth differences: a jump stays in them, and of coordinates in which a smooth motion bends sharply, as reduced
  // ones do, they leave the square of what second ones leave.
  constexpr std::array kWeights = {1.0, -4.0, 6.0, -4.0, 1.0};
  Jump jump;
  for (std::size_t k = 0; k + kWeights.size() <= all.size(); ++k) {
    Eigen::VectorXd fourth = Eigen::VectorXd::Zero(x_.size());
    bool comparable = true;
    for (std::size_t i = 0; i < kWeights.size(); ++i) {
      const NeighbourRates& one = all[k + i];
      comparable =
          comparable && one.x.size() > 0 &&
          (i == 0 || largest_entry(one.x - all[k + i - 1].x) < kSameMeaning * std::max(1.0, largest_entry(one.x)));
      if (comparable) {
        fourth += kWeights[i] * one.rates;
      }
    }
    if (comparable) {
      const Deviation here = relative_error(fourth, Eigen::VectorXd::Zero(fourth.size()), size);
      if (here.error > jump.size.error) {
        jump = {here, k};
      }
    }
  }
  return jump;
}

void FormulationCheck::compare_neighbours(const Reference& reference, VerificationResult& result) {
  const NeighbouringStates* states = &reference.neighbours;
  const double scale = rate_kind_ == StateKind::momentum ? reference.momentum_rate_scale : reference.acceleration_scale;
  std::optional<Jump> jump = largest_jump(*states, scale);
  if (!jump) {
    return;
  }
  const double limit =
      std::max(kSmallestDifferenceLimit, kRougherThanMotion * reference.neighbours.roughness + 16.0 * rate_limit_);
  // Coordinates near a singular position of theirs bend faster than the motion. Seen from nearer, where it was largest,
  // a bend goes and a jump stays.
  NeighbouringStates nearer;
  for (double share = kNearer; jump->size.error > limit && share > kNearest; share *= kNearer) {
    NeighbouringStates nearest;
    Jump largest;
    for (std::size_t i = jump->first; i < std::min(jump->first + kJumpSteps, states->states.size()); ++i) {
      NeighbouringStates from_here = reference_->neighbours(reference, states->states[i], share);
      const std::optional<Jump> here = largest_jump(from_here, scale);
      if (here && here->size.error > largest.size.error) {
        largest = *here;
        nearest = std::move(from_here);
      }
    }
    if (nearest.states.empty()) {
      break;
    }
    jump = largest;
    nearer = std::move(nearest);
    states = &nearer;
  }
  add(result.continuity, result, jump->size, limit, kLargestJumpLimit,
      formulation_->layout()[static_cast<std::size_t>(jump->size.entry)].name);
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

void FormulationCheck::compare_differences(const Reference& reference, VerificationResult& result) {
  const bool accelerations = !(same_layout_ && rate_kind_ == StateKind::velocity);
  // Velocities far below those that the forces soon make are rounding of rest: no energy flows.
  const bool energy = largest_entry(reference.state.u) > kRest * reference.velocity_scale;
  if (!accelerations && !energy) {
    return;
  }
  const Eigen::Index nu = mechanism_->u_size();
  Observation observation;
  const StateFunction values = [&](double t, std::span<const double> x, Eigen::VectorXd& result_values) {
    RhsStatus status = formulation_->unpack(t, x, view(q_), view(u_));
    if (status.ok) {
      status = formulation_->observe(t, x, observation);
    }
    result_values.resize(nu + 2);
    result_values << u_, observation.energies.kinetic, observation.energies.potential;
    return status.message();
  };
  // A step that is small next to the times in which the state changes.
  const double h = kDifferenceStep /
                   std::max({1.0, largest_entry(reference.state.u), std::sqrt(largest_entry(reference.accelerations))});
  const StateDerivative derivative = derivative_along(values, reference.state.t, x_, xdot_, h);
  if (!derivative.failure.empty()) {
    result.failure = derivative.failure;
    return;
  }
  if (accelerations) {
    // Where nothing moves and nothing pulls, the mechanism has no unit of time. The step of the differences is one:
    // what a formulation makes of coordinates that round is eps over its square.
    const double rest = kEps * std::max(1.0, largest_entry(reference.state.q)) / (h * h * kSmallestDifferenceLimit);
    const double given = std::max(largest_entry(reference.accelerations), reference.acceleration_scale);
    const double size = given > 0.0 ? given : rest;
    const double rounding = limit_ * std::max(largest_entry(reference.u), reference.velocity_scale) / h;
    const double iteration = converged_ ? 0.0 : kUnconvergedLimit;
    const double explained = (largest_entry(derivative.uncertainty.head(nu)) + rounding) / size + iteration;
    const Deviation deviation = relative_error(derivative.value.head(nu), reference.accelerations, size);
    add(result.acceleration, result, deviation, std::max(kSmallestDifferenceLimit, explained), kLargestDifferenceLimit,
        velocity_entry(*mechanism_, deviation.entry));
  }
  if (energy) {
    const double kinetic_rate = derivative.value[nu];
    const double potential_rate = derivative.value[nu + 1];
    double power = 0.0;
    const RhsStatus status = formulation_->power(reference.state.t, view(x_), power);
    if (!status.ok) {
      result.failure = status.message();
      return;
    }
    const double size = std::abs(kinetic_rate) + std::abs(potential_rate) + std::abs(power);
    // Where the state holds u, T is right to rounding; where u is solved for, T inherits its error.
    const double kinetic_error = rate_kind_ == StateKind::momentum ? 2.0 * limit_ : kRoundingFactor * kEps;
    const double rounding = (kinetic_error * observation.energies.kinetic +
                             kRoundingFactor * kEps * std::abs(observation.energies.potential) +
                             kRoundingFactor * kEps * reference.offset_energy) /
                            h;
    // Of the drives' forces, which are solved for.
    const double power_error = (converged_ ? std::max(limit_, missing_) : kUnconvergedLimit) * std::abs(power);
    const double iteration = converged_ ? 0.0 : kUnconvergedLimit * std::abs(kinetic_rate);
    const double uncertainty = derivative.uncertainty.tail(2).sum() + rounding + power_error + iteration;
    // Where no energy flows, as in a body that turns freely, there is nothing to compare.
    if (size > uncertainty) {
      add(result.energy, result, {std::abs(kinetic_rate + potential_rate - power) / size, 0},
          std::max(kSmallestDifferenceLimit, uncertainty / size), kLargestDifferenceLimit, "");
    }
  }
}

void FormulationCheck::compare_derivatives(const Reference& reference, VerificationResult& result) {
  // Where rows depend on one another that elsewhere do not, derivatives do not exist.
  if (reference.null_space.cols() > mechanism_->u_size() - mechanism_->generic_rank().rank) {
    return;
  }
  RandomSource random(result.states);
  compare_by_state(reference, random, result);
  if (result.failure.empty()) {
    compare_by_parameters(reference, random, result);
  }
}

void FormulationCheck::compare_by_state(const Reference& reference, RandomSource& random, VerificationResult& result) {
  const double step = step_along_directions(*mechanism_);
  for (int i = 0; i < kDirections && result.failure.empty(); ++i) {
    TangentDirection along = directions_->draw(reference, random);
    if (along.q.size() == 0) {
      return;
    }
    if (precise_ && precise_->maps()) {
      hold_prescribed(*mechanism_, along);
    }
    auto direction = state_direction(*formulation_, reference.state, along, step);
    if (direction && rate_kind_ == StateKind::velocity && (same_layout_ || (precise_ && !precise_->maps()))) {
      // Without the rounding of differences, which leaves the constraints; angles of cut joints may stand behind.
      direction->head(along.q.size() + along.u.size()) << along.q, along.u;
    }
    // What it has packed last may decide what it makes of a state.
    RhsStatus status = set_state(reference);
    status = status.ok ? formulation_->rhs(reference.state.t, view(x_), view(xdot_)) : status;
    if (!direction || !status.ok) {
      return;
    }
    const bool momentum = rate_kind_ == StateKind::momentum;
    const double terms = rate_terms(reference);
    const Eigen::VectorXd changes = reference_->changes_of_force_terms(along.u, reference);
    const double change_terms = momentum ? largest_entry(changes) : reference_->largest_acceleration(changes);
    DerivativePlace place = {reference.state.t, x_,   xdot_,    rate_limit_,         terms,
                             change_terms,      step, scatter_, missing_of_motion(), {}};
    Eigen::VectorXd exact;
    AnswerFailures failures;
    if (precise_ && precise_->maps()) {
      const auto change_where_open = [&](double open) {
        return answer_of_113_bits(
            [&] {
              return precise_->along_motion(
                  place.t, {view(reference.state.q), view(reference.state.u), view(along.q), view(along.u)},
                  view(place.x), {}, open);
            },
            place.t, failures);
      };
      const auto change = change_where_open(0.0);
      if (change) {
        direction = change->state;  // without the rounding of differences
      }
      if (change && std::isfinite(place.missing)) {  // otherwise x' is not that of the motion, by its own account
        exact = change->rates;
        ++result.derivative.precise_directions;
        const auto open = precise_->closes(view(place.x)) ? change_where_open(kEps) : std::nullopt;
        if (open) {
          place.blur = kRoundingFactor * (open->rates - exact).cwiseAbs();
        }
      }
    } else if (precise_) {
      auto rates = answer_of_113_bits(
          [&] { return precise_->along_where_smooth(place.t, view(place.x), view(std::as_const(*direction))); },
          place.t, failures);
      if (rates) {
        exact = std::move(*rates);
        ++result.derivative.precise_directions;
      }
    }
    ++result.derivative.directions;
    result.without_113_bits = without_precise_;
    if (result.no_answer_of_113_bits.empty()) {
      result.no_answer_of_113_bits = failures.without;
    }
    if (!failures.wrong.empty()) {
      result.failure = failures.wrong;
      return;
    }
    result.failure = mbdbench::compare_derivatives(*formulation_, place, *direction, exact, random,
                                                   adding_to(result.derivative, result));
  }
}

double FormulationCheck::missing_of_motion() const {
  if (!precise_ || !precise_->maps()) {
    return 0.0;
  }
  return converged_ && missing_ <= kLargestLimit ? missing_ : std::numeric_limits<double>::infinity();
}

double FormulationCheck::rate_terms(const Reference& reference) const {
  return rate_kind_ == StateKind::momentum ? largest_entry(reference.force_terms) : reference.acceleration_terms;
}

DeviationSink FormulationCheck::adding_to(BlockCheck& block, VerificationResult& result) const {
  return [&](const DerivativeDeviation& found) {
    // Beside the constraints rows that repeat others contradict one another, and x' bends along a straight line:
    // differences that say so of themselves are no reference.
    if (found.by_differences && found.tolerance > kLargestDifferenceLimit &&
        mechanism_->generic_rank().overconstrained) {
      return;
    }
    // Another engine's derivatives may be differences themselves.
    const double tolerance = by_engine_ ? std::max(found.tolerance, kEngineDerivatives) : found.tolerance;
    const bool wide = found.by_differences || by_engine_;
    add(block, result, {found.error, 0}, tolerance, wide ? kLargestDifferenceLimit : kLargestLimit, found.component);
  };
}

void FormulationCheck::compare_by_parameters(const Reference& reference, RandomSource& random,
                                             VerificationResult& result) {
  if (mechanism_->u_size() == mechanism_->generic_rank().rank) {
    // Columns are rounding of zero, and nothing says of what size.
    result.parameters_left_out = "all parameters: nothing is free to move";
    return;
  }
  RhsStatus status = set_state(reference);
  status = status.ok ? formulation_->rhs(reference.state.t, view(x_), view(xdot_)) : status;
  if (!status.ok) {
    return;
  }
  const double step = step_along_directions(*mechanism_);
  const Eigen::VectorXd forces = parameters_->force_changes();
  const double force_terms =
      rate_kind_ == StateKind::momentum ? largest_entry(forces) : reference_->largest_acceleration(forces);
  const DerivativePlace place = {reference.state.t, x_,   xdot_,    rate_limit_,         rate_terms(reference),
                                 force_terms,       step, scatter_, missing_of_motion(), {}};
  result.failure =
      parameters_->compare(*formulation_, reference.state, place, random, adding_to(result.parameter, result));
  result.parameters_left_out = parameters_->left_out();
  result.parameter.directions = parameters_->directions();
  result.parameter.precise_directions = parameters_->precise_directions();
  if (result.no_answer_of_113_bits.empty()) {
    result.no_answer_of_113_bits = parameters_->no_answer();
  }
}

}  // namespace mbdbench
