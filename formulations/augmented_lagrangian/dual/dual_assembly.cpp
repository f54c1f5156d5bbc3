#include "formulations/augmented_lagrangian/dual/dual_assembly.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

bool DualAssembly::suits(const AssemblyTree& tree, const ProximalOptions& proximal) {
  return !proximal.ranked && !proximal.limits.conjugate &&
         std::all_of(tree.nodes().begin(), tree.nodes().end(),
                     [](const AssemblyNode& node) { return node.arms.empty(); });
}

DualAssembly::DualAssembly(const AssemblyTree& tree, std::span<const double> masses, const ProximalOptions& proximal,
                           const Execution& execution)
    : DualAssembly(plan_twins(tree), tree, masses, proximal, execution) {}

DualAssembly::DualAssembly(const TwinPlan& plan, const AssemblyTree& tree, std::span<const double> masses,
                           const ProximalOptions& proximal, const Execution& execution)
    : sweeps_(compiled_for(execution.instruction_set, []<int W>() { return dual_sweeps::sweeps<W>(); })),
      proximal_(proximal),
      twins_(tree, plan, masses),
      storage_(tree, plan.division, masses, twins_),
      failures_(plan.division.ranges.size()),
      range_squares_(plan.division.ranges.size()),
      team_(plan.division.costs(), execution),
      exchange_(team_, storage_) {
  for (std::size_t which = 0; which < kDualVectors; ++which) {
    vectors_[which] = lane_memory(which < kJointVectors ? joint_count() : masses.size());
  }
  for (TwinGroup& group : twins_.all()) {
    group.connect(storage_.nodes());
  }
  if (team_.is_divided()) {
    exchange_.connect(failures_, range_squares_, vector(DualVector::rates));
  }
}

std::span<const int> DualAssembly::joints(int body) const {
  const DualBody& own = storage_.bodies()[index_of(body)];
  return {own.joints, index_of(own.handles)};
}

void DualAssembly::set_handle(int body, int handle, const SpatialColumns& directions, double sign, const Vec3& lever) {
  const DualBody& own = storage_.bodies()[index_of(body)];
  const TwinGroups::Leaf& leaf = twins_.leaf(body);
  if (leaf.group >= 0) {
    twins_.set_handle(leaf, handle, directions.data(), own.row_counts[handle], sign, lever.data());
  }
  if (leaf.group < 0 || leaf.stays[index_of(handle)]) {
    sweeps_.set_handle(own, handle, directions.data(), sign, lever.data());
  }
}

void DualAssembly::set_inertia(int body, const Mat3& inertia_inverse) {
  if (const TwinGroups::Leaf& leaf = twins_.leaf(body); leaf.group >= 0) {
    twins_.set_inertia(leaf, inertia_inverse.data());
    return;
  }
  double* const own = storage_.bodies()[index_of(body)].inverse_inertia;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      own[(1 + j) * kDualPack + 3 + i] = inertia_inverse(i, j);
    }
  }
}

void DualAssembly::factorise_nodes(std::size_t range) {
  DualFailure& failure = failures_[range];
  failure.node = -1.0;
  const bool stopped = range == kTop && std::any_of(failures_.begin() + 1, failures_.end(),
                                                    [](const DualFailure& branch) { return branch.node >= 0.0; });
  if (stopped) {
    return;
  }
  int row = 0;
  for (const TwinGroup& group : twins_.of(range)) {
    const int failed = sweeps_.twins.factorise(group.trees(), proximal_.regularisation, row);
    if (failed >= 0) {
      const TwinGroup::Failure of_lane = group.failure_at(failed, row, storage_.nodes());
      failure = {static_cast<double>(of_lane.node), static_cast<double>(of_lane.row), of_lane.pivot};
      return;
    }
    group.give_schur(storage_.nodes());
  }
  const int failed = sweeps_.factorise(tree(), storage_.ranges()[range], row);
  if (failed >= 0) {
    const DualNode& node = storage_.nodes()[index_of(failed)];
    failure = {static_cast<double>(failed), static_cast<double>(row),
               storage_.ranges()[range].scratch.factor[row * (node.closed_rows + 1)]};
  }
}

AssemblyPivot DualAssembly::first_failure() const {
  for (const DualFailure& failure : failures_) {
    if (failure.node >= 0.0) {
      const DualNode& node = storage_.nodes()[static_cast<std::size_t>(failure.node)];
      return {node.joints[node.slots[static_cast<std::size_t>(failure.row)] / kDualPack], failure.pivot};
    }
  }
  return {};
}

}  // namespace mbdbench
