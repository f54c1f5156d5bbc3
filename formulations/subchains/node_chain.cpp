#include "formulations/subchains/node_chain.hpp"

#include <algorithm>

namespace mbdbench {

using kernels::ChainNode;
using kernels::Row;

void NodeChain::begin(std::size_t node, kernels::OutboardNode& outboard, kernels::TipRows* tip) const {
  const ChainNode& end = nodes_[node];
  std::copy(std::begin(end.inertia), std::end(end.inertia), outboard.inertia);
  outboard.wrench = end.wrench;
  if (tip != nullptr) {
    for (std::size_t i = 0; i < 6; ++i) {
      tip->wrench[i] = end.across[i];
      tip->compliance[i] = end.compliance[i];
      tip->compliance[i].at[6] = -end.free.at[i];
    }
  }
}

void NodeChain::close(const ChainSweeps& sweeps, std::size_t first, std::size_t last, kernels::OutboardNode& outboard,
                      kernels::TipRows* tip) {
  for (std::size_t k = last - 1; k-- > first;) {
    sweeps.close(nodes_[k], outboard, handles_[k]);
    if (tip != nullptr) {
      sweeps.close_tip(nodes_[k], handles_[k], *tip, tips_[k]);
    }
  }
}

void NodeChain::open(const ChainSweeps& sweeps, std::size_t first, std::size_t last, const Row& motion,
                     const Row& tip_wrench, bool with_tip) {
  motions_[first] = motion;
  wrenches_[last - 1] = tip_wrench;
  for (std::size_t k = first; k + 1 < last; ++k) {
    if (with_tip) {
      sweeps.open_with_tip(nodes_[k], handles_[k], tips_[k], tip_wrench, motions_[k], motions_[k + 1], wrenches_[k]);
    } else {
      sweeps.open(nodes_[k], handles_[k], motions_[k], motions_[k + 1], wrenches_[k]);
    }
  }
}

ChainNode node_of(const SegmentReport& report) {
  ChainNode node{};
  std::copy(std::begin(report.node.inertia), std::end(report.node.inertia), node.inertia);
  node.wrench = report.node.wrench;
  for (std::size_t i = 0; i < 6; ++i) {
    node.across[i] = report.tip.wrench[i];
    node.compliance[i] = report.tip.compliance[i];
    node.compliance[i].at[6] = 0.0;
    node.free.at[i] = -report.tip.compliance[i].at[6];
    for (std::size_t j = 0; j < 6; ++j) {
      node.transposed[j].at[i] = report.tip.wrench[i].at[j];
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    node.transposed[i].at[6] = node.free.at[i];
  }
  return node;
}

}  // namespace mbdbench
