// The sweeps in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/subtrees/tree_sweeps.hpp"

namespace mbdbench {

TreeSweeps avx2_tree_sweeps() {
  return tree_sweeps::sweeps<kernels::Pack<8, 4>>();
}

}  // namespace mbdbench
