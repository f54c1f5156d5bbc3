// The sweeps in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/subtrees/tree_sweeps.hpp"

namespace mbdbench {

TreeSweeps avx512_tree_sweeps() {
  return tree_sweeps::sweeps<kernels::Pack<8, 8>>();
}

}  // namespace mbdbench
