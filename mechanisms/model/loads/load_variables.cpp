#include "mechanisms/model/loads/load_variables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

constexpr std::array<std::string_view, 6> kMarkerPrefixes = {"x_", "y_", "z_", "vx_", "vy_", "vz_"};

/// Name of a joint variable: the first component goes by the joint's name alone.
std::string component_name(const char* prefix, const std::string& joint, int component) {
  return component == 0 ? prefix + joint : prefix + joint + "_" + std::to_string(component + 1);
}

/// Joint components have one digit, from 2.
bool ends_with_component(std::string_view name) {
  return name.size() > 2 && name[name.size() - 2] == '_' && name.back() >= '2' && name.back() <= '9';
}

}  // namespace

double* LoadVariables::Scope::find(const std::string& name) {
  if (with_own_ && name == "q") {
    return &variables_.own_->q;
  }
  if (with_own_ && name == "v") {
    return &variables_.own_->v;
  }
  return variables_.use(name);
}

std::vector<std::string> LoadVariables::Scope::names() const {
  std::vector<std::string> names;
  if (with_own_) {
    names = {"q", "v"};
  }
  names.emplace_back("t");
  for (const Joint& joint : variables_.mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nq; ++i) {
      names.push_back(component_name("q_", joint.name, i));
    }
    for (int i = 0; i < joint.nu; ++i) {
      names.push_back(component_name("v_", joint.name, i));
    }
  }
  for (const Marker& marker : variables_.mechanism_->markers()) {
    for (const std::string_view prefix : kMarkerPrefixes) {
      names.push_back(std::string(prefix) + marker.name);
    }
  }
  return names;
}

double* LoadVariables::use(const std::string& name) {
  if (const auto known = in_use_.find(name); known != in_use_.end()) {
    return known->second;
  }
  const std::optional<Variable> variable = resolve(name);
  if (!variable) {
    return nullptr;
  }
  variables_.push_back(*variable);
  double* value = &variables_.back().value;
  in_use_.emplace(name, value);
  return value;
}

std::optional<LoadVariables::Variable> LoadVariables::resolve(std::string_view name) const {
  if (name == "t") {
    return Variable{};
  }
  if (name.starts_with("q_")) {
    return resolve_joint(name.substr(2), Source::joint_position);
  }
  if (name.starts_with("v_")) {
    return resolve_joint(name.substr(2), Source::joint_velocity);
  }
  for (std::size_t i = 0; i < kMarkerPrefixes.size(); ++i) {
    if (!name.starts_with(kMarkerPrefixes[i])) {
      continue;
    }
    const auto marker = mechanism_->find_marker(name.substr(kMarkerPrefixes[i].size()));
    if (!marker) {
      return std::nullopt;
    }
    return Variable{i < 3 ? Source::marker_position : Source::marker_velocity, *marker, static_cast<int>(i % 3)};
  }
  return std::nullopt;
}

std::optional<LoadVariables::Variable> LoadVariables::resolve_joint(std::string_view name, Source source) const {
  const auto component_of = [&](std::string_view joint_name, int component) -> std::optional<Variable> {
    const std::optional<JointReference> reference = mechanism_->find_joint(joint_name);
    if (!reference || reference->cut) {
      return std::nullopt;
    }
    const Joint& joint = mechanism_->joint(*reference);
    const bool position = source == Source::joint_position;
    if (component >= (position ? joint.nq : joint.nu)) {
      return std::nullopt;
    }
    Variable variable{source, (position ? joint.q_offset : joint.u_offset) + component};
    if (position && has_quaternion(joint.type) && component < 4) {
      variable.quaternion = joint.q_offset;
    }
    return variable;
  };
  // A joint may itself be called J_2; joints J with a second component besides it are refused.
  const std::optional<Variable> first = component_of(name, 0);
  if (first || !ends_with_component(name)) {
    return first;
  }
  return component_of(name.substr(0, name.size() - 2), name.back() - '1');
}

bool LoadVariables::need_bodies() const {
  return std::any_of(variables_.begin(), variables_.end(), [](const Variable& variable) {
    return variable.source == Source::marker_position || variable.source == Source::marker_velocity;
  });
}

void LoadVariables::set_global(double t, std::span<const double> q, std::span<const double> u,
                               const BodyMotions* bodies) {
  for (Variable& variable : variables_) {
    switch (variable.source) {
      case Source::time:
        variable.value = t;
        break;
      case Source::joint_position:
        variable.value = q[static_cast<std::size_t>(variable.index)];
        if (variable.quaternion >= 0) {
          const auto e = q.subspan(static_cast<std::size_t>(variable.quaternion), 4);
          variable.value /= std::sqrt(std::inner_product(e.begin(), e.end(), e.begin(), 0.0));
        }
        break;
      case Source::joint_velocity:
        variable.value = u[static_cast<std::size_t>(variable.index)];
        break;
      case Source::marker_position:
        variable.value = marker_state(*bodies, variable.index).position[variable.axis];
        break;
      case Source::marker_velocity:
        variable.value = marker_state(*bodies, variable.index).velocity[variable.axis];
        break;
    }
  }
}

std::pair<double, double> LoadVariables::set_own(const Joint& joint, int component, std::span<const double> q,
                                                 std::span<const double> u) {
  own_->q = has_coordinate_rates(joint.type) ? q[static_cast<std::size_t>(joint.q_offset + component)] : 0.0;
  own_->v = u[static_cast<std::size_t>(joint.u_offset + component)];
  return {own_->q, own_->v};
}

std::pair<double, double> LoadVariables::set_own_of_cut(const Joint& joint, int component, const BodyMotions& bodies,
                                                        const JointKinematics& state, std::span<const double> near) {
  own_->q = 0.0;
  if (has_coordinate_rates(joint.type)) {
    std::array<double, 7> coordinates{};
    cut_coordinates(joint, state, near, coordinates);
    own_->q = coordinates[static_cast<std::size_t>(component)];
  }
  const Vec6 relative = bodies.velocity_at(joint.b, state.point) - bodies.velocity_at(joint.a, state.point);
  own_->v = cut_dual_direction(joint, state, component).dot(relative);
  return {own_->q, own_->v};
}

Vec6 cut_dual_direction(const Joint& joint, const JointKinematics& state, int component) {
  if (joint.type == JointType::screw) {
    return motion_gram_inverse(joint)(0, 0) * state.h.col(0);
  }
  if (joint.type != JointType::universal) {
    return state.h.col(component);  // H is orthonormal
  }
  const double c = state.h.col(0).dot(state.h.col(1));
  const int other = 1 - component;
  return (state.h.col(component) - c * state.h.col(other)) / (1.0 - c * c);
}

}  // namespace mbdbench
