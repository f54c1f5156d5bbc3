#pragma once
/// \file
/// Motions and wrenches in world axes; coefficients may be single numbers where the other factor is a pack.
#include "formulations/derivatives/linear_data.hpp"
#include "formulations/kernels/number_by_number.hpp"
#include "formulations/kernels/vectors.hpp"

namespace mbdbench::linear {

using kernels::cross;
using kernels::dot;
using kernels::LinkVector;
using kernels::Matrix3;
using kernels::minus;
using kernels::plus;
using kernels::put;

// Structures of packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <typename T>
MBDBENCH_KERNEL Screw<T> plus(const Screw<T>& a, const Screw<T>& b) {
  return {plus(a.linear, b.linear), plus(a.angular, b.angular)};
}
MBDBENCH_KERNEL Screw<double> minus(const Screw<double>& a, const Screw<double>& b) {
  return {{a.linear.x - b.linear.x, a.linear.y - b.linear.y, a.linear.z - b.linear.z},
          {a.angular.x - b.angular.x, a.angular.y - b.angular.y, a.angular.z - b.angular.z}};
}
template <typename A, typename T>
MBDBENCH_KERNEL T dot(const Screw<A>& a, const Screw<T>& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}
/// to -= a . b, product by product: with fused multiplication and addition that is sooner known than a . b first.
template <typename A, typename T>
MBDBENCH_KERNEL void subtract_dot(const LinkVector<A>& a, const LinkVector<T>& b, T& to) {
  to -= a.x * b.x;
  to -= a.y * b.y;
  to -= a.z * b.z;
}
/// r += factor a.
template <typename A, typename T>
MBDBENCH_KERNEL void add(const LinkVector<A>& a, const T& factor, LinkVector<T>& r) {
  r.x += a.x * factor;
  r.y += a.y * factor;
  r.z += a.z * factor;
}
template <typename A, typename T>
MBDBENCH_KERNEL void add(const Screw<A>& a, const T& factor, Screw<T>& r) {
  add(a.linear, factor, r.linear);
  add(a.angular, factor, r.angular);
}
template <typename T>
MBDBENCH_KERNEL LinkVector<T> none() {
  return {T(0.0), T(0.0), T(0.0)};
}
template <typename T>
MBDBENCH_KERNEL Screw<T> no_screw() {
  return {none<T>(), none<T>()};
}

/// \returns a motion at the point that lies at r.
template <typename T>
MBDBENCH_KERNEL Screw<T> moved_outward(const LinkVector<double>& r, const Screw<T>& m) {
  return {{m.linear.x + m.angular.y * r.z - m.angular.z * r.y, m.linear.y + m.angular.z * r.x - m.angular.x * r.z,
           m.linear.z + m.angular.x * r.y - m.angular.y * r.x},
          m.angular};
}
/// \returns a wrench about the point from which its own lies at r.
template <typename T>
MBDBENCH_KERNEL Screw<T> moved_inward(const LinkVector<double>& r, const Screw<T>& w) {
  return {w.linear,
          {w.angular.x + r.y * w.linear.z - r.z * w.linear.y, w.angular.y + r.z * w.linear.x - r.x * w.linear.z,
           w.angular.z + r.x * w.linear.y - r.y * w.linear.x}};
}

// Number by number (TreeValues::place says why), as kernels::put.
MBDBENCH_KERNEL void put(const Screw<double>& r, Screw<double>& to) {
  put(r.linear, to.linear);
  put(r.angular, to.angular);
}
MBDBENCH_KERNEL void put(const RigidBody& body, RigidBody& to) {
  to.mass = body.mass;
  put(body.moment, to.moment);
  put(body.inertia, to.inertia);
}

// ---- Axes: S = [0; z] turns, [z; 0] slides.

/// \returns S . wrench.
template <typename T>
MBDBENCH_KERNEL T along(const LinearAxis& axis, const Screw<T>& wrench) {
  if (axis.slides) {
    return dot(axis.z, wrench.linear);
  }
  return dot(axis.z, wrench.angular);
}
/// to -= S . wrench.
template <typename T>
MBDBENCH_KERNEL void subtract_along(const LinearAxis& axis, const Screw<T>& wrench, T& to) {
  if (axis.slides) {
    subtract_dot(axis.z, wrench.linear, to);
  } else {
    subtract_dot(axis.z, wrench.angular, to);
  }
}
/// motion += S rate.
template <typename T>
MBDBENCH_KERNEL void add_axis(const LinearAxis& axis, const T& rate, Screw<T>& motion) {
  if (axis.slides) {
    add(axis.z, rate, motion.linear);
  } else {
    add(axis.z, rate, motion.angular);
  }
}
/// \returns motion x S.
MBDBENCH_KERNEL Screw<double> carried_axis(const Screw<double>& motion, const LinearAxis& axis) {
  const LinkVector<double> turned = cross(motion.angular, axis.z);
  Screw<double> result = no_screw<double>();
  if (axis.slides) {
    put(turned, result.linear);
  } else {
    put(cross(motion.linear, axis.z), result.linear);
    put(turned, result.angular);
  }
  return result;
}
/// \returns S x* wrench.
MBDBENCH_KERNEL Screw<double> turned_wrench(const LinearAxis& axis, const Screw<double>& wrench) {
  const LinkVector<double> turned = cross(axis.z, wrench.linear);
  Screw<double> result = no_screw<double>();
  if (axis.slides) {
    put(turned, result.angular);
  } else {
    put(turned, result.linear);
    put(cross(axis.z, wrench.angular), result.angular);
  }
  return result;
}

/// \returns a x b of motions.
MBDBENCH_KERNEL Screw<double> motion_product(const Screw<double>& a, const Screw<double>& b) {
  return {plus(cross(a.linear, b.angular), cross(a.angular, b.linear)), cross(a.angular, b.angular)};
}
/// \returns motion x* wrench.
MBDBENCH_KERNEL Screw<double> wrench_rate(const Screw<double>& motion, const Screw<double>& wrench) {
  return {cross(motion.angular, wrench.linear),
          plus(cross(motion.angular, wrench.angular), cross(motion.linear, wrench.linear))};
}
/// \returns I motion.
MBDBENCH_KERNEL Screw<double> multiplied(const RigidBody& body, const Screw<double>& motion) {
  LinkVector<double> force = cross(motion.angular, body.moment);
  add(motion.linear, body.mass, force);
  return {force, plus(cross(body.moment, motion.linear), kernels::multiplied(body.inertia, motion.angular))};
}
/// to += a body whose point lies at r.
MBDBENCH_KERNEL void add_body(const LinkVector<double>& r, const RigidBody& body, RigidBody& to) {
  const LinkVector<double>& h = body.moment;
  const double m = body.mass;
  // About the own point less the products of r and h, twice, and of r and r: J - m r~ r~ - r~ h~ - h~ r~.
  const double rr = m * dot(r, r) + 2.0 * dot(r, h);
  to.mass += m;
  add(r, m, to.moment);
  to.moment = plus(to.moment, h);
  to.inertia.xx += body.inertia.xx + rr - r.x * (m * r.x + 2.0 * h.x);
  to.inertia.yy += body.inertia.yy + rr - r.y * (m * r.y + 2.0 * h.y);
  to.inertia.zz += body.inertia.zz + rr - r.z * (m * r.z + 2.0 * h.z);
  to.inertia.xy += body.inertia.xy - r.x * (m * r.y + h.y) - h.x * r.y;
  to.inertia.xz += body.inertia.xz - r.x * (m * r.z + h.z) - h.x * r.z;
  to.inertia.yz += body.inertia.yz - r.y * (m * r.z + h.z) - h.y * r.z;
}
/// \returns I S.
MBDBENCH_KERNEL Screw<double> along_axis(const RigidBody& body, const LinearAxis& axis) {
  const LinkVector<double>& z = axis.z;
  if (axis.slides) {
    return {{body.mass * z.x, body.mass * z.y, body.mass * z.z}, cross(body.moment, z)};
  }
  return {cross(z, body.moment), kernels::multiplied(body.inertia, z)};
}
/// to += 2 a b^T.
MBDBENCH_KERNEL void add_double_product(const LinkVector<double>& a, const LinkVector<double>& b, Matrix3<double>& to) {
  const LinkVector<double> twice{2.0 * a.x, 2.0 * a.y, 2.0 * a.z};
  to.xx += twice.x * b.x;
  to.xy += twice.x * b.y;
  to.xz += twice.x * b.z;
  to.yx += twice.y * b.x;
  to.yy += twice.y * b.y;
  to.yz += twice.y * b.z;
  to.zx += twice.z * b.x;
  to.zy += twice.z * b.y;
  to.zz += twice.z * b.z;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
