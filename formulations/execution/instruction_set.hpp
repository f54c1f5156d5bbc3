#pragma once
/// \file
/// The instruction sets for which kernels are compiled, and which of them the machine has.
#include <span>
#include <string_view>

namespace mbdbench {

/// An instruction set for which kernels are compiled.
struct InstructionSet {
  std::string_view name;   ///< "baseline", "avx2", "avx512"
  int level = 0;           ///< 0, 1, 2 in this order
  bool available = false;  ///< whether this machine has it
};

/// \returns all compiled ones, the plainest first.
std::span<const InstructionSet> instruction_sets();

/// \returns the best that this machine has.
const InstructionSet& best_instruction_set();

/// \returns the one of this name; "auto" is the best that the machine has.
/// \throws ModelError if there is none of that name, or the machine lacks it
const InstructionSet& instruction_set_named(std::string_view name);

/// \returns the kernels of an instruction set: `kernels.operator()<W>()` for its W doubles a register. Builds for
/// sanitizers leave sets out (cmake/kernels.cmake).
template <class Kernels>
auto compiled_for(const InstructionSet& set, Kernels kernels) {
#ifndef MBDBENCH_WITHOUT_AVX512
  if (set.level == 2) {
    return kernels.template operator()<8>();
  }
#endif
#ifndef MBDBENCH_WITHOUT_AVX2
  if (set.level == 1) {
    return kernels.template operator()<4>();
  }
#endif
  return kernels.template operator()<2>();
}

}  // namespace mbdbench
