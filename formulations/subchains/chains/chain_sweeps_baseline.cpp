// The sweeps in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/subchains/chains/chain_sweeps.hpp"

namespace mbdbench {

ChainSweeps baseline_sweeps() {
  return chain_sweeps::sweeps<2>();
}

}  // namespace mbdbench
