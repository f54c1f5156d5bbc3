#include "mechanisms/model/loads/cut_references.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/expression.hpp"
#include "mechanisms/model/loads/load_variables.hpp"

namespace mbdbench {
namespace {

bool is_turn(const Joint& joint, int component) {
  switch (joint.type) {
    case JointType::revolute:
    case JointType::universal:
      return true;
    case JointType::cylindrical:
      return component == 0;
    case JointType::planar:
      return component == 2;
    case JointType::prismatic:
    case JointType::spherical:
    case JointType::free:
    case JointType::fixed:
    case JointType::screw:
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      return false;
  }
  return false;
}

bool knows_coordinate(const Mechanism& mechanism, const Law& law) {
  if (const auto* const table = std::get_if<TableLaw>(&law)) {
    return table->over == "q";
  }
  if (const auto* const formula = std::get_if<ExpressionLaw>(&law)) {
    LoadVariables variables(mechanism);
    LoadVariables::Scope scope = variables.in_joint();
    const std::vector<std::string> used = Expression(formula->text, scope).used_variables();
    return std::find(used.begin(), used.end(), "q") != used.end();
  }
  return false;
}

bool is_known(const Mechanism& mechanism, const Joint& joint, int component) {
  const MechanismDescription& description = mechanism.description();
  const auto acts_here = [&](const auto& load) { return load.joint == joint.name && load.component == component; };
  return std::any_of(description.joint_loads.begin(), description.joint_loads.end(),
                     [&](const JointLoadDescription& load) {
                       return acts_here(load) && knows_coordinate(mechanism, load.law);
                     }) ||
         std::any_of(
             description.joint_springs.begin(), description.joint_springs.end(),
             [&](const JointSpringDescription& spring) { return acts_here(spring) && spring.stiffness != 0.0; }) ||
         std::any_of(description.joint_stops.begin(), description.joint_stops.end(), acts_here);
}

}  // namespace

std::vector<FollowedAngle> followed_angles(const Mechanism& mechanism) {
  std::vector<FollowedAngle> angles;
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const Joint& joint = mechanism.cut_joints()[c];
    for (int component = 0; component < joint.nq; ++component) {
      if (is_turn(joint, component) && is_known(mechanism, joint, component)) {
        angles.push_back({static_cast<int>(c), component});
      }
    }
  }
  return angles;
}

CutReferences::CutReferences(const Mechanism& mechanism)
    : joints_(mechanism.cut_joints()), coordinates_(joints_.size()) {
  reset();
}

void CutReferences::reset() {
  for (std::size_t c = 0; c < joints_.size(); ++c) {
    std::copy(joints_[c].q0.begin(), joints_[c].q0.end(), coordinates_[c].begin());
  }
}

void CutReferences::set(const FollowedAngle& angle, double value) {
  coordinates_[index_of(angle.cut)][index_of(angle.component)] = value;
}

std::span<const double> CutReferences::of(int cut) const {
  return std::span<const double>(coordinates_[index_of(cut)]).first(index_of(joints_[index_of(cut)].nq));
}

}  // namespace mbdbench
