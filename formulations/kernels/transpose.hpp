#pragma once
/// \file
/// Transposition of 8 x 8 numbers in registers: from numbers with lanes side by side to one row a lane and back.
#include "formulations/kernels/pack.hpp"
#include "formulations/kernels/unrolled.hpp"

namespace mbdbench::kernels {

/// Transposes a square of 2, 4 or 8 registers of as many doubles, in place.
MBDBENCH_KERNEL void transpose_registers(typename Register<2>::Type* const (&r)[2]) {
  const auto a = *r[0];
  const auto b = *r[1];
  *r[0] = __builtin_shufflevector(a, b, 0, 2);
  *r[1] = __builtin_shufflevector(a, b, 1, 3);
}

MBDBENCH_KERNEL void transpose_registers(typename Register<4>::Type* const (&r)[4]) {
  const auto a = __builtin_shufflevector(*r[0], *r[1], 0, 4, 2, 6);
  const auto b = __builtin_shufflevector(*r[0], *r[1], 1, 5, 3, 7);
  const auto c = __builtin_shufflevector(*r[2], *r[3], 0, 4, 2, 6);
  const auto d = __builtin_shufflevector(*r[2], *r[3], 1, 5, 3, 7);
  *r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  *r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  *r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  *r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

MBDBENCH_KERNEL void transpose_registers(typename Register<8>::Type* const (&r)[8]) {
  typename Register<8>::Type pair[8];
  unrolled<0, 4>([&](auto k) MBDBENCH_INLINED {
    constexpr int i = 2 * k;
    pair[i] = __builtin_shufflevector(*r[i], *r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pair[i + 1] = __builtin_shufflevector(*r[i], *r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  });
  typename Register<8>::Type four[8];
  unrolled<0, 4>([&](auto k) MBDBENCH_INLINED {
    constexpr int i = 4 * (k / 2) + k % 2;
    four[i] = __builtin_shufflevector(pair[i], pair[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    four[i + 2] = __builtin_shufflevector(pair[i], pair[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  });
  unrolled<0, 4>([&](auto j) MBDBENCH_INLINED {
    *r[j] = __builtin_shufflevector(four[j], four[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    *r[j + 4] = __builtin_shufflevector(four[j], four[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  });
}

/// rows[i] lane j becomes rows[j] lane i.
template <int W>
MBDBENCH_KERNEL void transpose(Pack<W, W>* const (&rows)[W]) {
  typename Register<W>::Type* registers[W];
  unrolled<0, W>([&](auto i) MBDBENCH_INLINED { registers[i] = &rows[i]->value; });
  transpose_registers(registers);
}
template <int N, int W>
MBDBENCH_KERNEL void transpose(Pack<N, W>* const (&rows)[N]) {
  // Quarters are transposed, and those beside the diagonal change places.
  constexpr int kHalf = N / 2;
  Pack<kHalf, W>* quarter[4][kHalf];
  unrolled<0, kHalf>([&](auto i) MBDBENCH_INLINED {
    quarter[0][i] = &rows[i]->low;
    quarter[1][i] = &rows[i]->high;
    quarter[2][i] = &rows[i + kHalf]->low;
    quarter[3][i] = &rows[i + kHalf]->high;
  });
  unrolled<0, 4>([&](auto i) MBDBENCH_INLINED { transpose(quarter[i]); });
  unrolled<0, kHalf>([&](auto i) MBDBENCH_INLINED {
    const Pack<kHalf, W> moved = *quarter[1][i];
    *quarter[1][i] = *quarter[2][i];
    *quarter[2][i] = moved;
  });
}

/// The same for rows that stand side by side.
template <int N, int W>
MBDBENCH_KERNEL void transpose(Pack<N, W> (&rows)[N]) {
  Pack<N, W>* pointers[N];
  unrolled<0, N>([&](auto i) MBDBENCH_INLINED { pointers[i] = &rows[i]; });
  transpose(pointers);
}

}  // namespace mbdbench::kernels
