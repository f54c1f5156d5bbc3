#include "formulations/subtrees/tree_lanes.hpp"

#include <cmath>
#include <cstring>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// One structure of several lanes of which one is read or written.
template <typename Lane>
Lane read_lane(const double* from, int lanes, int lane) {
  double numbers[sizeof(Lane) / sizeof(double)];
  for (std::size_t k = 0; k < std::size(numbers); ++k) {
    numbers[k] = from[k * index_of(lanes) + index_of(lane)];
  }
  Lane result{};
  std::memcpy(&result, numbers, sizeof result);
  return result;
}

template <typename Lane>
void write_lane(const Lane& value, double* to, int lanes, int lane) {
  double numbers[sizeof(Lane) / sizeof(double)];
  std::memcpy(numbers, &value, sizeof numbers);
  for (std::size_t k = 0; k < std::size(numbers); ++k) {
    to[k * index_of(lanes) + index_of(lane)] = numbers[k];
  }
}

constexpr std::size_t kSlotNumbers = sizeof(TreeSlot<double>) / sizeof(double);
constexpr std::size_t kConstants = sizeof(kernels::LinkConstants<double>) / sizeof(double);
constexpr std::size_t kStartNumbers = sizeof(kernels::RunStart<double>) / sizeof(double);

}  // namespace

TreeLanes::TreeLanes(const LinkTree& tree, const TreeForm& form) : form_(form) {
  block_.rows = form_.size();
  block_.runs = form_.runs.data();
  block_.last_run = form_.runs.data() + form_.runs.size();
  block_.slot_of_row = form_.slot_of_row.data();
  block_.slots = form_.slots;
  const auto rows = index_of(form_.size());
  const auto take = [&](double*& array, std::size_t numbers) {
    memory_.push_back(aligned_memory(numbers * index_of(form_.lanes)));
    array = memory_.back().get();
  };
  take(block_.links, rows * kConstants);
  take(block_.starts, form_.runs.size() * kStartNumbers);
  for (double* TreeBlock::*array : {&TreeBlock::offsets, &TreeBlock::angles, &TreeBlock::rates, &TreeBlock::forces,
                                    &TreeBlock::results, &TreeBlock::momentum_rates}) {
    take(block_.*array, rows);
  }
  take(block_.turns, rows * 2);
  take(block_.kept, rows * sizeof(TreeRow<double>) / sizeof(double));
  take(block_.slot_data, index_of(form_.slots) * kSlotNumbers);
  const auto lanes = index_of(form_.lanes);
  for (std::size_t k = 0; k < form_.rows.size(); ++k) {
    const std::size_t row = index_of(form_.rows[k]);
    coordinates_.push_back(tree.rows()[row].q);
    write_lane(tree.links()[row], block_.links + k / lanes * kConstants * lanes, form_.lanes,
               static_cast<int>(k % lanes));
    block_.offsets[k] = tree.offsets()[row];
  }
  for (std::size_t k = 0; k < form_.starts.size(); ++k) {
    write_lane(form_.starts[k], block_.starts + k / lanes * kStartNumbers * lanes, form_.lanes,
               static_cast<int>(k % lanes));
  }
}

void TreeLanes::set_turns(const TreeSweeps& sweeps, std::span<const double> q) const {
  scatter(q, &TreeBlock::angles);
  if (sweeps.set_turns(block_)) {
    return;
  }
  // Huge angles: the kernel has added the offsets.
  const auto lanes = index_of(form_.lanes);
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    double* const turn = block_.turns + 2 * (k / lanes) * lanes + k % lanes;
    turn[0] = std::sin(block_.angles[k]);
    turn[lanes] = std::cos(block_.angles[k]);
  }
}

void TreeLanes::scatter(std::span<const double> values, double* TreeBlock::*array) const {
  double* const to = block_.*array;
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    to[k] = values[index_of(coordinates_[k])];
  }
}

void TreeLanes::gather(double* TreeBlock::*array, std::span<double> values) const {
  const double* const from = block_.*array;
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    values[index_of(coordinates_[k])] = from[k];
  }
}

TreeSlot<double> TreeLanes::slot(int slot, int lane) const {
  return read_lane<TreeSlot<double>>(block_.slot_data + index_of(slot) * kSlotNumbers * index_of(form_.lanes),
                                     form_.lanes, lane);
}

void TreeLanes::set_slot(int slot, int lane, const TreeSlot<double>& value) const {
  write_lane(value, block_.slot_data + index_of(slot) * kSlotNumbers * index_of(form_.lanes), form_.lanes, lane);
}

}  // namespace mbdbench
