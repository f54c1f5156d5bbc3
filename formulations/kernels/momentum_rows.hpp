#pragma once
/// \file
/// Naudet's recursive Hamiltonian equations a row at a time, in link frames [Naudet2005].
///
/// paper symbol -> name
///   P* (articulated momentum) -> LinkWrench `momentum`: b of P* = A V + b in the inward sweep
///   E                         -> the z axis of the row's frame
///   T* (accumulated force)    -> gravity times the first moment of all links outboard
///
/// Two sweeps. Inward: articulated inertias A and b. Outward: velocities, and at once P* = A V + b, so that no third
/// sweep collects momenta; gravity acts on the first moment of all outboard links, which rides on the inward sweep.
/// DEVIATES [Naudet2005, Eq. (21)]: printed with T'* and E' P*; it is E^T (T* - Omega x P*), E constant in the link's
/// frame (link_tree_test, against dense-momentum). About 360 operations for a lean turn. Joint forces and loads on
/// bodies are left to the caller.
#include "formulations/kernels/general_row.hpp"
#include "formulations/kernels/spherical_elimination.hpp"

namespace mbdbench::kernels {

/// What the inward sweep leaves for the outward one at a lean turn.
template <typename T>
struct MomentumRow {
  JointGain<T> gain;
  T rest;                       ///< joint velocity if the inboard link rests
  ProjectedInertia<T> inertia;  ///< A without the joint's own direction
  T fx, fy, nx, ny;             ///< P* less A V
  T hx, hy;                     ///< first moment of all outboard links about O_k
};

/// The same at a slide or a prescribed row.
template <typename T>
struct GeneralMomentumRow {
  SlideGain<T> gain;  ///< slides only
  T rest;             ///< the prescribed velocity where there is one
  ArticulatedInertia<T> inertia;
  LinkWrench<T> momentum;  ///< P* less A V
  LinkVector<T> first_moment;
};

/// The same at a spherical or free row.
template <typename T>
struct SphericalMomentumRow {
  Matrix3<T> gain;
  LinkVector<T> rest;
  Symmetric3<T> linear;    ///< spherical rows: A' of f = A' v + force
  LinkVector<T> force;     ///< free rows: f itself
  LinkVector<T> angular;   ///< n of P*
  LinkVector<T> velocity;  ///< of O_k, free rows only
  LinkVector<T> first_moment;
};

/// What is carried inward.
template <typename T>
struct CarriedMomentum {
  ArticulatedInertia<T> inertia;
  LinkWrench<T> momentum;
  LinkVector<T> first_moment;
};

/// What is carried outward.
template <typename T>
struct CarriedVelocity {
  LinkVector<T> linear, angular, gravity;
};

/// r += other.
template <typename T>
MBDBENCH_KERNEL void add_vector(const LinkVector<T>& other, LinkVector<T>& r) {
  r.x += other.x;
  r.y += other.y;
  r.z += other.z;
}

/// \returns a x b - c x d - e x f.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> less_two_products(const LinkVector<T>& a, const LinkVector<T>& b, const LinkVector<T>& c,
                                                const LinkVector<T>& d, const LinkVector<T>& e,
                                                const LinkVector<T>& f) {
  return {(a.y * b.z - a.z * b.y) - (c.y * d.z - c.z * d.y) - (e.y * f.z - e.z * f.y),
          (a.z * b.x - a.x * b.z) - (c.z * d.x - c.x * d.z) - (e.z * f.x - e.x * f.z),
          (a.x * b.y - a.y * b.x) - (c.x * d.y - c.y * d.x) - (e.x * f.y - e.y * f.x)};
}

/// The link itself joins what comes from outboard.
template <typename T>
MBDBENCH_KERNEL void add_link(const LinkConstants<T>& link, CarriedMomentum<T>& carried) {
  add_rigid(link, carried.inertia);
  add_vector(LinkVector<T>{link.hx, link.hy, link.hz}, carried.first_moment);
}

// ---- Lean turns.

/// Inward. \param own canonical momentum \returns the pivot, which must be positive
template <typename T>
MBDBENCH_KERNEL T turn_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& own, MomentumRow<T>& row,
                              CarriedMomentum<T>& carried) {
  ArticulatedInertia<T>& inertia = carried.inertia;
  LinkWrench<T>& momentum = carried.momentum;
  LinkVector<T>& first_moment = carried.first_moment;
  const T pivot = inertia.czz;
  const T inverse = T(1.0) / pivot;
  row.gain = joint_gain(inertia, inverse);
  row.rest = (own - momentum.nz) * inverse;
  row.inertia = projected(inertia, row.gain);
  momentum.fx += inertia.bxz * row.rest;
  momentum.fy += inertia.byz * row.rest;
  momentum.fz += inertia.bzz * row.rest;
  momentum.nx += inertia.cxz * row.rest;
  momentum.ny += inertia.cyz * row.rest;
  momentum.nz = own;  // [Naudet2005, Eq. (18)]
  row.fx = momentum.fx;
  row.fy = momentum.fy;
  row.nx = momentum.nx;
  row.ny = momentum.ny;
  row.hx = first_moment.x;
  row.hy = first_moment.y;
  inertia = carried_inward(link, c, s, row.inertia);
  momentum = carried_inward(link, c, s, momentum);  // [Naudet2005, Eq. (16)]
  first_moment = rotated_inward(link, c, s, first_moment);
  first_moment.x += link.outboard_mass * link.px;
  first_moment.y += link.outboard_mass * link.py;
  return pivot;
}

/// Outward. \param rate receives u \returns the rate of the momentum
template <typename T>
MBDBENCH_KERNEL T turn_outward(const LinkConstants<T>& link, const T& c, const T& s, const MomentumRow<T>& row,
                               CarriedVelocity<T>& carried, T& rate) {
  LinkVector<T>& linear = carried.linear;
  LinkVector<T>& angular = carried.angular;
  LinkVector<T>& gravity = carried.gravity;
  const ProjectedInertia<T>& m = row.inertia;
  linear = rotated_outward(link, c, s, moved_outward(link, linear, angular));
  angular = rotated_outward(link, c, s, angular);
  gravity = rotated_outward(link, c, s, gravity);
  const T inherited = angular.z;
  angular.z = row.rest - (row.gain.bx * linear.x + row.gain.by * linear.y + row.gain.bz * linear.z +
                          row.gain.cx * angular.x + row.gain.cy * angular.y);
  rate = angular.z - inherited;
  // The components of P* = A V + b that turn the momentum about z.
  const T fx = row.fx + m.axx * linear.x + m.axy * linear.y + m.axz * linear.z + m.bxx * angular.x + m.bxy * angular.y;
  const T fy = row.fy + m.axy * linear.x + m.ayy * linear.y + m.ayz * linear.z + m.byx * angular.x + m.byy * angular.y;
  const T nx = row.nx + m.bxx * linear.x + m.byx * linear.y + m.bzx * linear.z + m.cxx * angular.x + m.cxy * angular.y;
  const T ny = row.ny + m.bxy * linear.x + m.byy * linear.y + m.bzy * linear.z + m.cxy * angular.x + m.cyy * angular.y;
  return (row.hx * gravity.y - row.hy * gravity.x) - (linear.x * fy - linear.y * fx) -
         (angular.x * ny - angular.y * nx);
}

// ---- Slides and prescribed rows.

template <typename T>
MBDBENCH_KERNEL void carry_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& d,
                                  CarriedMomentum<T>& carried) {
  carried.inertia = carried_inward(link, c, s, d, carried.inertia);
  carried.momentum = carried_inward(link, c, s, d, carried.momentum);
  const LinkVector<T> r = lever(link, d);
  carried.first_moment = rotated_inward(link, c, s, carried.first_moment);
  add_vector(LinkVector<T>{link.outboard_mass * r.x, link.outboard_mass * r.y, link.outboard_mass * r.z},
             carried.first_moment);
}

template <typename T>
MBDBENCH_KERNEL T slide_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& d, const T& own,
                               GeneralMomentumRow<T>& row, CarriedMomentum<T>& carried) {
  ArticulatedInertia<T>& inertia = carried.inertia;
  LinkWrench<T>& momentum = carried.momentum;
  const T pivot = inertia.azz;
  const T inverse = T(1.0) / pivot;
  row.gain = slide_gain(inertia, inverse);
  row.rest = (own - momentum.fz) * inverse;
  momentum.fx += inertia.axz * row.rest;
  momentum.fy += inertia.ayz * row.rest;
  momentum.fz = own;
  momentum.nx += inertia.bzx * row.rest;
  momentum.ny += inertia.bzy * row.rest;
  momentum.nz += inertia.bzz * row.rest;
  project_slide(row.gain, inertia);
  row.inertia = inertia;
  row.momentum = momentum;
  row.first_moment = carried.first_moment;
  carry_inward(link, c, s, d, carried);
  return pivot;
}

/// Inward, prescribed. \param turn, slide the prescribed velocity where it belongs, the other one zero
template <typename T>
MBDBENCH_KERNEL void driven_inward(const LinkConstants<T>& link, const T& c, const T& s, const T& d, const T& turn,
                                   const T& slide, GeneralMomentumRow<T>& row, CarriedMomentum<T>& carried) {
  row.inertia = carried.inertia;
  row.momentum = carried.momentum;
  row.first_moment = carried.first_moment;
  const T zero = T(0.0);
  add_wrench(multiplied(row.inertia, LinkVector<T>{zero, zero, slide}, LinkVector<T>{zero, zero, turn}),
             carried.momentum);
  carry_inward(link, c, s, d, carried);
}

/// Outward: what reaches the link over a row with lever d.
template <typename T>
MBDBENCH_KERNEL void carry_outward(const LinkConstants<T>& link, const T& c, const T& s, const T& d,
                                   CarriedVelocity<T>& carried) {
  carried.linear = rotated_outward(link, c, s, moved_outward(lever(link, d), carried.linear, carried.angular));
  carried.angular = rotated_outward(link, c, s, carried.angular);
  carried.gravity = rotated_outward(link, c, s, carried.gravity);
}

/// \returns the rate of a momentum along z: E^T (m g - omega x f).
template <typename T>
MBDBENCH_KERNEL T slide_momentum_rate(const LinkConstants<T>& link, const CarriedVelocity<T>& v,
                                      const LinkWrench<T>& momentum) {
  return link.outboard_mass * v.gravity.z - (v.angular.x * momentum.fy - v.angular.y * momentum.fx);
}

/// \returns the rate of a momentum about z: E^T (h x g - v x f - omega x n).
template <typename T>
MBDBENCH_KERNEL T turn_momentum_rate(const CarriedVelocity<T>& v, const LinkWrench<T>& momentum,
                                     const LinkVector<T>& first_moment) {
  return (first_moment.x * v.gravity.y - first_moment.y * v.gravity.x) -
         (v.linear.x * momentum.fy - v.linear.y * momentum.fx) -
         (v.angular.x * momentum.ny - v.angular.y * momentum.nx);
}

/// \returns P* = A V + b.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> whole_momentum(const GeneralMomentumRow<T>& row, const CarriedVelocity<T>& v) {
  LinkWrench<T> momentum = multiplied(row.inertia, v.linear, v.angular);
  add_wrench(row.momentum, momentum);
  return momentum;
}

template <typename T>
MBDBENCH_KERNEL T slide_outward(const LinkConstants<T>& link, const T& c, const T& s, const T& d,
                                const GeneralMomentumRow<T>& row, CarriedVelocity<T>& carried, T& rate) {
  carry_outward(link, c, s, d, carried);
  const LinkVector<T>& angular = carried.angular;
  const T inherited = carried.linear.z;
  carried.linear.z = row.rest - (row.gain.ax * carried.linear.x + row.gain.ay * carried.linear.y +
                                 row.gain.bx * angular.x + row.gain.by * angular.y + row.gain.bz * angular.z);
  rate = carried.linear.z - inherited;
  return slide_momentum_rate(link, carried, whole_momentum(row, carried));
}

// ---- Spherical and free rows; frames as in acceleration_rows.hpp.

/// \param own canonical momentum, in the row's frame
template <typename T>
MBDBENCH_KERNEL T spherical_inward(const LinkConstants<T>& link, const Matrix3<T>& rotation, const LinkVector<T>& way,
                                   const LinkVector<T>& own, SphericalMomentumRow<T>& row,
                                   CarriedMomentum<T>& carried) {
  const SphericalElimination<T> e = eliminated_turns(carried.inertia, carried.momentum, own);
  row.gain = e.gain;
  row.rest = e.rest;
  row.linear = e.linear;
  row.force = e.force;
  row.angular = own;
  row.first_moment = carried.first_moment;
  const LinkVector<T> f = turned(rotation, e.force);
  const LinkVector<T> n = turned(rotation, own);
  carried.momentum = {f.x, f.y, f.z, n.x, n.y, n.z};
  move_inward(way, carried.momentum);
  carried.inertia = linear_inertia_about(way, turned(rotation, e.linear));
  carried.first_moment = turned(rotation, carried.first_moment);
  const T mass = link.outboard_mass;
  add_vector(LinkVector<T>{mass * way.x, mass * way.y, mass * way.z}, carried.first_moment);
  return e.smallest_pivot;
}

/// \param rate receives u \returns the rate of the momentum, both in the row's frame
template <typename T>
MBDBENCH_KERNEL LinkVector<T> spherical_outward(const Matrix3<T>& rotation, const LinkVector<T>& way,
                                                const SphericalMomentumRow<T>& row, CarriedVelocity<T>& carried,
                                                LinkVector<T>& rate) {
  carried.linear = turned_back(rotation, moved_outward(way, carried.linear, carried.angular));
  carried.gravity = turned_back(rotation, carried.gravity);
  const LinkVector<T> inherited = turned_back(rotation, carried.angular);
  carried.angular = angular_rate(row.gain, row.rest, carried.linear);
  rate = {carried.angular.x - inherited.x, carried.angular.y - inherited.y, carried.angular.z - inherited.z};
  LinkVector<T> force = multiplied(row.linear, carried.linear);
  add_vector(row.force, force);
  return less_two_products(row.first_moment, carried.gravity, carried.linear, force, carried.angular, row.angular);
}

/// \param own, own_linear canonical momenta, in the row's and in the inboard link's frame
template <typename T>
MBDBENCH_KERNEL T free_inward(const LinkConstants<T>& link, const Matrix3<T>& rotation, const LinkVector<T>& way,
                              const LinkVector<T>& own, const LinkVector<T>& own_linear, SphericalMomentumRow<T>& row,
                              CarriedMomentum<T>& carried) {
  const SphericalElimination<T> e = eliminated_turns(carried.inertia, carried.momentum, own);
  const Cholesky3<T> linear = factorised(e.linear);
  row.gain = e.gain;
  row.rest = e.rest;
  row.force = turned_back(rotation, own_linear);
  row.velocity = solved(linear, {row.force.x - e.force.x, row.force.y - e.force.y, row.force.z - e.force.z});
  row.angular = own;
  row.first_moment = carried.first_moment;
  const LinkVector<T> n = turned(rotation, own);
  carried.momentum = {own_linear.x, own_linear.y, own_linear.z, n.x, n.y, n.z};
  move_inward(way, carried.momentum);
  const T zero = T(0.0);
  carried.inertia = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
                     zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  carried.first_moment = turned(rotation, carried.first_moment);
  const T mass = link.outboard_mass;
  add_vector(LinkVector<T>{mass * way.x, mass * way.y, mass * way.z}, carried.first_moment);
  return smaller(e.smallest_pivot, linear.smallest_pivot);
}

/// \param slide, slide_momentum_rate receive the linear u and the rate of its momentum, in the inboard link's frame
template <typename T>
MBDBENCH_KERNEL LinkVector<T> free_outward(const LinkConstants<T>& link, const Matrix3<T>& rotation,
                                           const LinkVector<T>& way, const SphericalMomentumRow<T>& row,
                                           const LinkVector<T>& own_linear, CarriedVelocity<T>& carried,
                                           LinkVector<T>& rate, LinkVector<T>& slide,
                                           LinkVector<T>& slide_momentum_rate) {
  const LinkVector<T> reached = moved_outward(way, carried.linear, carried.angular);
  const LinkVector<T> own = turned(rotation, row.velocity);
  slide = {own.x - reached.x, own.y - reached.y, own.z - reached.z};
  // E is fixed in the inboard link: m g - omega_a x f.
  const LinkVector<T>& o = carried.angular;
  const T mass = link.outboard_mass;
  slide_momentum_rate = {mass * carried.gravity.x - (o.y * own_linear.z - o.z * own_linear.y),
                         mass * carried.gravity.y - (o.z * own_linear.x - o.x * own_linear.z),
                         mass * carried.gravity.z - (o.x * own_linear.y - o.y * own_linear.x)};
  const LinkVector<T> inherited = turned_back(rotation, o);
  carried.linear = row.velocity;
  carried.gravity = turned_back(rotation, carried.gravity);
  carried.angular = angular_rate(row.gain, row.rest, row.velocity);
  rate = {carried.angular.x - inherited.x, carried.angular.y - inherited.y, carried.angular.z - inherited.z};
  return less_two_products(row.first_moment, carried.gravity, carried.linear, row.force, carried.angular, row.angular);
}

}  // namespace mbdbench::kernels
