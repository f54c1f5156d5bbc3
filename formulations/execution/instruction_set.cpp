#include "formulations/execution/instruction_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

#if defined(__x86_64__)
bool has_avx2() {
#ifdef MBDBENCH_WITHOUT_AVX2
  return false;
#else
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#endif
}
bool has_avx512() {
#ifdef MBDBENCH_WITHOUT_AVX512
  return false;
#else
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#endif
}
#endif

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

const InstructionSet& best_instruction_set() {
  const auto sets = instruction_sets();
  return *std::find_if(sets.rbegin(), sets.rend(), [](const InstructionSet& set) { return set.available; });
}

const InstructionSet& instruction_set_named(std::string_view name) {
  if (name == "auto") {
    return best_instruction_set();
  }
  std::string names = "auto";
  for (const InstructionSet& set : instruction_sets()) {
    if (set.name == name) {
      if (!set.available) {
        throw ModelError({}, fmt::format("this machine does not have the instruction set '{}'; it has '{}'", name,
                                         best_instruction_set().name));
      }
      return set;
    }
    names += fmt::format(", {}", set.name);
  }
  throw ModelError({}, fmt::format("there is no instruction set '{}'; there are {}", name, names));
}

}  // namespace mbdbench
