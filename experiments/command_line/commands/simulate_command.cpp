#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/ensembles/ensemble_run.hpp"
#include "experiments/simulation/simulate_run.hpp"

namespace mbdbench {
namespace {

constexpr const char* kSimulateExamples = R"(Examples:
  mbdbench simulate --mechanism pendulum:16 --formulation hdca --integrator ode45 --time 10 --output run
  mbdbench simulate --mechanism pendulum:3 --set q.joint1=0.5 --set v.joint3=1 --formulation dense \
                    --time 0:0.01:5 --rtol 1e-9 --atol 1e-9 --reactions --output run
  mbdbench simulate --mechanism four_bar.toml --formulation dense --time 1 \
                    --control position --output run
  mbdbench simulate --mechanism pendulum:1024 --formulation hdca[leaf=subchain] --threads 2 --time 1 --output fast
  mbdbench simulate --restart run/state.json --time 20 --output run2
  mbdbench simulate --restart killed/checkpoint.json --time 10 --output rest
  mbdbench simulate -m humanoid -f aba -i rkf45-fixed --fixed-step 0.001 -t 0:0.01:1 --ensemble 4096 \
                    --spread positions=0.05,velocities=0.1 --seed 1 --threads 2 -o many

DIR receives trajectory.csv, statistics.json, timings.json, state.json, mechanism.toml and provenance.json
(docs/using/results.md); of an ensemble members.csv, ensemble.csv and ensemble.json (docs/using/ensembles.md). Exit codes: 0 the end was reached; 1 the run failed, or
is inaccurate; 2 bad input; 3 a file cannot be written;
130 interrupted. A run that failed
or was interrupted keeps what it had, and state.json continues it.)";

void add_problem_options(CLI::App& command, SimulateRequest& request) {
  command.add_option("-m,--mechanism", request.mechanism, "Key with parameters (pendulum:16), TOML, URDF or MJCF file");
  command.add_option("-f,--formulation", request.formulation,
                     "KEY or KEY[option=value,...], see mbdbench list formulations");
  command.add_option("-i,--integrator", request.integrator, "Key, see mbdbench list integrators (default: ode45)");
  command
      .add_option("-t,--time", request.time,
                  "T (from 0), t0:tf (samples at the integrator's steps) or t0:dt:tf (samples every dt), s")
      ->required();
  command
      .add_option("--set", request.initial_values,
                  "Initial value by name: q.JOINT=..., v.JOINT=..., q.JOINT.2=... for joints with several; repeatable. "
                  "Loops are "
                  "closed by the other joints, and a message names those that moved")
      ->allow_extra_args(false);
  command.add_option(
      "--restart", request.restart,
      "Continue from a state.json; mechanism, formulation, integrator, tolerances, error control and step limits then "
      "default to the saved ones");
}

void add_error_control_options(CLI::App& command, SimulateRequest& request) {
  command.add_option("--rtol", request.relative_tolerance, "Relative tolerance (default: 1e-6)");
  command
      .add_option(
          "--atol", request.absolute_tolerances,
          "Absolute tolerance (default: 1e-6), or kind=value with kind position, quaternion, velocity or momentum; "
          "repeatable")
      ->allow_extra_args(false);
  command
      .add_option("--control", request.controlled,
                  "Kinds under error control, separated by commas, or all (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--initial-step", request.initial_step, "First step to try, s (default: the method's choice)");
  command.add_option("--max-step", request.max_step, "Largest step, s (default: the method's)");
  command.add_option("--fixed-step", request.fixed_step, "Step of the fixed-step methods, s; others refuse it");
  command.add_option("--max-evaluations", request.max_evaluations,
                     "End the run after this many evaluations, at least 1 (default: when, at the pace of the last "
                     "20000, the rest would take more than 1e8)");
  command.add_option("--refine", request.refine, "Samples a step, 1 to 1000 (default: the method's)");
  command.add_flag_callback(
      "--norm-control", [&request] { request.norm_control = true; },
      "Error control in the Euclidean norm of the state");
  command.add_flag_callback(
      "--no-norm-control", [&request] { request.norm_control = false; }, "Undo --norm-control of the restarted run");
  command.add_flag_callback(
      "--higher-order", [&request] { request.propagate_higher_order = true; },
      "rkf45, rkf45-fixed: propagate the solution of order 5");
  command.add_flag_callback(
      "--no-higher-order", [&request] { request.propagate_higher_order = false; },
      "Undo --higher-order of the restarted run");
  command.add_flag_callback(
      "--local-error", [&request] { request.record_local_error = true; },
      "rkf45, rkf45-fixed: mean estimated local error of every component into statistics.json");
  command.add_flag_callback(
      "--no-local-error", [&request] { request.record_local_error = false; },
      "Undo --local-error of the restarted run");
  command
      .add_option("--jacobian", request.jacobian,
                  "Implicit integrators: df/dx of the formulation (exact) or by differences; auto: exact where the "
                  "formulation has derivatives (default). Gauss methods: exact is Newton's method from the start; else "
                  "only where fixed-point iteration fails")
      ->check(CLI::IsMember({"auto", "exact", "differences"}));
  command.add_option("--project", request.projection_tolerance,
                     "After steps that violate a constraint by more than this, project positions and velocities "
                     "mass-orthogonally; 0: never (default)");
}

void add_accuracy_options(CLI::App& command, SimulateRequest& request) {
  command.add_option(
      "--max-drift", request.limits.drift,
      "Largest residual of the constraints, m, and of their rates, m/s, of a run that is ok; angles count as "
      "arcs at the length of the mechanism "
      "(default: from tolerance, steps, size and rates)");
  command.add_option("--max-energy-error", request.limits.energy_error,
                     "Largest imbalance of energy and work, J (default: from tolerance, steps and energies)");
  command.add_flag("--accept", request.accept, "Exit code 0 for an inaccurate run too; its status stays inaccurate");
}

void add_output_options(CLI::App& command, SimulateRequest& request) {
  command.add_option("-o,--output", request.output, "Directory of the results")->required();
  add_overwrite_flag(command, request.overwrite);
  command
      .add_option("--checkpoint", request.checkpoint,
                  "Seconds of wall time between two states that a killed run leaves in checkpoint.json; 0: none")
      ->check(number_from(0.0, 1e9))
      ->capture_default_str();
  command
      .add_option("--process-timeout,--rank-timeout", request.process_timeout,
                  "On several processes: seconds that one waits for the others before the run ends; 0: for ever. "
                  "(--rank-timeout "
                  "is the former name)")
      ->check(number_from(0.0, 1e9))
      ->capture_default_str();
  command.add_flag("--reactions", request.reactions, "Also write the reactions of every joint");
  command
      .add_option("--columns", request.columns,
                  "Also write accelerations (a.JOINT), loads (tau.JOINT, force_SPRING), poses (of bodies; of markers "
                  "their turn), reactions or velocities (v.JOINT, where the state has none), separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(kTrajectoryColumns.begin(), kTrajectoryColumns.end())))
      ->allow_extra_args(false);
  command
      .add_option("--reaction-point", request.reaction_point,
                  "Moments of reactions about the joint's point (joint; of joints that slide its origin on body b) or "
                  "about its origin on body a (a)")
      ->check(CLI::IsMember({"joint", "a"}))
      ->capture_default_str();
  command.add_flag("--quiet", request.quiet, "No progress bar");
}

void add_ensemble_options(CLI::App& command, EnsembleRequest& request) {
  command
      .add_option("--ensemble", request.count,
                  "Run so many members, each from a start or with parameters of its own, and write their statistics")
      ->check(integer_from(1, kMostMembers));
  // As a function: of an optional text CLI11 takes an empty one for none.
  command.add_option_function<std::string>(
      "--members", [&request](const std::string& file) { request.members = file; },
      "Members from a CSV file: a column an initial value or parameter (q.JOINT, v.JOINT, mass.BODY, "
      "stiffness.SPRING, ...), a row a member");
  command
      .add_option(
          "--spread", request.spread,
          "Members drawn around the mechanism: NAME=SIZE,... with positions, velocities, q.JOINT, v.JOINT (rad, "
          "m, ...) or mass, mass.BODY, stiffness, damping, a parameter of the catalogue (shares of their "
          "value). SIZE: standard deviation, or uniform:HALF_WIDTH")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--seed", request.seed, "Number from which members are drawn (default: 1)")
      ->check(integer_from(0, std::numeric_limits<std::int64_t>::max()));
  command
      .add_option("--quantities", request.quantities,
                  "Quantities of the statistics, separated by commas (default: the state, total, x_, y_, z_MARKER)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--trajectories", request.trajectories, "Also write trajectories/member_K.csv of every member");
}

/// \throws std::invalid_argument for options of ensembles without one
int run(const Registries& registries, const EnsembleRequest& request) {
  if (request.asked_for()) {
    return run_ensemble(registries, request);
  }
  if (!request.spread.empty() || request.seed || !request.quantities.empty() || request.trajectories) {
    throw std::invalid_argument(
        "--spread, --seed, --quantities and --trajectories are of an ensemble; add --ensemble N, or --members FILE");
  }
  return run_simulate(registries, request.run);
}

}  // namespace

void add_simulate_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("simulate", "Integrates the motion of a mechanism and writes its trajectory");
  const auto request = std::make_shared<EnsembleRequest>();
  SimulateRequest& single = request->run;
  add_problem_options(*command, single);
  add_error_control_options(*command, single);
  add_accuracy_options(*command, single);
  add_output_options(*command, single);
  add_ensemble_options(*command, *request);
  const auto robot = std::make_shared<RobotFlags>();
  add_robot_flags(*command, *robot);
  command->footer(kSimulateExamples);
  command->callback([&registries, &exit_code, request, robot] {
    request->run.mechanism = with_robot_flags(request->run.mechanism, *robot);
    exit_code = run(registries, *request);
  });
}

}  // namespace mbdbench
