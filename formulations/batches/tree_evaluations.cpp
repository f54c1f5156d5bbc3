#include "formulations/batches/tree_evaluations.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mbdbench {

void TreeEvaluations::batch(double t, std::span<const double> states, std::span<double> rates,
                            std::span<RhsStatus> statuses) {
  if (!lanes_) {
    lanes_ = std::make_unique<StatesInLanes>(*mechanism_, kind_, near_);
  }
  lanes_->evaluate(t, states, rates, statuses, one_);
}

RhsStatus TreeEvaluations::jacobian(double t, std::span<const double> x, std::span<double> derivatives) {
  if (!without_jacobian().empty()) {
    return {false, {}, "there are no exact derivatives, state components", static_cast<double>(x.size())};
  }
  if (!derivatives_) {
    derivatives_ = std::make_unique<TreeDerivatives>(*mechanism_, kind_, near_);
  }
  if (derivatives_->evaluate(t, x, derivatives)) {
    return {};
  }
  std::vector<double> rates(x.size());
  const RhsStatus status = one_(t, x, rates);
  if (!status.ok) {
    return status;
  }
  const auto bad = std::find_if_not(derivatives.begin(), derivatives.end(), [](double v) { return std::isfinite(v); });
  return {false, {}, "a derivative is not finite", bad == derivatives.end() ? 0.0 : *bad};
}

std::string TreeEvaluations::without_jacobian() const {
  const std::string load = loads_without_lanes(mechanism_->description());
  return load.empty()
             ? std::string()
             : "exact derivatives are there for constant forces, springs and dampers in joints; " + load + " has none";
}

}  // namespace mbdbench
