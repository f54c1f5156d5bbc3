#pragma once
/// \file
/// How formulations that can are executed: instruction set, threads and processes, the same for all that are made
/// afterwards. None changes what is computed at a given plan: threads and processes not at all, instruction sets by
/// rounding.
#include <string_view>

#include "formulations/execution/openmp_settings.hpp"
#include "formulations/execution/process_exchange.hpp"

namespace mbdbench {

/// Threads for formulations made from now on; at first those of `threads_of_environment`. \throws ModelError unless 1
/// .. kMostThreads
void use_threads(int threads);

/// \returns how many threads formulations made now may use.
int thread_count();

/// The processes that `mbdbench simulate` divides its runs among; nullptr at first: this process is alone.
/// \param processes must outlive their use
void use_processes(ProcessExchange* processes);

/// \returns the processes in use; nullptr: this process is alone.
ProcessExchange* processes_in_use();

/// Instruction set by name for formulations made from now on; "auto" is the best that the machine has.
/// \throws ModelError if there is none of that name, or the machine lacks it
void use_instruction_set(std::string_view name);

/// \returns the name of the instruction set in use.
std::string_view instruction_set_name();

}  // namespace mbdbench
