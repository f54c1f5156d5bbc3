#pragma once
/// \file
/// Poses and velocities of rows in world axes and what cut joints make of them (joint_kinematics.hpp, cut_end.hpp), a
/// lane a state.
#include "formulations/batches/lane_positions.hpp"
#include "formulations/kernels/vectors.hpp"
#include "formulations/parts/lanes/loop_data.hpp"

namespace mbdbench::loop_sweeps {

using namespace kernels;
using lane_sweeps::in_lanes;
using lane_sweeps::no_vector;
using lane_sweeps::packs;
using lane_sweeps::put_vector;
using lane_sweeps::vector_of;

// Structures of packs start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Frame of a row, and the velocity of its O_k, in world axes.
template <typename T>
struct RowPose {
  kernels::Matrix3<T> axes;
  LinkVector<T> origin;
  LinkVector<T> velocity;
  LinkVector<T> omega;
};

template <typename T>
MBDBENCH_KERNEL RowPose<T>& pose_at(const LoopData& data, int row) {
  return reinterpret_cast<RowPose<T>*>(data.poses)[row];
}

/// \returns that of a row, or of the ground.
template <typename T>
MBDBENCH_KERNEL const RowPose<T>& pose_of(const LoopData& data, int row) {
  return pose_at<T>(data, row >= 0 ? row : data.part.row_count);
}

/// The velocity of a point of a row.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> velocity_at(const RowPose<T>& pose, const LinkVector<T>& place) {
  return plus(pose.velocity, cross(pose.omega, minus(place, pose.origin)));
}

template <typename T>
MBDBENCH_KERNEL void step_to(const LinkVector<T>& way, RowPose<T>& frame) {
  frame.origin = plus(frame.origin, turned(frame.axes, way));
}

/// Axes times Rz(angle of (c, s)).
template <typename T>
MBDBENCH_KERNEL void turn_about_z(const T& c, const T& s, kernels::Matrix3<T>& m) {
  m = {c * m.xx + s * m.xy, c * m.xy - s * m.xx, m.xz, c * m.yx + s * m.yy, c * m.yy - s * m.yx, m.yz,
       c * m.zx + s * m.zy, c * m.zy - s * m.zx, m.zz};
}

/// Axes times Rx(angle of (c, s)).
template <typename T>
MBDBENCH_KERNEL void turn_about_x(const T& c, const T& s, kernels::Matrix3<T>& m) {
  m = {m.xx, c * m.xy + s * m.xz, c * m.xz - s * m.xy, m.yx, c * m.yy + s * m.yz, c * m.yz - s * m.yy,
       m.zx, c * m.zy + s * m.zz, c * m.zz - s * m.zy};
}

/// What the joint of a row adds to the velocity of its frame.
template <typename T>
MBDBENCH_KERNEL void add_joint_velocity(const PartData<T>& part, const LinkRow& row, const T* u, RowPose<T>& frame) {
  if (is_sphere(row.kind)) {
    const SphericalConstants& constants = part.spherical[row.ordinal];
    frame.omega = plus(frame.omega, turned(frame.axes, turned(in_lanes<T>(constants.axes_b), vector_of(u + row.u))));
    return;
  }
  LinkVector<T>& changes = is_slide(row.kind) ? frame.velocity : frame.omega;
  const LinkVector<T> axis{frame.axes.xz, frame.axes.yz, frame.axes.zz};
  changes = plus(changes, times(u[row.u], axis));
  if (is_screw(row.kind)) {
    frame.velocity = plus(frame.velocity, times(T(row.pitch) * u[row.u], axis));
  }
}

/// From the frame of the inboard row to that of a row.
template <typename T>
MBDBENCH_KERNEL void step(const PartData<T>& part, int i, RowPose<T>& frame) {
  const LinkRow& row = part.rows[i];
  if (part.parts[i].starts) {
    const RunStart<T> start = in_lanes<T>(part.starts[i]);
    step_to({T(0.0), T(0.0), start.d}, frame);
    turn_about_z(start.cos_beta, start.sin_beta, frame.axes);
  }
  if (is_sphere(row.kind)) {
    step_to(part.levers[row.ordinal], frame);
    frame.axes = product(frame.axes, part.rotations[row.ordinal]);
    return;
  }
  const LinkConstants<T> link = in_lanes<T>(part.links[i]);
  step_to(lever(link, part.slides[i]), frame);
  turn_about_x(link.cos_alpha, link.sin_alpha, frame.axes);
  turn_about_z(part.cosines[i], part.sines[i], frame.axes);
}

/// Poses and velocities of all rows that cut joints need: kept where ends of them are and where ways part; of others
/// the origins. \param u quasi-velocities; nullptr: no velocities
template <typename T>
MBDBENCH_KERNEL void set_poses(const LoopData& data, const PartData<T>& part, const T* u) {
  LinkVector<T>* const origins = reinterpret_cast<LinkVector<T>*>(data.origins);
  RowPose<T> frame = pose_at<T>(data, part.row_count);
  for (int i = 0; i < part.row_count; ++i) {
    if (!data.posed[i]) {
      continue;
    }
    const LinkRow& row = part.rows[i];
    if (row.inboard < 0) {
      frame = {in_lanes<T>(data.grounds[i].axes), in_lanes<T>(data.grounds[i].origin), no_vector<T>(), no_vector<T>()};
    } else if (row.inboard != i - 1) {
      frame = pose_at<T>(data, row.inboard);
    }
    const LinkVector<T> from = frame.origin;
    LinkVector<T> slid = no_vector<T>();
    if (u != nullptr && row.kind == RowKind::free) {  // along axes of the inboard link
      slid = turned(in_lanes<T>(part.spherical[row.ordinal].axes_a), vector_of(u + row.u + 3));
      slid = row.inboard < 0 ? slid : turned(frame.axes, slid);
    }
    step(part, i, frame);
    if (u != nullptr) {
      frame.velocity = plus(plus(frame.velocity, slid), cross(frame.omega, minus(frame.origin, from)));
      add_joint_velocity(part, row, u, frame);
    }
    origins[i] = frame.origin;
    if (data.kept[i]) {
      pose_at<T>(data, i) = frame;
    }
  }
}

/// A cut joint at the poses of its rows.
template <typename T>
struct CutPlace {
  LinkVector<T> force[6];  ///< D, a row a column
  LinkVector<T> moment[6];
  LinkVector<T> origin_a;
  LinkVector<T> origin_b;
  LinkVector<T> point;
};

template <typename T>
MBDBENCH_KERNEL CutPlace<T>& place_of(const LoopData& data, int cut) {
  return reinterpret_cast<CutPlace<T>*>(data.directions)[cut];
}

/// What else is known of a cut joint that is placed lane by lane.
template <typename T>
struct CutMotion {
  T asked[6];                   ///< Phi' that prescribed motions and feedback ask for
  T wanted[6];                  ///< Phi'' less what accelerations of the links add; of accelerations only
  LinkVector<T> force_rate[6];  ///< D'
  LinkVector<T> moment_rate[6];
  LinkVector<T> velocity;  ///< of the point
};

template <typename T>
MBDBENCH_KERNEL const CutMotion<T>& motion_of(const LoopData& data, const LaneCut& cut) {
  return reinterpret_cast<const CutMotion<T>*>(data.cut_motions)[cut.apart];
}

template <typename T>
MBDBENCH_KERNEL void place_cut(const LoopData& data, int c) {
  const LaneCut& cut = data.cuts[c];
  const RowPose<T>& a = pose_of<T>(data, cut.a.row);
  const RowPose<T>& b = pose_of<T>(data, cut.b.row);
  CutPlace<T>& place = place_of<T>(data, c);
  place.origin_a = plus(a.origin, turned(a.axes, in_lanes<T>(cut.a.origin)));
  place.origin_b = plus(b.origin, turned(b.axes, in_lanes<T>(cut.b.origin)));
  const LinkVector<T> displacement = minus(place.origin_b, place.origin_a);
  place.point = minus(place.origin_b, times(T(1.0 - cut.share_of_b), displacement));
  for (int k = 0; k < cut.row_count; ++k) {
    const int row = cut.rows[k];
    place.force[k] = no_vector<T>();
    place.moment[k] = no_vector<T>();
    if (row < cut.first_direction) {
      place.force[k] = {T(row == 0 ? 1.0 : 0.0), T(row == 1 ? 1.0 : 0.0), T(row == 2 ? 1.0 : 0.0)};
    } else if (row < cut.first_angle) {
      place.force[k] = turned(a.axes, in_lanes<T>(cut.directions[row - cut.first_direction]));
    } else {
      const LaneAngle& angle = cut.angles[row - cut.first_angle];
      place.moment[k] = times(T(angle.scale),
                              cross(turned(b.axes, in_lanes<T>(angle.on_b)), turned(a.axes, in_lanes<T>(angle.on_a))));
    }
  }
}

/// The unit wrenches of a cut joint on the link at one of its ends. \param adds whether the other end is there too
template <typename T>
MBDBENCH_KERNEL void start_columns(const LoopData& data, const PartData<T>& part, int c, int row, int columns,
                                   double sign, bool adds) {
  const CutPlace<T>& place = place_of<T>(data, c);
  const RowPose<T>& pose = pose_at<T>(data, row);
  const LinkVector<T> way = minus(place.point, pose.origin);
  T* const to = part.columns + static_cast<long>(6 * columns) * kLoopLanes;
  for (int i = 0; i < part.loop_rows[c]; ++i) {
    const LinkVector<T> f = turned_back(pose.axes, place.force[i]);
    const LinkVector<T> n = turned_back(pose.axes, plus(place.moment[i], cross(way, place.force[i])));
    const T wrench[6] = {f.x, f.y, f.z, n.x, n.y, n.z};
    for (int k = 0; k < 6; ++k) {
      to[k * kLoopLanes + i] = adds ? to[k * kLoopLanes + i] + T(sign) * wrench[k] : T(sign) * wrench[k];
    }
  }
}

/// The velocity of the point of a cut joint.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> point_velocity(const LoopData& data, int c) {
  const LaneCut& cut = data.cuts[c];
  if (cut.apart >= 0) {
    return motion_of<T>(data, cut).velocity;
  }
  const CutPlace<T>& place = place_of<T>(data, c);
  const T share = T(cut.share_of_b);
  return plus(times(share, velocity_at(pose_of<T>(data, cut.b.row), place.origin_b)),
              times(T(1.0) - share, velocity_at(pose_of<T>(data, cut.a.row), place.origin_a)));
}

/// The vectors of a row that keeps an angle, in world axes.
template <typename T>
struct AngleVectors {
  LinkVector<T> on_a;
  LinkVector<T> on_b;
};

template <typename T>
MBDBENCH_KERNEL AngleVectors<T> vectors_of(const LoopData& data, const LaneCut& cut, const LaneAngle& angle) {
  return {turned(pose_of<T>(data, cut.a.row).axes, in_lanes<T>(angle.on_a)),
          turned(pose_of<T>(data, cut.b.row).axes, in_lanes<T>(angle.on_b))};
}

/// How the moment of such a row turns, without its scale.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> turning_of(const AngleVectors<T>& angle, const RowPose<T>& a, const RowPose<T>& b) {
  return plus(cross(cross(b.omega, angle.on_b), angle.on_a), cross(angle.on_b, cross(a.omega, angle.on_a)));
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
