#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/command_line/command.hpp"
#include "experiments/command_line/option_checks.hpp"
#include "experiments/command_line/study_command.hpp"
#include "experiments/files/shipped_file.hpp"
#include "experiments/simulation/ranks/rank_start.hpp"
#include "formulations/subchains/execution.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr const char* kRunExamples = R"(Examples:
  mbdbench run chadaj2015 --quick              a first look
  mbdbench run chadaj2015 --output results     everything; the same command continues an interrupted run
  mpirun -n 4 mbdbench run chadaj2017          on several ranks)";

struct RunOptions {
  std::string experiment;
  std::string output;
  bool quick = false;
  bool overwrite = false;
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

/// \returns the declaration of an experiment, or of another study that comes with the program.
std::filesystem::path declaration_of(const Registries& registries, const std::string& key) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const std::string name = fmt::format("experiments/studies/{}.toml", key);
  const auto file = key.find_first_not_of(kLetters) == std::string::npos ? shipped_file(name) : std::nullopt;
  if (file) {
    return *file;
  }
  refuse(fmt::format("experiment '{}': {} does not come with this program; give the file to 'mbdbench study'",
                     find_experiment(registries.experiments, key).key, name));
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
