#pragma once
/// \file
/// Which of the compiled instruction sets runs: the best that the machine has, or the one that the user names.
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

/// \returns the one in use: the best available unless `use_instruction_set` (execution.hpp) chose another.
const InstructionSet& instruction_set();

/// \returns kernels of an instruction set, from what the three files offer that are compiled one for each.
template <class Kernels>
Kernels compiled_for(const InstructionSet& set, Kernels (*baseline)(), Kernels (*avx2)(), Kernels (*avx512)()) {
  return set.level == 0 ? baseline() : set.level == 1 ? avx2() : avx512();
}

/// \returns those of the instruction set in use.
template <class Kernels>
Kernels kernels_in_use(Kernels (*baseline)(), Kernels (*avx2)(), Kernels (*avx512)()) {
  return compiled_for(instruction_set(), baseline, avx2, avx512);
}

}  // namespace mbdbench
