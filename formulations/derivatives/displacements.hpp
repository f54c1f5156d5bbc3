#pragma once
/// \file
/// What a direction of the state does where it starts (tree_slopes.hpp has the equations), for numbers and for packs.
/// All of it is linear in S: so may S be the sum of turns that a number of a quaternion makes.
#include "formulations/derivatives/screws.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// What a node and all outboard of it are as one body (LinearNode::composite and what stands behind it).
template <typename T>
struct DisplacedBody {
  T mass;
  LinkVector<T> moment;
  kernels::Symmetric3<T> inertia;
  LinkVector<T> momentum;
  Matrix3<T> turning;
};

template <typename T>
struct Displacement {
  Screw<T> motion;       ///< psi'' or psi' + S'; momenta: psi'
  LinkVector<T> turn;    ///< beta; momenta: z x g
  Screw<T> wrench;       ///< that the inboard node feels for it
  LinkVector<T> moment;  ///< momenta: of the weight outboard
};

/// \returns a x b of motions.
template <typename T>
MBDBENCH_KERNEL Screw<T> product_of_motions(const Screw<T>& a, const Screw<T>& b) {
  return {plus(cross(a.linear, b.angular), cross(a.angular, b.linear)), cross(a.angular, b.angular)};
}
/// \returns S x* wrench.
template <typename T>
MBDBENCH_KERNEL Screw<T> turned_by(const Screw<T>& s, const Screw<T>& wrench) {
  return {cross(s.angular, wrench.linear), plus(cross(s.angular, wrench.angular), cross(s.linear, wrench.linear))};
}
/// \returns I motion.
template <typename T>
MBDBENCH_KERNEL Screw<T> felt(const DisplacedBody<T>& body, const Screw<T>& motion) {
  LinkVector<T> force = cross(motion.angular, body.moment);
  add(motion.linear, body.mass, force);
  return {force, plus(cross(body.moment, motion.linear), kernels::multiplied(body.inertia, motion.angular))};
}
/// \returns 2 B^C [0; beta].
template <typename T>
MBDBENCH_KERNEL Screw<T> felt_turning(const DisplacedBody<T>& body, const LinkVector<T>& beta) {
  const Matrix3<T>& n = body.turning;
  const LinkVector<T> half = cross(beta, body.momentum);
  const T trace = n.xx + n.yy + n.zz;
  const LinkVector<T> own = kernels::turned(n, beta);
  return {{half.x + half.x, half.y + half.y, half.z + half.z},
          {trace * beta.x - own.x, trace * beta.y - own.y, trace * beta.z - own.z}};
}

/// Accelerations, along a quasi-velocity. \param both velocities of the inboard and the own node, added
template <typename T>
MBDBENCH_KERNEL Displacement<T> change_of_velocity(const Screw<T>& s, const Screw<T>& both,
                                                   const DisplacedBody<T>& body) {
  Displacement<T> result;
  result.motion = product_of_motions(both, s);
  result.turn = s.angular;
  result.wrench = plus(felt(body, result.motion), felt_turning(body, result.turn));
  return result;
}

/// Accelerations, along a coordinate. \param inner A and \param velocity V of the inboard node \param total f^C
/// \param still 1 where it is a quasi-velocity after all: its `inner` is `both`, its velocity and total are none
template <typename T>
MBDBENCH_KERNEL Displacement<T> displacement(const Screw<T>& s, const Screw<T>& inner, const Screw<T>& velocity,
                                             const T& still, const Screw<T>& total, const DisplacedBody<T>& body) {
  Displacement<T> result;
  const Screw<T> first = product_of_motions(velocity, s);
  result.motion = plus(product_of_motions(inner, s), product_of_motions(velocity, first));
  result.turn = first.angular;
  add(s.angular, still, result.turn);
  result.wrench = plus(plus(felt(body, result.motion), felt_turning(body, result.turn)), turned_by(s, total));
  return result;
}

/// Momenta. \param velocity V of the inboard node \param total P^C
template <typename T>
MBDBENCH_KERNEL Displacement<T> displacement_of_momenta(const Screw<T>& s, const Screw<T>& velocity,
                                                        const Screw<T>& total, const DisplacedBody<T>& body,
                                                        const LinkVector<double>& gravity) {
  const LinkVector<T> g{T(gravity.x), T(gravity.y), T(gravity.z)};
  Displacement<T> result;
  result.motion = product_of_motions(velocity, s);
  result.turn = cross(s.angular, g);
  result.wrench = plus(felt(body, result.motion), turned_by(s, total));
  result.moment = cross(cross(s.angular, body.moment), g);
  add(cross(s.linear, g), body.mass, result.moment);
  return result;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
