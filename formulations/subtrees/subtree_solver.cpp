#include "formulations/subtrees/subtree_solver.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "formulations/kernels/chains/turns.hpp"
#include "formulations/lanes/lane_failure.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Below it two processes take longer to exchange than to compute all.
constexpr double kWorthAnExchange = 20000.0;

/// \returns with how many threads and processes there is enough to do for each, on any machine: eight lanes, or 20 us.
Execution worth_sharing(const SubtreePlan& plan, const Execution& execution) {
  std::size_t all = 0;
  for (const SubtreeGroup& group : plan.groups()) {
    all += group.ports.size();
  }
  const std::vector<double> costs = plan.costs(SubtreePlan::kFewLanes);
  Execution worth = execution;
  worth.threads = std::min(execution.threads, std::max(1, static_cast<int>(all / SubtreePlan::kManyLanes)));
  return std::accumulate(costs.begin(), costs.end(), 0.0) < kWorthAnExchange ? worth.on_this_process() : worth;
}

}  // namespace

SubtreeSolver::SubtreeSolver(const Mechanism& mechanism, StateKind rate_kind, const Execution& execution)
    : SubtreeSolver(mechanism, rate_kind, execution, compiled_for(execution.instruction_set, []<int W>() {
                      return tree_sweeps::sweeps_in_registers<W>();
                    })) {}

SubtreeSolver::SubtreeSolver(const Mechanism& mechanism, StateKind rate_kind, const Execution& execution,
                             const TreeSweeps& sweeps)
    : mechanism_(&mechanism),
      kind_(rate_kind),
      plan_(mechanism),
      trunk_sweeps_(scalar_tree_sweeps()),
      sweeps_(sweeps),
      trunk_(plan_.tree(), plan_.trunk(), 0, 1, rate_kind),
      loads_(mechanism, nullptr),  // none in cut joints
      team_(plan_.costs(sweeps_.lanes), worth_sharing(plan_, execution)),
      mail_(team_) {
  build_blocks();
  write_letters();
}

void SubtreeSolver::build_blocks() {
  if (plan_.groups().empty()) {
    throw ModelError({},
                     "option leaf=subtree: no four of its sub-trees have the same form; aba and naudet treat any tree, "
                     "leaf=subchain serial chains");
  }
  for (const SubtreeGroup& group : plan_.groups()) {
    const std::span<const TreePort> ports = group.ports;
    for (std::size_t first = 0; first < ports.size(); first += sweeps_.lanes) {
      blocks_.push_back({TreeBlock(plan_.tree(), group.form, first, sweeps_.lanes, kind_),
                         ports.subspan(first, std::min(sweeps_.lanes, ports.size() - first))});
      hang_on_ground(blocks_.back());
    }
  }
  pivots_.resize(blocks_.size() + 1);
}

void SubtreeSolver::hang_on_ground(const Block& block) const {
  const std::size_t first = of_kind(sweeps_).motion.first;
  for (std::size_t lane = 0; lane < block.trees.width(); ++lane) {
    const TreePort& port = block.port(lane);
    if (port.trunk_slot < 0) {
      const kernels::LinkVector<double>& gravity = port.gravity;
      double* const slot = block.trees.slot(0, lane);
      const std::size_t width = block.trees.width();
      // Accelerations: an upward one of the ground. Momenta: behind its linear and angular velocity.
      const bool momenta = kind_ == StateKind::momentum;
      const std::size_t at = first + (momenta ? 6 : 0);
      const double sign = momenta ? 1.0 : -1.0;
      slot[at * width] = sign * gravity.x;
      slot[(at + 1) * width] = sign * gravity.y;
      slot[(at + 2) * width] = sign * gravity.z;
    }
  }
}

void SubtreeSolver::write_letters() {
  const KindSweeps::Numbers carried = of_kind(sweeps_).carried;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const TreeBlock& trees = blocks_[b].trees;
    const LaneData& data = trees.data();
    const std::size_t u_numbers = index_of(data.u_count) * trees.width();
    left_.add(b + 1, std::span(trees.slot(0, 0) + carried.first * trees.width(),
                               (carried.last - carried.first) * trees.width()));
    left_.add(b + 1, std::span(&pivots_[b], 1));
    found_.add(b + 1, std::span(data.rates + index_of(data.q_count) * trees.width(), u_numbers));
    if (kind_ == StateKind::momentum) {
      found_.add(b + 1, std::span(data.velocities, u_numbers));
    }
  }
  mail_.post(left_);
  mail_.post(found_);
}

void SubtreeSolver::tell(const Block& block, const KindSweeps::Numbers& numbers) const {
  for (std::size_t lane = 0; lane < block.trees.width(); ++lane) {
    if (const int slot = block.port(lane).trunk_slot; slot >= 0) {
      const double* const from = trunk_.slot(index_of(slot), 0);
      double* const to = block.trees.slot(0, lane);
      for (std::size_t k = numbers.first; k < numbers.last; ++k) {
        to[k * block.trees.width()] = from[k];
      }
    }
  }
}

void SubtreeSolver::collect(const Block& block, const KindSweeps::Numbers& numbers) const {
  for (std::size_t lane = 0; lane < block.ports.size(); ++lane) {
    if (block.ports[lane].trunk_slot >= 0) {
      const double* const from = block.trees.slot(0, lane);
      double* const to = trunk_.slot(index_of(block.ports[lane].trunk_slot), 0);
      for (std::size_t k = numbers.first; k < numbers.last; ++k) {
        to[k] += from[k * block.trees.width()];
      }
    }
  }
}

void SubtreeSolver::write(const TreeBlock& trees, const Results& results) {
  const LaneData& data = trees.data();
  trees.write(data.rates + index_of(data.q_count) * trees.width(), results.rates);
  if (!results.velocities.empty()) {
    trees.write(data.velocities, results.velocities);
  }
}

void SubtreeSolver::sweep(std::span<const double> q, std::span<const double> rates, std::span<const double> forces,
                          const Results& results) {
  const KindSweeps& lanes = of_kind(sweeps_);
  const KindSweeps& trunk = of_kind(trunk_sweeps_);
  const auto read = [&](const TreeBlock& trees, const TreeSweeps& sweeps) {
    trees.read_state(q, rates);
    if (!forces.empty()) {
      trees.read(forces, trees.data().torques);
    }
    trees.set_positions(sweeps);
  };
  read(trunk_, trunk_sweeps_);
  trunk.prepare(trunk_.data());
  team_.for_branches([&](std::size_t branch) {
    const Block& block = blocks_[branch - 1];
    read(block.trees, sweeps_);
    tell(block, lanes.prepared);
    lanes.prepare(block.trees.data());
    lanes.clear_slots(block.trees.data());
    pivots_[branch - 1] = lanes.inward(block.trees.data());
  });
  mail_.send({&left_});
  trunk.clear_slots(trunk_.data());
  for (const Block& block : blocks_) {
    collect(block, lanes.carried);
  }
  pivots_.back() = trunk.inward(trunk_.data());
  trunk.outward(trunk_.data());
  write(trunk_, results);
  team_.for_branches([&](std::size_t branch) {
    const Block& block = blocks_[branch - 1];
    tell(block, lanes.motion);
    lanes.outward(block.trees.data());
    write(block.trees, results);
  });
  if (team_.is_divided()) {
    mail_.send({&found_});
    for (const Block& block : blocks_) {
      write(block.trees, results);
    }
  }
}

RhsStatus SubtreeSolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                       std::span<double> velocities, std::span<double> udot) {
  std::copy(u.begin(), u.end(), velocities.begin());
  std::span<const double> forces;
  if (loads_.in_joints()) {
    loads_.evaluate_joint_forces(t, q, u);
    forces = view(loads_.joint_forces());
  }
  sweep(q, u, forces, {{}, udot});
  return status(q, udot);
}

RhsStatus SubtreeSolver::momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                                 std::span<double> pdot) {
  sweep(q, p, {}, {u, pdot});
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
  double rows = 0.0;
  for (const SubtreeGroup& group : plan_.groups()) {
    rows = std::max(rows, static_cast<double>(group.form.rows.size()));
  }
  const auto blocks = static_cast<double>(blocks_.size());
  const auto width = static_cast<double>(sweeps_.lanes);
  const double trunk = (inward + outward) * static_cast<double>(plan_.trunk().rows.size());
  return {{blocks, rows * inward, width}, {1.0, trunk}, {blocks, rows * outward, width}};
}

}  // namespace mbdbench
