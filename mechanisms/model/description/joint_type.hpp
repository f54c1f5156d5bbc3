#pragma once
/// \file
/// The joint types: sizes and names.
#include <array>
#include <optional>
#include <string_view>

namespace mbdbench {

/// Joint types; the comments give coordinates q and quasi-velocities u.
enum class JointType {
  revolute,     ///< q = angle about the axis; u = q'
  prismatic,    ///< q = displacement along the axis; u = q'
  universal,    ///< q = angles about axis (fixed in a) and axis2 (fixed in b); u = q'
  cylindrical,  ///< q = angle about, displacement along the axis; u = q'
  spherical,    ///< q = quaternion (w, x, y, z), b to a; u = relative angular velocity in b's joint axes
  planar,       ///< q = two displacements in the plane normal to the axis (fixed in a), then the angle; u = q'
  free,   ///< q = quaternion, then displacement in a's joint axes; u = angular velocity (b's axes), linear (a's axes)
  fixed,  ///< no coordinates
  screw   ///< q = angle about the axis, the displacement along it is pitch times q; u = q'
};

inline constexpr std::array<JointType, 9> kAllJointTypes = {
    JointType::revolute, JointType::prismatic, JointType::universal, JointType::cylindrical, JointType::spherical,
    JointType::planar,   JointType::free,      JointType::fixed,     JointType::screw};

/// \returns "revolute", "prismatic", ...
std::string_view to_string(JointType type);

/// \returns the type of that name, or nothing.
std::optional<JointType> joint_type_of(std::string_view name);

/// \returns the number of coordinates q.
int position_count(JointType type);

/// \returns the number of quasi-velocities u, n_f.
int velocity_count(JointType type);

/// \returns the number of constrained directions n_c = 6 - n_f.
inline int constraint_count(JointType type) {
  return 6 - velocity_count(type);
}

/// \returns whether the first four coordinates are a quaternion.
inline bool has_quaternion(JointType type) {
  return type == JointType::spherical || type == JointType::free;
}

/// \returns whether q' = u component by component.
inline bool has_coordinate_rates(JointType type) {
  return !has_quaternion(type);
}

}  // namespace mbdbench
