#include "formulations/derivatives/trees/tree_evaluations.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formulations/derivatives/rate_parameters.hpp"

namespace mbdbench {

void TreeEvaluations::batch(double t, std::span<const double> states, std::span<double> rates,
                            std::span<RhsStatus> statuses, const StatesInLanes::OneState& alone) {
  if (!lanes_) {
    lanes_ = std::make_unique<StatesInLanes>(*mechanism_, kind_, near_, set_);
  }
  lanes_->evaluate(t, states, rates, statuses, alone);
}

template <typename Pass>
RhsStatus TreeEvaluations::derive(double t, std::span<const double> x, std::span<const double> numbers,
                                  const Pass& pass) {
  if (!derivatives_) {
    derivatives_ = std::make_unique<TreeDerivatives>(*mechanism_, kind_, near_, set_);
  }
  return pass(*derivatives_) ? RhsStatus{} : reason(t, x, numbers);
}

RhsStatus TreeEvaluations::reason(double t, std::span<const double> x, std::span<const double> numbers) const {
  std::vector<double> rates(x.size());
  const RhsStatus status = one_(t, x, rates);
  if (!status.ok) {
    return status;
  }
  const auto bad = std::find_if_not(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); });
  return {false, {}, "a derivative is not finite", bad == numbers.end() ? 0.0 : *bad};
}

RhsStatus TreeEvaluations::jacobian(double t, std::span<const double> x, std::span<double> derivatives) {
  return derive(t, x, derivatives, [&](TreeDerivatives& tree) { return tree.jacobian(t, x, derivatives); });
}

RhsStatus TreeEvaluations::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                           std::span<double> product) {
  return derive(t, x, product, [&](TreeDerivatives& tree) { return tree.jacobian_vector(t, x, direction, product); });
}

RhsStatus TreeEvaluations::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                                std::span<double> product, const WeightsByParameter& by) {
  const RhsStatus status = derive(
      t, x, product, [&](TreeDerivatives& tree) { return tree.weighted_derivatives(t, x, weights, product, by); });
  return status.ok ? finite_or_why(by) : status;
}

RhsStatus TreeEvaluations::parameter_jacobian(double t, std::span<const double> x,
                                              std::span<const RateParameter> parameters,
                                              std::span<double> derivatives) {
  return derive(t, x, derivatives,
                [&](TreeDerivatives& tree) { return tree.parameter_jacobian(t, x, parameters, derivatives); });
}

}  // namespace mbdbench
