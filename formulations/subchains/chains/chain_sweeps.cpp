#include <array>

#include "formulations/subchains/chains/chain_block.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

const ChainSweeps& chain_sweeps_for(const InstructionSet& set) {
  static const std::array<ChainSweeps, 3> all = {baseline_sweeps(), avx2_sweeps(), avx512_sweeps()};
  return all[index_of(set.level)];
}

}  // namespace mbdbench
