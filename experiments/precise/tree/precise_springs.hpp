#pragma once
/// \file
/// Springs between two bodies in 113 bits: between points, and bushings.
#include "experiments/precise/numbers/precise_formula.hpp"
#include "experiments/precise/tree/precise_tree.hpp"

namespace mbdbench::precise {

/// Both ends of a spring.
struct SpringBodies {
  const TreeBody& first;
  const TreeBody& second;
};

/// \returns the wrench on the second body about the world's origin; the first has its opposite. None where both points
/// coincide. \param pieces tell on which side of that place the spring is, next to it
Spatial point_spring_wrench(const PointSpringDescription& spring, const Real& stiffness, const Real& damping,
                            const SpringBodies& on, Pieces& pieces);

/// Likewise of a bushing, at the second frame's origin (BushingDescription). \param pieces likewise of half a turn
Spatial bushing_wrench(const BushingDescription& bushing, const SpringBodies& on, Pieces& pieces);

/// A force at a point and a torque. \returns them about the world's origin.
Spatial wrench_at(const Vector& point, const Vector& force, const Vector& torque);

/// \returns the velocity of a body's material point.
Vector velocity_at(const TreeBody& body, const Vector& point);

/// \returns a body's point in world axes.
Vector point_on(const TreeBody& body, const Vec3& place);

}  // namespace mbdbench::precise
