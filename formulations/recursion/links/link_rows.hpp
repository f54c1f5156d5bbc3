#pragma once
/// \file
/// Rows of a LinkTree as plain data: sweeps that are compiled for several instruction sets see nothing else of it.
#include <cstdint>

#include "formulations/kernels/chains/run_start.hpp"
#include "formulations/kernels/spherical_elimination.hpp"

namespace mbdbench {

/// What a step leaves free, and how it is eliminated.
enum class RowKind : std::uint8_t {
  revolute,          ///< turn about z
  prismatic,         ///< slide along z
  driven_revolute,   ///< turn about z with a prescribed motion
  driven_prismatic,  ///< slide along z with a prescribed motion
  spherical,         ///< all turns
  free,              ///< all motions
  screw,             ///< turn about and slide along z at once
  driven_screw       ///< the same with a prescribed motion
};

/// \returns whether the row turns about all axes, and so stands among the spheres.
MBDBENCH_KERNEL bool is_sphere(RowKind kind) {
  return kind == RowKind::spherical || kind == RowKind::free;
}

MBDBENCH_KERNEL bool is_slide(RowKind kind) {
  return kind == RowKind::prismatic || kind == RowKind::driven_prismatic;
}

MBDBENCH_KERNEL bool is_screw(RowKind kind) {
  return kind == RowKind::screw || kind == RowKind::driven_screw;
}

/// Which coordinate, velocity and neighbours belong to a row.
struct LinkRow {
  RowKind kind = RowKind::revolute;
  int q = 0;      ///< first coordinate
  int u = 0;      ///< first quasi-velocity
  int place = 0;  ///< where sweeps write what belongs to it: `u`, or in shared branches by branch
  int slot = -1;  ///< where runs that start at this link leave what they carry inward; -1: none do
  int ordinal =
      0;  ///< among the rows of a kind that share a workspace: slides and driven rows, spherical and free rows
  int motion = -1;  ///< which prescribed motion
  int element = 0;
  bool massless = false;  ///< no body sits on it: a step of a joint with several
  int inboard = -1;       ///< the row inboard of it; -1: the ground
  double pitch = 0.0;     ///< screws: advance for a turn of one radian, m
};

/// Constants of a spherical or free row.
template <typename T>
struct SphericalAxes {
  kernels::Matrix3<T> axes_a;    ///< joint axes of a, columns in the inboard row's frame
  kernels::Matrix3<T> axes_b;    ///< joint axes of b, columns in the row's own frame
  kernels::LinkVector<T> lever;  ///< the joint's origin on a in the inboard row's frame
};

using SphericalConstants = SphericalAxes<double>;

/// Rows [first, last) of one kind (lean turns) or one row of another.
struct LinkSegment {
  RowKind kind = RowKind::revolute;
  int first = 0;
  int last = 0;
};

/// A chain of rows, positions [first, last), each the first child of the one before.
struct LinkRun {
  int first = 0;
  int last = 0;
  int first_segment = 0;
  int last_segment = 0;
  int slot = -1;  ///< of the link where the run starts; -1: the ground
  int root = -1;  ///< which of the runs that lead into a branch (LinkTree::roots); -1: none of them
  kernels::RunStart<double> start{1.0, 0.0, 0.0};
  kernels::LinkVector<double> gravity{};  ///< in the run's start frame; ground only
  kernels::Matrix3<double> axes{1.0, 0.0, 0.0, 0.0, 1.0,
                                0.0, 0.0, 0.0, 1.0};  ///< of the start frame, columns in world axes; ground only
  kernels::LinkVector<double> origin{};               ///< of the start frame; ground only
};

}  // namespace mbdbench
