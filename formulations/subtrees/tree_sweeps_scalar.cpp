// The sweeps in plain doubles, of the trunk.
#include "formulations/subtrees/block_sweeps.hpp"

namespace mbdbench {

TreeSweeps scalar_tree_sweeps() {
  return tree_sweeps::sweeps<double>();
}

}  // namespace mbdbench
