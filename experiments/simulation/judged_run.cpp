#include "experiments/simulation/judged_run.hpp"

#include "experiments/monitors/endless_run.hpp"
#include "experiments/simulation/processes/shared_simulation.hpp"

namespace mbdbench {

bool stops_endless(const SimulateSetup& setup, const SimulateRequest& request) {
  return setup.integrator.adaptive && !request.max_evaluations;
}

JudgedRun judged_run(const SimulateSetup& setup, const SimulateRequest& request, RunAccuracy& accuracy,
                     const std::vector<OdeSink*>& sinks, ProcessExchange* processes) {
  EndlessRunWatch endless(setup.formulation->layout(), *setup.mechanism, setup.times.back());
  RestartNote restarts(setup.integrator.key, ode_options(setup.options, setup.formulation->layout()));
  std::vector<OdeSink*> all = {&accuracy, &restarts};
  all.insert(all.end(), sinks.begin(), sinks.end());
  if (stops_endless(setup, request)) {
    all.push_back(&endless);
  }
  SinkChain chain(all);
  SimulationOptions options = setup.options;
  options.step_reached = [&](double t, std::span<const double> x) {
    accuracy.reached(t, x);
    restarts.reached(x);
  };
  if (processes != nullptr) {
    options.derivatives = setup.formulation.get();
  }
  JudgedRun run;
  run.result =
      processes == nullptr
          ? simulate(*setup.formulation, setup.integrator, setup.times, setup.x0, options, chain)
          : simulate_shared(*setup.shared, *processes, setup.integrator, setup.times, setup.x0, options, &chain);
  run.verdict = run_verdict(setup, run.result, accuracy, request, endless.reason());
  return run;
}

}  // namespace mbdbench
