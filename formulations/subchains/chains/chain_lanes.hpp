#pragma once
/// \file
/// The blocks of a ChainPlan in memory: constants of the links, and the way of states into lanes and of results out.
#include <span>
#include <vector>

#include "formulations/kernels/aligned_memory.hpp"
#include "formulations/subchains/chains/chain_block.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"

namespace mbdbench {

/// One structure of kLanes lanes of which one is read or written.
template <typename Lane>
Lane lane_of(const double* from, int lane);
template <typename Lane>
void set_lane(const Lane& value, double* to, int lane);

/// Owner of the arrays of all blocks that a process holds. Allocates nothing after construction.
class ChainLanes {
 public:
  /// \param whole whether vectors hold numbers by coordinate, of all links, or by position, of those held
  ChainLanes(const ChainPlan& plan, const ChainShare& share, bool whole);

  /// Memory for what velocity products need (ChainBlock::biases), which projected velocities alone ask for.
  void allot_biases();

  [[nodiscard]] const ChainBlock& block(int b) const {
    return blocks_[static_cast<std::size_t>(b - share_.blocks.first)];
  }
  /// Numbers of a vector into a block's array. \param count how many links a lane takes: `length`, or one more
  void scatter(int b, std::span<const double> values, double* ChainBlock::*array, int count) const;
  /// A block's results into a vector.
  void gather(int b, double* ChainBlock::*array, std::span<double> values) const;
  /// Numbers of a vector onto those of another, of the links of a block.
  void add(int b, std::span<const double> values, std::span<double> to) const;
  /// \returns where the vectors hold the number of a link that is held.
  [[nodiscard]] std::size_t place(int position) const {
    return static_cast<std::size_t>(places_[static_cast<std::size_t>(position - share_.positions.first)]);
  }
  /// \returns what is held: blocks, segments, positions.
  [[nodiscard]] const ChainShare& share() const { return share_; }
  /// \returns the pivot of the link at a position of this process.
  [[nodiscard]] double pivot(std::size_t position) const;

 private:
  void allot(ChainBlock& block);
  void set_constants(int lane);
  void set_starts(int b);

  const ChainPlan* plan_;
  ChainShare share_;
  std::vector<int> places_;  // by position from the first one held
  std::vector<ChainBlock> blocks_;
  std::vector<AlignedMemory> memory_;
  std::vector<std::vector<ColumnStart>> starts_;  // a block
};

template <typename Lane>
Lane lane_of(const double* from, int lane) {
  Lane result{};
  auto* numbers = reinterpret_cast<double*>(&result);
  for (std::size_t k = 0; k < sizeof(Lane) / sizeof(double); ++k) {
    numbers[k] = from[k * std::size_t{ChainSweeps::kLanes} + static_cast<std::size_t>(lane)];
  }
  return result;
}

template <typename Lane>
void set_lane(const Lane& value, double* to, int lane) {
  const auto* numbers = reinterpret_cast<const double*>(&value);
  for (std::size_t k = 0; k < sizeof(Lane) / sizeof(double); ++k) {
    to[k * std::size_t{ChainSweeps::kLanes} + static_cast<std::size_t>(lane)] = numbers[k];
  }
}

}  // namespace mbdbench
