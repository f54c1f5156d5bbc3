#pragma once
/// \file
/// How formulations that can are executed: instruction set, threads and processes. Whoever makes a formulation passes
/// it on; nothing of it is the program's. None changes what is computed at a given plan: threads and processes not at
/// all, instruction sets by rounding.
#include <string_view>

#include "formulations/execution/instruction_set.hpp"
#include "formulations/execution/openmp_settings.hpp"
#include "formulations/execution/process_exchange.hpp"

namespace mbdbench {

/// By how many a right-hand side is shared, and with which kernels it is computed. As it stands: one thread of one
/// process, with the best kernels of the machine.
struct Execution {
  int threads = 1;                                          ///< of this process, 1 .. kMostThreads
  ProcessExchange* processes = nullptr;                     ///< that share it; nullptr: this process is alone
  InstructionSet instruction_set = best_instruction_set();  ///< of the kernels

  /// \returns whether anybody shares anything.
  [[nodiscard]] bool shares() const { return threads > 1 || processes != nullptr; }
  /// \returns the same kernels on one thread of one process.
  [[nodiscard]] Execution alone() const { return {1, nullptr, instruction_set}; }
  /// \returns the same kernels and threads on this process alone.
  [[nodiscard]] Execution on_this_process() const { return {threads, nullptr, instruction_set}; }
  /// \returns the same kernels and threads, shared by processes.
  [[nodiscard]] Execution on(ProcessExchange& exchange) const { return {threads, &exchange, instruction_set}; }
};

/// \returns the number. \throws ModelError unless it is 1 .. kMostThreads
int checked_threads(int threads);

/// \returns the threads that the environment asks for (`threads_of_environment`) with the best kernels.
Execution execution_of_environment();

/// The processes that `mbdbench simulate` divides its runs among, as a launcher has started them with the program;
/// nullptr at first: this process is alone. \param processes must outlive their use
void use_processes(ProcessExchange* processes);

/// \returns the processes in use; nullptr: this process is alone.
ProcessExchange* processes_in_use();

}  // namespace mbdbench
