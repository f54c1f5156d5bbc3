#pragma once
/// \file
/// What a run is judged by, followed at its accepted steps: energy, constraints, symmetry, size of p and sigma.
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "experiments/files/csv_stream.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench::chadaj2017 {

/// Fits y = c t^exponent to the running maximum of a quantity for t > 1 s, by least squares of the logarithms.
class GrowthFit {
 public:
  void add(double t, double value);
  [[nodiscard]] double largest() const { return largest_; }
  /// \returns the exponent; nothing when there is nothing to fit.
  [[nodiscard]] std::optional<double> exponent() const;

 private:
  double largest_ = 0.0;
  double count_ = 0.0;
  double sum_x_ = 0.0;
  double sum_y_ = 0.0;
  double sum_xx_ = 0.0;
  double sum_xy_ = 0.0;
};

/// Follows a run; writes a row a step if it was given a file.
class RunMonitor : public OdeSink {
 public:
  /// \param formulation of the run, of a mechanism with the marker K first; must outlive the monitor
  explicit RunMonitor(Formulation& formulation) : formulation_(formulation) {}
  /// Columns t (s), energy_error (J), position_violation (m), velocity_violation (m/s), asymmetry (m), sigma (N s).
  RunMonitor(Formulation& formulation, const std::filesystem::path& file);

  bool sample(double t, std::span<const double> x) override;
  /// \throws std::runtime_error when the state cannot be observed
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;
  /// Completes the file, if there is one.
  void finish();

  [[nodiscard]] double largest_energy_error() const { return energy_.largest(); }
  [[nodiscard]] double final_energy_error() const { return energy_error_; }
  [[nodiscard]] const GrowthFit& energy() const { return energy_; }
  [[nodiscard]] const GrowthFit& position() const { return position_; }
  [[nodiscard]] const GrowthFit& velocity() const { return velocity_; }
  /// \returns the impulses of the cut joints, N s and N m s; 0 where the formulation has none.
  [[nodiscard]] const GrowthFit& sigma() const { return sigma_; }
  /// \returns the largest distance of K from the axis of symmetry, m.
  [[nodiscard]] double asymmetry() const { return asymmetry_; }
  /// \returns the largest velocity or momentum of the state.
  [[nodiscard]] double largest_rate() const { return largest_rate_; }

 private:
  void observe(double t, std::span<const double> x);

  Formulation& formulation_;
  std::optional<CsvStream> stream_;
  Observation observation_;
  bool started_ = false;
  double initial_energy_ = 0.0;
  double axis_ = 0.0;
  double energy_error_ = 0.0;
  GrowthFit energy_;
  GrowthFit position_;
  GrowthFit velocity_;
  GrowthFit sigma_;
  double asymmetry_ = 0.0;
  double largest_rate_ = 0.0;
};

}  // namespace mbdbench::chadaj2017
