#include "experiments/simulation/simulate_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/result_folder.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/monitors/endless_run.hpp"
#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/simulation/judged_run.hpp"
#include "experiments/simulation/output/continuation_command.hpp"
#include "experiments/simulation/output/end_samples.hpp"
#include "experiments/simulation/output/run_checkpoint.hpp"
#include "experiments/simulation/output/simulate_report.hpp"
#include "experiments/simulation/output/trajectory_content.hpp"
#include "experiments/simulation/output/trajectory_writer.hpp"
#include "experiments/simulation/processes/divided_simulation.hpp"
#include "experiments/simulation/processes/process_start.hpp"
#include "experiments/simulation/processes/shared_simulation.hpp"
#include "experiments/simulation/simulate_setup.hpp"
#include "experiments/simulation/time_span.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/interruption.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/terminal/progress.hpp"
#include "formulations/execution/execution.hpp"
#include "mechanisms/model/start/singular_start.hpp"

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
    say("at t = {}: {}\n", changes[i].t, changes[i].change);
  }
  if (changes.size() > kPrinted) {
    say("and {} more such changes\n", changes.size() - kPrinted);
  }
}

constexpr const char* kCheckpoint = "checkpoint.json";

/// An earlier run stays unless its replacement is asked for; so does what a killed one has left.
void make_room(const fs::path& directory, const SimulateRequest& request) {
  const bool killed = fs::exists(directory / kCheckpoint);
  if (fs::exists(directory / "state.json")) {
    throw std::invalid_argument(
        fmt::format("{}: already holds a run; choose another directory or add --overwrite", directory.string()));
  }
  if (killed || fs::exists(directory / "trajectory.csv.part")) {
    throw std::invalid_argument(fmt::format(
        "{}: holds trajectory.csv.part of a run that was killed; {}choose another directory or add --overwrite",
        directory.string(),
        killed ? fmt::format("continue it with\n  {}\nor ", continuation_command(request, kCheckpoint)) : ""));
  }
}

/// What is left of the run, the state first: after a full disk it is what is worth most.
void write_results(const fs::path& directory, const SimulateSetup& setup, const SimulationResult& result,
                   const RunAccuracy& accuracy, const RunVerdict& verdict, TrajectoryWriter& trajectory) {
  write_state(directory / "state.json", setup, result.ode.t, result.ode.x);
  write_json(directory / "statistics.json", run_statistics(setup, result, accuracy, verdict, trajectory.rows()));
  write_timings(directory / "timings.json", result);
  trajectory.finish();
}

void print_result(const SimulateSetup& setup, const SimulationResult& result, const RunAccuracy& accuracy,
                  const RunVerdict& verdict) {
  print_changes(result.changes);
  const OdeStatistics& counts = result.ode.statistics;
  const std::string circumstance =
      result.time.disturbed() ? fmt::format(" (disturbed: with {:.0f} % of a processor)", 100.0 * result.time.share())
                              : "";
  say("{}: t = {}, {} steps, {} failed attempts, {} evaluations, {:.3g} s{}\n"
      "energy: largest imbalance {:.3g} J of {:.3g} J, at the end {:.3g} J\n",
      verdict.status, result.ode.t, counts.nsteps, counts.nfailed, counts.nfevals, result.time.wall, circumstance,
      accuracy.largest_imbalance(), accuracy.energy_scale(), accuracy.final_imbalance());
  if (setup.mechanism->constrained()) {
    say("constraints: largest residual {:.3g}, of their rates {:.3g}\n", accuracy.largest_position_residual(),
        accuracy.largest_velocity_residual());
  }
  if (const BranchWatch& branches = accuracy.branches(); branches.watches()) {
    say("loops: smallest singular value {:.3g} of the largest, {} singular positions passed\n",
        branches.smallest_value(), branches.passages());
  }
  for (const std::string& note : diagnostic_notes(accuracy)) {
    say("note: {}\n", note);
  }
}

/// What makes all processes do the same.
std::string problem_of(const SimulateSetup& setup, const Execution& execution) {
  return fmt::format("{}\n{}[{}]\n{}\n{}\n{}\n{}\n{}", setup.mechanism_text, setup.formulation_key,
                     setup.formulation_options, setup.integrator.key, fmt::join(option_texts(setup.settings), " "),
                     fmt::join(setup.times, " "), setup.options.ode.max_evaluations, execution.instruction_set.name);
}

/// A process behind the first: nothing but its part of the run.
int run_part(const Registries& registries, const SimulateRequest& request, ProcessStart& start) {
  const SimulateSetup setup = set_up_run(registries, request, &start.processes());
  const InterruptionGuard guard;
  start.compare(problem_of(setup, registries.formulations.execution));
  start.begin();
  if (setup.part != nullptr) {
    simulate_part(*setup.part, start.processes(), setup.integrator, setup.times, {}, setup.options, {});
  } else {
    SimulationOptions options = setup.options;
    options.derivatives = setup.formulation.get();
    simulate_shared(*setup.shared, start.processes(), setup.integrator, setup.times, setup.x0, options, nullptr);
  }
  return kExitOk;
}

JudgedRun run_alone(const SimulateSetup& setup, const SimulateRequest& request, RunAccuracy& accuracy,
                    std::vector<OdeSink*> sinks) {
  RunWatch watch(setup.times.front(), setup.times.back(), request.quiet);
  sinks.push_back(&watch);
  return judged_run(setup, request, accuracy, sinks, nullptr);
}

/// All processes make the same run; the first watches it and writes.
JudgedRun run_shared(const SimulateSetup& setup, const SimulateRequest& request, RunAccuracy& accuracy,
                     std::vector<OdeSink*> sinks, ProcessStart& start) {
  RunWatch watch(setup.times.front(), setup.times.back(), request.quiet);
  sinks.push_back(&watch);
  start.begin();
  JudgedRun run = judged_run(setup, request, accuracy, sinks, &start.processes());
  start.over();
  return run;
}

/// The first process's part. \param sinks of the whole state
JudgedRun run_first_part(const SimulateSetup& setup, const SimulateRequest& request, RunAccuracy& accuracy,
                         const std::vector<OdeSink*>& sinks, ProcessStart& start) {
  RunWatch watch(setup.times.front(), setup.times.back(), request.quiet);
  EndlessRunWatch endless(setup.part->layout(), *setup.mechanism, setup.times.back());
  std::vector<OdeSink*> every_step = {&watch};
  if (stops_endless(setup, request)) {
    every_step.push_back(&endless);
  }
  SinkChain whole(sinks);
  SinkChain part(every_step);
  SimulationOptions options = setup.options;
  if (setup.mechanism->exchanges_energy()) {
    options.step_reached = [&](double t, std::span<const double> x) { accuracy.reached(t, x); };
  }
  JudgedRun run;
  start.begin();
  run.result =
      simulate_part(*setup.part, start.processes(), setup.integrator, setup.times, setup.x0, options, {&whole, &part});
  start.over();
  run.verdict = run_verdict(setup, run.result, accuracy, request, endless.reason());
  return run;
}

/// The whole run, or the first process's part of it and all output.
/// \param start nullptr: this process is alone
int run_and_write(const Registries& registries, const SimulateRequest& request, ProcessStart* start) {
  const SimulateSetup setup = set_up_run(registries, request, start == nullptr ? nullptr : &start->processes());
  if (start != nullptr) {
    start->compare(problem_of(setup, registries.formulations.execution));
  }
  const fs::path directory(request.output);
  const FolderOwner owner = {.command = "simulate", .continues = true};
  const ResultFolder folder(directory, owner, request.overwrite);
  make_room(directory, request);
  if (!folder.note().empty()) {
    tell("mbdbench: note: {}", folder.note());
  }
  for (const std::string& note : setup.notes) {
    if (!note.empty()) {
      tell("mbdbench: note: {}\n", note);
    }
  }
  if (request.restart.empty()) {
    if (const std::string warning = singular_start_warning(*setup.mechanism); !warning.empty()) {
      tell("mbdbench: warning: {}\n", warning);
    }
  }
  for (const std::string& note : setup.mechanism->description().notes) {
    tell("mbdbench: note: {}\n", note);
  }
  if (!setup.taken_over.empty()) {
    say("continues {} at t = {} with {}\n", request.restart, setup.times.front(), fmt::join(setup.taken_over, " "));
  }
  replace_file(directory / "mechanism.toml", setup.mechanism_text);
  write_provenance(directory / "provenance.json",
                   capture_provenance(owner, registries.formulations.execution, setup.formulation->threads()));

  RunAccuracy accuracy(*setup.formulation, setup.shared.get());
  TrajectoryWriter trajectory(directory / "trajectory.csv", *setup.formulation, trajectory_content(request));
  RunCheckpoint checkpoint(directory / kCheckpoint, setup, request.checkpoint);
  EndSamples at_ends(trajectory, setup.times.front(), setup.times.back());
  const bool only_ends = setup.times.size() == 2 && parse_time_span(request.time).output_step.has_value();
  OdeSink* const output = only_ends ? static_cast<OdeSink*>(&at_ends) : &trajectory;
  const InterruptionGuard guard;
  const JudgedRun run = start == nullptr ? run_alone(setup, request, accuracy, {output, &checkpoint})
                        : setup.shared != nullptr
                            ? run_shared(setup, request, accuracy, {output, &checkpoint}, *start)
                            : run_first_part(setup, request, accuracy, {&accuracy, output, &checkpoint}, *start);
  const SimulationResult& result = run.result;
  const RunVerdict& verdict = run.verdict;
  try {
    write_results(directory, setup, result, accuracy, verdict, trajectory);
  } catch (const WriteError&) {
    if (fs::exists(directory / kCheckpoint)) {
      tell("{} is kept. Continue with\n  {}\n", kCheckpoint, continuation_command(request, kCheckpoint));
    }
    throw;
  }
  checkpoint.remove();

  print_result(setup, result, accuracy, verdict);
  say("results: {}\n", directory.string());
  if (!verdict.inaccuracies.empty()) {
    tell("the run reached its end but is not accurate: {}\n", verdict.message);
    return request.accept ? kExitOk : kExitCheckFailed;
  }
  if (result.succeeded()) {
    return kExitOk;
  }
  if (result.sink_failure.empty() && result.ode.status == OdeStatus::stopped && verdict.status != "endless") {
    tell("interrupted; everything up to t = {} is kept. Continue with\n  {}\n", result.ode.t,
         continuation_command(request));
    return kExitInterrupted;
  }
  tell("the run failed: {}\neverything up to t = {} is kept\n", verdict.message, result.ode.t);
  return result.write_failed ? kExitWriteFailed : kExitCheckFailed;
}

}  // namespace

int run_simulate(const Registries& registries, const SimulateRequest& request) {
  if (processes_in_use() == nullptr) {
    return run_and_write(registries, request, nullptr);
  }
  processes_in_use()->set_patience(request.process_timeout);
  ProcessStart start(*processes_in_use());
  return start.run([&] {
    return start.processes().process() == 0 ? run_and_write(registries, request, &start)
                                            : run_part(registries, request, start);
  });
}

}  // namespace mbdbench
