#include "formulations/parts/lanes/loops_in_lanes.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "formulations/kernels/loadless_rows.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kMostStates = 8;

/// \returns whether the sweeps leave out a load, so that all are evaluated lane by lane.
bool has_loads_without_lanes(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  const auto changes = [](const Law& law) { return !std::holds_alternative<ConstantLaw>(law); };
  const auto& loads = description.body_loads;
  const auto in_cut = [&](const auto& load) { return mechanism.find_joint(load.joint)->cut; };
  return !joint_loads_without_lanes(description).empty() || !description.bushings.empty() ||
         std::any_of(loads.begin(), loads.end(),
                     [&](const BodyLoadDescription& load) {
                       return std::any_of(load.force.begin(), load.force.end(), changes) ||
                              std::any_of(load.torque.begin(), load.torque.end(), changes);
                     }) ||
         std::any_of(description.joint_loads.begin(), description.joint_loads.end(), in_cut) ||
         std::any_of(description.joint_springs.begin(), description.joint_springs.end(), in_cut);
}

}  // namespace

int LoopsInLanes::lanes_of(const InstructionSet& set) {
  return compiled_for(set, []<int W>() { return loop_sweeps::sweeps<W>(); }).lanes;
}

LoopsInLanes::LoopsInLanes(const Mechanism& mechanism, const PartRecursion& one,
                           const std::variant<LaneAccelerations, LaneAllJoints, LaneMomenta, LaneReducedMomenta>& form,
                           const CutReferences* near, const InstructionSet& set)
    : mechanism_(&mechanism),
      kind_(std::holds_alternative<LaneAccelerations>(form) || std::holds_alternative<LaneAllJoints>(form)
                ? StateKind::velocity
                : StateKind::momentum),
      sweeps_(compiled_for(set, []<int W>() { return loop_sweeps::sweeps<W>(); })),
      tree_(mechanism, kind_, index_of(sweeps_.lanes), near, has_loads_without_lanes(mechanism)),
      constants_(mechanism, tree_, one),
      memory_(sweeps_) {
  data_.tree = tree_.data();
  data_.outside = data_.tree;
  data_.zero_row = kZeroRow;
  data_.loads_apart = tree_.has_other_loads();
  for (int i = 0; i < 3; ++i) {
    data_.gravity[i] = mechanism.gravity()[i];
  }
  constants_.point_at_constants(data_);
  reserve();
  std::visit([this](const auto& own) { set_up(own); }, form);
  if (constants_.apart_count() > 0) {
    data_.cut_motions = packs(CutsApart::packs(constants_));
    cuts_apart_.emplace(mechanism, tree_.tree(), constants_, kind_, index_of(sweeps_.lanes));
  }
}

void LoopsInLanes::set_up(const LaneAccelerations& form) {
  data_.projects = form.projects;
  data_.alpha = form.baumgarte.alpha;
  data_.beta = form.baumgarte.beta;
}

void LoopsInLanes::set_up(const LaneMomenta& form) {
  data_.tangent = form.gauge == GaugeControl::tangent;
  data_.leak = data_.tangent                      ? least_tangent_leak(form.leak, *mechanism_)
               : form.gauge == GaugeControl::leak ? form.leak
                                                  : 0.0;
  data_.feedback = form.feedback;
}

void LoopsInLanes::set_up(const LaneAllJoints& form) {
  reduced_.emplace(*mechanism_, tree_.tree(), constants_.plan(), constants_.cuts(), form.cut_coordinates_at,
                   form.cut_rates_at);
  reduced_->point_at_coordinates(data_);
  data_.all_joints = true;
  set_outside(form.state_size, form.rates_at);
}

void LoopsInLanes::set_up(const LaneReducedMomenta& form) {
  constants_.keep_ways();
  reduced_.emplace(*mechanism_, tree_.tree(), constants_.plan(), constants_.cuts(), form.cut_coordinates_at, 0);
  reduced_->point_at_coordinates(data_);
  set_outside(form.state_size, form.rates_at);
  data_.dependent_matrices = packs(reduced_->workspace(form.dependents));
}

void LoopsInLanes::set_outside(int state_size, int rates_at) {
  data_.rates_at = rates_at;
  data_.outside.q_count = state_size;
  data_.outside.u_count = 0;
  data_.outside.state = packs(index_of(state_size));
  data_.outside.rates = packs(index_of(state_size));
}

void LoopsInLanes::reserve() {
  const PartPlan& plan = constants_.plan();
  LoopSizes sizes;
  sizes.rows = tree_.tree().size();
  sizes.receivers = sizes.rows;
  sizes.spheres = tree_.tree().spherical().size();
  sizes.columns = plan.column_count;
  sizes.along = plan.along_count;
  sizes.products = plan.product_count;
  sizes.halves = plan.half_count;
  sizes.across = plan.across_count;
  sizes.rates = plan.rate_count;
  sizes.rights = plan.right_count;
  sizes.joints = static_cast<int>(plan.joints.size());
  for (const LoopClosing& closing : plan.closings) {
    sizes.most = std::max(sizes.most, closing.rows);
  }
  memory_.reserve(data_, sizes);
  data_.loads = data_.tree.wrenches != nullptr ? data_.tree.wrenches
                                               : packs(data_.load_row_count == 0 ? 0 : 6 * tree_.tree().size());
  data_.driven = packs(index_of(data_.motion_count));
  if (kind_ == StateKind::momentum) {
    reserve_momenta();
  }
  sweeps_.prepare(data_, plan.joints.data(), static_cast<int>(plan.joints.size()));
}

void LoopsInLanes::reserve_momenta() {
  using namespace kernels;
  const std::size_t rows = tree_.tree().size();
  data_.pushes = packs(6 * rows);
  data_.gravities = packs(3 * rows);
  data_.own = packs(index_of(data_.tree.u_count));
  PartMomenta<double>& sweep = data_.momenta;
  sweep.impulses = reinterpret_cast<const LinkWrench<double>*>(data_.pushes);
  sweep.loads = reinterpret_cast<const LinkWrench<double>*>(data_.loads);
  sweep.gravity =
      data_.tree.wrenches == nullptr ? reinterpret_cast<const LinkVector<double>*>(data_.gravities) : nullptr;
  sweep.carried = reinterpret_cast<LinkWrench<double>*>(packs(3 * 6 * rows));
}

void LoopsInLanes::evaluate(double t, std::span<const double> states, std::span<double> rates,
                            std::span<RhsStatus> statuses, const StatesInLanes::OneState& alone,
                            std::span<const std::size_t> which) {
  const auto lanes = index_of(sweeps_.lanes);
  const std::size_t size = index_of(data_.outside.q_count + data_.outside.u_count);
  const std::size_t count = which.empty() ? statuses.size() : which.size();
  const RhsStatus fine;  // assigned as states_in_lanes.cpp says
  const auto number = [&](std::size_t place) { return which.empty() ? place : which[place]; };
  std::array<const double*, kMostStates> from{};
  std::array<double*, kMostStates> to{};
  tree_.set_time(t);
  data_.motion_velocities = tree_.motions().velocities().data();
  data_.motion_accelerations = tree_.motions().accelerations().data();
  const LoopPasses& passes = kind_ == StateKind::momentum ? sweeps_.momenta : sweeps_.accelerations;
  for (std::size_t first = 0; first < count; first += lanes) {
    // Lanes behind the last state repeat it: they compute and write what that one does.
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t k = number(std::min(first + lane, count - 1));
      from[lane] = states.data() + k * size;
      to[lane] = rates.data() + k * size;
    }
    const std::size_t used = std::min(lanes, count - first);
    sweeps_.gather(data_.outside, from.data());
    passes.set_poses(data_);
    if (cuts_apart_) {
      cuts_apart_->place(tree_.motions(), used, data_);
    }
    passes.set_velocities(data_);
    if (cuts_apart_) {
      cuts_apart_->set_rates(tree_.motions(), used, data_);
    }
    if (data_.loads_apart) {
      tree_.evaluate_loads(t, used, data_.tree.velocities);
    }
    passes.set_rates(data_);
    sweeps_.scatter(data_.outside, to.data());
    for (std::size_t lane = 0; lane < lanes && first + lane < count; ++lane) {
      const std::size_t k = number(first + lane);
      if (data_.tree.verdict[lane] > 0.0) {
        statuses[k] = fine;
      } else {
        statuses[k] = alone(t, states.subspan(k * size, size), rates.subspan(k * size, size));
      }
    }
  }
}

}  // namespace mbdbench
