#pragma once
/// \file
/// Products of motions and wrenches about one point of space, in world axes: single numbers first, then numbers of any
/// kind.
#include "formulations/derivatives/screws.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <typename T>
MBDBENCH_KERNEL Screw<T> minus(const Screw<T>& a, const Screw<T>& b) {
  return {minus(a.linear, b.linear), minus(a.angular, b.angular)};
}
/// \returns a x b of motions.
template <typename A, typename T>
MBDBENCH_KERNEL Screw<T> motions_crossed(const Screw<A>& a, const Screw<T>& b) {
  return {plus(cross(a.linear, b.angular), cross(a.angular, b.linear)), cross(a.angular, b.angular)};
}
/// \returns motion x* wrench.
template <typename A, typename T>
MBDBENCH_KERNEL Screw<T> wrench_crossed(const Screw<A>& motion, const Screw<T>& wrench) {
  return {cross(motion.angular, wrench.linear),
          plus(cross(motion.angular, wrench.angular), cross(motion.linear, wrench.linear))};
}
/// \returns wrench x motion = -(motion x* wrench).
template <typename T>
MBDBENCH_KERNEL Screw<T> crossed_wrench(const Screw<double>& wrench, const Screw<T>& motion) {
  return {cross(wrench.linear, motion.angular),
          plus(cross(wrench.angular, motion.angular), cross(wrench.linear, motion.linear))};
}
/// \returns I motion.
template <typename T>
MBDBENCH_KERNEL Screw<T> inertia_times(const RigidBody& body, const Screw<T>& motion) {
  const LinkVector<double>& h = body.moment;
  const kernels::Symmetric3<double>& j = body.inertia;
  const LinkVector<T>& v = motion.linear;
  const LinkVector<T>& w = motion.angular;
  const LinkVector<T> turning = cross(h, w);
  const LinkVector<T> moving = cross(h, v);
  return {{body.mass * v.x - turning.x, body.mass * v.y - turning.y, body.mass * v.z - turning.z},
          {moving.x + j.xx * w.x + j.xy * w.y + j.xz * w.z, moving.y + j.xy * w.x + j.yy * w.y + j.yz * w.z,
           moving.z + j.xz * w.x + j.yz * w.y + j.zz * w.z}};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
