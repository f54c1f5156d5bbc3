#pragma once
/// \file
/// A block of sub-chains as its sweeps see it, and the way of eight lanes into rows.
#include "formulations/kernels/chains/turns.hpp"
#include "formulations/subchains/chains/chain_block.hpp"

namespace mbdbench::chain_sweeps {

using namespace kernels;  // NOLINT(google-build-using-namespace): a header of one purpose

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// A block's arrays as arrays of structures of lanes.
template <typename T>
struct LaneView {
  int length;
  const LinkConstants<T>* links;
  const T* padding;
  const ColumnStart* starts;
  const ColumnStart* last_start;
  const T* offsets;
  T* angles;
  SineCosine<T>* turns;
  const T* rates;
  const T* forces;
  T* results;
  T* momentum_rates;
  LinkSweep<T>* sweeps;
  LinkMotion<T>* motions;
  LinkWrench<T>* biases;
  TurnScan<T>* scan;
  LinkVector<T>* levers;
  LinkVector<T>* drift;
  LaneNode<T>* node;
  const LaneExchange<T>* exchange;
};

template <typename T>
MBDBENCH_KERNEL LaneView<T> lanes_of(const ChainBlock& b) {
  return {b.length,
          reinterpret_cast<const LinkConstants<T>*>(b.links),
          reinterpret_cast<const T*>(b.padding),
          b.starts,
          b.last_start,
          reinterpret_cast<const T*>(b.offsets),
          reinterpret_cast<T*>(b.angles),
          reinterpret_cast<SineCosine<T>*>(b.turns),
          reinterpret_cast<const T*>(b.rates),
          reinterpret_cast<const T*>(b.forces),
          reinterpret_cast<T*>(b.results),
          reinterpret_cast<T*>(b.momentum_rates),
          reinterpret_cast<LinkSweep<T>*>(b.sweeps),
          reinterpret_cast<LinkMotion<T>*>(b.motions),
          reinterpret_cast<LinkWrench<T>*>(b.biases),
          reinterpret_cast<TurnScan<T>*>(b.scan),
          reinterpret_cast<LinkVector<T>*>(b.levers),
          reinterpret_cast<LinkVector<T>*>(b.drift),
          reinterpret_cast<LaneNode<T>*>(b.node),
          reinterpret_cast<const LaneExchange<T>*>(b.exchange)};
}

/// Eight numbers with lanes side by side (nothing where null) become one row a lane.
template <int W>
MBDBENCH_KERNEL void set_rows(const Pack<8, W>* const (&numbers)[8], Row* first_row, int rows_a_node) {
  Pack<8, W> square[8];
  unrolled<0, 8>([&](auto k) MBDBENCH_INLINED { square[k] = numbers[k] == nullptr ? Pack<8, W>(0.0) : *numbers[k]; });
  transpose(square);
  unrolled<0, 8>([&](auto lane) MBDBENCH_INLINED { store(square[lane], first_row[lane * rows_a_node]); });
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::chain_sweeps
