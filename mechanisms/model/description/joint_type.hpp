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
  screw,  ///< q = angle about the axis, the displacement along it is pitch times q; u = q'
  distance,            ///< cut only: a massless rod with a ball joint at each end, of a given length
  revolute_spherical,  ///< cut only: a massless rod that turns about the axis on a, with a ball joint on b
  point_on_line,       ///< cut only: b's origin stays on the line along the axis through a's
  point_on_plane,      ///< cut only: b's origin stays in the plane through a's, normal to the axis
  rolling_ball,        ///< cut only: a ball about b's origin rolls on the plane through a's, without slip
  rolling_disc         ///< cut only: a thin disc about b's origin does, whose axis is axis2
};

/// Types that may lead to a body: their coordinates place b against a.
inline constexpr std::array<JointType, 9> kAllJointTypes = {
    JointType::revolute, JointType::prismatic, JointType::universal, JointType::cylindrical, JointType::spherical,
    JointType::planar,   JointType::free,      JointType::fixed,     JointType::screw};
/// Types that only hold two bodies that other joints lead to. They have no coordinates.
inline constexpr std::array<JointType, 4> kCutOnlyTypes = {JointType::distance, JointType::revolute_spherical,
                                                           JointType::point_on_line, JointType::point_on_plane};
/// Cut-only types of which some rows hold velocities alone: their positions follow no equation.
inline constexpr std::array<JointType, 2> kRollingTypes = {JointType::rolling_ball, JointType::rolling_disc};

/// \returns "revolute", "prismatic", ...
std::string_view to_string(JointType type);

/// \returns the type of that name, or nothing.
std::optional<JointType> joint_type_of(std::string_view name);

/// \returns the number of coordinates q.
int position_count(JointType type);

/// \returns the number of quasi-velocities u, n_f.
int velocity_count(JointType type);

/// \returns the number of constrained directions n_c, 6 - n_f for types that may lead to a body.
int constraint_count(JointType type);

/// \returns whether the type closes loops only.
bool is_cut_only(JointType type);

/// \returns whether the joint keeps a length between its two origins.
inline bool has_length(JointType type) {
  return type == JointType::distance || type == JointType::revolute_spherical;
}

/// \returns whether it is one of kRollingTypes: the first row is a distance, the others are velocities.
inline bool rolls(JointType type) {
  return type == JointType::rolling_ball || type == JointType::rolling_disc;
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
