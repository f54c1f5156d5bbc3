#pragma once
/// \file
/// Any formulation with its states projected on the constraint manifold after accepted steps.
#include <memory>

#include "formulations/assembly/constraint_projection.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// Passes everything on to another formulation; `after_step` projects positions, then velocities, mass-orthogonally,
/// where their constraints are violated by more than the tolerance. The state is then packed anew: with momenta that
/// also resets sigma.
class ProjectedFormulation final : public Formulation {
 public:
  /// \param tolerance of max |Phi| and max |Phi'|, positive
  ProjectedFormulation(std::unique_ptr<Formulation> inner, double tolerance, const InstructionSet& set);

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override;
  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override;
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override;
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override;
  [[nodiscard]] CutReferences& cut_references() override { return inner_->cut_references(); }
  [[nodiscard]] double largest_sigma() const override;
  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override {
    return inner_->jacobian(t, x, derivatives);
  }
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override {
    return inner_->jacobian_vector(t, x, direction, product);
  }
  RhsStatus vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                            std::span<double> product) override {
    return inner_->vector_jacobian(t, x, weights, product);
  }
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override {
    return inner_->weighted_derivatives(t, x, weights, product, by);
  }
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override {
    return inner_->parameter_jacobian(t, x, parameters, derivatives);
  }
  [[nodiscard]] std::string without_jacobian() const override { return inner_->without_jacobian(); }
  bool after_step(double t, std::span<double> x) override;
  [[nodiscard]] bool observes_absolute() const override { return inner_->observes_absolute(); }
  RhsStatus observe_absolute(double t, std::span<const double> x, AbsoluteObservation& observation) override {
    return inner_->observe_absolute(t, x, observation);
  }
  [[nodiscard]] std::string last_change() const override { return inner_->last_change(); }
  void diagnostics(const DiagnosticSink& sink) const override { inner_->diagnostics(sink); }
  [[nodiscard]] int batch_lanes() const override { return inner_->batch_lanes(); }
  [[nodiscard]] std::size_t states_alone() const override { return inner_->states_alone(); }
  [[nodiscard]] int threads() const override { return inner_->threads(); }
  [[nodiscard]] bool is_divided() const override { return inner_->is_divided(); }
  [[nodiscard]] std::vector<WorkStage> stages() const override { return inner_->stages(); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override;
  void evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                      std::span<RhsStatus> statuses) override;

 private:
  std::unique_ptr<Formulation> inner_;
  double tolerance_;
  InstructionSet set_;
  ConstraintProjection projection_;
  std::vector<double> q_;
  std::vector<double> u_;
};

}  // namespace mbdbench
