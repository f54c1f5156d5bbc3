#pragma once
/// \file
/// Energy error of a run, followed online at accepted steps: constant memory for runs of any length.
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// Largest and latest deviation of the total energy (J) from its value at the first sample, and the largest kinetic
/// energy. Only steps count: samples between them carry the error of the interpolation as well.
class EnergyMonitor : public OdeSink {
 public:
  /// \param formulation of the run; must outlive the monitor
  explicit EnergyMonitor(Formulation& formulation) : formulation_(formulation) {}

  bool sample(double t, std::span<const double> x) override;
  /// \throws std::runtime_error when the state cannot be observed
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;

  [[nodiscard]] double initial_energy() const { return initial_energy_; }
  /// \returns max |E - E0|.
  [[nodiscard]] double largest_error() const { return largest_error_; }
  /// \returns E - E0 at the last step.
  [[nodiscard]] double final_error() const { return final_error_; }
  [[nodiscard]] double largest_kinetic_energy() const { return largest_kinetic_energy_; }

 private:
  const Energies& observe(double t, std::span<const double> x);

  Formulation& formulation_;
  Observation observation_;
  bool started_ = false;
  double initial_energy_ = 0.0;
  double largest_error_ = 0.0;
  double final_error_ = 0.0;
  double largest_kinetic_energy_ = 0.0;
};

}  // namespace mbdbench
