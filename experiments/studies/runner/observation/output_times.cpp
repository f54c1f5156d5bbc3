#include "experiments/studies/runner/observation/output_times.hpp"

#include <stdexcept>

namespace mbdbench::studies {

OutputSink::OutputSink(Formulation& formulation, OdeSink& next)
    : formulation_(formulation), next_(next), xdot_(formulation.state_size()) {}

bool OutputSink::sample(double t, std::span<const double> x) {
  if (const RhsStatus status = formulation_.rhs(t, x, xdot_); !status.ok) {
    throw std::runtime_error("at an output: " + status.message());
  }
  return next_.sample(t, x);
}

bool OutputSink::step(double t, std::span<const double> x, const OdeStatistics& so_far) {
  return next_.step(t, x, so_far);
}

SimulationResult simulate_with_restarts(Formulation& formulation, const OdeEntry& integrator,
                                        std::span<const double> times, std::span<const double> x0,
                                        const SimulationOptions& options, OdeSink& sink) {
  SimulationResult all;
  all.ode.x.assign(x0.begin(), x0.end());
  for (std::size_t first = 0; first + 1 < times.size(); ++first) {
    const std::vector<double> start = all.ode.x;
    SimulationResult piece = simulate(formulation, integrator, times.subspan(first, 2), start, options, sink);
    OdeStatistics& counts = piece.ode.statistics;
    const OdeStatistics& before = all.ode.statistics;
    counts.nsteps += before.nsteps;
    counts.nfailed += before.nfailed;
    counts.nfevals += before.nfevals;
    counts.npds += before.npds;
    counts.ndecomps += before.ndecomps;
    counts.nsolves += before.nsolves;
    counts.niterations += before.niterations;
    piece.rhs_calls += all.rhs_calls;
    all = std::move(piece);
    if (!all.succeeded()) {
      break;
    }
  }
  return all;
}

}  // namespace mbdbench::studies
