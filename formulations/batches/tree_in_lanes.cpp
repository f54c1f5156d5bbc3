#include "formulations/batches/tree_in_lanes.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "formulations/kernels/acceleration_rows.hpp"
#include "formulations/kernels/momentum_rows.hpp"
#include "formulations/subchains/execution.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kMostLanes = 8;

LaneSweeps sweeps_in_use() {
  const std::string_view name = instruction_set_name();
  return name == "avx512" ? avx512_lane_sweeps() : name == "avx2" ? avx2_lane_sweeps() : baseline_lane_sweeps();
}

/// \returns how many packs a structure of packs has.
template <typename Structure>
constexpr std::size_t packs_of() {
  return sizeof(Structure) / sizeof(double);
}

/// \returns whether every load is a constant force, a spring or a damper in a tree joint.
bool are_linear(const MechanismDescription& description) {
  return description.joint_frictions.empty() && description.joint_stops.empty() &&
         std::all_of(description.joint_loads.begin(), description.joint_loads.end(),
                     [](const JointLoadDescription& load) { return std::holds_alternative<ConstantLaw>(load.law); });
}

/// \returns coordinate and quasi-velocity of a component of a tree joint.
LaneForce force_along(const Mechanism& mechanism, const std::string& name, int component) {
  const Joint& joint = mechanism.joint(*mechanism.find_joint(name));
  // A quaternion has no coordinate that a spring could have; its components are turns without one.
  return {joint.q_offset + component, joint.u_offset + component, 0.0, 0.0, 0.0};
}

std::vector<LaneForce> linear_forces(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  std::vector<LaneForce> forces;
  for (const JointLoadDescription& load : description.joint_loads) {
    forces.push_back(force_along(mechanism, load.joint, load.component));
    forces.back().constant = std::get<ConstantLaw>(load.law).value;
  }
  for (const JointSpringDescription& spring : description.joint_springs) {
    forces.push_back(force_along(mechanism, spring.joint, spring.component));
    forces.back().constant = spring.stiffness * spring.rest;
    forces.back().stiffness = spring.stiffness;
    forces.back().damping = spring.damping;
  }
  return forces;
}

}  // namespace

int TreeInLanes::lanes_in_use() {
  return sweeps_in_use().lanes;
}

TreeInLanes::TreeInLanes(const Mechanism& mechanism, StateKind kind, const CutReferences* near)
    : kind_(kind),
      sweeps_(sweeps_in_use()),
      tree_(mechanism),
      positions_(tree_.positions()),
      team_({}, {}),
      loads_(mechanism, tree_, near),
      alone_loads_(loads_.on_bodies() || (loads_.in_joints() && !are_linear(mechanism.description()))),
      u_(index_of(mechanism.u_size())) {
  take_constants(mechanism);
  reserve(mechanism);
}

void TreeInLanes::take_constants(const Mechanism& mechanism) {
  for (const LinkRun& run : tree_.runs()) {
    runs_.push_back({run.first, run.last, run.slot, run.start, run.gravity});
  }
  if (!alone_loads_) {
    forces_ = linear_forces(mechanism);
  }
  offsets_ = tree_.positions().slides;
  data_.row_count = static_cast<int>(tree_.size());
  data_.run_count = static_cast<int>(runs_.size());
  data_.slot_count = tree_.slot_count();
  data_.q_count = mechanism.q_size();
  data_.u_count = mechanism.u_size();
  data_.force_count = static_cast<int>(forces_.size());
  data_.rows = tree_.rows().data();
  data_.links = tree_.links().data();
  data_.runs = runs_.data();
  data_.spherical = tree_.spherical().data();
  data_.angles = tree_.offsets().data();
  data_.offsets = offsets_.data();
  data_.forces = forces_.data();
  data_.weight = !loads_.on_bodies();
}

void TreeInLanes::reserve(const Mechanism& mechanism) {
  const bool momenta = kind_ == StateKind::momentum;
  const std::size_t rows = tree_.size();
  const std::size_t balls = tree_.spherical().size();
  const std::size_t u_size = index_of(mechanism.u_size());
  const std::size_t state = index_of(mechanism.q_size()) + u_size;
  const auto packs = [&](double* LaneData::*array, std::size_t count) {
    memory_.push_back(node_memory(std::max<std::size_t>(1, count) * index_of(sweeps_.lanes)));
    data_.*array = memory_.back().get();
  };
  packs(&LaneData::state, state);
  packs(&LaneData::rates, state);
  packs(&LaneData::velocities, u_size);
  packs(&LaneData::torques, u_size);
  packs(&LaneData::turns, 3 * rows);
  packs(&LaneData::spheres, 12 * balls);
  packs(&LaneData::verdict, 1);
  packs(&LaneData::turn_rows,
        rows * (momenta ? packs_of<kernels::MomentumRow<double>>() : packs_of<kernels::AccelerationRow<double>>()));
  packs(&LaneData::other_rows,
        rows * (momenta ? packs_of<kernels::GeneralMomentumRow<double>>() : packs_of<kernels::SlideGain<double>>()));
  packs(&LaneData::ball_rows, balls * (momenta ? packs_of<kernels::SphericalMomentumRow<double>>()
                                               : packs_of<kernels::SphericalAccelerationRow<double>>()));
  packs(&LaneData::slots, index_of(tree_.slot_count()) * (momenta ? packs_of<MomentumLaneSlot<double>>()
                                                                  : packs_of<AccelerationLaneSlot<double>>()));
  if (loads_.on_bodies()) {
    packs(&LaneData::wrenches, 6 * rows);
  }
}

void TreeInLanes::set_loads(double t, const double* const* states) {
  const auto lanes = index_of(sweeps_.lanes);
  const auto q_size = index_of(data_.q_count);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::span<const double> q(states[lane], q_size);
    std::span<const double> u(states[lane] + q_size, u_.size());
    if (kind_ == StateKind::momentum) {
      for (std::size_t k = 0; k < u_.size(); ++k) {
        u_[k] = data_.velocities[lanes * k + lane];
      }
      u = u_;
    }
    if (loads_.on_bodies()) {
      tree_.set_positions(q, positions_);
    }
    loads_.evaluate(t, q, u, tree_, positions_, team_);
    const std::span<const double> torques = loads_.joint_forces();
    for (std::size_t k = 0; k < torques.size(); ++k) {
      data_.torques[lanes * k + lane] = torques[k];
    }
    const std::span<const kernels::LinkWrench<double>> wrenches = loads_.wrenches();
    for (std::size_t i = 0; i < wrenches.size(); ++i) {
      const kernels::LinkWrench<double>& w = wrenches[i];
      const std::array<double, 6> components = {w.fx, w.fy, w.fz, w.nx, w.ny, w.nz};
      for (std::size_t c = 0; c < components.size(); ++c) {
        data_.wrenches[lanes * (6 * i + c) + lane] = components[c];
      }
    }
  }
}

void TreeInLanes::evaluate(double t, std::span<const double> states, std::span<double> rates,
                           std::span<RhsStatus> statuses, const OneState& alone) {
  const auto lanes = index_of(sweeps_.lanes);
  const std::size_t size = index_of(data_.q_count + data_.u_count);
  const std::size_t count = statuses.size();
  const bool momenta = kind_ == StateKind::momentum;
  loads_.set_time(t);
  data_.motions = (momenta ? loads_.motions().velocities() : loads_.motions().accelerations()).data();
  std::array<const double*, kMostLanes> from{};
  std::array<double*, kMostLanes> to{};
  for (std::size_t first = 0; first < count; first += lanes) {
    // Lanes behind the last state repeat it: they compute and write what that one does.
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t k = std::min(first + lane, count - 1);
      from[lane] = states.data() + k * size;
      to[lane] = rates.data() + k * size;
    }
    sweeps_.gather(data_, from.data());
    if (momenta) {
      sweeps_.momenta(data_);
      if (alone_loads_) {
        set_loads(t, from.data());
        sweeps_.momentum_loads(data_);
      }
    } else {
      if (alone_loads_) {
        set_loads(t, from.data());
      } else if (!forces_.empty()) {
        std::fill_n(data_.torques, lanes * u_.size(), 0.0);
      }
      sweeps_.accelerations(data_);
    }
    sweeps_.scatter(data_, to.data());
    for (std::size_t lane = 0; lane < lanes && first + lane < count; ++lane) {
      const std::size_t k = first + lane;
      statuses[k] = data_.verdict[lane] > 0.0 ? RhsStatus{}
                                              : alone(states.subspan(k * size, size), rates.subspan(k * size, size));
    }
  }
}

}  // namespace mbdbench
