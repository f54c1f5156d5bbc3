#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "experiments/command_line/commands/command.hpp"
#include "experiments/command_line/commands/study_command.hpp"
#include "experiments/command_line/options/option_checks.hpp"
#include "experiments/files/shipped_file.hpp"
#include "experiments/simulation/processes/process_start.hpp"
#include "formulations/execution/execution.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr const char* kRunExamples = R"(Examples:
  mbdbench run chadaj2015 --quick              a first look
  mbdbench run chadaj2015 --output results     everything; the same command continues an interrupted run
  mpirun -n 4 mbdbench run chadaj2017          on several processes)";

struct RunOptions {
  std::string experiment;
  std::string output;
  bool quick = false;
  bool overwrite = false;
  bool quiet = false;
};

/// Of what all processes find alike the first one tells.
[[noreturn]] void refuse(const std::string& message) {
  if (processes_in_use() != nullptr && processes_in_use()->process() > 0) {
    throw EndedElsewhere();
  }
  throw std::invalid_argument(message);
}

/// \returns the declaration of an experiment, or of another study that comes with the program.
std::filesystem::path declaration_of(const Registries& registries, const std::string& key) {
  if (const auto file = shipped_study(key)) {
    return *file;
  }
  std::vector<std::string> keys = shipped_studies();
  for (const ExperimentEntry& entry : registries.experiments) {
    if (entry.key == key) {
      refuse(
          fmt::format("experiment '{}': the study {}.toml does not come with this program; give the file "
                      "to 'mbdbench study'",
                      key, key));
    }
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) {
      keys.emplace_back(entry.key);
    }
  }
  std::error_code ignored;
  if (std::filesystem::is_regular_file(key, ignored)) {
    refuse(fmt::format("'{}' is a file; mbdbench study runs it", key));
  }
  refuse(fmt::format("unknown experiment '{}'; {}", key, suggest_name(key, keys, "experiments and studies")));
}

int run(const Registries& registries, const RunOptions& options) {
  const std::filesystem::path file = declaration_of(registries, options.experiment);
  return run_study_file(registries, {.file = file.string(),
                                     .output = options.output,
                                     .jobs = 1,
                                     .quick = options.quick,
                                     .overwrite = options.overwrite,
                                     .allow_engines = true,  // the file comes with the program
                                     .no_report = true,
                                     .quiet = options.quiet});
}

}  // namespace

void add_run_command(CLI::App& program, const Registries& registries, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "run",
      "Runs an experiment: a published table or figure with its verdicts. Exit code 1: a verdict came out wrong, or a "
      "row failed");
  const auto options = std::make_shared<RunOptions>();
  command
      ->add_option("experiment", options->experiment,
                   "A key that 'mbdbench list experiments' prints, or a study that comes with the program (matrix)")
      ->required();
  command->add_flag("--quick", options->quick, "A smaller version for a first look");
  command->add_option("-o,--output", options->output, "Directory for the results; default results/runs/EXPERIMENT");
  add_overwrite_flag(*command, options->overwrite);
  command->add_flag("--quiet", options->quiet, "No progress on standard error");
  command->footer(kRunExamples);
  command->callback([&registries, options, &exit_code] { exit_code = run(registries, *options); });
}

}  // namespace mbdbench
