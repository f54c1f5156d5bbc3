#include "formulations/subchains/chains/chain_block.hpp"

namespace mbdbench {

const ChainSweeps& chain_sweeps_for(const InstructionSet& set) {
  return *compiled_for(set, []<int W>() {
    static const ChainSweeps sweeps = chain_sweeps::sweeps<W>();
    return &sweeps;
  });
}

}  // namespace mbdbench
