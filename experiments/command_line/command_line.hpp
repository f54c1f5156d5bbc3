#pragma once
/// \file
/// The command line as a library function, so that a program with formulations or mechanisms of its own gets all of it.
#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// Runs `mbdbench ARGUMENTS`. Never throws.
/// \returns the exit code: 0 ok, 1 a check failed, 2 bad usage or input, 130 stopped by Ctrl-C or SIGTERM.
int run_command_line(const Registries& registries, int argument_count, const char* const* arguments);

}  // namespace mbdbench
