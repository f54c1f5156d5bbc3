#pragma once
/// \file
/// Arrays of numbers of eight lanes side by side, aligned for the widest registers.
#include <cstring>
#include <memory>
#include <new>

#include "formulations/subchains/chain_block.hpp"

namespace mbdbench {

/// How such memory is given back.
struct LaneMemoryDelete {
  void operator()(double* memory) const { ::operator delete(memory, std::align_val_t(64)); }
};
using LaneMemory = std::unique_ptr<double, LaneMemoryDelete>;

/// \returns zeros for so many numbers a lane.
inline LaneMemory lane_memory(std::size_t numbers) {
  const std::size_t bytes = numbers * std::size_t{ChainSweeps::kLanes} * sizeof(double);
  LaneMemory memory(static_cast<double*>(::operator new(bytes, std::align_val_t(64))));
  std::memset(memory.get(), 0, bytes);
  return memory;
}

}  // namespace mbdbench
