#pragma once
/// \file
/// The command line as a library function, so that a program with formulations or mechanisms of its own gets all of it.
#include <span>
#include <vector>

#include "experiments/experiment.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {

/// What the command line knows. Start from `default_registries()` and append.
struct Registries {
  std::vector<MechanismEntry> mechanisms;
  std::vector<FormulationEntry> formulations;
  std::vector<OdeEntry> integrators;
  std::vector<ExperimentEntry> experiments;
};

/// \returns everything of the suite.
Registries default_registries();

/// Runs `mbdbench ARGUMENTS`. Never throws.
/// \returns the exit code: 0 ok, 1 a check failed, 2 bad usage or input, 130 stopped by Ctrl-C or SIGTERM.
int run_command_line(const Registries& registries, int argument_count, const char* const* arguments);

}  // namespace mbdbench
