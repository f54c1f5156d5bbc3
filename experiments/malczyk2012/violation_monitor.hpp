#pragma once
/// \file
/// What a run is judged by, followed at its accepted steps: energy, constraints at three levels, how near the position
/// is to a singular one, passes over the multipliers.
#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/csv_stream.hpp"
#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"
#include "mechanisms/model/jacobians.hpp"

namespace mbdbench::malczyk2012 {

/// Passes of one level over a run.
struct PassFigures {
  double mean = 0.0;
  double share_within_four = 0.0;  ///< of the steps
  int most_singular = 0;           ///< at steps near singular positions
  int most_regular = 0;            ///< at all others
};

/// Levels of constraints.
enum class Level { position, velocity, acceleration };

/// Follows a run; writes a row a step if it was given a file.
class ViolationMonitor : public OdeSink {
 public:
  /// \param formulation of the run; must outlive the monitor \param rank of Phi_q at regular positions
  ViolationMonitor(Formulation& formulation, int rank);
  /// Columns t (s), energy_error (J), position_violation, velocity_violation (of all joints where coordinates are
  /// absolute, of cut joints otherwise), smallest_singular_value, where they exist acceleration_violation, and
  /// position_iterations, velocity_iterations, acceleration_iterations.
  ViolationMonitor(Formulation& formulation, int rank, const std::filesystem::path& file);

  bool sample(double t, std::span<const double> x) override;
  /// \throws std::runtime_error when the state cannot be observed
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;
  /// Completes the file, if there is one.
  void finish();

  [[nodiscard]] double energy() const { return energy_; }
  [[nodiscard]] double position() const { return position_; }
  [[nodiscard]] double velocity() const { return velocity_; }
  /// \returns max |Phi''|; nothing for formulations in momenta, which do not solve for accelerations.
  [[nodiscard]] std::optional<double> acceleration() const { return acceleration_; }
  [[nodiscard]] double smallest_singular_value() const { return smallest_; }
  /// \returns whether the formulation iterates, so that there are passes.
  [[nodiscard]] bool iterates() const { return augmented_ != nullptr; }
  [[nodiscard]] PassFigures passes(Level level) const;

 private:
  struct StepPasses {
    double singular_value = 0.0;
    std::array<int, 3> passes{};  // by Level
  };
  void observe(double t, std::span<const double> x);
  /// Energies and violations of a state in joint coordinates.
  double observe_joint_state(double t, std::span<const double> x, double& position, double& velocity,
                             double& acceleration);
  double singular_value(double t, std::span<const double> x);

  Formulation& formulation_;
  AugmentedLagrangianFormulation* augmented_;
  bool solves_accelerations_;
  int rank_;
  std::optional<CsvStream> stream_;
  Kinematics kinematics_;
  Jacobians jacobians_;
  Observation observation_;
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<double> xdot_;
  bool started_ = false;
  double initial_energy_ = 0.0;
  double energy_ = 0.0;
  double position_ = 0.0;
  double velocity_ = 0.0;
  std::optional<double> acceleration_;
  double smallest_ = 1e300;
  double largest_singular_value_ = 0.0;
  std::vector<StepPasses> steps_;
};

}  // namespace mbdbench::malczyk2012
