// The sweeps over a block of sub-chains, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/subchains/chains/chain_sweeps.hpp"

namespace mbdbench::chain_sweeps {

template ChainSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::chain_sweeps
