#include "formulations/subchains/chains/chain_loads.hpp"

#include <fmt/format.h>

#include "formulations/mechanism_part.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

MechanismDescription held_links(const Mechanism& mechanism, const ChainPlan& plan, const ChainRange& held) {
  return mechanism_part(mechanism, [&](int body) {
    const int row = plan.tree().bodies()[index_of(body)].row;
    return row >= held.first && row < held.last;
  });
}

}  // namespace

ChainLoads::ChainLoads(const Mechanism& mechanism, const ChainPlan& plan, const std::optional<ChainRange>& held) {
  if (!has_joint_loads(mechanism.description())) {
    return;
  }
  if (!held) {
    loads_.emplace(mechanism, nullptr);  // none in cut joints
    return;
  }
  part_ = std::make_unique<const Mechanism>(held_links(mechanism, plan, *held));
  loads_.emplace(*part_, nullptr);
  for (int position = held->first; position < held->last; ++position) {
    const Joint& joint = mechanism.tree_joints()[index_of(plan.tree().joint(index_of(position)))];
    const int component = plan.coordinates()[index_of(position)] - joint.q_offset;
    // Joints that turn about axes number coordinates and quasi-velocities alike.
    places_.push_back(index_of(part_->joint(*part_->find_joint(joint.name)).q_offset + component));
  }
  q_.resize(index_of(part_->q_size()));
  u_.resize(index_of(part_->u_size()));
  forces_.resize(places_.size());
}

void ChainLoads::evaluate(double t, std::span<const double> q, std::span<const double> u) {
  if (places_.empty()) {
    loads_->evaluate_joint_forces(t, q, u);
    return;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    q_[places_[i]] = q[i];
    u_[places_[i]] = u[i];
  }
  loads_->evaluate_joint_forces(t, q_, u_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    forces_[i] = loads_->joint_forces()[static_cast<Eigen::Index>(places_[i])];
  }
}

std::string refuse_divided_loads(const Mechanism& mechanism, const ChainPlan& plan, int processes) {
  try {
    for (int process = 0; process < processes && has_joint_loads(mechanism.description()); ++process) {
      const Mechanism held(held_links(mechanism, plan, plan.share_of(process, processes).positions));
    }
  } catch (const ModelError& error) {
    return fmt::format("a load in a joint of one process depends on another one: {}", error.what());
  }
  return {};
}

}  // namespace mbdbench
