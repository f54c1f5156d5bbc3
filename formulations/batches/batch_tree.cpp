#include "formulations/batches/batch_tree.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/table_law.hpp"

namespace mbdbench {
namespace {

/// \returns coordinate and quasi-velocity of a component of a tree joint.
LaneForce force_along(const Mechanism& mechanism, const std::string& name, int component) {
  const Joint& joint = mechanism.joint(*mechanism.find_joint(name));
  // A quaternion has no coordinate that a spring could have; its components are turns without one.
  return {joint.q_offset + component, joint.u_offset + component, 0.0, 0.0, 0.0};
}

}  // namespace

std::vector<LaneForce> linear_forces(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  std::vector<LaneForce> forces;
  for (const JointLoadDescription& load : description.joint_loads) {
    forces.push_back(force_along(mechanism, load.joint, load.component));
    if (const auto* constant = std::get_if<ConstantLaw>(&load.law)) {
      forces.back().constant = constant->value;
    }
  }
  for (const JointSpringDescription& spring : description.joint_springs) {
    forces.push_back(force_along(mechanism, spring.joint, spring.component));
    forces.back().constant = spring.stiffness * spring.rest;
    forces.back().stiffness = spring.stiffness;
    forces.back().damping = spring.damping;
  }
  return forces;
}

std::string joint_loads_without_lanes(const MechanismDescription& description) {
  const auto is_constant = [](const JointLoadDescription& load) {
    const auto* table = std::get_if<TableLaw>(&load.law);
    return std::holds_alternative<ConstantLaw>(load.law) || (table != nullptr && table->over == "t");
  };
  const auto& loads = description.joint_loads;
  if (const auto other = std::find_if_not(loads.begin(), loads.end(), is_constant); other != loads.end()) {
    return "load '" + other->name + "' in a joint, a formula or a table over its state";
  }
  return !description.joint_frictions.empty() ? "friction '" + description.joint_frictions.front().name + "'"
         : !description.joint_stops.empty()   ? "stop '" + description.joint_stops.front().name + "'"
                                              : std::string();
}

std::string loads_without_lanes(const MechanismDescription& description) {
  if (std::string load = joint_loads_without_lanes(description); !load.empty()) {
    return load;
  }
  return !description.body_loads.empty()      ? "load '" + description.body_loads.front().name + "' on a body"
         : !description.point_springs.empty() ? "spring '" + description.point_springs.front().name + "' between points"
         : !description.bushings.empty()      ? "bushing '" + description.bushings.front().name + "'"
                                              : std::string();
}

BatchTree::BatchTree(const Mechanism& mechanism, StateKind kind, std::size_t width, const CutReferences* near,
                     bool has_other_loads)
    : kind_(kind),
      width_(width),
      tree_(mechanism),
      loads_(mechanism, tree_, near),
      has_other_loads_(has_other_loads),
      positions_(tree_.positions()),
      team_({}, {}),
      q_(index_of(mechanism.q_size())),
      u_(index_of(mechanism.u_size())) {
  take_constants(mechanism);
  memory_.reserve(data_, kind, width, {tree_.general_count(), static_cast<int>(tree_.spherical().size())},
                  has_other_loads_ && loads_.on_bodies());
}

void BatchTree::set_time(double t) {
  loads_.set_time(t);
  for (const TimedForce& timed : timed_forces_) {
    forces_[timed.force].constant = value_at(*timed.table, t);
  }
  data_.motions = (has_momenta() ? loads_.motions().velocities() : loads_.motions().accelerations()).data();
}

void BatchTree::evaluate_loads(double t, std::size_t count, const double* u) {
  for (std::size_t lane = 0; lane < width_; ++lane) {
    if (lane < count) {
      evaluate_lane(t, lane, u);
    }
    const std::span<const double> torques = loads_.joint_forces();
    for (std::size_t k = 0; k < torques.size(); ++k) {
      data_.torques[width_ * k + lane] = torques[k];
    }
    const std::span<const kernels::LinkWrench<double>> wrenches = loads_.wrenches();
    for (std::size_t i = 0; i < wrenches.size(); ++i) {
      const kernels::LinkWrench<double>& w = wrenches[i];
      const std::array<double, 6> components = {w.fx, w.fy, w.fz, w.nx, w.ny, w.nz};
      for (std::size_t c = 0; c < components.size(); ++c) {
        data_.wrenches[width_ * (6 * i + c) + lane] = components[c];
      }
    }
  }
}

void BatchTree::evaluate_lane(double t, std::size_t lane, const double* u) {
  for (std::size_t k = 0; k < q_.size(); ++k) {
    q_[k] = data_.state[width_ * k + lane];
  }
  for (std::size_t k = 0; k < u_.size(); ++k) {
    u_[k] = u[width_ * k + lane];
  }
  if (loads_.on_bodies()) {
    tree_.set_positions(q_, positions_);
  }
  loads_.evaluate(t, q_, u_, tree_, positions_, team_);
}

void BatchTree::take_constants(const Mechanism& mechanism) {
  if (!has_other_loads_) {
    forces_ = linear_forces(mechanism);
    const auto& loads = mechanism.description().joint_loads;  // the first ones of them
    for (std::size_t k = 0; k < loads.size(); ++k) {
      if (const auto* table = std::get_if<TableLaw>(&loads[k].law)) {
        timed_forces_.push_back({k, table});
      }
    }
  }
  offsets_ = tree_.positions().slides;
  data_.row_count = static_cast<int>(tree_.size());
  data_.run_count = static_cast<int>(tree_.runs().size());
  data_.slot_count = tree_.slot_count();
  data_.q_count = mechanism.q_size();
  data_.u_count = mechanism.u_size();
  data_.force_count = static_cast<int>(forces_.size());
  data_.rows = tree_.rows().data();
  data_.links = tree_.links().data();
  data_.segments = tree_.segments().data();
  data_.runs = tree_.runs().data();
  data_.spherical = tree_.spherical().data();
  data_.angles = tree_.offsets().data();
  data_.offsets = offsets_.data();
  data_.forces = forces_.data();
  data_.weight = !(has_other_loads_ && loads_.on_bodies());
}

}  // namespace mbdbench
