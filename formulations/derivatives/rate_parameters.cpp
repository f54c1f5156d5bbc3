#include "formulations/derivatives/rate_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench {

ParameterPlace place_of(const Mechanism& mechanism, const RateParameter& parameter) {
  const std::string& name = parameter.name;
  ParameterPlace place;
  place.kind = parameter.kind;
  if (parameter.kind == ParameterKind::mass) {
    const std::optional<int> body = mechanism.find_body(name);
    if (!body || *body < 0) {
      throw ModelError({}, fmt::format("mass of '{}': there is no body of that name", name));
    }
    place.body = *body;
    return place;
  }
  if (parameter.kind == ParameterKind::joint_force) {
    const std::optional<JointReference> found = mechanism.find_joint(name);
    if (!found || found->cut) {
      throw ModelError({}, fmt::format("force in '{}': there is no joint of that name in the tree", name));
    }
    const Joint& joint = mechanism.joint(*found);
    if (parameter.component < 0 || parameter.component >= joint.nu) {
      throw ModelError(
          {}, fmt::format("force in '{}': component is {}, the joint has {}", name, parameter.component, joint.nu));
    }
    place.u = joint.u_offset + parameter.component;
    return place;
  }
  if (parameter.kind == ParameterKind::length) {
    const std::optional<JointReference> found = mechanism.find_joint(name);
    if (!found || found->cut) {
      link_length(mechanism, name);  // says what is wrong
    }
    place.link = found->index;
    return place;
  }
  const MechanismDescription& description = mechanism.description();
  const auto named = [&name](const auto& all) {
    return std::find_if(all.begin(), all.end(), [&](const auto& candidate) { return candidate.name == name; });
  };
  if (const auto between = named(description.point_springs); between != description.point_springs.end()) {
    place.between = &*between;
    return place;
  }
  const auto spring = named(description.joint_springs);
  if (spring == description.joint_springs.end()) {
    throw ModelError({}, fmt::format("{} of '{}': there is no spring of that name in a joint or between points",
                                     parameter.kind == ParameterKind::stiffness ? "stiffness" : "damping", name));
  }
  const JointReference reference = *mechanism.find_joint(spring->joint);
  place.rest = spring->rest;
  if (reference.cut) {
    place.cut = reference.index;
    place.component = spring->component;
    return place;
  }
  const Joint& joint = mechanism.joint(reference);
  place.q = joint.q_offset + spring->component;
  place.u = joint.u_offset + spring->component;
  return place;
}

void require_length(const Mechanism& mechanism, const RateParameter& length, const Vec3& direction) {
  if (direction.isZero(0.0)) {
    link_length(mechanism, length.name);  // says why there is none
  }
}

RhsStatus finite_or_why(const WeightsByParameter& by) {
  for (const std::span<const double> sums : {by.forces, by.masses, by.lengths}) {
    for (const double sum : sums) {
      if (!std::isfinite(sum)) {
        return {false, {}, "a derivative by a parameter is not finite", sum};
      }
    }
  }
  return {};
}

}  // namespace mbdbench
