#pragma once
/// \file
/// One function a subcommand: adds it to the parser; its callback sets the exit code.
#include "experiments/command_line.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace mbdbench {

/// Exit codes of the program.
enum ExitCode : int {
  kExitOk = 0,
  kExitCheckFailed = 1,
  kExitBadInput = 2,
  /// A file could not be written: full disk, no permission, directory gone. What was written before is kept.
  kExitWriteFailed = 3,
  /// Stopped by Ctrl-C or SIGTERM after keeping what was done (128 + SIGINT, as shells report it).
  kExitInterrupted = 130
};

void add_list_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_inspect_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_export_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_simulate_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_verify_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_run_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_study_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_bench_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_soak_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_compare_command(CLI::App& program, const Registries& registries, int& exit_code);

}  // namespace mbdbench
