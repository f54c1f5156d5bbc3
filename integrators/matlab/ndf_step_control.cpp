#include "integrators/matlab/ndf_step_control.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench {
namespace {

// Safety factors after a success: a change of order must promise more than staying.
constexpr double kSame = 1.2;
constexpr double kLower = 1.3;
constexpr double kHigher = 1.4;
// Their inverses to three figures, as MATLAB has them after a failure.
constexpr double kSameAfterFailure = 0.833;
constexpr double kLowerAfterFailure = 0.769;

}  // namespace

StepAndOrder after_first_failure(const StepAndOrder& now, const OrderErrors& errors, double relative_tolerance) {
  const auto step_for = [&](double error, double safety, int order) {
    return now.step * std::max(0.1, safety * std::pow(relative_tolerance / error, 1.0 / (order + 1)));
  };
  const double same = step_for(errors.same, kSameAfterFailure, now.order);
  const double lower = step_for(errors.lower, kLowerAfterFailure, now.order - 1);
  return lower > same ? StepAndOrder{std::min(now.step, lower), now.order - 1} : StepAndOrder{same, now.order};
}

StepAndOrder after_success(const StepAndOrder& now, const OrderErrors& errors, double relative_tolerance) {
  const auto step_for = [&](double error, double safety, int order) {
    return now.step / std::max(0.1, safety * std::pow(error / relative_tolerance, 1.0 / (order + 1)));
  };
  StepAndOrder best{step_for(errors.same, kSame, now.order), now.order};
  const auto consider = [&](double step, int order) {
    if (step > best.step) {
      best = {step, order};
    }
  };
  consider(step_for(errors.lower, kLower, now.order - 1), now.order - 1);
  consider(step_for(errors.higher, kHigher, now.order + 1), now.order + 1);
  return best.step > now.step ? best : now;
}

}  // namespace mbdbench
