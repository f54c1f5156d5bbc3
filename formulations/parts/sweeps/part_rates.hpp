#pragma once
/// \file
/// One row of a part in the sweeps of a right side: velocity products, the wrench that crosses its joint inward, the
/// motion that crosses it outward.
#include "formulations/parts/sweeps/part_joints.hpp"

namespace mbdbench::part_sweeps {

/// What the velocity of a row's joint needs. \param turning of the inboard link; receives the own one
template <typename T>
MBDBENCH_KERNEL void set_velocity(const PartData<T>& part, int i, const T* u, Turning<T>& turning,
                                  const PartRightSide<T>& side) {
  const LinkRow& row = part.rows[i];
  const auto& link = constant<T>(part.links[i]);
  const T& c = part.cosines[i];
  const T& s = part.sines[i];
  Vector<T> slid = no_vector<T>();
  if (part.parts[i].starts) {
    turning.omega = into_start(constant<T>(part.starts[i]), turning.omega);
    slid = turned_twice(turning, Vector<T>{T(0.0), T(0.0), T(part.starts[i].d)});
  }
  if (is_sphere(row.kind)) {
    const int k = row.ordinal;
    const SphericalConstants& constants = part.spherical[k];
    const Vector<T> slide =
        row.kind == RowKind::free ? turned(constant<T>(constants.axes_a), vector_of(u + row.u + 3)) : no_vector<T>();
    spherical_velocity(link, part.rotations[k], part.levers[k],
                       turned(constant<T>(constants.axes_b), vector_of(u + row.u)), slide, turning, side.spheres[k]);
  } else {
    AccelerationRow<T>& to = side.rows[i];
    if (row.kind == RowKind::revolute || row.kind == RowKind::driven_revolute) {
      turn_velocity(link, c, s, u[row.u], turning, to);
      if (row.massless) {
        to.needed = no_wrench<T>();
      }
    } else if (row.kind == RowKind::screw || row.kind == RowKind::driven_screw) {
      screw_velocity(link, c, s, part.slides[i], T(row.pitch), u[row.u], row.massless, turning, to);
    } else {
      slide_velocity(link, c, s, part.slides[i], u[row.u], row.massless, turning, to);
    }
    if (part.parts[i].starts) {  // spherical and free rows have it in their lever
      const Vector<T> moved = rotated_outward(link, c, s, slid);
      to.centripetal = {to.centripetal.x + moved.x, to.centripetal.y + moved.y, to.centripetal.z + moved.z};
    }
  }
}

/// A row on which nothing acts.
template <typename T>
MBDBENCH_KERNEL void rest_row(const PartData<T>& part, const PartRightSide<T>& side, int i) {
  const LinkRow& row = part.rows[i];
  if (is_sphere(row.kind)) {
    side.spheres[row.ordinal].rest = no_vector<T>();
    side.spheres[row.ordinal].linear = no_vector<T>();
  } else {
    side.rows[i].rest = T(0.0);
  }
}

/// The ground's acceleration -g as part of c of a row on it.
template <typename T>
MBDBENCH_KERNEL void add_ground(const PartData<T>& part, int i, T* bias) {
  const LinkRow& row = part.rows[i];
  const Vector<T> g = constant<T>(part.gravity[i]);
  const Vector<T> a = is_sphere(row.kind)
                          ? turned_back(part.rotations[row.ordinal], g)
                          : rotated_outward(constant<T>(part.links[i]), part.cosines[i], part.sines[i], g);
  bias[0] -= a.x;
  bias[1] -= a.y;
  bias[2] -= a.z;
}

template <typename T>
MBDBENCH_KERNEL void set_bias(const Vector<T>& linear, const Vector<T>& angular, T* bias) {
  put_vector(linear, bias);
  put_vector(angular, bias + 3);
}

/// L^-1 r of factors L D L^T.
template <typename T>
MBDBENCH_KERNEL void reduce(const Cholesky3<T>& f, const Vector<T>& r, T* reduced) {
  reduced[0] = r.x;
  reduced[1] = r.y - f.l21 * r.x;
  reduced[2] = r.z - f.l31 * r.x - f.l32 * reduced[1];
}

template <typename T>
MBDBENCH_KERNEL void cross_sphere(const PartData<T>& part, const PartRightSide<T>& side, const LinkRow& row,
                                  Wrench<T>& wrench, T* reduced, T* bias) {
  const int k = row.ordinal;
  const bool free = row.kind == RowKind::free;
  const SphericalInertia<T>& inertia = part.spheres[k];
  const SphericalConstants& constants = part.spherical[k];
  SphericalAccelerationRow<T>& own = side.spheres[k];
  Vector<T> torque = no_vector<T>();
  Vector<T> force = no_vector<T>();
  if (side.tau != nullptr) {
    torque = turned(constant<T>(constants.axes_b), vector_of(side.tau + row.u));
    force = free ? turned(constant<T>(constants.axes_a), vector_of(side.tau + row.u + 3)) : no_vector<T>();
  }
  const Vector<T> missing{torque.x - wrench.nx, torque.y - wrench.ny, torque.z - wrench.nz};
  reduce(inertia.turns, missing, reduced);
  own.rest = solved(inertia.turns, missing);
  const Vector<T> gained = turned(part.sphere_gains[k], missing);  // B C^-1 (t - n)
  Vector<T> f{wrench.fx + gained.x, wrench.fy + gained.y, wrench.fz + gained.z};
  const Vector<T> n = turned(part.rotations[k], torque);
  if (free) {
    const Vector<T> own_force = turned_back(part.rotations[k], force);
    const Vector<T> left{own_force.x - f.x, own_force.y - f.y, own_force.z - f.z};
    reduce(inertia.slides, left, reduced + 3);
    own.linear = solved(inertia.slides, left);
    f = force;
  } else {
    if (side.moves) {
      const Vector<T> product = multiplied(inertia.rest, own.centripetal);
      f = {f.x + product.x, f.y + product.y, f.z + product.z};
    }
    f = turned(part.rotations[k], f);
  }
  if (side.moves) {
    set_bias(own.centripetal, own.turned, bias);
  } else {
    set_bias(no_vector<T>(), no_vector<T>(), bias);
  }
  wrench = {f.x, f.y, f.z, n.x, n.y, n.z};
  move_inward(part.levers[k], wrench);
}

/// The wrench crosses a joint. \param reduced receives u after the directions before each \param bias receives c
template <typename T>
MBDBENCH_KERNEL void cross_joint(const PartData<T>& part, const PartRightSide<T>& side, int i, Wrench<T>& wrench,
                                 T* reduced, T* bias) {
  const LinkRow& row = part.rows[i];
  const auto& link = constant<T>(part.links[i]);
  const T& c = part.cosines[i];
  const T& s = part.sines[i];
  if (is_sphere(row.kind)) {
    cross_sphere(part, side, row, wrench, reduced, bias);
    return;
  }
  AccelerationRow<T>& own = side.rows[i];
  const Vector<T> a = side.moves ? own.centripetal : no_vector<T>();
  const Vector<T> t{side.moves ? own.turned_x : T(0.0), side.moves ? own.turned_y : T(0.0), T(0.0)};
  const T force = side.tau != nullptr ? side.tau[row.u] : T(0.0);
  set_bias(a, t, bias);
  switch (row.kind) {
    case RowKind::revolute: {
      const TurnInertia<T>& inertia = part.turns[i];
      const JointGain<T>& gain = part.turn_gains[i];
      const T missing = force - wrench.nz;
      reduced[0] = missing;
      own.rest = missing * inertia.inverse;
      wrench.fx += gain.bx * missing;
      wrench.fy += gain.by * missing;
      wrench.fz += gain.bz * missing;
      wrench.nx += gain.cx * missing;
      wrench.ny += gain.cy * missing;
      wrench.nz = force;
      if (side.moves) {
        add_bias(inertia.rest, a, t.x, t.y, wrench);
      }
      wrench = carried_inward(link, c, s, wrench);
      return;
    }
    case RowKind::prismatic: {
      const SlideGain<T>& gain = part.slide_gains[i];
      const T missing = force - wrench.fz;
      reduced[0] = missing;
      own.rest = missing * part.inverses[i];
      wrench.fx += gain.ax * missing;
      wrench.fy += gain.ay * missing;
      wrench.fz = force;
      wrench.nx += gain.bx * missing;
      wrench.ny += gain.by * missing;
      wrench.nz += gain.bz * missing;
      break;
    }
    case RowKind::screw: {
      const Wrench<T>& gain = part.screw_gains[i];
      const T missing = force - (wrench.nz + row.pitch * wrench.fz);
      reduced[0] = missing;
      own.rest = missing * part.inverses[i];
      wrench.fx += gain.fx * missing;
      wrench.fy += gain.fy * missing;
      wrench.fz += gain.fz * missing;
      wrench.nx += gain.nx * missing;
      wrench.ny += gain.ny * missing;
      wrench.nz += gain.nz * missing;
      break;
    }
    default: {  // prescribed: nothing is eliminated, its rate is part of c
      own.rest = side.driven != nullptr ? side.driven[row.motion] : T(0.0);
      if (row.kind == RowKind::driven_prismatic) {
        bias[2] += own.rest;
      } else {
        bias[5] += own.rest;
        bias[2] += row.pitch * own.rest;  // zero but for screws
      }
      break;
    }
  }
  if (side.moves || side.driven != nullptr) {
    add_wrench(multiplied(part.whole[i], vector_of(bias), vector_of(bias + 3)), wrench);
  }
  wrench = carried_inward(link, c, s, part.slides[i], wrench);
}

/// \returns C^-1 n from L^-1 n.
template <typename T>
MBDBENCH_KERNEL Vector<T> from_reduced(const Cholesky3<T>& f, const T* y) {
  const T z = y[2] * f.inverse3;
  const T v = y[1] * f.inverse2 - f.l32 * z;
  return {y[0] * f.inverse1 - f.l21 * v - f.l31 * z, v, z};
}

template <typename T>
MBDBENCH_KERNEL void move_sphere(const PartData<T>& part, const PartRightSide<T>& side, const LinkRow& row,
                                 const T* pushed, Vector<T>& linear, Vector<T>& angular) {
  const int k = row.ordinal;
  const SphericalConstants& constants = part.spherical[k];
  const kernels::Matrix3<T>& rotation = part.rotations[k];
  SphericalAccelerationRow<T>& own = side.spheres[k];
  const Vector<T> turn = from_reduced(part.spheres[k].turns, pushed);
  const Vector<T> rest{own.rest.x + turn.x, own.rest.y + turn.y, own.rest.z + turn.z};
  const Vector<T> centripetal = side.moves ? own.centripetal : no_vector<T>();
  const Vector<T> turned_by = side.moves ? own.turned : no_vector<T>();
  const Vector<T> reached = moved_outward(part.levers[k], linear, angular);
  const Vector<T> inherited = turned_back(rotation, angular);
  if (row.kind == RowKind::free) {
    const Vector<T> pushed_linear = from_reduced(part.spheres[k].slides, pushed + 3);
    linear = {own.linear.x + pushed_linear.x, own.linear.y + pushed_linear.y, own.linear.z + pushed_linear.z};
    const Vector<T> in_inboard =
        turned(rotation, Vector<T>{linear.x - centripetal.x, linear.y - centripetal.y, linear.z - centripetal.z});
    put_vector(turned_back(constant<T>(constants.axes_a),
                           Vector<T>{in_inboard.x - reached.x, in_inboard.y - reached.y, in_inboard.z - reached.z}),
               side.joint_rates + row.place + 3);
  } else {
    linear = turned_back(rotation, reached);
    linear = {linear.x + centripetal.x, linear.y + centripetal.y, linear.z + centripetal.z};
  }
  angular = angular_rate(part.sphere_gains[k], rest, linear);
  put_vector(turned_back(constant<T>(constants.axes_b),
                         Vector<T>{angular.x - inherited.x - turned_by.x, angular.y - inherited.y - turned_by.y,
                                   angular.z - inherited.z - turned_by.z}),
             side.joint_rates + row.place);
}

template <typename T>
MBDBENCH_KERNEL void move_link(const PartData<T>& part, const PartRightSide<T>& side, int i, const T* pushed,
                               Vector<T>& linear, Vector<T>& angular) {
  const LinkRow& row = part.rows[i];
  const auto& link = constant<T>(part.links[i]);
  const T& c = part.cosines[i];
  const T& s = part.sines[i];
  if (is_sphere(row.kind)) {
    move_sphere(part, side, row, pushed, linear, angular);
    return;
  }
  AccelerationRow<T>& own = side.rows[i];
  if (row.kind == RowKind::revolute) {
    linear = rotated_outward(link, c, s, moved_outward(link, linear, angular));
  } else {
    linear = rotated_outward(link, c, s, moved_outward(lever(link, part.slides[i]), linear, angular));
  }
  angular = rotated_outward(link, c, s, angular);
  if (side.moves) {
    linear = {linear.x + own.centripetal.x, linear.y + own.centripetal.y, linear.z + own.centripetal.z};
    angular.x += own.turned_x;
    angular.y += own.turned_y;
  }
  // Rows that nothing has reached rest; of states in lanes that is worth a look less.
  T rate = !std::is_same_v<T, double> && side.loaded != nullptr && !side.loaded[i] ? T(0.0) : own.rest;
  switch (row.kind) {
    case RowKind::revolute: {
      const JointGain<T>& g = part.turn_gains[i];
      const T inherited = angular.z;
      angular.z = rate + pushed[0] * part.turns[i].inverse -
                  (g.bx * linear.x + g.by * linear.y + g.bz * linear.z + g.cx * angular.x + g.cy * angular.y);
      rate = angular.z - inherited;
      break;
    }
    case RowKind::prismatic: {
      const SlideGain<T>& g = part.slide_gains[i];
      const T inherited = linear.z;
      linear.z = rate + pushed[0] * part.inverses[i] -
                 (g.ax * linear.x + g.ay * linear.y + g.bx * angular.x + g.by * angular.y + g.bz * angular.z);
      rate = linear.z - inherited;
      break;
    }
    case RowKind::screw:
      rate += pushed[0] * part.inverses[i] - along_gain(part.screw_gains[i], linear, angular);
      linear.z += row.pitch * rate;
      angular.z += rate;
      break;
    case RowKind::driven_revolute:
    case RowKind::driven_screw:
      linear.z += row.pitch * rate;  // zero but for screws
      angular.z += rate;
      break;
    default:
      linear.z += rate;
      break;
  }
  side.joint_rates[row.place] = rate;
}

}  // namespace mbdbench::part_sweeps
