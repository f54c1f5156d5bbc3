#include "experiments/simulate_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "experiments/command.hpp"
#include "experiments/continuation_command.hpp"
#include "experiments/csv_file.hpp"
#include "experiments/interruption.hpp"
#include "experiments/progress.hpp"
#include "experiments/provenance.hpp"
#include "experiments/run_accuracy.hpp"
#include "experiments/simulate_report.hpp"
#include "experiments/simulate_setup.hpp"
#include "experiments/trajectory_writer.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/model/singular_start.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

/// Shows progress by simulated time and passes a Ctrl-C on to the integrator.
class RunWatch : public OdeSink {
 public:
  RunWatch(double start, double end, bool quiet)
      : start_(start), end_(end), bar_("simulate", kUnits, ProgressOptions::standard_error(quiet)) {}

  // Only a step may end the run, so that the last row of the trajectory is the saved state.
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
  bool step(double t, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) override {
    bar_.set(static_cast<std::uint64_t>(static_cast<double>(kUnits) * (t - start_) / (end_ - start_)));
    return !interruption_requested();
  }

 private:
  static constexpr std::uint64_t kUnits = 1000;
  double start_;
  double end_;
  ProgressBar bar_;
};

/// The first ones a line each: statistics.json has all.
void print_changes(const std::vector<FormulationChange>& changes) {
  constexpr std::size_t kPrinted = 10;
  for (std::size_t i = 0; i < std::min(kPrinted, changes.size()); ++i) {
    fmt::print("at t = {}: {}\n", changes[i].t, changes[i].change);
  }
  if (changes.size() > kPrinted) {
    fmt::print("and {} more such changes\n", changes.size() - kPrinted);
  }
}

fs::path prepare_directory(const SimulateRequest& request) {
  fs::path directory(request.output);
  if (fs::exists(directory / "state.json") && !request.overwrite) {
    throw FileError(directory.string(), 0, "already holds a run; choose another directory or add --overwrite");
  }
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw FileError(directory.string(), 0, fmt::format("cannot be made: {}", error.message()));
  }
  return directory;
}

}  // namespace

int run_simulate(const Registries& registries, const SimulateRequest& request) {
  const SimulateSetup setup = set_up_run(registries, request);
  const fs::path directory = prepare_directory(request);
  if (request.restart.empty()) {
    if (const std::string warning = singular_start_warning(*setup.mechanism); !warning.empty()) {
      fmt::print(stderr, "mbdbench: warning: {}\n", warning);
    }
  }
  if (!setup.taken_over.empty()) {
    fmt::print("continues {} at t = {} with {}\n", request.restart, setup.times.front(),
               fmt::join(setup.taken_over, " "));
  }
  replace_file(directory / "mechanism.toml", setup.mechanism_text);
  write_provenance(directory / "provenance.json", capture_provenance());

  SimulationResult result;
  RunAccuracy accuracy(*setup.formulation);
  TrajectoryWriter trajectory(directory / "trajectory.csv", *setup.formulation,
                              {.reactions = request.reactions, .comments = {}});
  const InterruptionGuard guard;
  {
    RunWatch watch(setup.times.front(), setup.times.back(), request.quiet);
    SinkChain sinks({&accuracy, &trajectory, &watch});
    SimulationOptions options = setup.options;
    options.step_reached = [&accuracy](double t, std::span<const double> x) { accuracy.reached(t, x); };
    result = simulate(*setup.formulation, setup.integrator, setup.times, setup.x0, options, sinks);
  }
  // The state first: after a full disk it is what is worth most.
  write_state(directory / "state.json", setup, result);
  write_statistics(directory / "statistics.json", setup, result, accuracy, trajectory.rows());
  write_timings(directory / "timings.json", result);
  trajectory.finish();

  print_changes(result.changes);
  const OdeStatistics& counts = result.ode.statistics;
  fmt::print(
      "{}: t = {}, {} steps, {} failed attempts, {} evaluations, {:.3g} s\n"
      "energy: largest imbalance {:.3g} J, at the end {:.3g} J\n"
      "results: {}\n",
      status_word(result), result.ode.t, counts.nsteps, counts.nfailed, counts.nfevals, result.wall_time_s,
      accuracy.largest_imbalance(), accuracy.final_imbalance(), directory.string());
  if (result.succeeded()) {
    return kExitOk;
  }
  if (result.sink_failure.empty() && result.ode.status == OdeStatus::stopped) {
    fmt::print(stderr, "interrupted; everything up to t = {} is kept. Continue with\n  {}\n", result.ode.t,
               continuation_command(request));
    return kExitInterrupted;
  }
  fmt::print(stderr, "the run failed: {}\neverything up to t = {} is kept\n", result.message(), result.ode.t);
  return kExitCheckFailed;
}

}  // namespace mbdbench
