#pragma once
/// \file
/// Rows of a tree in link frames whose inertias are eliminated before anything is known of loads and velocities: what
/// acceleration_rows.hpp does in one sweep inward is divided, so that loops can be closed in between.
///
///   eliminated_*   inward, once for the positions: gain, pivot, and the inertia that the joint leaves
///   *_loaded       inward, for every set of loads
///
/// The way outward is that of acceleration_rows.hpp.
#include "formulations/kernels/acceleration_rows.hpp"
#include "formulations/kernels/number_by_number.hpp"

namespace mbdbench::kernels {

// Structures of packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// What a turn about z leaves for the loads. Its gain stands in AccelerationRow.
template <typename T>
struct TurnInertia {
  ProjectedInertia<T> rest;
  T inverse;  ///< 1 / D
};

/// The same of a slide along z. Its gain stands in SlideGain.
template <typename T>
struct SlideInertia {
  ArticulatedInertia<T> rest;  ///< row and column of the slide are zero
  T inverse;
};

/// The same of a spherical or free row. Its gain stands in SphericalAccelerationRow.
template <typename T>
struct SphericalInertia {
  Cholesky3<T> turns;   ///< of C
  Symmetric3<T> rest;   ///< A' = A - B C^-1 B^T
  Cholesky3<T> slides;  ///< of A', free rows only
};

/// \param gain receives U / D \returns what is left; D is the inertia's last entry
template <typename T>
MBDBENCH_KERNEL TurnInertia<T> eliminated_turn(const ArticulatedInertia<T>& inertia, JointGain<T>& gain) {
  const T inverse = T(1.0) / inertia.czz;
  gain = joint_gain(inertia, inverse);
  return {projected(inertia, gain), inverse};
}

template <typename T>
MBDBENCH_KERNEL SlideInertia<T> eliminated_slide(const ArticulatedInertia<T>& inertia, SlideGain<T>& gain) {
  SlideInertia<T> left{inertia, T(1.0) / inertia.azz};
  gain = slide_gain(inertia, left.inverse);
  project_slide(gain, left.rest);
  return left;
}

/// \param free whether the joint lets the link slide as well \param gain receives B C^-1
template <typename T>
MBDBENCH_KERNEL void eliminate_sphere(const ArticulatedInertia<T>& inertia, bool free, Matrix3<T>& gain,
                                      SphericalInertia<T>& left) {
  const T zero = T(0.0);
  const SphericalElimination<T> e =
      eliminated_turns(inertia, LinkWrench<T>{zero, zero, zero, zero, zero, zero}, LinkVector<T>{zero, zero, zero});
  put(e.gain, gain);
  put(factorised(Symmetric3<T>{inertia.cxx, inertia.cxy, inertia.cxz, inertia.cyy, inertia.cyz, inertia.czz}),
      left.turns);
  put(e.linear, left.rest);
  if (free) {
    put(factorised(e.linear), left.slides);
  }
}

/// Loads pass a turn. \param wrench what the link and all outboard of it need; receives what the inboard link feels
template <typename T>
MBDBENCH_KERNEL void turn_loaded(const LinkConstants<T>& link, const T& c, const T& s, const T& torque,
                                 const TurnInertia<T>& inertia, AccelerationRow<T>& row, LinkWrench<T>& wrench) {
  const T missing = torque - wrench.nz;
  row.rest = missing * inertia.inverse;
  wrench.fx += row.gain.bx * missing;
  wrench.fy += row.gain.by * missing;
  wrench.fz += row.gain.bz * missing;
  wrench.nx += row.gain.cx * missing;
  wrench.ny += row.gain.cy * missing;
  wrench.nz = torque;
  add_bias(inertia.rest, row.centripetal, row.turned_x, row.turned_y, wrench);
  wrench = carried_inward(link, c, s, wrench);
}

template <typename T>
MBDBENCH_KERNEL void slide_loaded(const LinkConstants<T>& link, const T& c, const T& s, const T& d, const T& force,
                                  const SlideInertia<T>& inertia, const SlideGain<T>& gain, AccelerationRow<T>& row,
                                  LinkWrench<T>& wrench) {
  const T missing = force - wrench.fz;
  row.rest = missing * inertia.inverse;
  wrench.fx += gain.ax * missing;
  wrench.fy += gain.ay * missing;
  wrench.fz = force;
  wrench.nx += gain.bx * missing;
  wrench.ny += gain.by * missing;
  wrench.nz += gain.bz * missing;
  const LinkVector<T>& a = row.centripetal;
  const ArticulatedInertia<T>& m = inertia.rest;
  wrench.fx += m.axx * a.x + m.axy * a.y;
  wrench.fy += m.axy * a.x + m.ayy * a.y;
  wrench.nx += m.bxx * a.x + m.byx * a.y;
  wrench.ny += m.bxy * a.x + m.byy * a.y;
  wrench.nz += m.bxz * a.x + m.byz * a.y;
  wrench = carried_inward(link, c, s, d, wrench);
}

/// \param free, force whether the joint lets the link slide, and its own force in the inboard link's frame
template <typename T>
MBDBENCH_KERNEL void sphere_loaded(const Matrix3<T>& rotation, const LinkVector<T>& way, bool free,
                                   const LinkVector<T>& torque, const LinkVector<T>& force,
                                   const SphericalInertia<T>& inertia, SphericalAccelerationRow<T>& row,
                                   LinkWrench<T>& wrench) {
  const LinkVector<T> missing{torque.x - wrench.nx, torque.y - wrench.ny, torque.z - wrench.nz};
  row.rest = solved(inertia.turns, missing);
  const LinkVector<T> gained = turned(row.gain, missing);  // B C^-1 (t - n)
  LinkVector<T> f{wrench.fx + gained.x, wrench.fy + gained.y, wrench.fz + gained.z};
  const LinkVector<T> n = turned(rotation, torque);
  if (free) {
    const LinkVector<T> own = turned_back(rotation, force);
    row.linear = solved(inertia.slides, LinkVector<T>{own.x - f.x, own.y - f.y, own.z - f.z});
    f = force;
  } else {
    const LinkVector<T> bias = multiplied(inertia.rest, row.centripetal);
    f = turned(rotation, LinkVector<T>{f.x + bias.x, f.y + bias.y, f.z + bias.z});
  }
  wrench = {f.x, f.y, f.z, n.x, n.y, n.z};
  move_inward(way, wrench);
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
