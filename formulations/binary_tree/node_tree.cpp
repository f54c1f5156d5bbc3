#include "formulations/binary_tree/node_tree.hpp"

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

NodeTree::NodeTree(int leaves)
    : steps_(binary_steps(leaves)),
      leaves_(index_of(leaves)),
      stack_(index_of(stack_depth(leaves))),
      kept_(index_of(leaves - 1)),
      sigma_(index_of(kernels::kHandleRows * (leaves + 1))) {}

const NodeTree::Node& NodeTree::close(double& smallest) {
  std::size_t top = 0;
  std::size_t node = 0;
  for (const BinaryStep& step : steps_) {
    if (step.middle < 0) {
      stack_[top++] = leaf(step.first);
    } else {
      --top;
      kernels::close_node(stack_[top - 1], stack_[top], kept_[node++], smallest);
    }
  }
  return stack_.front();
}

void NodeTree::open() {
  std::size_t node = kept_.size();
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const BinaryStep& step = steps_[i];
    if (step.middle >= 0) {
      kernels::open_node(kept_[--node], sigma(step.first), sigma(step.last), sigma(step.middle));
    }
  }
}

}  // namespace mbdbench
