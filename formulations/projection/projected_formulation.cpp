#include "formulations/projection/projected_formulation.hpp"

namespace mbdbench {
namespace {

std::vector<StateComponent> layout_of(const Formulation& formulation) {
  return {formulation.layout().begin(), formulation.layout().end()};
}

}  // namespace

ProjectedFormulation::ProjectedFormulation(std::unique_ptr<Formulation> inner, double tolerance,
                                           const InstructionSet& set)
    : Formulation(inner->mechanism(), layout_of(*inner)),
      inner_(std::move(inner)),
      tolerance_(tolerance),
      set_(set),
      projection_(mechanism(), set),
      q_(static_cast<std::size_t>(mechanism().q_size())),
      u_(static_cast<std::size_t>(mechanism().u_size())) {}

std::unique_ptr<Formulation> ProjectedFormulation::clone() const {
  return std::make_unique<ProjectedFormulation>(inner_->clone(), tolerance_, set_);
}

RhsStatus ProjectedFormulation::pack(double t, std::span<const double> q, std::span<const double> u,
                                     std::span<double> x) {
  return inner_->pack(t, q, u, x);
}

RhsStatus ProjectedFormulation::unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) {
  return inner_->unpack(t, x, q, u);
}

RhsStatus ProjectedFormulation::reactions(double t, std::span<const double> x, Reactions& reactions) {
  return inner_->reactions(t, x, reactions);
}

RhsStatus ProjectedFormulation::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  return inner_->rhs(t, x, xdot);
}

void ProjectedFormulation::evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                                          std::span<RhsStatus> statuses) {
  inner_->rhs_batch(t, states, rates, statuses);
}

double ProjectedFormulation::largest_sigma() const {
  return inner_->largest_sigma();
}

bool ProjectedFormulation::after_step(double t, std::span<double> x) {
  const bool changed = inner_->after_step(t, x);
  if (!inner_->unpack(t, x, q_, u_).ok) {
    return changed;  // the next evaluation reports it
  }
  const ProjectionOutcome positions = projection_.project_positions(t, q_, tolerance_);
  const ProjectionOutcome velocities = projection_.project_velocities(t, q_, u_, tolerance_);
  if (positions.iterations + velocities.iterations == 0 || !velocities.status.ok) {
    return changed;
  }
  return inner_->pack(t, q_, u_, x).ok || changed;
}

}  // namespace mbdbench
