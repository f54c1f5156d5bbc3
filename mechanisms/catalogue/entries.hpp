#pragma once
/// \file
/// The entries of the suite's own mechanisms; each is defined in the file of its name.
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {

MechanismEntry pendulum_entry();
MechanismEntry pendulum_yz_entry();   ///< in pendulum.cpp
MechanismEntry pendulum_xyz_entry();  ///< in pendulum.cpp
MechanismEntry balanced_tree_entry();
MechanismEntry caterpillar_entry();
MechanismEntry random_tree_entry();
MechanismEntry random_closed_entry();

}  // namespace mbdbench
