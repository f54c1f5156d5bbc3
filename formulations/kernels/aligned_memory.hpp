#pragma once
/// \file
/// Numbers that are aligned for the widest registers.
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace mbdbench {

/// How such memory is given back.
struct AlignedMemoryDelete {
  void operator()(double* memory) const { ::operator delete(memory, std::align_val_t(64)); }
};
using AlignedMemory = std::unique_ptr<double, AlignedMemoryDelete>;

/// \returns so many zeros.
inline AlignedMemory aligned_memory(std::size_t numbers) {
  AlignedMemory memory(static_cast<double*>(::operator new(numbers * sizeof(double), std::align_val_t(64))));
  std::memset(memory.get(), 0, numbers * sizeof(double));
  return memory;
}

/// \returns zeros for so many numbers in each of eight lanes.
inline AlignedMemory lane_memory(std::size_t numbers) {
  return aligned_memory(8 * numbers);
}

}  // namespace mbdbench
