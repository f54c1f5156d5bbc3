#pragma once
/// \file
/// Vectors and screws of packs that passes carry from node to node. They change in place, number by number: GCC 12
/// keeps a structure of packs in memory that is assigned as a whole.
#include "formulations/derivatives/screws.hpp"

namespace mbdbench::linear::in_place {

template <typename T>
MBDBENCH_KERNEL void clear(LinkVector<T>& r) {
  r.x = T(0.0);
  r.y = T(0.0);
  r.z = T(0.0);
}
template <typename T>
MBDBENCH_KERNEL void clear(Screw<T>& r) {
  clear(r.linear);
  clear(r.angular);
}
template <typename T>
MBDBENCH_KERNEL void get(const T* three, LinkVector<T>& r) {
  r.x = three[0];
  r.y = three[1];
  r.z = three[2];
}
template <typename T>
MBDBENCH_KERNEL void get(const T* six, Screw<T>& r) {
  get(six, r.linear);
  get(six + 3, r.angular);
}
template <typename T>
MBDBENCH_KERNEL void add(const T* three, LinkVector<T>& r) {
  r.x += three[0];
  r.y += three[1];
  r.z += three[2];
}
template <typename T>
MBDBENCH_KERNEL void add(const T* six, Screw<T>& r) {
  add(six, r.linear);
  add(six + 3, r.angular);
}
/// As moved_outward.
template <typename T>
MBDBENCH_KERNEL void move_outward(const LinkVector<double>& r, Screw<T>& motion) {
  const LinkVector<T>& w = motion.angular;
  motion.linear.x += r.z * w.y;
  motion.linear.y += r.x * w.z;
  motion.linear.z += r.y * w.x;
  motion.linear.x -= r.y * w.z;
  motion.linear.y -= r.z * w.x;
  motion.linear.z -= r.x * w.y;
}
/// As moved_inward.
template <typename T>
MBDBENCH_KERNEL void move_inward(const LinkVector<double>& r, Screw<T>& wrench) {
  const LinkVector<T>& f = wrench.linear;
  wrench.angular.x += r.y * f.z;
  wrench.angular.y += r.z * f.x;
  wrench.angular.z += r.x * f.y;
  wrench.angular.x -= r.z * f.y;
  wrench.angular.y -= r.x * f.z;
  wrench.angular.z -= r.y * f.x;
}
template <typename T>
MBDBENCH_KERNEL void put(const LinkVector<T>& r, T* three) {
  three[0] = r.x;
  three[1] = r.y;
  three[2] = r.z;
}
template <typename T>
MBDBENCH_KERNEL void put(const Screw<T>& r, T* six) {
  put(r.linear, six);
  put(r.angular, six + 3);
}
/// there += r.
template <typename T>
MBDBENCH_KERNEL void add_there(const LinkVector<T>& r, T* three) {
  three[0] += r.x;
  three[1] += r.y;
  three[2] += r.z;
}
/// \returns a screw from memory, to be read at once.
template <typename T>
MBDBENCH_KERNEL Screw<T> screw_at(const T* six) {
  return {{six[0], six[1], six[2]}, {six[3], six[4], six[5]}};
}

}  // namespace mbdbench::linear::in_place
