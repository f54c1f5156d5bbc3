#include "experiments/verification/parameters/parameter_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/verification/derivatives/rounding_of_numbers.hpp"
#include "experiments/verification/parameters/precise_parameter_check.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/cut_references.hpp"

namespace mbdbench {
namespace {

/// Formulations with other parameters that need more, bytes, are made again for each right-hand side: six of them
/// would exist at a time.
constexpr double kLargestKept = 2e6;
/// Where velocities are projected, or solved for, parameters change them by about as much as they are; a part of them
/// is the least by which rates of coordinates are weighted.
constexpr double kChangeOfVelocities = 0.1;

/// \returns what messages call a parameter.
std::string name_of(const RateParameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::joint_force:
      return fmt::format("force {} in {}", parameter.component + 1, parameter.name);
    case ParameterKind::mass:
      return "mass of " + parameter.name;
    case ParameterKind::stiffness:
      return "stiffness of " + parameter.name;
    case ParameterKind::damping:
      return "damping of " + parameter.name;
    case ParameterKind::length:
      break;
  }
  return "length of the link to " + parameter.name;
}

/// \returns whether states of both mean the same.
bool equal_states(const Formulation& a, const Formulation& b) {
  return std::equal(a.layout().begin(), a.layout().end(), b.layout().begin(), b.layout().end(),
                    [](const StateComponent& left, const StateComponent& right) {
                      return left.name == right.name && left.kind == right.kind;
                    });
}

/// \returns whether states hold independent coordinates alone.
bool solves_for_coordinates(const Formulation& formulation) {
  const auto held =
      std::count_if(formulation.layout().begin(), formulation.layout().end(), [](const StateComponent& one) {
        return !one.constant && (one.kind == StateKind::position || one.kind == StateKind::quaternion);
      });
  return held < formulation.mechanism().q_size();
}

}  // namespace

ParameterCheck::ParameterCheck(const FormulationEntry& entry, const Parameters& options, const Execution& execution,
                               ParameterVariation& variation, const precise::PreciseChanges* precise)
    : entry_(&entry),
      options_(&options),
      execution_(execution.alone()),
      variation_(&variation),
      precise_(precise),
      lengths_(variation.lengths_say_nothing().empty()) {
  if (!lengths_) {
    left_out_ = "lengths: " + variation.lengths_say_nothing();
  } else if (variation.held_lengths() > 0) {
    left_out_ = fmt::format("differences by {} of {} lengths: loops do not close with others", variation.held_lengths(),
                            variation.parameters().size() - variation.without_lengths());
  }
}

std::span<const VaryingParameter> ParameterCheck::parameters() const {
  const std::span<const VaryingParameter> all = variation_->parameters();
  return lengths_ ? all : all.first(variation_->without_lengths());
}

Eigen::VectorXd ParameterCheck::force_changes() const {
  Eigen::VectorXd changes = Eigen::VectorXd::Zero(variation_->mechanism().u_size());
  for (const VaryingParameter& one : parameters()) {
    if (one.parameter.kind == ParameterKind::joint_force) {
      changes[static_cast<Eigen::Index>(one.place)] = one.change;
    }
  }
  return changes;
}

RhsStatus ParameterCheck::read_columns(Formulation& formulation, double t, std::span<const double> x,
                                       Columns& columns) {
  std::vector<RateParameter> asked;
  std::transform(parameters().begin(), parameters().end(), std::back_inserter(asked),
                 [](const VaryingParameter& one) { return one.parameter; });
  columns.resize(static_cast<Eigen::Index>(x.size()), static_cast<Eigen::Index>(asked.size()));
  return formulation.parameter_jacobian(t, x, asked, {columns.data(), static_cast<std::size_t>(columns.size())});
}

bool ParameterCheck::ask(Formulation& formulation, const DerivativePlace& place, Columns& columns,
                         std::string& failure) {
  // What a formulation says that has none: it is no failure of this state.
  const std::string_view none = formulation.Formulation::parameter_jacobian(0.0, {}, {}, {}).reason;
  for (;;) {
    std::string why;
    try {
      const RhsStatus status = read_columns(formulation, place.t, view(place.x), columns);
      if (status.ok) {
        return true;
      }
      if (status.reason != none) {
        failure = "derivatives by parameters: " + status.message();
        return false;
      }
      why = "there are no exact derivatives";
    } catch (const ModelError& error) {
      why = error.what();
    }
    if (!lengths_ || variation_->without_lengths() == variation_->parameters().size()) {
      left_out_ = "all parameters: " + why;
      return false;
    }
    left_out_ = "lengths: " + why;
    lengths_ = false;
    kept_.clear();
  }
}

std::string ParameterCheck::compare(Formulation& formulation, const VerificationState& state,
                                    const DerivativePlace& with_forces, RandomSource& random,
                                    const DeviationSink& tell) {
  // Differences and weights have the rounding of rates; of 113 bits there is that of the columns alone, which are what
  // loops leave of forces that they hold.
  DerivativePlace place = with_forces;
  place.change_terms = 0.0;
  Columns columns;
  std::string failure;
  if (parameters().empty() || !ask(formulation, place, columns, failure)) {
    return failure;
  }
  const auto count = static_cast<Eigen::Index>(parameters().size());
  Eigen::VectorXd change(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    change[k] = parameters()[static_cast<std::size_t>(k)].change;
  }
  const DerivativeProduct product = {columns * change, columns.cwiseAbs() * change.cwiseAbs()};
  const DerivativeComparison comparison(formulation.layout(), place, tell);
  // Rates of coordinates that no parameter changes, or none here, have columns of rounding.
  Eigen::VectorXd sizes = product.terms;
  for (const Eigen::Index i : comparison.blocks().front()) {
    sizes[i] = std::max(sizes[i], kChangeOfVelocities * std::abs(place.xdot[i]));
  }
  const Eigen::VectorXd weights = comparison.weights(sizes, random);
  failure = compare_differences(formulation, state, place, product, comparison);
  ++directions_;
  // Where an iteration leaves something, by its own account, x' is not that of the motion.
  const bool is_motion =
      precise_ != nullptr && (!precise_->maps() || (place.scatter == 0.0 && std::isfinite(place.missing)));
  if (failure.empty() && is_motion) {
    const PreciseParameterComparison precise =
        compare_with_precise_parameters(formulation, *precise_, parameters(), state, place, {product.value, sizes},
                                        DerivativeComparison(formulation.layout(), with_forces, tell));
    failure = precise.failure;
    precise_directions_ += precise.compared ? 1 : 0;
    if (no_answer_.empty()) {
      no_answer_ = precise.no_answer;
    }
  }
  return failure.empty() ? compare_weights(formulation, place, columns, weights, comparison, tell) : failure;
}

std::shared_ptr<Formulation> ParameterCheck::changed(double s, Formulation& formulation) {
  if (const auto found = kept_.find(s); found != kept_.end()) {
    return found->second;
  }
  const Mechanism& mechanism = variation_->at(s, lengths_);
  std::shared_ptr<Formulation> other = entry_->make(mechanism, *options_, execution_);
  if (!equal_states(*other, formulation)) {
    throw ModelError({}, "states mean something else with other parameters");
  }
  for (const FollowedAngle& angle : followed_angles(mechanism)) {
    const std::span<const double> near = formulation.cut_references().of(angle.cut);
    other->cut_references().set(angle, near[static_cast<std::size_t>(angle.component)]);
  }
  if (entry_->memory.bytes(mechanism) <= kLargestKept) {
    kept_.emplace(s, other);
  }
  return other;
}

std::string ParameterCheck::compare_differences(Formulation& formulation, const VerificationState& state,
                                                const DerivativePlace& place, const DerivativeProduct& product,
                                                const DerivativeComparison& comparison) {
  const StateFunction rates = [&](double, std::span<const double> s, Eigen::VectorXd& values) {
    const std::shared_ptr<Formulation> other = changed(s.front(), formulation);
    if (solves_for_coordinates(*other)) {
      // Where it has packed last decides to which assembly they belong. That it packs may fail, of loops that other
      // lengths have opened.
      Eigen::VectorXd packed(place.x.size());
      static_cast<void>(other->pack(place.t, view(state.q), view(state.u), view(packed)));
    }
    values.resize(place.x.size());
    return other->rhs(place.t, view(place.x), view(values)).message();
  };
  try {
    const std::string failure = comparison.compare_differences(
        {rates, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)}, product, "by differences of parameters");
    return failure.empty() ? failure : "with other parameters: " + failure;
  } catch (const ModelError& error) {
    left_out_ = fmt::format("differences: {}", error.what());
    return {};
  }
}

RhsStatus ParameterCheck::weigh(Formulation& formulation, double t, std::span<const double> x, const Columns& columns,
                                const Eigen::VectorXd& weights, Weighted& found) const {
  const Mechanism& mechanism = formulation.mechanism();
  // What is not written is seen.
  constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> forces(static_cast<std::size_t>(mechanism.u_size()), kUnwritten);
  std::vector<double> masses(mechanism.bodies().size(), kUnwritten);
  std::vector<double> lengths(lengths_ ? mechanism.tree_joints().size() : 0, kUnwritten);
  found.by_state.resize(static_cast<Eigen::Index>(x.size()));
  const RhsStatus status =
      formulation.weighted_derivatives(t, x, view(weights), view(found.by_state), {forces, masses, lengths});
  found.by_columns = columns.transpose() * weights;
  found.by_pass = found.by_columns;
  for (std::size_t k = 0; k < parameters().size(); ++k) {
    const VaryingParameter& one = parameters()[k];
    double& by_pass = found.by_pass[static_cast<Eigen::Index>(k)];
    if (one.parameter.kind == ParameterKind::joint_force) {
      by_pass = forces[one.place];
    } else if (one.parameter.kind == ParameterKind::mass) {
      by_pass = masses[one.place];
    } else if (one.parameter.kind == ParameterKind::length) {
      by_pass = lengths[one.place];
    }
    by_pass *= one.size;
    found.by_columns[static_cast<Eigen::Index>(k)] *= one.size;
  }
  return status;
}

/// As of the state's own products: a rounding of the state may do more than the condition says.
Eigen::VectorXd ParameterCheck::rounding_of_weights(Formulation& formulation, const DerivativePlace& place,
                                                    const Eigen::VectorXd& weights, const Weighted& here) {
  const Eigen::Index size = here.by_pass.size();
  Columns columns;
  Weighted there;
  const NumbersOfState both = [&](const Eigen::VectorXd& x, Eigen::VectorXd& numbers) {
    if (!read_columns(formulation, place.t, view(x), columns).ok ||
        !weigh(formulation, place.t, view(x), columns, weights, there).ok) {
      return false;
    }
    numbers << there.by_columns, there.by_pass;
    return true;
  };
  Eigen::VectorXd of_both(2 * size);
  of_both << here.by_columns, here.by_pass;
  const Eigen::VectorXd spread = rounding_of_numbers(place.x, both, 2 * size, {}, of_both);
  return spread.head(size).cwiseMax(spread.tail(size));
}

std::string ParameterCheck::compare_weights(Formulation& formulation, const DerivativePlace& place,
                                            const Columns& columns, const Eigen::VectorXd& weights,
                                            const DerivativeComparison& comparison, const DeviationSink& tell) {
  Weighted found;
  Eigen::VectorXd by_state(place.x.size());
  for (const RhsStatus& status : {weigh(formulation, place.t, view(place.x), columns, weights, found),
                                  formulation.vector_jacobian(place.t, view(place.x), view(weights), view(by_state))}) {
    if (!status.ok) {
      return "weights of parameters: " + status.message();
    }
  }
  Eigen::VectorXd terms = columns.cwiseAbs().transpose() * weights.cwiseAbs();
  for (std::size_t k = 0; k < parameters().size(); ++k) {
    terms[static_cast<Eigen::Index>(k)] *= parameters()[k].size;
  }
  const double behind = comparison.terms_behind_weights(weights);
  for (const ParameterKind kind : {ParameterKind::joint_force, ParameterKind::mass, ParameterKind::length}) {
    DerivativeComparison::Block block;
    for (std::size_t k = 0; k < parameters().size(); ++k) {
      if (parameters()[k].parameter.kind == kind) {
        block.push_back(static_cast<Eigen::Index>(k));
      }
    }
    if (block.empty()) {
      continue;
    }
    const double size = std::max(DerivativeComparison::largest_in(terms, block), behind);
    DerivativeDeviation worst;
    worst.tolerance = place.rounding;
    for (const Eigen::Index k : block) {
      const double difference = std::abs(found.by_pass[k] - found.by_columns[k]);
      const double error = difference == 0.0 ? 0.0
                           : size > 0.0      ? difference / size
                                             : std::numeric_limits<double>::infinity();
      if (worst.component.empty() || !(error <= worst.error)) {
        worst.error = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        worst.component = name_of(parameters()[static_cast<std::size_t>(k)].parameter) + " of weighted_derivatives";
      }
    }
    if (worst.error > worst.tolerance && size > 0.0) {
      const Eigen::VectorXd rounding = rounding_of_weights(formulation, place, weights, found);
      worst.tolerance = std::max(worst.tolerance, DerivativeComparison::largest_in(rounding, block) / size);
    }
    tell(worst);
  }
  for (const DerivativeComparison::Block& block : comparison.blocks()) {
    const double size = std::max(DerivativeComparison::size_of(by_state.cwiseAbs(), block), behind);
    comparison.tell(block, found.by_state, by_state, size, "of weighted_derivatives");
  }
  return {};
}

}  // namespace mbdbench
