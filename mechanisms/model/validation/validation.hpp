#pragma once
/// \file
/// Checks of a description before (elements) and after (references from loads) the tree is known.
#include <cstddef>
#include <string>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Of bodies, joints, markers, loads: muParser reads identifiers of up to 100 letters, and formulas add prefixes and
/// component numbers to names.
inline constexpr std::size_t kLongestName = 64;

/// \returns what is wrong with an inertia about the centre of mass ("no rigid body has the principal moments ..."),
/// empty
///          where nothing is. Moments may be zero. \param inertia finite
std::string inertia_fault(const Mat3& inertia);

/// \returns whether all principal moments are positive beyond rounding. \param inertia symmetric and finite
bool inertia_is_definite(const Mat3& inertia);

/// Whether the joints move inertia at the initial state where some body has none of its own.
/// \throws ModelError naming the joint that moves nothing
void validate_composites(const Mechanism& mechanism);

/// Names, numbers and sizes of bodies, joints, prescribed motions and markers, each by itself; names of loads.
/// \throws ModelError
void validate_elements(const MechanismDescription& description);

/// Axes, frames, initial values and prescribed motions of one joint. \param index its place in the description
/// \throws ModelError
void validate_joint(const JointDescription& joint, std::size_t index);

/// What is given for a joint that turns out to be a cut. \param index its place in the mechanism's own order
/// \throws ModelError
void validate_cut_joint(const JointDescription& joint, std::size_t index);

/// The formulas of one prescribed motion: readable, finite at t = 0, derivatives of one another.
/// \param joint_index place of the joint in the description \param motion_index place of the motion in the joint
/// \throws ModelError
void validate_motion(const JointDescription& joint, std::size_t joint_index, std::size_t motion_index);

/// Joints, components and numbers of one coupling, after the joints are known. \param index its place in the
/// description \throws ModelError
void validate_coupling(const Mechanism& mechanism, std::size_t index);

/// Joints, components and factors of one constraint of velocities, likewise.
/// \throws ModelError
void validate_velocity_constraint(const Mechanism& mechanism, std::size_t index);

/// Names, components, tables and formulas of loads and springs. Element references count in the mechanism's own order.
/// \throws ModelError
void validate_loads(const Mechanism& mechanism);

}  // namespace mbdbench
