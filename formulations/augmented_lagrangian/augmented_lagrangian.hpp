#pragma once
/// \file
/// Divide and conquer with augmented Lagrangian, absolute coordinates [Malczyk2012].
#include <algorithm>

#include "formulations/augmented_lagrangian/absolute/absolute_state.hpp"
#include "formulations/augmented_lagrangian/derivatives/absolute_derivatives.hpp"
#include "formulations/augmented_lagrangian/mass_orthogonal_projection.hpp"

namespace mbdbench {

/// The iteration in its dual form.
class AugmentedLagrangianFormulation final : public AbsoluteStateFormulation {
 public:
  AugmentedLagrangianFormulation(const Mechanism& mechanism, const AugmentedOptions& options);

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override;
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override;
  /// Normalises Euler parameters and their rates; projects where that is chosen; follows turns of angles.
  bool after_step(double t, std::span<double> x) override;

  [[nodiscard]] int threads() const override { return system_.team().size(); }
  [[nodiscard]] bool is_divided() const override { return system_.team().is_divided(); }
  /// Beside the passes: solutions for accelerations that used all their passes, and what the last one left: of the
  /// accelerations
  /// ("unconverged_change") and of the reactions ("unconverged_reactions"), relative.
  void diagnostics(const DiagnosticSink& sink) const override;
  /// With the passes of the last right-hand side; one before there was any.
  [[nodiscard]] std::vector<WorkStage> stages() const override {
    return system_.stages(std::max(iterations_.acceleration.last, 1));
  }
  [[nodiscard]] bool observes_absolute() const override { return true; }
  RhsStatus observe_absolute(double t, std::span<const double> x, AbsoluteObservation& observation) override;

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override;

 private:
  /// x' of one body.
  void set_rates(std::size_t i, std::span<const double> x, std::span<double> xdot) const;
  /// x' of the bodies of other processes.
  void exchange_rates(std::span<double> xdot);
  /// Accelerations at a state. \returns passes in `passes`
  RhsStatus solve(double t, std::span<const double> x, int& passes);
  bool normalise_rates(std::span<double> x) const;
  bool project(double t, std::span<double> x);

  MassOrthogonalProjection projection_;
  AbsoluteDerivatives derivatives_;
  std::size_t unconverged_ = 0;
  PassRemainder remainder_;    // of the last right-hand side
  BranchLetter body_rates_;    // x' of the bodies
  std::vector<double> rates_;  // and where processes exchange them, 14 numbers a body
  std::vector<double> rows_;
};

/// First variant: penalty with mu and omega.
FormulationEntry dca_alm_entry();

/// Second variant: projections of positions and velocities after every step.
FormulationEntry dca_alm_projected_entry();

}  // namespace mbdbench
