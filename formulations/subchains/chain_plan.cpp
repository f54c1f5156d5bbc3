#include "formulations/subchains/chain_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mbdbench {
namespace {

// Measured (docs/formulations.md): below, the exchange between two threads costs what the second one gains, some 5 us.
constexpr int kTwoBlocks = 1536;
// Longer sub-chains gain nothing, and unit wrenches on the way over a thousand links and more become subnormal.
constexpr int kLongest = 512;

}  // namespace

ChainDivision divide_chain(int links, int subchains) {
  ChainDivision division;
  if (subchains > 0) {
    division.blocks = std::max(1, subchains / ChainDivision::kLanes);
  } else {
    division.blocks = links < kTwoBlocks ? 1 : 2;
    while (division.subchains() * kLongest < links) {
      division.blocks *= 2;
    }
  }
  division.length = (links + division.subchains() - 1) / division.subchains();
  return division;
}

std::string refuse_for_subchains(const Mechanism& mechanism) {
  if (!RevoluteTree::describes(mechanism)) {
    return "sub-chains need revolute joints and gravity alone so far";
  }
  const RevoluteTree tree(mechanism);
  if (tree.runs().size() != 1) {
    return fmt::format("sub-chains need one serial chain so far, this mechanism has {} runs of links",
                       tree.runs().size());
  }
  return {};
}

ChainPlan::ChainPlan(const Mechanism& mechanism, int subchains)
    : tree_(mechanism), division_(divide_chain(static_cast<int>(tree_.size()), subchains)) {}

}  // namespace mbdbench
