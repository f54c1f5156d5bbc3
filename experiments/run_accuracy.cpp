#include "experiments/run_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mbdbench {
namespace {

/// NaN stays: a state that is not finite must not look consistent.
void keep_largest(double& largest, double value) {
  if (!(std::abs(value) <= largest)) {
    largest = std::abs(value);
  }
}

}  // namespace

void RunAccuracy::observe(double t, std::span<const double> x) {
  const RhsStatus status = formulation_.observe(t, x, observation_);
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the energy at t = {} cannot be computed: {}", t, status.message()));
  }
  keep_largest(largest_kinetic_energy_, observation_.energies.kinetic);
  keep_largest(largest_position_residual_, observation_.position_residual);
  keep_largest(largest_velocity_residual_, observation_.velocity_residual);
  formulation_.diagnostics([this](std::string_view name, double value) {
    const auto [found, is_new] = diagnostics_.try_emplace(std::string(name), ValueRange{value, value});
    found->second = {std::min(found->second.smallest, value), std::max(found->second.largest, value)};
  });
}

bool RunAccuracy::sample(double t, std::span<const double> x) {
  if (!started_) {
    observe(t, x);
    initial_energy_ = observation_.energies.total();
    initial_potential_ = observation_.energies.potential;
    work_.start(t, x);
    started_ = true;
  }
  return true;
}

void RunAccuracy::reached(double t, std::span<const double> x) {
  work_.finish(t, x);
}

bool RunAccuracy::step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) {
  observe(t, x);
  work_.start(t, x);
  keep_largest(largest_potential_change_, observation_.energies.potential - initial_potential_);
  final_deviation_ = observation_.energies.total() - initial_energy_;
  keep_largest(largest_deviation_, final_deviation_);
  final_imbalance_ = final_deviation_ - work_.work();
  keep_largest(largest_imbalance_, final_imbalance_);
  return true;
}

double RunAccuracy::energy_scale() const {
  return std::max({largest_kinetic_energy_, largest_potential_change_, work_.exchanged()});
}

}  // namespace mbdbench
