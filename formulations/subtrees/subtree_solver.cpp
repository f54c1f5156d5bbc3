#include "formulations/subtrees/subtree_solver.hpp"

#include <algorithm>
#include <functional>

#include "formulations/kernels/chains/turns.hpp"
#include "formulations/lanes/lane_failure.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
SubtreeSolver::SubtreeSolver(const Mechanism& mechanism, StateKind rate_kind, const Execution& execution)
    : mechanism_(&mechanism),
      plan_(mechanism),
      trunk_sweeps_(scalar_tree_sweeps()),
      sweeps_(compiled_for(execution.instruction_set, []<int W>() { return tree_sweeps::sweeps_in_registers<W>(); })),
      trunk_(plan_.tree(), plan_.trunk()),
      pivots_(plan_.blocks().size() + 1),
      loads_(mechanism, nullptr),  // none in cut joints
      team_(std::min(execution.threads, static_cast<int>(plan_.blocks().size()))) {
  for (const TreeForm& form : plan_.blocks()) {
    blocks_.push_back(std::make_unique<TreeLanes>(plan_.tree(), form));
  }
  set_ground(rate_kind);
}

void SubtreeSolver::set_ground(StateKind rate_kind) {
  for (std::size_t g = 0; g < plan_.ground_runs().size(); ++g) {
    TreeSlot<double> ground{};
    const kernels::LinkVector<double>& gravity = plan_.tree().runs()[index_of(plan_.ground_runs()[g])].gravity;
    if (rate_kind == StateKind::momentum) {
      ground.motion.gravity = gravity;
    } else {
      ground.motion.linear = {-gravity.x, -gravity.y, -gravity.z};  // an upward acceleration of the ground
    }
    trunk_.set_slot(static_cast<int>(g), 0, ground);
  }
}

template <typename Work>
void SubtreeSolver::for_blocks_of(const TeamMember& member, const Work& work) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (static_cast<int>(b) * member.count / static_cast<int>(blocks_.size()) == member.index) {
      work(b, *blocks_[b]);
    }
  }
}

void SubtreeSolver::tell_blocks(std::size_t b) const {
  for (int lane = 0; lane < SubtreePlan::kLanes; ++lane) {
    blocks_[b]->set_slot(0, lane, trunk_.slot(plan_.ports()[b][index_of(lane)].trunk_slot, 0));
  }
}

void SubtreeSolver::collect_from_blocks() const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (int lane = 0; lane < SubtreePlan::kLanes; ++lane) {
      const int place = plan_.ports()[b][index_of(lane)].trunk_slot;
      const TreeSlot<double> arrived = blocks_[b]->slot(0, lane);
      TreeSlot<double> slot = trunk_.slot(place, 0);
      kernels::add_inertia(arrived.carried.inertia, slot.carried.inertia);
      kernels::add_wrench(arrived.carried.momentum, slot.carried.momentum);
      kernels::add_vector(arrived.carried.first_moment, slot.carried.first_moment);
      trunk_.set_slot(place, 0, slot);
    }
  }
}

RhsStatus SubtreeSolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                       std::span<double> velocities, std::span<double> udot) {
  std::copy(u.begin(), u.end(), velocities.begin());
  if (loads_.in_joints()) {
    loads_.evaluate_joint_forces(t, q, u);
    trunk_.scatter(view(loads_.joint_forces()), &TreeBlock::forces);
  }
  trunk_.set_turns(trunk_sweeps_, q);
  trunk_.scatter(u, &TreeBlock::rates);
  trunk_sweeps_.velocities(trunk_.block());
  team_.run([&](const TeamMember& member) {
    for_blocks_of(member, [&](std::size_t b, const TreeLanes& lanes) {
      lanes.set_turns(sweeps_, q);
      lanes.scatter(u, &TreeBlock::rates);
      if (loads_.in_joints()) {
        lanes.scatter(view(loads_.joint_forces()), &TreeBlock::forces);
      }
      tell_blocks(b);
      sweeps_.velocities(lanes.block());
      sweeps_.clear_slots(lanes.block());
      pivots_[b] = sweeps_.accelerations_inward(lanes.block());
    });
    member.barrier();
    if (member.index == 0) {
      trunk_sweeps_.clear_slots(trunk_.block());
      collect_from_blocks();
      pivots_.back() = trunk_sweeps_.accelerations_inward(trunk_.block());
      trunk_sweeps_.accelerations_outward(trunk_.block());
    }
    member.barrier();
    for_blocks_of(member, [&](std::size_t b, const TreeLanes& lanes) {
      tell_blocks(b);
      sweeps_.accelerations_outward(lanes.block());
      lanes.gather(&TreeBlock::results, udot);
    });
  });
  trunk_.gather(&TreeBlock::results, udot);
  return status(q, udot);
}

RhsStatus SubtreeSolver::momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                                 std::span<double> pdot) {
  trunk_.set_turns(trunk_sweeps_, q);
  trunk_.scatter(p, &TreeBlock::rates);
  team_.run([&](const TeamMember& member) {
    for_blocks_of(member, [&](std::size_t b, const TreeLanes& lanes) {
      lanes.set_turns(sweeps_, q);
      lanes.scatter(p, &TreeBlock::rates);
      sweeps_.clear_slots(lanes.block());
      pivots_[b] = sweeps_.momenta_inward(lanes.block());
    });
    member.barrier();
    if (member.index == 0) {
      trunk_sweeps_.clear_slots(trunk_.block());
      collect_from_blocks();
      pivots_.back() = trunk_sweeps_.momenta_inward(trunk_.block());
      trunk_sweeps_.momenta_outward(trunk_.block());
    }
    member.barrier();
    for_blocks_of(member, [&](std::size_t b, const TreeLanes& lanes) {
      tell_blocks(b);
      sweeps_.momenta_outward(lanes.block());
      lanes.gather(&TreeBlock::results, u);
      lanes.gather(&TreeBlock::momentum_rates, pdot);
    });
  });
  trunk_.gather(&TreeBlock::results, u);
  trunk_.gather(&TreeBlock::momentum_rates, pdot);
  if (loads_.in_joints()) {  // forces such as those of dampers depend on u
    loads_.evaluate_joint_forces(t, q, u);
    const std::span<const double> tau = view(loads_.joint_forces());
    std::transform(pdot.begin(), pdot.end(), tau.begin(), pdot.begin(), std::plus<>());
  }
  const RhsStatus of_u = status(q, u);
  return of_u.ok ? status(q, pdot) : of_u;
}

RhsStatus SubtreeSolver::status(std::span<const double> q, std::span<const double> results) {
  double smallest = pivots_.front();
  for (const double pivot : pivots_) {
    smallest = kernels::smaller_or_nan(smallest, pivot);
  }
  return lane_status(*mechanism_, q, results, smallest, plan_.tree().joint(plan_.tree().size() - 1),
                     "NaN inboard of this joint, or an articulated inertia that is not positive; the smallest is");
}

std::vector<WorkStage> SubtreeSolver::stages(StateKind rate_kind) const {
  const bool momenta = rate_kind == StateKind::momentum;
  const double inward = momenta ? 240.0 : 320.0;
  const double outward = momenta ? 120.0 : 100.0;
  double links = 0.0;
  for (const TreeForm& form : plan_.blocks()) {
    links = std::max(links, static_cast<double>(form.size()));
  }
  const auto blocks = static_cast<double>(blocks_.size());
  const double trunk = (inward + outward) * plan_.trunk().size();
  return {{blocks, links * inward, SubtreePlan::kLanes}, {1.0, trunk}, {blocks, links * outward, SubtreePlan::kLanes}};
}

}  // namespace mbdbench
