#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/command_line/command.hpp"
#include "experiments/command_line/study_command.hpp"
#include "experiments/files/directory_lock.hpp"
#include "experiments/files/shipped_file.hpp"
#include "experiments/records/provenance.hpp"
#include "experiments/records/record.hpp"
#include "experiments/simulation/rank_start.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/interruption.hpp"
#include "formulations/subchains/execution.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr const char* kRunExamples = R"(Examples:
  mbdbench run chadaj2015 --quick              a first look
  mbdbench run chadaj2015 --output results     everything; the same command continues an interrupted run
  mbdbench run integrators --mechanism four_bar.toml --mechanism random_tree:seed=7,bodies=6
                                               with work-precision diagrams of these mechanisms as well)";

struct RunOptions {
  std::string experiment;
  std::string output;
  std::vector<std::string> mechanisms;
  std::vector<std::string> formulations;
  bool quick = false;
  bool quiet = false;
};

/// Of what all ranks find alike the first one tells.
[[noreturn]] void refuse(const std::string& message) {
  if (ranks_in_use() != nullptr && ranks_in_use()->rank() > 0) {
    throw EndedElsewhere();
  }
  throw std::invalid_argument(message);
}

const ExperimentEntry& find_experiment(const std::vector<ExperimentEntry>& experiments, const std::string& key) {
  std::vector<std::string> keys;
  for (const ExperimentEntry& entry : experiments) {
    if (entry.key == key) {
      return entry;
    }
    keys.emplace_back(entry.key);
  }
  refuse(fmt::format("unknown experiment '{}'; {}", key, suggest_name(key, keys, "experiments")));
}

/// A row that failed is a number that is missing, also where no verdict depends on it.
std::size_t failed_rows(const std::filesystem::path& output) {
  std::size_t failed = 0;
  for (const char* const name : {"records.csv", "timings.csv"}) {
    if (std::filesystem::exists(output / name)) {
      const std::vector<Record> records = read_records(output / name);
      failed += static_cast<std::size_t>(std::count_if(
          records.begin(), records.end(), [](const Record& record) { return record.verdict == Verdict::failed; }));
    }
  }
  return failed;
}

int run(const Registries& registries, const RunOptions& options) {
  const ExperimentEntry& experiment = find_experiment(registries.experiments, options.experiment);
  if (!experiment.takes_mechanisms && !(options.mechanisms.empty() && options.formulations.empty())) {
    refuse(
        fmt::format("experiment '{}' has its own mechanisms and formulations; leave --mechanism and --formulation out",
                    experiment.key));
  }
  if (experiment.run == nullptr) {
    const std::string name = fmt::format("experiments/studies/{}.toml", experiment.key);
    const auto file = shipped_file(name);
    if (!file) {
      refuse(
          fmt::format("experiment '{}': {} does not come with this program; give the file to "
                      "'mbdbench study'",
                      experiment.key, name));
    }
    return run_study_file(registries, {.file = file->string(),
                                       .output = options.output,
                                       .jobs = 1,
                                       .quick = options.quick,
                                       .no_report = true,
                                       .quiet = options.quiet});
  }
  if (ranks_in_use() != nullptr) {
    refuse(fmt::format("experiment '{}' runs on one rank only: start it without mpirun", experiment.key));
  }
  ExperimentContext context{.registries = registries,
                            .output = options.output,
                            .quick = options.quick,
                            .stop_requested = interruption_requested,
                            .quiet = options.quiet,
                            .mechanisms = options.mechanisms,
                            .formulations = options.formulations};
  if (context.output.empty()) {
    context.output = std::filesystem::path("results") / "runs" / experiment.key;
  }
  const DirectoryLock lock(context.output);
  if (!lock.left_by().empty()) {
    fmt::print(stderr, "mbdbench: note: {}: takes over the lock that {} left\n", context.output.string(),
               lock.left_by());
  }
  // First, so that also an interrupted run says what made its files.
  write_provenance(context.output / "provenance.json", capture_provenance());
  const InterruptionGuard guard;
  const bool passed = experiment.run(context);
  fmt::print("Results: {}\n", context.output.string());
  if (interruption_requested()) {
    fmt::print(stderr, "mbdbench: stopped; finished parts are kept, the same command continues from there\n");
    return kExitInterrupted;
  }
  if (const std::size_t failed = failed_rows(context.output); failed > 0) {
    fmt::print(stderr, "mbdbench: {} rows failed; the same command tries their parts again\n", failed);
    return kExitCheckFailed;
  }
  return passed ? kExitOk : kExitCheckFailed;
}

}  // namespace

void add_run_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "run",
      "Runs an experiment: a published table or figure with its verdicts. Exit code 1: a verdict came out wrong, or a "
      "row failed");
  const auto options = std::make_shared<RunOptions>();
  command->add_option("experiment", options->experiment, "A key that 'mbdbench list experiments' prints")->required();
  command
      ->add_option(
          "-m,--mechanism", options->mechanisms,
          "One more mechanism, key with parameters or TOML file, for experiments that take some (integrators); "
          "repeatable")
      ->allow_extra_args(false);
  command
      ->add_option("-f,--formulation", options->formulations,
                   "A formulation to run on the mechanisms instead of the experiment's own choice, KEY or "
                   "KEY[option=value,...]; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--quick", options->quick, "A smaller version for a first look");
  command->add_option("-o,--output", options->output, "Directory for the results; default results/runs/EXPERIMENT");
  command->add_flag("--quiet", options->quiet, "No progress on standard error");
  command->footer(kRunExamples);
  command->callback([&registries, options, &exit_code] { exit_code = run(registries, *options); });
}

}  // namespace mbdbench
