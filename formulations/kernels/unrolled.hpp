#pragma once
/// \file
/// Loops whose index is a constant of the program, so that small arrays of packs become registers from the start
/// (compilers that unroll later leave them in memory).
#include "formulations/kernels/qualifiers.hpp"

namespace mbdbench::kernels {

/// An index that is known when the program is compiled.
template <int K>
struct Index {
  MBDBENCH_KERNEL constexpr operator int() const { return K; }
};

/// Calls body(Index<kFirst>{}), ..., body(Index<kLast - 1>{}). The body has to be declared MBDBENCH_INLINED.
template <int kFirst, int kLast, typename Body>
MBDBENCH_KERNEL void unrolled(const Body& body) {
  if constexpr (kFirst < kLast) {
    body(Index<kFirst>{});
    unrolled<kFirst + 1, kLast>(body);
  }
}

}  // namespace mbdbench::kernels
