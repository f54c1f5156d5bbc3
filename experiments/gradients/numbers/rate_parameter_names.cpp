#include "experiments/gradients/numbers/rate_parameter_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench::gradients {

std::vector<NamedRateParameter> rate_parameters(const Mechanism& mechanism) {
  std::vector<NamedRateParameter> all;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      const std::string name = joint.nu == 1 ? joint.name : fmt::format("{}.{}", joint.name, i + 1);
      all.push_back({"force." + name, {ParameterKind::joint_force, joint.name, i}, index_of(joint.u_offset + i)});
    }
  }
  for (std::size_t k = 0; k < mechanism.bodies().size(); ++k) {
    const std::string& body = mechanism.bodies()[k].name;
    all.push_back({"mass." + body, {ParameterKind::mass, body, 0}, k});
  }
  std::size_t count = 0;
  const auto add_springs = [&](const auto& springs) {
    for (const auto& spring : springs) {
      all.push_back({"stiffness." + spring.name, {ParameterKind::stiffness, spring.name, 0}, count});
      all.push_back({"damping." + spring.name, {ParameterKind::damping, spring.name, 0}, count});
      ++count;
    }
  };
  add_springs(mechanism.description().joint_springs);
  add_springs(mechanism.description().point_springs);
  const auto links = link_lengths(mechanism);
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (links[k]) {
      const std::string& joint = mechanism.tree_joints()[k].name;
      all.push_back({"length." + joint, {ParameterKind::length, joint, 0}, k});
    }
  }
  return all;
}

std::vector<RateParameter> rate_parameters_of_names(const Mechanism& mechanism, const std::vector<std::string>& names) {
  const std::vector<NamedRateParameter> all = rate_parameters(mechanism);
  std::vector<RateParameter> found;
  for (const std::string& name : names) {
    // A joint of several components may be meant by its own name: its first one, as in trajectories.
    const auto same = std::find_if(all.begin(), all.end(), [&](const NamedRateParameter& one) {
      return one.name == name || (one.parameter.kind == ParameterKind::joint_force && one.parameter.component == 0 &&
                                  "force." + one.parameter.name == name);
    });
    if (same == all.end()) {
      std::vector<std::string> known;
      std::transform(all.begin(), all.end(), std::back_inserter(known),
                     [](const NamedRateParameter& one) { return one.name; });
      throw std::invalid_argument(fmt::format("parameter '{}': mechanism '{}' has none of that name; {}", name,
                                              mechanism.name(), suggest_name(name, known, "parameters")));
    }
    found.push_back(same->parameter);
  }
  return found;
}

}  // namespace mbdbench::gradients
