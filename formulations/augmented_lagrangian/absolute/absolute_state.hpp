#pragma once
/// \file
/// States in absolute coordinates, x = [y; y'] with y = (r_i, e_i), 14 numbers a body, and what all formulations with
/// them share.
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/augmented_system.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// Passes over the multipliers at one level.
struct IterationCount {
  int last = 0;               ///< of the last solution
  int most = 0;               ///< of any
  std::size_t total = 0;      ///< of all
  std::size_t solutions = 0;  ///< how many

  void add(int passes) {
    last = passes;
    most = passes > most ? passes : most;
    total += static_cast<std::size_t>(passes);
    ++solutions;
  }
};

/// Passes at all levels since construction: of the projections of every accepted step, of every right-hand side.
struct AugmentedIterations {
  IterationCount position;
  IterationCount velocity;
  IterationCount acceleration;
};

/// Base of the formulations of [Malczyk2012].
class AbsoluteStateFormulation : public DifferentiatedFormulation {
 public:
  AbsoluteStateFormulation(const Mechanism& mechanism, const AugmentedOptions& options);

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override;
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override;

  /// \returns the passes so far; `last` of a level is that of its last solution.
  [[nodiscard]] const AugmentedIterations& iterations() const { return iterations_; }
  /// Passes of the last solution at each level: "position_passes", "velocity_passes", "acceleration_passes".
  void diagnostics(const DiagnosticSink& sink) const override;

 protected:
  [[nodiscard]] std::size_t coordinates() const { return state_size() / 2; }
  [[nodiscard]] std::span<const double> y_of(std::span<const double> x) const { return x.first(coordinates()); }
  [[nodiscard]] std::span<const double> rate_of(std::span<const double> x) const { return x.subspan(coordinates()); }
  [[nodiscard]] std::span<double> y_of(std::span<double> x) const { return x.first(coordinates()); }
  [[nodiscard]] std::span<double> rate_of(std::span<double> x) const { return x.subspan(coordinates()); }
  /// Poses and velocities of a state.
  void place(double t, std::span<const double> x, const DualScope& scope = {});
  /// Looks for angles and for signs of Euler parameters near those of an accepted state.
  void follow(double t, std::span<const double> x);
  /// Looks where another one looks.
  void look_near(const AbsoluteStateFormulation& other);
  using Formulation::look_near;

  AugmentedOptions options_;
  AugmentedSystem system_;
  AugmentedIterations iterations_;
  std::vector<Vec6> velocities_;  // [v_C; omega] of the bodies, world axes, of the state placed last

 private:
  std::vector<double> y_near_;  // Euler parameters next to which `pack` chooses signs
  std::vector<double> q_;
  std::vector<double> u_;
};

}  // namespace mbdbench
