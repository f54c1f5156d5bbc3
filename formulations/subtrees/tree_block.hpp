#pragma once
/// \file
/// Trees of one form in lanes: constants of their links, and the way of states into lanes and of results out.
#include <span>
#include <vector>

#include "formulations/subtrees/subtree_plan.hpp"
#include "formulations/subtrees/tree_sweeps.hpp"

namespace mbdbench {

/// As many lanes of a form as a register has, or the trunk. Allocates nothing after construction.
class TreeBlock {
 public:
  /// \param first lane of the form; the last one is repeated where there are less than `width` behind it, and what it
  /// finds is written once
  TreeBlock(const LinkTree& tree, const TreeForm& form, std::size_t first, std::size_t width, StateKind kind);

  [[nodiscard]] const LaneData& data() const { return data_; }
  /// The state into lanes. \param rates u or p
  void read_state(std::span<const double> q, std::span<const double> rates) const;
  /// Sines, cosines, slides, rotations and levers of the state.
  void set_positions(const TreeSweeps& sweeps) const;
  /// Numbers by quasi-velocity into packs, and back.
  void read(std::span<const double> values, double* packs) const { copy_in(values, u_places_, packs); }
  void write(const double* packs, std::span<double> values) const;
  /// Number k of a slot is at [k * width].
  [[nodiscard]] double* slot(std::size_t slot, std::size_t lane) const {
    return data_.slots + slot * slot_size_ * width_ + lane;
  }
  [[nodiscard]] std::size_t width() const { return width_; }

 private:
  void take_constants(const LinkTree& tree, const TreeForm& form, std::size_t first);
  void take_positions(const LinkTree& tree, const TreeForm& form, std::size_t first);
  static void copy_in(std::span<const double> values, const std::vector<int>& places, double* packs);

  std::size_t width_;
  std::size_t lanes_;  // that are not repeated
  std::size_t slot_size_;
  LaneData data_;
  LaneMemory memory_;
  std::vector<AlignedMemory> constants_;
  std::vector<int> q_places_;  // in the whole state: coordinate k of lane l at [k * width + l]
  std::vector<int> u_places_;  // likewise
};

}  // namespace mbdbench
