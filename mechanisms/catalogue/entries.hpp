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
MechanismEntry star_entry();
MechanismEntry four_bar_entry();
MechanismEntry loop8_entry();
MechanismEntry double_loop_entry();
MechanismEntry loop_entry();
MechanismEntry rings_entry();
MechanismEntry ladder_entry();
MechanismEntry grid_entry();
MechanismEntry five_bar_entry();
MechanismEntry coupled_loops_entry();
MechanismEntry biped_entry();
MechanismEntry slider_crank_entry();
MechanismEntry bricard_entry();
MechanismEntry bennett_entry();
MechanismEntry sarrus_entry();
MechanismEntry n_four_bar_entry();
MechanismEntry squeezer_entry();
MechanismEntry point_pendulum_entry();
MechanismEntry euler_top_entry();     ///< in tops.cpp
MechanismEntry lagrange_top_entry();  ///< in tops.cpp
MechanismEntry car_axis_entry();
MechanismEntry babyboot_entry();
MechanismEntry cart_pole_entry();
MechanismEntry coil_entry();       ///< in coil_and_dill.cpp
MechanismEntry dill_entry();       ///< in coil_and_dill.cpp
MechanismEntry robot_arm_entry();  ///< in robots.cpp
MechanismEntry quadruped_entry();  ///< in robots.cpp
MechanismEntry humanoid_entry();   ///< in robots.cpp
MechanismEntry random_tree_entry();
MechanismEntry random_closed_entry();

}  // namespace mbdbench
