#pragma once
/// \file
/// Runs whose outputs cost something: a right-hand side each, or a new start of the method.
#include <span>
#include <vector>

#include "experiments/simulation/simulation.hpp"

namespace mbdbench::studies {

/// Evaluates a right-hand side at every sample, as a program does that writes accelerations.
class OutputSink final : public OdeSink {
 public:
  OutputSink(Formulation& formulation, OdeSink& next);
  bool sample(double t, std::span<const double> x) override;
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;

 private:
  Formulation& formulation_;
  OdeSink& next_;
  std::vector<double> xdot_;
};

/// The method begins anew at each of the times. \returns the last piece's result with the counts of all
SimulationResult simulate_with_restarts(Formulation& formulation, const OdeEntry& integrator,
                                        std::span<const double> times, std::span<const double> x0,
                                        const SimulationOptions& options, OdeSink& sink);

}  // namespace mbdbench::studies
