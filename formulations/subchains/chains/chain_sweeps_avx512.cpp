// The sweeps in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/subchains/chains/chain_sweeps.hpp"

namespace mbdbench {

ChainSweeps avx512_sweeps() {
  return chain_sweeps::sweeps<8>();
}

}  // namespace mbdbench
