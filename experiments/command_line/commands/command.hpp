#pragma once
/// \file
/// One function a subcommand: adds it to the parser; its callback sets the exit code.
#include "experiments/registries/registries.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace mbdbench {

void add_list_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_inspect_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_export_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_matrices_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_linearise_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_equilibrium_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_draw_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_simulate_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_verify_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_run_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_study_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_bench_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_soak_command(CLI::App& program, const Registries& registries, int& exit_code);
void add_compare_command(CLI::App& program, const Registries& registries, int& exit_code);

}  // namespace mbdbench
