#pragma once
/// \file
/// The articulated-body algorithm a row at a time, in link frames [Featherstone1983]: what velocities need (outward),
/// elimination (inward), accelerations (outward).
///
/// paper symbol       -> name
///   I^A (articulated-body inertia) -> ArticulatedInertia
///   Z^A (zero-acceleration force)  -> LinkWrench
///   s                  -> the z axis of the row's frame
///   U = I^A s, D = s^T I^A s       -> JointGain, SlideGain hold U / D
///
/// Accelerations are those of points, d/dt [v_O; omega] resolved in the link: linear velocities drop out. About 420
/// operations for a lean turn.
#include "formulations/kernels/general_row.hpp"
#include "formulations/kernels/spherical_elimination.hpp"

namespace mbdbench::kernels {

/// What the sweeps leave for each other at a row with one coordinate.
template <typename T>
struct AccelerationRow {
  LinkVector<T> centripetal;  ///< acceleration of O_k from omega and the sliding rate
  T turned_x, turned_y;       ///< omega x z u
  LinkWrench<T> needed;       ///< by the rigid link for omega, less the loads on it
  JointGain<T> gain;          ///< turns only
  T rest;  ///< joint acceleration that loads and omega cause if the inboard link rests; the prescribed one
};

/// The same at a spherical or free row.
template <typename T>
struct SphericalAccelerationRow {
  LinkVector<T> centripetal;
  LinkVector<T> turned;  ///< omega x u
  LinkWrench<T> needed;
  Matrix3<T> gain;
  LinkVector<T> rest;
  LinkVector<T> linear;  ///< acceleration of O_k, free rows only
};

/// Angular velocity of a link and its square.
template <typename T>
struct Turning {
  LinkVector<T> omega;
  T square;
};

template <typename T>
MBDBENCH_KERNEL T squared(const LinkVector<T>& r) {
  return r.x * r.x + r.y * r.y + r.z * r.z;
}

/// \returns omega x (omega x r).
template <typename T>
MBDBENCH_KERNEL LinkVector<T> turned_twice(const Turning<T>& turning, const LinkVector<T>& r) {
  const LinkVector<T>& omega = turning.omega;
  const T along = omega.x * r.x + omega.y * r.y + omega.z * r.z;
  return {omega.x * along - turning.square * r.x, omega.y * along - turning.square * r.y,
          omega.z * along - turning.square * r.z};
}

/// What a rigid link needs about O_k for its angular velocity: m omega x (omega x l) and omega x J omega.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> needed_wrench(const LinkConstants<T>& link, const Turning<T>& turning) {
  const LinkVector<T>& omega = turning.omega;
  const LinkVector<T> force = turned_twice(turning, {link.hx, link.hy, link.hz});
  const T x = link.jxx * omega.x + link.jxy * omega.y + link.jxz * omega.z;
  const T y = link.jxy * omega.x + link.jyy * omega.y + link.jyz * omega.z;
  const T z = link.jxz * omega.x + link.jyz * omega.y + link.jzz * omega.z;
  return {force.x, force.y, force.z, omega.y * z - omega.z * y, omega.z * x - omega.x * z, omega.x * y - omega.y * x};
}

/// f += M c for c = [linear; x, y, 0] and the projected inertia; the last row of f is left to the joint.
template <typename T>
MBDBENCH_KERNEL void add_bias(const ProjectedInertia<T>& m, const LinkVector<T>& linear, const T& x, const T& y,
                              LinkWrench<T>& f) {
  f.fx += m.axx * linear.x + m.axy * linear.y + m.axz * linear.z + m.bxx * x + m.bxy * y;
  f.fy += m.axy * linear.x + m.ayy * linear.y + m.ayz * linear.z + m.byx * x + m.byy * y;
  f.fz += m.axz * linear.x + m.ayz * linear.y + m.azz * linear.z + m.bzx * x + m.bzy * y;
  f.nx += m.bxx * linear.x + m.byx * linear.y + m.bzx * linear.z + m.cxx * x + m.cxy * y;
  f.ny += m.bxy * linear.x + m.byy * linear.y + m.bzy * linear.z + m.cxy * x + m.cyy * y;
}

// ---- Lean turns: d = 0, not prescribed.

/// Outward, velocities. \param turning of the inboard link; receives the own one
template <typename T>
MBDBENCH_KERNEL void turn_velocity(const LinkConstants<T>& link, const T& c, const T& s, const T& rate,
                                   Turning<T>& turning, AccelerationRow<T>& row) {
  row.centripetal = rotated_outward(link, c, s, turned_twice(turning, {link.px, link.py, T(0.0)}));
  LinkVector<T> omega = rotated_outward(link, c, s, turning.omega);
  row.turned_x = omega.y * rate;
  row.turned_y = -(omega.x * rate);
  omega.z += rate;
  turning = {omega, squared(omega)};
  row.needed = needed_wrench(link, turning);
}

/// Inward. \param inertia, wrench of the link and all outboard of it; receive what the inboard link feels
/// \returns the pivot, which must be positive
template <typename T>
MBDBENCH_KERNEL T turn_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& torque,
                              AccelerationRow<T>& row, ArticulatedInertia<T>& inertia, LinkWrench<T>& wrench) {
  const T pivot = inertia.czz;
  const T inverse = T(1.0) / pivot;
  row.gain = joint_gain(inertia, inverse);
  row.rest = (torque - wrench.nz) * inverse;
  const ProjectedInertia<T> rest = projected(inertia, row.gain);
  wrench.fx += inertia.bxz * row.rest;
  wrench.fy += inertia.byz * row.rest;
  wrench.fz += inertia.bzz * row.rest;
  wrench.nx += inertia.cxz * row.rest;
  wrench.ny += inertia.cyz * row.rest;
  wrench.nz = torque;
  add_bias(rest, row.centripetal, row.turned_x, row.turned_y, wrench);
  inertia = carried_inward(link, c, s, rest);
  wrench = carried_inward(link, c, s, wrench);
  return pivot;
}

/// Outward, accelerations. \param linear, angular of the inboard link; receive the own ones
/// \returns the joint's acceleration
template <typename T>
MBDBENCH_KERNEL T turn_acceleration(const LinkConstants<T>& link, const T& c, const T& s, const AccelerationRow<T>& row,
                                    LinkVector<T>& linear, LinkVector<T>& angular) {
  linear = rotated_outward(link, c, s, moved_outward(link, linear, angular));
  linear.x += row.centripetal.x;
  linear.y += row.centripetal.y;
  linear.z += row.centripetal.z;
  angular = rotated_outward(link, c, s, angular);
  angular.x += row.turned_x;
  angular.y += row.turned_y;
  const T inherited = angular.z;
  angular.z = row.rest - (row.gain.bx * linear.x + row.gain.by * linear.y + row.gain.bz * linear.z +
                          row.gain.cx * angular.x + row.gain.cy * angular.y);
  return angular.z - inherited;
}

// ---- Slides along z.

/// Outward, velocities, prescribed or not. \param massless whether the link is no body, and needs nothing
template <typename T>
MBDBENCH_KERNEL void slide_velocity(const LinkConstants<T>& link, const T& c, const T& s, const T& d, const T& rate,
                                    bool massless, Turning<T>& turning, AccelerationRow<T>& row) {
  row.centripetal = rotated_outward(link, c, s, turned_twice(turning, lever(link, d)));
  turning.omega = rotated_outward(link, c, s, turning.omega);
  const T twice = rate + rate;
  row.centripetal.x += twice * turning.omega.y;
  row.centripetal.y -= twice * turning.omega.x;
  row.turned_x = T(0.0);
  row.turned_y = T(0.0);
  row.needed = massless ? LinkWrench<T>{T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)} : needed_wrench(link, turning);
}

template <typename T>
MBDBENCH_KERNEL T slide_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& d, const T& force,
                               AccelerationRow<T>& row, SlideGain<T>& gain, ArticulatedInertia<T>& inertia,
                               LinkWrench<T>& wrench) {
  const T pivot = inertia.azz;
  const T inverse = T(1.0) / pivot;
  gain = slide_gain(inertia, inverse);
  row.rest = (force - wrench.fz) * inverse;
  wrench.fx += inertia.axz * row.rest;
  wrench.fy += inertia.ayz * row.rest;
  wrench.fz = force;
  wrench.nx += inertia.bzx * row.rest;
  wrench.ny += inertia.bzy * row.rest;
  wrench.nz += inertia.bzz * row.rest;
  project_slide(gain, inertia);
  const LinkVector<T>& a = row.centripetal;
  wrench.fx += inertia.axx * a.x + inertia.axy * a.y;
  wrench.fy += inertia.axy * a.x + inertia.ayy * a.y;
  wrench.nx += inertia.bxx * a.x + inertia.byx * a.y;
  wrench.ny += inertia.bxy * a.x + inertia.byy * a.y;
  wrench.nz += inertia.bxz * a.x + inertia.byz * a.y;
  inertia = carried_inward(link, c, s, d, inertia);
  wrench = carried_inward(link, c, s, d, wrench);
  return pivot;
}

template <typename T>
MBDBENCH_KERNEL T slide_acceleration(const LinkConstants<T>& link, const T& c, const T& s, const T& d,
                                     const AccelerationRow<T>& row, const SlideGain<T>& gain, LinkVector<T>& linear,
                                     LinkVector<T>& angular) {
  linear = rotated_outward(link, c, s, moved_outward(lever(link, d), linear, angular));
  linear.x += row.centripetal.x;
  linear.y += row.centripetal.y;
  angular = rotated_outward(link, c, s, angular);
  const T inherited = linear.z + row.centripetal.z;
  linear.z = row.rest - (gain.ax * linear.x + gain.ay * linear.y + gain.bx * angular.x + gain.by * angular.y +
                         gain.bz * angular.z);
  return linear.z - inherited;
}

// ---- Prescribed turns and slides: nothing is eliminated. row.rest holds the prescribed acceleration.

/// Inward. \param turn, slide the prescribed acceleration where it belongs, the other one zero
template <typename T>
MBDBENCH_KERNEL void driven_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& d, const T& turn,
                                   const T& slide, const AccelerationRow<T>& row, ArticulatedInertia<T>& inertia,
                                   LinkWrench<T>& wrench) {
  add_wrench(multiplied(inertia, LinkVector<T>{row.centripetal.x, row.centripetal.y, row.centripetal.z + slide},
                        LinkVector<T>{row.turned_x, row.turned_y, turn}),
             wrench);
  inertia = carried_inward(link, c, s, d, inertia);
  wrench = carried_inward(link, c, s, d, wrench);
}

template <typename T>
MBDBENCH_KERNEL void driven_acceleration(const LinkConstants<T>& link, const T& c, const T& s, const T& d,
                                         const T& turn, const T& slide, const AccelerationRow<T>& row,
                                         LinkVector<T>& linear, LinkVector<T>& angular) {
  linear = rotated_outward(link, c, s, moved_outward(lever(link, d), linear, angular));
  linear.x += row.centripetal.x;
  linear.y += row.centripetal.y;
  linear.z += row.centripetal.z + slide;
  angular = rotated_outward(link, c, s, angular);
  angular.x += row.turned_x;
  angular.y += row.turned_y;
  angular.z += turn;
}

// ---- Spherical and free rows. R and the lever are those of the row, u and tau in its own frame; the linear u and tau
// of free rows in the inboard link's.

/// Outward, velocities. \param slide linear u, zero for spherical rows
template <typename T>
MBDBENCH_KERNEL void spherical_velocity(const LinkConstants<T>& link, const Matrix3<T>& rotation,
                                        const LinkVector<T>& way, const LinkVector<T>& rate, const LinkVector<T>& slide,
                                        Turning<T>& turning, SphericalAccelerationRow<T>& row) {
  const LinkVector<T>& o = turning.omega;
  LinkVector<T> a = turned_twice(turning, way);
  const T two = T(2.0);
  a.x += two * (o.y * slide.z - o.z * slide.y);
  a.y += two * (o.z * slide.x - o.x * slide.z);
  a.z += two * (o.x * slide.y - o.y * slide.x);
  row.centripetal = turned_back(rotation, a);
  LinkVector<T> omega = turned_back(rotation, o);
  row.turned = {omega.y * rate.z - omega.z * rate.y, omega.z * rate.x - omega.x * rate.z,
                omega.x * rate.y - omega.y * rate.x};
  omega = {omega.x + rate.x, omega.y + rate.y, omega.z + rate.z};
  turning = {omega, squared(omega)};
  row.needed = needed_wrench(link, turning);
}

template <typename T>
MBDBENCH_KERNEL T spherical_inward(const Matrix3<T>& rotation, const LinkVector<T>& way, const LinkVector<T>& torque,
                                   SphericalAccelerationRow<T>& row, ArticulatedInertia<T>& inertia,
                                   LinkWrench<T>& wrench) {
  const SphericalElimination<T> e = eliminated_turns(inertia, wrench, torque);
  row.gain = e.gain;
  row.rest = e.rest;
  const LinkVector<T> bias = multiplied(e.linear, row.centripetal);
  const LinkVector<T> f = turned(rotation, LinkVector<T>{e.force.x + bias.x, e.force.y + bias.y, e.force.z + bias.z});
  const LinkVector<T> n = turned(rotation, torque);
  wrench = {f.x, f.y, f.z, n.x, n.y, n.z};
  move_inward(way, wrench);
  inertia = linear_inertia_about(way, turned(rotation, e.linear));
  return e.smallest_pivot;
}

template <typename T>
MBDBENCH_KERNEL LinkVector<T> spherical_acceleration(const Matrix3<T>& rotation, const LinkVector<T>& way,
                                                     const SphericalAccelerationRow<T>& row, LinkVector<T>& linear,
                                                     LinkVector<T>& angular) {
  linear = turned_back(rotation, moved_outward(way, linear, angular));
  linear = {linear.x + row.centripetal.x, linear.y + row.centripetal.y, linear.z + row.centripetal.z};
  const LinkVector<T> inherited = turned_back(rotation, angular);
  angular = angular_rate(row.gain, row.rest, linear);
  return {angular.x - inherited.x - row.turned.x, angular.y - inherited.y - row.turned.y,
          angular.z - inherited.z - row.turned.z};
}

/// Inward: the inboard link feels the joint's forces and no inertia.
template <typename T>
MBDBENCH_KERNEL T free_inward(const Matrix3<T>& rotation, const LinkVector<T>& way, const LinkVector<T>& torque,
                              const LinkVector<T>& force, SphericalAccelerationRow<T>& row,
                              ArticulatedInertia<T>& inertia, LinkWrench<T>& wrench) {
  const SphericalElimination<T> e = eliminated_turns(inertia, wrench, torque);
  row.gain = e.gain;
  row.rest = e.rest;
  const Cholesky3<T> linear = factorised(e.linear);
  const LinkVector<T> own = turned_back(rotation, force);
  row.linear = solved(linear, {own.x - e.force.x, own.y - e.force.y, own.z - e.force.z});
  const LinkVector<T> n = turned(rotation, torque);
  wrench = {force.x, force.y, force.z, n.x, n.y, n.z};
  move_inward(way, wrench);
  const T zero = T(0.0);
  inertia = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
             zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  return smaller(e.smallest_pivot, linear.smallest_pivot);
}

/// \param slide receives the linear acceleration of the joint, in the inboard link's frame
template <typename T>
MBDBENCH_KERNEL LinkVector<T> free_acceleration(const Matrix3<T>& rotation, const LinkVector<T>& way,
                                                const SphericalAccelerationRow<T>& row, LinkVector<T>& linear,
                                                LinkVector<T>& angular, LinkVector<T>& slide) {
  const LinkVector<T> carried = moved_outward(way, linear, angular);
  const LinkVector<T> own =
      turned(rotation, LinkVector<T>{row.linear.x - row.centripetal.x, row.linear.y - row.centripetal.y,
                                     row.linear.z - row.centripetal.z});
  slide = {own.x - carried.x, own.y - carried.y, own.z - carried.z};
  const LinkVector<T> inherited = turned_back(rotation, angular);
  linear = row.linear;
  angular = angular_rate(row.gain, row.rest, linear);
  return {angular.x - inherited.x - row.turned.x, angular.y - inherited.y - row.turned.y,
          angular.z - inherited.z - row.turned.z};
}

}  // namespace mbdbench::kernels
