/// \file
/// FormulationCheck of exact derivatives, by the state and by parameters.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/verification/derivatives/derivative_check.hpp"
#include "experiments/verification/derivatives/precise_answer.hpp"
#include "experiments/verification/formulation_check.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Along which derivatives are compared, a state: with random numbers a wrong entry shows in each.
constexpr int kDirections = 2;
// One-sided differences lose half the digits; of a smooth motion they leave some more.
constexpr double kEngineDerivatives = 1e-5;

/// Takes from a direction what prescribed motions do not let joints do.
void hold_prescribed(const Mechanism& mechanism, TangentDirection& along) {
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      along.q[joint.q_offset + motion.component] = 0.0;
      along.u[joint.u_offset + motion.component] = 0.0;
    }
  }
}

/// \returns positions as another rounding would leave them: every number off by eps of it, up or down.
Eigen::VectorXd rounded_differently(const Eigen::VectorXd& q) {
  RandomSource random(1);
  Eigen::VectorXd other = q;
  for (double& number : other) {
    number *= 1.0 + (random.uniform(0.0, 1.0) < 0.5 ? -1.0 : 1.0) * std::numeric_limits<double>::epsilon();
  }
  return other;
}

}  // namespace

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
    // Velocities that momenta are solved for are no better known along a direction than at the state.
    const double rounding = std::max(rate_limit_, velocity_limit(reference));
    const double change_terms = momentum ? largest_entry(changes) : reference_->largest_acceleration(changes);
    DerivativePlace place = {reference.state.t,   x_, xdot_, rounding, terms, change_terms, step, scatter_,
                             missing_of_motion(), {}};
    Eigen::VectorXd exact;
    AnswerFailures failures;
    if (precise_ && precise_->maps()) {
      const auto change_at = [&](const Eigen::VectorXd& q, double open) {
        return answer_of_113_bits(
            [&] {
              return precise_->along_motion(place.t, {view(q), view(reference.state.u), view(along.q), view(along.u)},
                                            view(place.x), {}, open);
            },
            place.t, failures);
      };
      const auto change = change_at(reference.state.q, 0.0);
      if (change) {
        direction = change->state;  // without the rounding of differences
      }
      if (change && std::isfinite(place.missing)) {  // otherwise x' is not that of the motion, by its own account
        exact = change->rates;
        ++result.derivative.precise_directions;
        place.blur = [&, change_at]() -> Eigen::VectorXd {
          const bool closes = precise_->closes(view(place.x));
          const auto blurred =
              closes ? change_at(reference.state.q, kEps) : change_at(rounded_differently(reference.state.q), 0.0);
          return blurred ? Eigen::VectorXd(kRoundingFactor * (blurred->rates - exact).cwiseAbs()) : Eigen::VectorXd();
        };
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
  const double rounding = std::max(rate_limit_, velocity_limit(reference));
  const DerivativePlace place = {reference.state.t,     x_,          xdot_, rounding,
                                 rate_terms(reference), force_terms, step,  scatter_,
                                 missing_of_motion(),   {}};
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
