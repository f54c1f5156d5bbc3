#pragma once
/// \file
/// The nodes above the lanes: a balanced binary tree over neighbouring nodes with two handles each.
#include <span>
#include <vector>

#include "formulations/binary_tree/binary_steps.hpp"
#include "formulations/kernels/binary_node.hpp"

namespace mbdbench {

/// Allocates nothing after construction.
class NodeTree {
 public:
  using Node = kernels::TwoHandles<double>;

  explicit NodeTree(int leaves);

  /// \returns the nodes to close, to be filled before.
  [[nodiscard]] Node& leaf(int k) { return leaves_[static_cast<std::size_t>(k)]; }
  /// Closes the handles between them. \param smallest receives the smaller of itself and all pivots
  /// \returns all of them together
  const Node& close(double& smallest);
  /// \returns the five multipliers of a handle: that before leaf k, or behind the last one.
  [[nodiscard]] double* sigma(int k) { return sigma_.data() + kernels::kHandleRows * k; }
  /// The way back, after the first and the last handle's multipliers were set.
  void open();

 private:
  std::vector<BinaryStep> steps_;
  std::vector<Node> leaves_;
  std::vector<Node> stack_;
  std::vector<kernels::ClosedNode<double>> kept_;
  std::vector<double> sigma_;
};

}  // namespace mbdbench
