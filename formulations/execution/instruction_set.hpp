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

/// \returns kernels of an instruction set, from what the three files offer that are compiled one for each.
template <class Kernels>
Kernels compiled_for(const InstructionSet& set, Kernels (*baseline)(), Kernels (*avx2)(), Kernels (*avx512)()) {
  return set.level == 0 ? baseline() : set.level == 1 ? avx2() : avx512();
}

}  // namespace mbdbench
