#pragma once
/// \file
/// What a run is judged by at its accepted steps, which carry no error of an interpolation: energy, constraints at
/// three levels, how near the position is to a singular one, passes over the multipliers.
#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/files/formats/csv_stream.hpp"
#include "experiments/studies/runner/observation/growth_fit.hpp"
#include "experiments/studies/runner/observation/multiplier_passes.hpp"
#include "experiments/studies/runner/study_results.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"

namespace mbdbench::studies {

/// Follows a run; writes a row a step where curves over time are asked for. Where coordinates are absolute, energies
/// and violations are those of the state itself, all joints on their own.
class StepMonitor : public OdeSink {
 public:
  /// \param formulation of the run; must outlive the monitor
  /// \param asked observers `at_steps`; what none of them needs is not computed
  StepMonitor(Formulation& formulation, const std::vector<Observer>& asked);
  /// Writes the curves that exist here as columns beside t (s); the energy error with its sign. \param curves observers
  /// `at_steps` that need no whole run, and passes(LEVEL) \param end of the run, s \param windows equal parts of it, of
  /// each of which one row has the middle and the value of largest size in every column; 0: a row a step
  void write_to(const std::filesystem::path& file, const std::vector<Observer>& curves, double end = 0.0,
                int windows = 0);

  bool sample(double t, std::span<const double> x) override;
  /// \throws std::runtime_error when the state cannot be observed
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;
  /// Completes the file, if there is one.
  void finish();

  /// \returns an observer's number over the run, or why there is none. \param observer `at_steps`
  [[nodiscard]] Measured measured(const Observer& observer) const;

 private:
  /// What is seen at one step.
  struct Step {
    double energy_error = 0.0;  // J, with its sign
    double kinetic = 0.0;
    double potential = 0.0;
    double total = 0.0;
    double rate = 0.0;
    double position = 0.0;
    double velocity = 0.0;
    double acceleration = 0.0;
    double singular_value = 0.0;
    double sigma = 0.0;
    double attempts = 0.0;  // so far
    MultiplierPasses passes{};
  };

  /// What needs more than the largest value: markers, components of the state and growths.
  struct Followed {
    Observer observer;
    Observer growing;        // of growth
    std::size_t marker = 0;  // or the place in the state
    double value = 0.0;
    double initial = 0.0;
    double largest = 0.0;
    GrowthFit fit;
  };

  void observe(double t, std::span<const double> x);
  void follow(double t, std::span<const double> x, const Step& step, bool first);
  void write(double t, const Step& step);
  [[nodiscard]] Measured of_followed(const Observer& observer) const;
  [[nodiscard]] std::optional<std::size_t> place_in_state(const Observer& observer) const;
  [[nodiscard]] Step step_at(double t, std::span<const double> x);
  void place(double t, std::span<const double> x);
  double largest_acceleration_violation(double t, std::span<const double> x);
  /// Why there is no such number here, as a refusal; measured where there is one.
  [[nodiscard]] Measured obstacle(const Observer& observer) const;
  [[nodiscard]] double of_step(const Step& step, const Observer& curve) const;
  [[nodiscard]] double over_passes(const Observer& observer) const;

  Formulation& formulation_;
  bool makes_passes_;  // over multipliers
  bool observes_absolute_;
  bool solves_accelerations_;
  bool follows_singular_values_;
  bool follows_accelerations_;
  Kinematics kinematics_;
  Jacobians jacobians_;
  Observation observation_;
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<double> xdot_;
  std::optional<double> initial_energy_;
  Step largest_;  // smallest, of the singular value
  double final_energy_error_ = 0.0;
  std::vector<Followed> followed_;
  bool follows_markers_ = false;
  double largest_singular_value_ = 0.0;
  struct StepPasses {
    double singular_value = 0.0;
    MultiplierPasses passes{};
  };
  std::vector<StepPasses> steps_;
  std::vector<Observer> curves_;
  int windows_ = 0;
  double window_ = 0.0;           // s
  std::vector<double> extremes_;  // row of the window that is not over yet
  std::optional<CsvStream> stream_;
};

}  // namespace mbdbench::studies
