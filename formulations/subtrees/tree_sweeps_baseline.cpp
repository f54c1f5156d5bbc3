// The sweeps in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/subtrees/tree_sweeps.hpp"

namespace mbdbench {

TreeSweeps baseline_tree_sweeps() {
  return tree_sweeps::sweeps<kernels::Pack<8, 2>>();
}

}  // namespace mbdbench
