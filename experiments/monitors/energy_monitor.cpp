#include "experiments/monitors/energy_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mbdbench {

const Energies& EnergyMonitor::observe(double t, std::span<const double> x) {
  const RhsStatus status = formulation_.observe(t, x, observation_);
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the energy at t = {} cannot be computed: {}", t, status.message()));
  }
  largest_kinetic_energy_ = std::max(largest_kinetic_energy_, observation_.energies.kinetic);
  return observation_.energies;
}

bool EnergyMonitor::sample(double t, std::span<const double> x) {
  if (!started_) {
    initial_energy_ = observe(t, x).total();
    started_ = true;
  }
  return true;
}

bool EnergyMonitor::step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) {
  final_error_ = observe(t, x).total() - initial_energy_;
  largest_error_ = std::max(largest_error_, std::abs(final_error_));
  return true;
}

}  // namespace mbdbench
