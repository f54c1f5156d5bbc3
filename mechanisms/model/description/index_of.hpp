#pragma once
/// \file
/// Offsets and sizes of the model are int, as Eigen's users expect; containers want std::size_t.
#include <cstddef>

namespace mbdbench {

/// \returns a non-negative index as containers take it.
constexpr std::size_t index_of(int value) {
  return static_cast<std::size_t>(value);
}

}  // namespace mbdbench
