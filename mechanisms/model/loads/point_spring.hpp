#pragma once
/// \file
/// The law of a linear spring and damper between two points.
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// One end of a spring, world axes.
struct SpringEnd {
  Vec3 point = Vec3::Zero();     ///< m
  Vec3 velocity = Vec3::Zero();  ///< m/s
};

/// \returns the force (N) on the first end; the second has its opposite. None where the ends coincide.
/// \param stiffness 1, or 0 for the damper alone
inline Vec3 spring_pull(const PointSpringDescription& spring, const SpringEnd& first, const SpringEnd& second,
                        double stiffness = 1.0) {
  const Vec3 between = second.point - first.point;
  const double length = between.norm();
  const Vec3 direction = length > 0.0 ? Vec3(between / length) : Vec3::Zero();
  const double tension = stiffness * spring.stiffness * (length - spring.rest) +
                         spring.damping * direction.dot(second.velocity - first.velocity);
  return tension * direction;
}

}  // namespace mbdbench
