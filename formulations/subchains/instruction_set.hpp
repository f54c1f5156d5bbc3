#pragma once
/// \file
/// Which of the compiled instruction sets runs: the best that the machine has, or the one that the user names.
#include <span>
#include <string_view>

#include "formulations/subchains/chain_block.hpp"

namespace mbdbench {

/// Everything compiled for one instruction set.
struct InstructionSet {
  std::string_view name;  ///< "baseline", "avx2", "avx512"
  ChainSweeps sweeps;
  bool available = false;  ///< whether this machine has it
};

/// \returns all compiled ones, the plainest first.
std::span<const InstructionSet> instruction_sets();

/// \returns the one in use: the best available unless `use_instruction_set` (execution.hpp) chose another.
const InstructionSet& instruction_set();

}  // namespace mbdbench
