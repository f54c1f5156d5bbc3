#pragma once
/// \file
/// The loops over the components of a state in which a step spends its own time, each one pass over memory.
///
/// Pointers that are written are restrict and scalars are values: compilers then load, multiply and store whole vector
/// registers. Sums are taken in the order of the terms, one component a lane: the same bits as component by component.
///
/// Cost: a load a term and component, a store a component.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mbdbench {

/// The derivatives k_1 ... k_Count of a Runge-Kutta step.
template <std::size_t Count>
using Derivatives = std::array<const double*, Count>;

namespace vector_operations {

template <std::size_t Count, std::size_t Available, std::size_t... J>
inline double weighted(const std::array<double, Count>& weights, const Derivatives<Available>& k, std::size_t i,
                       std::index_sequence<J...> /*terms*/) {
  double sum = 0.0;
  ((sum += weights[J] * k[J][i]), ...);
  return sum;
}

}  // namespace vector_operations

/// out = scale sum_j weights_j k_j. \param out not among the k
template <std::size_t Count, std::size_t Available>
inline void combine(std::size_t size, double* __restrict out, double scale, const std::array<double, Count>& weights,
                    const Derivatives<Available>& k) {
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = scale * vector_operations::weighted(weights, k, i, std::make_index_sequence<Count>());
  }
}

/// out = x + h sum_j weights_j k_j. \param out neither x nor among the k
template <std::size_t Count, std::size_t Available>
inline void advance(std::size_t size, double* __restrict out, const double* x, double h,
                    const std::array<double, Count>& weights, const Derivatives<Available>& k) {
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = x[i] + h * vector_operations::weighted(weights, k, i, std::make_index_sequence<Count>());
  }
}

/// \returns whether no value is NaN or Inf.
inline bool all_finite(std::span<const double> values) {
  constexpr std::uint64_t kExponent = 0x7ff0'0000'0000'0000;
  std::uint64_t bad = 0;
  for (const double value : values) {
    bad |= static_cast<std::uint64_t>((std::bit_cast<std::uint64_t>(value) & kExponent) == kExponent);
  }
  return bad == 0;
}

}  // namespace mbdbench
