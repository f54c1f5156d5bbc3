#pragma once
/// \file
/// One link of a chain in the sweeps over a sub-chain, in link frames: velocity products, elimination of the joint, and
/// the way outward, for accelerations (aba, dca) and momenta (naudet, hdca) [Featherstone1983], [Naudet2005].
///
/// A sub-chain is a node with two handles. Its proximal handle is the frame of its first link, behind that joint's own
/// angle; its distal handle is the first link of the next sub-chain:
///
///   F  = K V + f + X F'        wrench (impulse) at the proximal handle
///   V' = X^T V + v - C F'      motion (velocity) of the distal handle without the next joint's own motion
///
/// Cost for each lane and link: 330 operations inward, 100 outward (accelerations).
#include "formulations/kernels/articulated_inertia.hpp"

namespace mbdbench::kernels {

/// Acceleration that a link has beside what its inboard neighbour's and its joint's acceleration give it: of O_k, and
/// omega x z u (x and y; the z component is zero).
template <typename T>
struct VelocityProduct {
  LinkVector<T> centripetal;
  T turned_x, turned_y;
};

/// \returns omega x (omega x r).
template <typename T>
MBDBENCH_KERNEL LinkVector<T> turned_twice(const LinkVector<T>& omega, const LinkVector<T>& r, const T& omega_square) {
  const T along = omega.x * r.x + omega.y * r.y + omega.z * r.z;
  return {omega.x * along - omega_square * r.x, omega.y * along - omega_square * r.y,
          omega.z * along - omega_square * r.z};
}

template <typename T>
MBDBENCH_KERNEL T square(const LinkVector<T>& r) {
  return r.x * r.x + r.y * r.y + r.z * r.z;
}

/// \param inboard omega of the inboard link in its own frame \param carried the same in this link's frame
template <typename T>
MBDBENCH_KERNEL VelocityProduct<T> velocity_product(const LinkConstants<T>& link, const T& c, const T& s,
                                                    const LinkVector<T>& inboard, const LinkVector<T>& carried,
                                                    const T& rate) {
  // (px, py, 0), written out: omega x (omega x p).
  const T along = inboard.x * link.px + inboard.y * link.py;
  const T omega_square = square(inboard);
  const LinkVector<T> centripetal{inboard.x * along - omega_square * link.px,
                                  inboard.y * along - omega_square * link.py, inboard.z * along};
  return {rotated_outward(link, c, s, centripetal), carried.y * rate, -(carried.x * rate)};
}

/// \returns what a rigid link needs about O_k for its angular velocity: m omega x (omega x l) and omega x J omega.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> needed_wrench(const LinkConstants<T>& link, const LinkVector<T>& omega) {
  const LinkVector<T> force = turned_twice(omega, {link.hx, link.hy, link.hz}, square(omega));
  const T x = link.jxx * omega.x + link.jxy * omega.y + link.jxz * omega.z;
  const T y = link.jxy * omega.x + link.jyy * omega.y + link.jyz * omega.z;
  const T z = link.jxz * omega.x + link.jyz * omega.y + link.jzz * omega.z;
  return {force.x, force.y, force.z, omega.y * z - omega.z * y, omega.z * x - omega.x * z, omega.x * y - omega.y * x};
}

/// f += M c for the projected inertia; the last row of f is left to the joint.
template <typename T>
MBDBENCH_KERNEL void add_velocity_product(const ProjectedInertia<T>& m, const VelocityProduct<T>& a, LinkWrench<T>& f) {
  const LinkVector<T>& l = a.centripetal;
  const T& x = a.turned_x;
  const T& y = a.turned_y;
  f.fx += m.axx * l.x + m.axy * l.y + m.axz * l.z + m.bxx * x + m.bxy * y;
  f.fy += m.axy * l.x + m.ayy * l.y + m.ayz * l.z + m.byx * x + m.byy * y;
  f.fz += m.axz * l.x + m.ayz * l.y + m.azz * l.z + m.bzx * x + m.bzy * y;
  f.nx += m.bxx * l.x + m.byx * l.y + m.bzx * l.z + m.cxx * x + m.cxy * y;
  f.ny += m.bxy * l.x + m.byy * l.y + m.bzy * l.z + m.cxy * x + m.cyy * y;
}

/// What the elimination of a joint leaves for the way outward: motion about z = rest - gain . (other five components).
template <typename T>
struct JointRule {
  JointGain<T> gain;
  T rest;
  T inverse;  ///< 1 / D
};

/// Eliminates the joint of a link from the articulated inertia and wrench (momentum) about O_k.
/// \param own tau (accelerations) or p (momenta) of the joint
/// \param smallest receives the smaller of itself and the pivot D
/// \returns the inertia without the joint's own direction; f gets the joint's share, its last entry becomes `own`
template <typename T>
MBDBENCH_KERNEL ProjectedInertia<T> eliminate_joint(const ArticulatedInertia<T>& m, const T& own, LinkWrench<T>& f,
                                                    JointRule<T>& rule, T& smallest) {
  smallest = smaller(m.czz, smallest);
  rule.inverse = static_cast<T>(1.0) / m.czz;
  rule.gain = joint_gain(m, rule.inverse);
  rule.rest = (own - f.nz) * rule.inverse;
  f.fx += m.bxz * rule.rest;
  f.fy += m.byz * rule.rest;
  f.fz += m.bzz * rule.rest;
  f.nx += m.cxz * rule.rest;
  f.ny += m.cyz * rule.rest;
  f.nz = own;
  return projected(m, rule.gain);
}

/// The same for another right side of the same matrices. \returns D rest
template <typename T>
MBDBENCH_KERNEL T pass_right_side(const T& own, LinkWrench<T>& f, JointRule<T>& rule) {
  const T moment = own - f.nz;  // D rest
  rule.rest = moment * rule.inverse;
  f.fx += rule.gain.bx * moment;
  f.fy += rule.gain.by * moment;
  f.fz += rule.gain.bz * moment;
  f.nx += rule.gain.cx * moment;
  f.ny += rule.gain.cy * moment;
  f.nz = own;
  return moment;
}

/// \returns the motion about z of a link (its joint's included) from the other components of its motion.
template <typename T>
MBDBENCH_KERNEL T recovered(const JointRule<T>& rule, const LinkVector<T>& linear, const LinkVector<T>& angular) {
  return rule.rest - (rule.gain.bx * linear.x + rule.gain.by * linear.y + rule.gain.bz * linear.z +
                      rule.gain.cx * angular.x + rule.gain.cy * angular.y);
}

/// \returns M V of the rigid link alone about O_k.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> rigid_momentum(const LinkConstants<T>& link, const LinkVector<T>& v,
                                             const LinkVector<T>& w) {
  return {link.mass * v.x + (w.y * link.hz - w.z * link.hy),
          link.mass * v.y + (w.z * link.hx - w.x * link.hz),
          link.mass * v.z + (w.x * link.hy - w.y * link.hx),
          (link.hy * v.z - link.hz * v.y) + link.jxx * w.x + link.jxy * w.y + link.jxz * w.z,
          (link.hz * v.x - link.hx * v.z) + link.jxy * w.x + link.jyy * w.y + link.jyz * w.z,
          (link.hx * v.y - link.hy * v.x) + link.jxz * w.x + link.jyz * w.y + link.jzz * w.z};
}

}  // namespace mbdbench::kernels
