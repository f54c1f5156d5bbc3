#include "formulations/parts/forms/joint_accelerations.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

bool is_lean(const Mechanism& mechanism, bool projects) {
  const auto joints = mechanism.tree_joints();
  const bool screws =
      std::any_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.type == JointType::screw; });
  return mechanism.closing_row_count() == 0 && mechanism.cut_joints().empty() && !screws &&
         !(projects && mechanism.rheonomic());
}

}  // namespace

JointAccelerations::JointAccelerations(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects,
                                       const Execution& execution, const CutReferences* near, int section_bodies)
    : mechanism_(&mechanism) {
  if (section_bodies == 0 && is_lean(mechanism, projects)) {
    open_.emplace(mechanism, execution);
    loads_.emplace(mechanism, open_->tree(), near);
  } else {
    closed_.emplace(mechanism, baumgarte, projects, execution, near, section_bodies);
  }
}

RhsStatus JointAccelerations::evaluate(double t, std::span<const double> q, std::span<const double> state_velocities,
                                       std::span<double> u, std::span<double> accelerations) {
  if (closed_) {
    return closed_->evaluate(t, q, state_velocities, u, accelerations);
  }
  std::copy(state_velocities.begin(), state_velocities.end(), u.begin());
  open_->set_positions(q);
  if (loads_->on_bodies()) {
    open_->set_other_positions(q);
  }
  loads_->set_time(t);
  loads_->evaluate(t, q, u, open_->tree(), open_->positions(), open_->team());
  const int failed =
      open_->evaluate(u, loads_->joint_forces(), loads_->motions().accelerations(), loads_->wrenches(), accelerations);
  if (failed < 0) {
    return {};
  }
  return {false, mechanism_->tree_joints()[index_of(failed)].name,
          "the articulated inertia along the joint is not positive definite or not finite, its smallest pivot is",
          open_->failed_pivot()};
}

}  // namespace mbdbench
