#pragma once
/// \file
/// Square roots of packs.
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "formulations/kernels/pack.hpp"

namespace mbdbench::kernels {

template <int W>
MBDBENCH_KERNEL Pack<W, W> square_root(const Pack<W, W>& a) {
  Pack<W, W> result = a;
#if defined(__AVX512F__)
  if constexpr (W == 8) {
    result.value = _mm512_sqrt_pd(a.value);
    return result;
  }
#endif
#if defined(__AVX__)
  if constexpr (W == 4) {
    result.value = _mm256_sqrt_pd(a.value);
    return result;
  }
#endif
  for (int i = 0; i < W; ++i) {
    result.value[i] = __builtin_sqrt(a.value[i]);
  }
  return result;
}
template <int N, int W>
MBDBENCH_KERNEL Pack<N, W> square_root(const Pack<N, W>& a) {
  return {square_root(a.low), square_root(a.high)};
}

}  // namespace mbdbench::kernels
