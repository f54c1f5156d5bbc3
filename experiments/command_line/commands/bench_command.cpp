#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/command_line/claimed_folder.hpp"
#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/derivative_times.hpp"
#include "experiments/command_line/moved_start_note.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/command_line/options/robot_flags.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/records/timing/timed_turns.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/simulation/processes/process_start.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/studies/verdicts/study_inputs.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/interruption.hpp"
#include "experiments/terminal/message.hpp"
#include "experiments/terminal/text_table.hpp"
#include "formulations/batches/state_batch.hpp"
#include "formulations/registry.hpp"

namespace mbdbench {
namespace {

constexpr const char* kOwnClock = "by the engine's own clock";
constexpr const char* kBenchExamples = R"(Examples:
  mbdbench bench -m pendulum:64                                 every formulation on one mechanism
  mbdbench bench -m arm.toml -m four_bar -f hdca -f dca         two formulations on two mechanisms
  mbdbench bench -m pendulum:1024 -f hdca -f hdca[leaf=subchain] --threads 2 -o timings
  mbdbench bench -m humanoid -f aba -f naudet --batch 4096 --threads 2       many states of one mechanism at a time
  mpirun -n 2 mbdbench bench -m humanoid -f aba --batch 4096                 shared by processes

Wall times of one right-hand side at the initial state. The formulations take turns, so that whatever else the machine does
meets all alike. A time whose threads had less than 90 % of a processor each is 'not measured'. Another engine (--engine) tells
its times by its own clock. Processes share the states of --batch: once each keeps the rates of its own, once all get all
rates; a time is that of the slowest process.)";

struct BenchOptions {
  std::vector<std::string> mechanisms;
  std::vector<std::string> formulations;
  int repetitions = 20;
  int batch = 0;  ///< states at a time; 0: one, by `rhs`
  bool derivatives = false;
  std::string output;
  bool overwrite = false;
  RobotFlags robot;
};

// A thousand times the resolution of the processor's clock.
constexpr double kBatchTime = 5e-3;
// Of many states: several calls, for the rows of the first fill a cache that the formulation before has used.
constexpr double kStatesTime = 2e-2;

/// What the first process does alone, of several that time together; otherwise everything.
bool is_first(const ProcessExchange* processes) {
  return processes == nullptr || processes->process() == 0;
}

/// One formulation on one mechanism.
struct BenchRow {
  std::string mechanism;
  std::string formulation;
  int bodies = 0;
  std::string obstacle;  ///< why there is no time
  std::unique_ptr<Formulation> made;
  std::unique_ptr<StateBatch> states;   ///< where many are asked for at a time
  BatchRates wanted = BatchRates::own;  ///< of processes that share them
  std::vector<double> x0;
  RepeatedTimes times;
  bool own_clock = false;  ///< another engine's times are its own, without what talking takes

  [[nodiscard]] int threads() const { return states ? states->threads() : made ? made->threads() : 1; }
  /// \returns the median with the share that each of the threads had.
  [[nodiscard]] Timing median() const { return times.median().of_threads(threads()); }
};

BenchRow prepared(const Registries& registries, const Mechanism& mechanism, const std::string& word) {
  BenchRow row;
  row.mechanism = mechanism.name();
  row.formulation = word;
  row.bodies = mechanism.body_count();
  const FormulationChoice choice = choose_formulation(registries.formulations, word);
  const std::string refusal = refusal_of(*choice.entry, mechanism);
  if (!refusal.empty()) {
    row.obstacle = "refused: " + refusal;
    return row;
  }
  try {
    require_memory(*choice.entry, mechanism);
    row.made = make_formulation(registries.formulations, *choice.entry, mechanism, choice.options);
    row.x0 = initial_state(*row.made, 0.0);
  } catch (const std::exception& error) {
    row.made.reset();
    const bool refused =
        dynamic_cast<const ModelError*>(&error) != nullptr || dynamic_cast<const MemoryRefusal*>(&error) != nullptr;
    row.obstacle = fmt::format("{}: {}", refused ? "refused" : "FAILED", error.what());
  }
  return row;
}

/// \returns what the last right-hand side took another engine by its own clock, s; 0: there is no engine, or no clock.
double engine_seconds(const Formulation& formulation) {
  double found = 0.0;
  formulation.diagnostics(
      [&](std::string_view name, double seconds) { found = name == "engine_seconds_last" ? seconds : found; });
  return found;
}

/// \returns the times of one of so many states that a call takes.
RepeatedTimes of_one_state(const RepeatedTimes& times, int states) {
  RepeatedTimes each;
  for (const TimedRepetition& call : times.repetitions()) {
    each.add({call.wall / states, call.processor / states});
  }
  return each;
}

void time_rows(std::vector<BenchRow>& rows, const BenchOptions& options, int threads, ProcessExchange* processes) {
  std::vector<TimedCall> calls;
  std::vector<RepeatedTimes> own(rows.size());
  calls.reserve(rows.size());
  auto next = own.begin();
  for (BenchRow& row : rows) {
    RepeatedTimes& times = *next++;
    if (!row.made) {
      calls.emplace_back([] { return false; });
      continue;
    }
    if (options.batch > 0) {
      row.states = std::make_unique<StateBatch>(*row.made, threads, processes, row.wanted);
      calls.push_back(batch_call(*row.states, 0.0, row.x0, static_cast<std::size_t>(options.batch)));
      continue;
    }
    TimedCall call = right_hand_side_call(*row.made, 0.0, row.x0);
    const bool first = call();
    row.own_clock = first && engine_seconds(*row.made) > 0.0;
    if (row.own_clock) {
      call = [call, &formulation = *row.made, &times] {
        const bool ok = call();
        const double seconds = engine_seconds(formulation);
        times.add({seconds, seconds});
        return ok;
      };
    }
    calls.push_back(std::move(call));
  }
  std::vector<RepeatedTimes> times =
      time_in_turns(calls, options.repetitions, options.batch > 0 ? kStatesTime : kBatchTime, processes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].made && times[i].count() == 0) {
      std::vector<double> rates(rows[i].x0.size());
      const RhsStatus status = rows[i].made->rhs(0.0, rows[i].x0, rates);
      rows[i].obstacle =
          fmt::format("FAILED: the right-hand side at the initial state{}{}", status.ok ? "" : ": ", status.message());
    }
    rows[i].times = rows[i].own_clock ? std::move(own[i])
                    : rows[i].states  ? of_one_state(times[i], options.batch)
                                      : std::move(times[i]);
  }
}

/// \returns what a table says behind a formulation.
const char* words_of(BatchRates wanted) {
  return wanted == BatchRates::everywhere ? ", rates everywhere" : "";
}

void print_rows(const std::vector<BenchRow>& rows, int batch, int processes) {
  TextTable table;
  if (batch > 0) {
    fmt::print("times of one of {} states at a time{}\n", batch,
               processes > 1 ? fmt::format(", shared by {} processes", processes) : std::string());
  }
  table.rows = {
      {"mechanism", "formulation", "median/us", "fastest/us", "ns per body", "spread", "share", "times", "verdict"}};
  table.numbers = {2, 3, 4, 5, 6, 7};
  for (const BenchRow& row : rows) {
    const std::string label = row.formulation + (processes > 1 ? words_of(row.wanted) : "");
    if (!row.obstacle.empty()) {
      table.rows.push_back({row.mechanism, label, row.obstacle});
      continue;
    }
    const Timing median = row.median();
    const auto figure = [&](double value) { return median.disturbed() ? "-" : fmt::format("{:.4g}", value); };
    table.rows.push_back({row.mechanism, label, figure(1e6 * median.seconds), figure(1e6 * row.times.fastest().seconds),
                          figure(1e9 * median.seconds / row.bodies), fmt::format("{:.1f} %", 100.0 * median.spread),
                          row.own_clock ? "-" : fmt::format("{:.2f}", median.processor_share),
                          fmt::format("{}", median.repetitions),
                          median.disturbed() ? "not measured: disturbed"
                          : row.own_clock    ? kOwnClock
                                             : ""});
  }
  fmt::print("{}", table_text(table));
}

std::vector<Record> records_of(const std::vector<BenchRow>& rows, int batch, int processes) {
  const char* const quantity = batch > 0 ? "time_per_state" : "time_per_evaluation";
  std::vector<Record> records;
  for (const BenchRow& row : rows) {
    const std::string shared = processes > 1 ? fmt::format(",processes={},rates={}", processes,
                                                           row.wanted == BatchRates::everywhere ? "everywhere" : "own")
                                             : std::string();
    const RecordMaker maker({.experiment = "bench",
                             .mechanism = row.mechanism,
                             .formulation = row.formulation,
                             .integrator = {},
                             .parameters = batch > 0 ? fmt::format("batch={}{}", batch, shared) : std::string()});
    if (row.obstacle.empty()) {
      records.push_back(maker.timed(quantity, row.median(),
                                    fmt::format("fastest {:.4g} s{}{}", row.times.fastest().seconds,
                                                row.own_clock ? ", " : "", row.own_clock ? kOwnClock : "")));
      continue;
    }
    records.push_back(maker.failed(quantity, "s", row.obstacle));
    records.back().verdict = row.obstacle.starts_with("FAILED") ? Verdict::failed : Verdict::refused;
  }
  return records;
}

/// Times of derivatives, which are printed only: they have no records. \param measured set where there is one
int run_derivatives(std::vector<BenchRow>& rows, const BenchOptions& options, bool& measured) {
  std::vector<DerivativeCase> cases;
  cases.reserve(rows.size());
  for (BenchRow& row : rows) {
    cases.push_back({row.mechanism, row.formulation, row.made.get(), row.x0, row.obstacle});
  }
  const DerivativeOutcome outcome = print_derivative_times(cases, options.repetitions, kBatchTime);
  measured = measured || outcome.measured;
  return outcome.failed ? kExitCheckFailed : kExitOk;
}

/// \returns whether any process says so.
bool any_process(ProcessExchange* processes, bool own) {
  double said = own ? 1.0 : 0.0;
  if (processes != nullptr) {
    processes->take_largest(std::span(&said, 1));
  }
  return said > 0.0;
}

/// \returns the rows of one mechanism; of states that processes share two for each formulation. What one process cannot
/// make, for want of memory, no process times.
std::vector<BenchRow> prepared_rows(const Registries& registries, const Mechanism& mechanism,
                                    const std::vector<std::string>& formulations, ProcessExchange* processes) {
  std::vector<BenchRow> rows;
  rows.reserve(2 * formulations.size());
  const auto add = [&](const std::string& word, BatchRates wanted) {
    BenchRow& row = rows.emplace_back(prepared(registries, mechanism, word));
    row.wanted = wanted;
    if (any_process(processes, !row.obstacle.empty()) && row.obstacle.empty()) {
      row.made.reset();
      row.obstacle = "refused: another process cannot make it";
    }
  };
  for (const std::string& word : formulations) {
    add(word, BatchRates::own);
    if (processes != nullptr && rows.back().obstacle.empty()) {
      add(word, BatchRates::everywhere);
    }
  }
  return rows;
}

/// \returns what processes that time together must have in common.
std::string problem_of(const std::vector<Mechanism>& mechanisms, const std::vector<std::string>& formulations,
                       const BenchOptions& options, const Execution& execution) {
  std::string problem =
      fmt::format("{} {} {} {}", options.batch, options.repetitions, execution.threads, execution.instruction_set.name);
  for (const Mechanism& mechanism : mechanisms) {
    problem += " " + studies::mechanism_digest(mechanism);
  }
  return fmt::format("{} {}", problem, fmt::join(formulations, " "));
}

/// \param start of processes that share the states; nullptr: this one is alone
int run_bench(const Registries& registries, const BenchOptions& options, ProcessStart* start) {
  ProcessExchange* const processes = start == nullptr ? nullptr : &start->processes();
  const int process_count = processes == nullptr ? 1 : processes->size();
  if (processes != nullptr && options.batch == 0) {
    throw std::invalid_argument(
        "mbdbench bench shares nothing among processes but the states of --batch K: give it, or start this command "
        "without mpirun");
  }
  const std::vector<std::string> formulations = formulation_words(registries.formulations, options.formulations);
  for (const std::string& word : formulations) {
    static_cast<void>(choose_formulation(registries.formulations, word));
  }
  std::vector<Mechanism> mechanisms;
  mechanisms.reserve(options.mechanisms.size());
  std::vector<std::string> words = options.mechanisms;
  apply_robot_flags(words, options.robot);
  for (const std::string& word : words) {
    mechanisms.push_back(find_mechanism(registries, word));
    if (is_first(processes)) {
      tell_moved_start(mechanisms.back());
    }
  }
  const Execution& execution = registries.formulations.execution;
  if (start != nullptr) {
    start->compare(problem_of(mechanisms, formulations, options, execution));
  }
  const FolderOwner owner = {.command = "bench"};
  const std::filesystem::path output(is_first(processes) ? options.output : std::string());
  GivenInputs given = {.mechanisms = {},
                       .formulations = formulations,
                       .settings = engine_settings(registries.formulations, formulations)};
  for (const Mechanism& mechanism : mechanisms) {
    given.mechanisms.push_back(&mechanism);
  }
  const auto folder = claim_folder(output.string(), owner, options.overwrite, execution, given);
  const InterruptionGuard guard;
  if (start != nullptr) {
    start->begin();
  }
  std::vector<BenchRow> all;
  int threads = 1;
  int exit_code = kExitOk;
  bool measured = false;
  bool stopped = false;
  for (const Mechanism& mechanism : mechanisms) {
    std::vector<BenchRow> rows = prepared_rows(registries, mechanism, formulations, processes);
    if (options.derivatives) {
      exit_code = std::max(exit_code, run_derivatives(rows, options, measured));
    } else {
      time_rows(rows, options, execution.threads, processes);
      // What is finished is told and kept, whatever the next mechanism brings.
      if (is_first(processes)) {
        print_rows(rows, options.batch, process_count);
      }
      for (BenchRow& row : rows) {
        threads = std::max(threads, row.threads());
        row.made.reset();
      }
      std::move(rows.begin(), rows.end(), std::back_inserter(all));
      if (!output.empty()) {
        write_provenance(output / "provenance.json", capture_provenance(owner, execution, threads));
        write_records(output / "timings.csv", records_of(all, options.batch, process_count));
      }
    }
    stopped = any_process(processes, interruption_requested());
    if (stopped) {
      break;
    }
  }
  if (start != nullptr) {
    processes->rest_until_all();
    start->over();
  }
  if (stopped) {
    return kExitInterrupted;
  }
  constexpr const char* kNothing = "mbdbench: not one time was measured: every formulation refused\n";
  if (options.derivatives) {
    if (exit_code == kExitOk && !measured) {
      tell(kNothing);
      return kExitCheckFailed;
    }
    return exit_code;
  }
  const bool failed =
      std::any_of(all.begin(), all.end(), [](const BenchRow& row) { return row.obstacle.starts_with("FAILED"); });
  if (!failed && std::all_of(all.begin(), all.end(), [](const BenchRow& row) { return !row.obstacle.empty(); })) {
    if (is_first(processes)) {
      tell(kNothing);
    }
    return kExitCheckFailed;
  }
  return failed ? kExitCheckFailed : kExitOk;
}

int run_bench(const Registries& registries, const BenchOptions& options) {
  if (processes_in_use() == nullptr) {
    return run_bench(registries, options, nullptr);
  }
  ProcessStart start(*processes_in_use());
  return start.run([&] { return run_bench(registries, options, &start); });
}

}  // namespace

void add_bench_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand("bench", "Times right-hand sides of formulations on mechanisms");
  const auto options = std::make_shared<BenchOptions>();
  command
      ->add_option("-m,--mechanism", options->mechanisms,
                   "A catalogue key (pendulum:16), a TOML or a URDF file; repeatable")
      ->required()
      ->allow_extra_args(false);
  command
      ->add_option("-f,--formulation", options->formulations,
                   "KEY or KEY[option=value,...], may be repeated; default: all")
      ->allow_extra_args(false);
  command->add_option("--repetitions", options->repetitions, "Batches of each, of 5 ms at least, 20 ms with --batch")
      ->check(integer_from(1, 100000))
      ->capture_default_str();
  command
      ->add_option(
          "--batch", options->batch,
          "Times of this many states at a time, side by side in lanes where the formulation can, shared by --threads "
          "and by the processes of mpirun; times are those of one state")
      ->check(integer_from(1, 1'000'000));
  CLI::Option* const output =
      command->add_option("-o,--output", options->output, "Directory for timings.csv, provenance.json and inputs.json");
  command
      ->add_flag("--derivatives", options->derivatives,
                 "Exact derivatives, their products with a direction and with weights, and differences, in right-hand "
                 "sides; printed only")
      ->excludes("--batch")
      ->excludes(output);
  add_overwrite_flag(*command, options->overwrite);
  add_robot_flags(*command, options->robot);
  command->footer(kBenchExamples);
  command->callback([&registries, options, &exit_code] { exit_code = run_bench(registries, *options); });
}

}  // namespace mbdbench
