#include "formulations/subchains/node_chain.hpp"

#include <algorithm>

namespace mbdbench {

using kernels::ChainNode;
using kernels::Row;

namespace {

constexpr std::size_t kRows = 6;

/// \returns the products of six rows with six numbers.
Row products(const Row* rows, const Row& numbers) {
  Row result{};
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kRows; ++j) {
      result.at[i] += rows[i].at[j] * numbers.at[j];
    }
  }
  return result;
}

/// to += sign sum_m factors[m] rows[m].
void add_combined(const Row& factors, const Row* rows, double sign, Row& to) {
  for (std::size_t m = 0; m < kRows; ++m) {
    for (std::size_t j = 0; j < kRows; ++j) {
      to.at[j] += sign * factors.at[m] * rows[m].at[j];
    }
  }
}

}  // namespace

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

void NodeChain::begin_again(std::size_t node, Row& wrench, kernels::TipRows* tip) const {
  wrench = nodes_[node].wrench;
  for (std::size_t i = 0; i < kRows && tip != nullptr; ++i) {
    tip->compliance[i].at[6] = -nodes_[node].free.at[i];
  }
}

void NodeChain::close_again(std::size_t first, std::size_t last, Row& wrench, kernels::TipRows* tip) {
  for (std::size_t k = last - 1; k-- > first;) {
    close_handle_again(nodes_[k], handles_[k], tips_[k], wrench, tip);
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

void close_handle_again(const ChainNode& a, kernels::ClosedHandle& handle, const kernels::TipHandle& kept,
                        Row& outboard, kernels::TipRows* tip) {
  handle.wrench = outboard;
  handle.free = a.free;
  add_combined(outboard, a.compliance, -1.0, handle.free);
  // F_B = g + L E^-1 L^T w_0
  const Row impulse = products(handle.lower, products(handle.inverse, products(handle.upper, handle.free)));
  for (std::size_t i = 0; i < kRows; ++i) {
    outboard.at[i] += impulse.at[i];
  }
  Row inboard = a.wrench;
  add_combined(outboard, a.transposed, 1.0, inboard);
  outboard = inboard;
  if (tip != nullptr) {
    const Row moved = products(kept.transposed, handle.free);
    for (std::size_t i = 0; i < kRows; ++i) {
      tip->compliance[i].at[6] -= moved.at[i];
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
