#include "experiments/verification/parameters/precise_parameter_check.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/verification/derivatives/precise_answer.hpp"
#include "experiments/verification/derivatives/rounding_of_numbers.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// \returns the changes of all parameters along their direction.
std::vector<precise::NumberChange> changes_of(std::span<const VaryingParameter> parameters) {
  std::vector<precise::NumberChange> changes;
  std::transform(parameters.begin(), parameters.end(), std::back_inserter(changes), [](const VaryingParameter& one) {
    return precise::NumberChange{one.parameter.kind, one.place, one.change};
  });
  return changes;
}

/// How the state goes with the parameters (empty: not at all), and how x' does.
using StateChange = precise::PreciseChanges::Change;

std::optional<StateChange> change_of_state(const precise::PreciseChanges& precise, const DerivativePlace& place,
                                           std::span<const precise::NumberChange> changes) {
  StateChange change;
  change.state = precise.closing(place.t, view(place.x), changes);
  auto rates = precise.along_where_smooth(place.t, view(place.x), view(change.state), changes);
  if (!rates) {
    return std::nullopt;
  }
  change.rates = std::move(*rates);
  return change;
}

/// Of a state that is a function of that of the tree's joints, which stays, but for what loops ask for.
std::optional<StateChange> change_of_motion(const precise::PreciseChanges& precise, const VerificationState& state,
                                            const DerivativePlace& place,
                                            std::span<const precise::NumberChange> changes) {
  Eigen::VectorXd motion(state.q.size() + state.u.size());
  motion << state.q, state.u;
  Eigen::VectorXd closing = precise.closing(place.t, view(motion), changes);
  if (closing.size() == 0) {
    closing = Eigen::VectorXd::Zero(motion.size());
  }
  const Eigen::VectorXd q_change = closing.head(state.q.size());
  const Eigen::VectorXd u_change = closing.tail(state.u.size());
  return precise.along_motion(place.t, {view(state.q), view(state.u), view(q_change), view(u_change)}, view(place.x),
                              changes);
}

/// The rows of derivatives by the state times a direction. \param direction empty: zero
RhsStatus product_along(Formulation& formulation, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& direction,
                        DerivativeProduct& product) {
  product = {Eigen::VectorXd::Zero(x.size()), Eigen::VectorXd::Zero(x.size())};
  if (direction.size() == 0) {
    return {};
  }
  Rows rows(x.size(), x.size());
  const RhsStatus status = formulation.jacobian(t, view(x), {rows.data(), static_cast<std::size_t>(rows.size())});
  if (status.ok) {
    product = {rows * direction, rows.cwiseAbs() * direction.cwiseAbs()};
  }
  return status;
}

/// Of rates of coordinates that momenta are solved for: passes solve for impulses of loops by Phi_q M^-1 Phi_q^T, whose
/// condition is the square of that of Phi_q M^-1/2, which the limit counts: on mechanism 3168 of the soak 7000 in place
/// of 85, and columns that are zero are 1e-12.
constexpr double kMostOverTheLimit = 100.0;

/// \returns what roundings of the state do to the product, entry by entry: how far neighbours are from their mean.
Eigen::VectorXd rounding_of_product(Formulation& formulation, std::span<const VaryingParameter> parameters,
                                    const DerivativePlace& place, const Eigen::VectorXd& direction) {
  // A state of two numbers has few neighbours one rounding away, and what is solved for from it is the same at most of
  // them. The limit counts more roundings than these anyway.
  constexpr StateNeighbours kNeighbours = {8, 16.0};
  std::vector<RateParameter> asked;
  Eigen::VectorXd change(static_cast<Eigen::Index>(parameters.size()));
  for (const VaryingParameter& one : parameters) {
    change[static_cast<Eigen::Index>(asked.size())] = one.change;
    asked.push_back(one.parameter);
  }
  Rows columns(place.x.size(), change.size());
  DerivativeProduct along;
  const NumbersOfState product = [&](const Eigen::VectorXd& x, Eigen::VectorXd& numbers) {
    const RhsStatus status = formulation.parameter_jacobian(place.t, view(x), asked,
                                                            {columns.data(), static_cast<std::size_t>(columns.size())});
    if (!status.ok || !product_along(formulation, place.t, x, direction, along).ok) {
      return false;
    }
    numbers = columns * change + along.value;
    return true;
  };
  return rounding_of_numbers(place.x, product, place.x.size(), kNeighbours);
}

}  // namespace

PreciseParameterComparison compare_with_precise_parameters(Formulation& formulation,
                                                           const precise::PreciseChanges& precise,
                                                           std::span<const VaryingParameter> parameters,
                                                           const VerificationState& state, const DerivativePlace& place,
                                                           const DerivativeProduct& product,
                                                           const DerivativeComparison& comparison) {
  const std::vector<precise::NumberChange> changes = changes_of(parameters);
  PreciseParameterComparison comparison_made;
  const auto question = [&] {
    return precise.maps() ? change_of_motion(precise, state, place, changes) : change_of_state(precise, place, changes);
  };
  AnswerFailures failures;
  const std::optional<StateChange> change = answer_of_113_bits(question, place.t, failures);
  comparison_made.failure = failures.wrong;
  comparison_made.no_answer = failures.without;
  if (!change) {
    return comparison_made;  // it has no derivative, and differences look from either side; or there is no reference
  }
  DerivativeProduct along;
  if (const RhsStatus status = product_along(formulation, place.t, place.x, change->state, along); !status.ok) {
    comparison_made.failure = "derivatives: " + status.message();
    return comparison_made;
  }
  const DerivativeProduct found = {product.value + along.value, product.terms + along.terms};
  for (const auto& block : comparison.blocks()) {
    if (block.empty()) {
      continue;
    }
    const double size = comparison.size_of_product(found.terms, block);
    DerivativeDeviation worst =
        comparison.deviation_of(block, found.value, change->rates, size, "by 113 bits of parameters");
    const bool solved = precise.maps() && comparison.solves_velocities() && &block == comparison.blocks().data();
    if (solved && worst.error > worst.tolerance && size > 0.0) {
      const Eigen::VectorXd rounding = rounding_of_product(formulation, parameters, place, change->state);
      const double explained = DerivativeComparison::largest_in(rounding, block) / size;
      worst.tolerance = std::max(worst.tolerance, std::min(explained, kMostOverTheLimit * worst.tolerance));
    }
    worst.tolerance = std::max(worst.tolerance, place.missing);
    comparison.tell(worst);
  }
  comparison_made.compared = true;
  return comparison_made;
}

}  // namespace mbdbench
