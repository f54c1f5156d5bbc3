#pragma once
/// \file
/// The direction from which a mechanism is looked at.
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// A parallel projection: the plane of the picture, spanned by two unit vectors in world axes.
struct View {
  Vec3 right = Vec3::UnitX();
  Vec3 up = Vec3::UnitZ();
  bool planar = false;  ///< the mechanism moves in the plane of the picture

  /// \returns where a point of space or a direction is seen, m.
  [[nodiscard]] Eigen::Vector2d of(const Vec3& place) const { return {right.dot(place), up.dot(place)}; }
};

/// \param kinematics positions set
/// \returns the plane of motion of a planar mechanism, for every other one a view from the side and a little from
///          above; gravity points downwards in both where it can.
View view_of(const Kinematics& kinematics);

}  // namespace mbdbench
