#include "formulations/execution/instruction_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formulations/execution/execution.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}
#endif

const InstructionSet* best() {
  const auto sets = instruction_sets();
  return &*std::find_if(sets.rbegin(), sets.rend(), [](const InstructionSet& set) { return set.available; });
}

int& threads() {
  static int count = threads_of_environment();
  return count;
}

ProcessExchange*& processes() {
  static ProcessExchange* exchange = nullptr;
  return exchange;
}

const InstructionSet*& chosen() {
  static const InstructionSet* set = best();
  return set;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  static const std::array sets = {
    InstructionSet{"baseline", 0, true},
#if defined(__x86_64__)
    InstructionSet{"avx2", 1, has_avx2()},
    InstructionSet{"avx512", 2, has_avx512()},
#endif
  };
  return sets;
}

const InstructionSet& instruction_set() {
  return *chosen();
}

void use_threads(int count) {
  if (count < 1 || count > kMostThreads) {
    throw ModelError({}, fmt::format("{} threads were asked for; it takes 1 to {}", count, kMostThreads));
  }
  threads() = count;
}

int thread_count() {
  return threads();
}

void use_processes(ProcessExchange* exchange) {
  processes() = exchange;
}

ProcessExchange* processes_in_use() {
  return processes();
}

std::string_view instruction_set_name() {
  return instruction_set().name;
}

void use_instruction_set(std::string_view name) {
  if (name == "auto") {
    chosen() = best();
    return;
  }
  std::string names = "auto";
  for (const InstructionSet& set : instruction_sets()) {
    if (set.name == name) {
      if (!set.available) {
        throw ModelError(
            {}, fmt::format("this machine does not have the instruction set '{}'; it has '{}'", name, best()->name));
      }
      chosen() = &set;
      return;
    }
    names += fmt::format(", {}", set.name);
  }
  throw ModelError({}, fmt::format("there is no instruction set '{}'; there are {}", name, names));
}

}  // namespace mbdbench
