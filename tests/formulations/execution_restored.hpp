#pragma once
/// \file
/// For tests that change the instruction set or the number of threads.
#include "formulations/execution/execution.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench::test {

/// Puts instruction set and threads back at the end of a test.
struct ExecutionRestored {
  ExecutionRestored() = default;
  ExecutionRestored(const ExecutionRestored&) = delete;
  ExecutionRestored& operator=(const ExecutionRestored&) = delete;
  ExecutionRestored(ExecutionRestored&&) = delete;
  ExecutionRestored& operator=(ExecutionRestored&&) = delete;
  ~ExecutionRestored() {
    use_instruction_set("auto");
    use_threads(1);
  }
};

}  // namespace mbdbench::test
