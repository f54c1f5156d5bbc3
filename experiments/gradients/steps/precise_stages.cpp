#include "experiments/gradients/steps/precise_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/gradients/steps/run_failure.hpp"

namespace mbdbench::gradients {
namespace {

using precise::Real;
using precise::Reals;

constexpr double kSolved = 1e-30;
constexpr int kMostPasses = 20;

}  // namespace

PreciseStages::PreciseStages(Formulation& formulation, const StepMethod& method)
    : method_(&method),
      step_(method.is_implicit() ? make_implicit_step(method, formulation) : nullptr),
      system_(formulation, method) {}

Reals PreciseStages::stage(std::size_t i, double h, const Reals& x, const std::vector<Reals>& k) const {
  Reals at = x;
  for (std::size_t j = 0; j < method_->stages[i].size(); ++j) {
    for (std::size_t e = 0; e < x.size(); ++e) {
      at[e] += Real(h) * Real(method_->stages[i][j]) * k[j][e];
    }
  }
  return at;
}

void PreciseStages::solve(const StepInterval& step, const Reals& x, std::vector<Reals>& k,
                          const std::function<Reals(double t, const Reals& x)>& rates) {
  const std::size_t size = x.size();
  const std::size_t first = k.size();
  std::vector<double> near(size);
  std::transform(x.begin(), x.end(), near.begin(), [](const Real& one) { return one.convert_to<double>(); });
  std::vector<double> stages(method_->stage_count() * size);
  std::vector<double> guess(stages.size());
  std::vector<double> end(size);
  step_->solve(step, near, stages, guess, end);
  system_.factorise(step, stages);
  for (std::size_t i = first; i < method_->stage_count(); ++i) {
    const auto from = guess.begin() + static_cast<std::ptrdiff_t>(i * size);
    k.emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
  }
  std::vector<double> corrections((method_->stage_count() - first) * size);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double largest = 0.0;
    for (std::size_t i = first; i < method_->stage_count(); ++i) {
      const Reals rate = rates(method_->time_of(i, step), stage(i, step.size, x, k));
      for (std::size_t e = 0; e < size; ++e) {
        corrections[(i - first) * size + e] = Real(rate[e] - k[i][e]).convert_to<double>();
        largest = std::max(largest, std::abs(rate[e].convert_to<double>()));
      }
    }
    system_.solve(corrections);
    double change = 0.0;
    for (std::size_t i = first; i < method_->stage_count(); ++i) {
      for (std::size_t e = 0; e < size; ++e) {
        const double correction = corrections[(i - first) * size + e];
        k[i][e] += Real(correction);
        change = std::max(change, std::abs(correction));
      }
    }
    if (change <= kSolved * largest) {
      return;
    }
  }
  throw RunFailure(fmt::format("t = {}: the stages of '{}' are not found in 113 bits", step.t, method_->key));
}

}  // namespace mbdbench::gradients
