#pragma once
/// \file
/// As many multiplications and additions as a core can do: the roof under which kernels are drawn.
#include "formulations/kernels/pack.hpp"

namespace mbdbench::chain_sweeps {

/// Independent chains of multiply-adds, more than a core has in flight, on packs of N doubles.
template <typename T>
struct MultiplyAdds {
  static constexpr int kChains = 12;
  static constexpr double kOperations = 2.0 * kChains * kernels::Lanes<T>::kCount;

  /// \returns a sum, so that nothing is left out
  static double run(int repetitions) {
    T sums[kChains];
    for (int k = 0; k < kChains; ++k) {
      sums[k] = T(1.0 + 0.01 * k);
    }
    const T factor(0.999999);
    const T summand(1e-6);
    for (int i = 0; i < repetitions; ++i) {
      for (T& sum : sums) {
        sum = sum * factor + summand;
      }
    }
    T total = sums[0];
    for (int k = 1; k < kChains; ++k) {
      total += sums[k];
    }
    double first = 0.0;
    __builtin_memcpy(&first, &total, sizeof first);
    return first;
  }
};

}  // namespace mbdbench::chain_sweeps
