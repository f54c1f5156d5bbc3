#include "experiments/naudet2005/step_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace mbdbench::naudet2005 {
namespace {

constexpr double kSmallestFactor = 0.1;
constexpr double kRelativeThreshold = 1e-3;
// Twice the step makes the error of order 5 32 times as large.
constexpr double kDoublingLimit = 1.0 / 32.0;

double scale_of(ErrorMeasure measure, double x) {
  switch (measure) {
    case ErrorMeasure::absolute:
      return 1.0;
    case ErrorMeasure::mixed:
      return std::max(1.0, std::abs(x));
    case ErrorMeasure::relative:
      break;
  }
  return std::max(kRelativeThreshold, std::abs(x));
}

}  // namespace

std::string rule_text(const StepRule& rule) {
  constexpr std::array<std::string_view, 3> kMeasures = {"absolute", "mixed", "relative"};
  constexpr std::array<std::string_view, 3> kSums = {"largest", "euclidean", "mean_square"};
  const std::string law = rule.halving ? "law=halving"
                                       : fmt::format("exponent={};safety={};largest_growth={}", rule.exponent,
                                                     rule.safety, rule.largest_growth);
  return fmt::format("measure={};sum={};per_unit_step={};{}", kMeasures.at(static_cast<std::size_t>(rule.measure)),
                     kSums.at(static_cast<std::size_t>(rule.sum)), rule.per_unit_step ? "yes" : "no", law);
}

double measured_error(const StepRule& rule, std::span<const double> error, std::span<const double> x, double step,
                      const std::vector<bool>& mask) {
  double largest = 0.0;
  double squares = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (mask.empty() || mask[i]) {
      const double size = std::abs(error[i]) / scale_of(rule.measure, x[i]);
      largest = std::max(largest, size);
      squares += size * size;
      count += 1.0;
    }
  }
  double sum = largest;
  if (rule.sum == ErrorSum::euclidean) {
    sum = std::sqrt(squares);
  } else if (rule.sum == ErrorSum::mean_square) {
    sum = std::sqrt(squares / count);
  }
  return rule.per_unit_step ? sum / step : sum;
}

double step_factor(const StepRule& rule, double error) {
  if (rule.halving) {
    return error > 1.0 ? 0.5 : (error < kDoublingLimit ? 2.0 : 1.0);
  }
  return std::clamp(rule.safety * std::pow(error, -rule.exponent), kSmallestFactor, rule.largest_growth);
}

}  // namespace mbdbench::naudet2005
