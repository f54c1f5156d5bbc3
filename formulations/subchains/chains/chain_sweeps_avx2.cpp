// The sweeps in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/subchains/chains/chain_sweeps.hpp"

namespace mbdbench {

ChainSweeps avx2_sweeps() {
  return chain_sweeps::sweeps<4>();
}

}  // namespace mbdbench
