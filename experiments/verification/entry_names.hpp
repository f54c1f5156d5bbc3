#pragma once
/// \file
/// Names of entries of vectors over all joints, for messages: "joint 'hip', component 2".
#include <Eigen/Core>
#include <string>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \param entry of the quasi-velocities of the tree joints
std::string velocity_entry(const Mechanism& mechanism, Eigen::Index entry);
/// \param entry of their coordinates
std::string coordinate_entry(const Mechanism& mechanism, Eigen::Index entry);
/// \param entry of the wrenches of all joints, tree joints first, one after another
std::string wrench_entry(const Mechanism& mechanism, Eigen::Index entry);

}  // namespace mbdbench
