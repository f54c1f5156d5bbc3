#include "experiments/verification/entry_names.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace mbdbench {
namespace {

/// \returns the name of an entry of a vector over the tree joints' coordinates or velocities.
std::string joint_entry(const Mechanism& mechanism, Eigen::Index entry, int Joint::*offset, int Joint::*size) {
  for (const Joint& joint : mechanism.tree_joints()) {
    const Eigen::Index within = entry - joint.*offset;
    if (within >= 0 && within < joint.*size) {
      return joint.*size == 1 ? fmt::format("joint '{}'", joint.name)
                              : fmt::format("joint '{}', component {}", joint.name, within + 1);
    }
  }
  return {};
}

}  // namespace

std::string velocity_entry(const Mechanism& mechanism, Eigen::Index entry) {
  return joint_entry(mechanism, entry, &Joint::u_offset, &Joint::nu);
}

std::string coordinate_entry(const Mechanism& mechanism, Eigen::Index entry) {
  return joint_entry(mechanism, entry, &Joint::q_offset, &Joint::nq);
}

std::string wrench_entry(const Mechanism& mechanism, Eigen::Index entry) {
  constexpr std::array kComponents = {"force x", "force y", "force z", "moment x", "moment y", "moment z"};
  const auto joint = static_cast<std::size_t>(entry / 6);
  const std::size_t tree = mechanism.tree_joints().size();
  const std::string& name =
      joint < tree ? mechanism.tree_joints()[joint].name : mechanism.cut_joints()[joint - tree].name;
  return fmt::format("joint '{}', {}", name, kComponents[static_cast<std::size_t>(entry % 6)]);
}

}  // namespace mbdbench
