#pragma once
/// \file
/// Coordinates and velocities of cut joints in 113 bits, from the bodies that they connect.
#include "experiments/precise/tree/precise_tree.hpp"

namespace mbdbench::precise {

/// The bodies of a cut joint.
struct CutBodies {
  const TreeBody& a;
  const TreeBody& b;
};

/// \returns the wrench on b about the world's origin of a unit generalised force along a component of u.
Spatial cut_dual(const Joint& joint, int component, const CutBodies& of);

/// \returns a component of u.
Real cut_velocity(const Joint& joint, int component, const CutBodies& of);

/// \returns a component of u', of bodies that accelerate.
Real cut_acceleration(const Joint& joint, int component, const CutBodies& of);

/// \returns a component of q of a joint without quaternions. \param near of an angle, within half a turn
Real cut_coordinate(const Joint& joint, int component, const CutBodies& of, double near);

/// \returns pose of b's joint axes in a's.
JointPose cut_pose(const Joint& joint, const CutBodies& of);

}  // namespace mbdbench::precise
