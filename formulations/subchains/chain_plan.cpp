#include "formulations/subchains/chain_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mbdbench {
namespace {

// Measured (docs/formulations.md): below, the exchange between two threads costs what the second one gains, some 5 us.
constexpr int kTwoBlocks = 1536;
// Longer sub-chains gain nothing, and unit wrenches on the way over a thousand links and more become subnormal.
constexpr int kLongest = 512;

int blocks_with_links(int links, const ChainDivision& division) {
  const int block = ChainDivision::kLanes * division.length;
  return (links + block - 1) / block;
}

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

int ChainPlan::most_ranks() const {
  return blocks_with_links(static_cast<int>(tree_.size()), division_);
}

BlockRange ChainPlan::blocks_of(int rank, int ranks) const {
  const int count = most_ranks();
  // Blocks that only fill up the plan go to the last rank.
  return {rank * count / ranks, rank + 1 == ranks ? division_.blocks : (rank + 1) * count / ranks};
}

BlockRange ChainPlan::positions_of(const BlockRange& blocks) const {
  const int block = ChainDivision::kLanes * division_.length;
  const int links = static_cast<int>(tree_.size());
  return {std::min(blocks.first * block, links), std::min(blocks.last * block, links)};
}

std::string ChainPlan::refuse_ranks(int ranks) const {
  if (ranks <= most_ranks()) {
    return {};
  }
  const int links = static_cast<int>(tree_.size());
  std::string text =
      fmt::format("the chain of {} links is divided into {} block{} of {} sub-chains, and a rank takes at least one",
                  links, most_ranks(), most_ranks() == 1 ? "" : "s", ChainDivision::kLanes);
  for (int blocks = ranks; blocks * ChainDivision::kLanes <= links + ChainDivision::kLanes; ++blocks) {
    const int subchains = blocks * ChainDivision::kLanes;
    if (blocks_with_links(links, divide_chain(links, subchains)) >= ranks) {
      return text + fmt::format("; option subchains={} makes it {} blocks", subchains,
                                blocks_with_links(links, divide_chain(links, subchains)));
    }
  }
  return text + fmt::format("; it is too short for so many ranks, {} is the most",
                            (links + ChainDivision::kLanes - 1) / ChainDivision::kLanes);
}

kernels::LinkVector<double> ChainPlan::into_first_link(const Vec3& v) const {
  const RevoluteLink& first = tree_.links().front();
  return {v.x(), first.cos_alpha * v.y() + first.sin_alpha * v.z(), first.cos_alpha * v.z() - first.sin_alpha * v.y()};
}

}  // namespace mbdbench
