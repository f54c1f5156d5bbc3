#include "mechanisms/model/load_variables.hpp"

#include <array>

#include "mechanisms/model/loads.hpp"

namespace mbdbench {
namespace {

constexpr std::array<const char*, 6> kMarkerPrefixes = {"x_", "y_", "z_", "vx_", "vy_", "vz_"};

std::string component_name(const char* prefix, const std::string& joint, int component) {
  return component == 0 ? prefix + joint : prefix + joint + "_" + std::to_string(component + 1);
}

}  // namespace

LoadVariables::LoadVariables(const Mechanism& mechanism) : mechanism_(&mechanism) {
  std::vector<std::string> names = {"t"};
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nq; ++i) {
      names.push_back(component_name("q_", joint.name, i));
      joint_variables_.push_back({joint.q_offset + i, -1});
    }
    for (int i = 0; i < joint.nu; ++i) {
      names.push_back(component_name("v_", joint.name, i));
      joint_variables_.push_back({-1, joint.u_offset + i});
    }
  }
  for (const Marker& marker : mechanism.markers()) {
    for (const char* prefix : kMarkerPrefixes) {
      names.push_back(prefix + marker.name);
    }
  }
  values_.resize(names.size() + 2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    global_.push_back({names[i], &values_[i]});
  }
}

std::vector<ExpressionVariable> LoadVariables::own() {
  return {{"q", &values_[values_.size() - 2]}, {"v", &values_.back()}};
}

void LoadVariables::set_global(double t, std::span<const double> q, std::span<const double> u,
                               const Kinematics& kinematics) {
  std::size_t next = 0;
  values_[next++] = t;
  for (const JointVariable& variable : joint_variables_) {
    values_[next++] =
        variable.q >= 0 ? q[static_cast<std::size_t>(variable.q)] : u[static_cast<std::size_t>(variable.u)];
  }
  for (const Marker& marker : mechanism_->markers()) {
    const Vec3 point = kinematics.world_point(marker.body, marker.point);
    const Vec3 velocity = kinematics.velocity_at(marker.body, point).head<3>();
    for (int axis = 0; axis < 3; ++axis) {
      values_[next++] = point[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
      values_[next++] = velocity[axis];
    }
  }
}

std::pair<double, double> LoadVariables::set_own(JointReference reference, int component, std::span<const double> q,
                                                 std::span<const double> u, const Kinematics& kinematics) {
  const Joint& joint = mechanism_->joint(reference);
  double& own_q = values_[values_.size() - 2];
  double& own_v = values_.back();
  own_q = 0.0;
  const bool scalar = has_coordinate_rates(joint.type);
  if (!reference.cut) {
    own_q = scalar ? q[static_cast<std::size_t>(joint.q_offset + component)] : 0.0;
    own_v = u[static_cast<std::size_t>(joint.u_offset + component)];
    return {own_q, own_v};
  }
  const JointKinematics& state = kinematics.cut_joint(reference.index);
  if (scalar) {
    std::array<double, 7> coordinates{};
    cut_coordinates(kinematics, reference.index, coordinates);
    own_q = coordinates[static_cast<std::size_t>(component)];
  }
  const Vec6 relative = kinematics.velocity_at(joint.b, state.point_b) - kinematics.velocity_at(joint.a, state.point_b);
  own_v = cut_dual_direction(joint, state, component).dot(relative);
  return {own_q, own_v};
}

Vec6 cut_dual_direction(const Joint& joint, const JointKinematics& state, int component) {
  if (joint.type != JointType::universal) {
    return state.h.col(component);  // H is orthonormal
  }
  const double c = state.h.col(0).dot(state.h.col(1));
  const int other = 1 - component;
  return (state.h.col(component) - c * state.h.col(other)) / (1.0 - c * c);
}

}  // namespace mbdbench
