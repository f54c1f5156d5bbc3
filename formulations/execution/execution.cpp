#include "formulations/execution/execution.hpp"

#include <fmt/format.h>

#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

ProcessExchange*& processes() {
  static ProcessExchange* exchange = nullptr;
  return exchange;
}

}  // namespace

int checked_threads(int threads) {
  if (threads < 1 || threads > kMostThreads) {
    throw ModelError({}, fmt::format("{} threads were asked for; it takes 1 to {}", threads, kMostThreads));
  }
  return threads;
}

Execution execution_of_environment() {
  return {threads_of_environment(), nullptr, best_instruction_set()};
}

void use_processes(ProcessExchange* exchange) {
  processes() = exchange;
}

ProcessExchange* processes_in_use() {
  return processes();
}

}  // namespace mbdbench
