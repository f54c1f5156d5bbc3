#pragma once
/// \file
/// Velocities and accelerations along cut joints, and rates of their coordinates (ClosedNaudet), a lane a state.
#include "formulations/parts/lanes/cut_lanes.hpp"
#include "formulations/parts/part_data.hpp"

namespace mbdbench::loop_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Along H of a cut joint.
template <typename T>
struct CutRates {
  T along[6];
};

/// What moves b less what moves a, at the point of a cut joint.
template <typename T>
struct RelativeMotion {
  LinkVector<T> linear;
  LinkVector<T> angular;
};

/// A column of H.
template <typename T>
MBDBENCH_KERNEL RelativeMotion<T> cut_direction(const LoopData& data, int c, int i) {
  const LaneCut& cut = data.cuts[c];
  const LaneCutCoordinates::Direction& direction = data.cut_coordinates[c].directions[i];
  const kernels::Matrix3<T>& axes = pose_of<T>(data, direction.turns_with_b ? cut.b.row : cut.a.row).axes;
  return {turned(axes, in_lanes<T>(direction.along)), turned(axes, in_lanes<T>(direction.about))};
}

/// G^-1 H^T of a motion.
template <typename T>
MBDBENCH_KERNEL CutRates<T> along_cut(const LoopData& data, int c, const RelativeMotion<T>& motion) {
  const LaneCutCoordinates& own = data.cut_coordinates[c];
  CutRates<T> rates;
  for (int i = 0; i < own.count; ++i) {
    const RelativeMotion<T> direction = cut_direction<T>(data, c, i);
    rates.along[i] = dot(direction.linear, motion.linear) + dot(direction.angular, motion.angular);
  }
  if (own.count == 1) {
    rates.along[0] = T(own.inverse) * rates.along[0];
  }
  if (own.count == 2) {  // axes of a universal joint need not be perpendicular
    const T first = T(own.inverse) * rates.along[0] + T(own.crossed) * rates.along[1];
    rates.along[1] = T(own.inverse) * rates.along[1] + T(own.crossed) * rates.along[0];
    rates.along[0] = first;
  }
  return rates;
}

/// u of a cut joint.
template <typename T>
MBDBENCH_KERNEL CutRates<T> cut_velocities(const LoopData& data, int c) {
  const LaneCut& cut = data.cuts[c];
  const RowPose<T>& a = pose_of<T>(data, cut.a.row);
  const RowPose<T>& b = pose_of<T>(data, cut.b.row);
  const LinkVector<T>& point = place_of<T>(data, c).point;
  return along_cut(data, c,
                   RelativeMotion<T>{minus(velocity_at(b, point), velocity_at(a, point)), minus(b.omega, a.omega)});
}

/// What accelerates the end of a cut joint at its point (PartRecursion::body_rate_at).
template <typename T>
MBDBENCH_KERNEL RelativeMotion<T> rate_of_end(const LoopData& data, const PartRightSide<T>& side, int c, int row) {
  if (row < 0) {
    if (!side.weighs) {
      return {no_vector<T>(), no_vector<T>()};
    }
    return {{T(-data.gravity[0]), T(-data.gravity[1]), T(-data.gravity[2])}, no_vector<T>()};
  }
  const RowPose<T>& pose = pose_at<T>(data, row);
  const LinkVector<T> alpha = turned(pose.axes, side.angular[row]);
  const LinkVector<T> turning = cross(alpha, minus(place_of<T>(data, c).point, pose.origin));
  const LinkVector<T> passing = cross(pose.omega, minus(point_velocity<T>(data, c), pose.velocity));
  return {plus(plus(turned(pose.axes, side.linear[row]), turning), passing), alpha};
}

/// u' of a cut joint, G^-1 H^T (W' - H' u).
template <typename T>
MBDBENCH_KERNEL CutRates<T> cut_accelerations(const LoopData& data, const PartRightSide<T>& side, int c) {
  const LaneCut& cut = data.cuts[c];
  const LaneCutCoordinates& own = data.cut_coordinates[c];
  const RelativeMotion<T> of_a = rate_of_end(data, side, c, cut.a.row);
  const RelativeMotion<T> of_b = rate_of_end(data, side, c, cut.b.row);
  RelativeMotion<T> relative{minus(of_b.linear, of_a.linear), minus(of_b.angular, of_a.angular)};
  const CutRates<T> u = cut_velocities<T>(data, c);
  for (int i = 0; i < own.count; ++i) {
    const LinkVector<T>& omega = pose_of<T>(data, own.directions[i].turns_with_b ? cut.b.row : cut.a.row).omega;
    const RelativeMotion<T> direction = cut_direction<T>(data, c, i);
    relative.linear = minus(relative.linear, times(u.along[i], cross(omega, direction.linear)));
    relative.angular = minus(relative.angular, times(u.along[i], cross(omega, direction.angular)));
  }
  return along_cut(data, c, relative);
}

/// q' of the coordinates of a cut joint. \param q, rates its own
template <typename T>
MBDBENCH_KERNEL void set_cut_coordinate_rates(const LoopData& data, int c, const T* q, const T* along, T* rates) {
  const LaneCutCoordinates& own = data.cut_coordinates[c];
  if (!own.turns_freely) {
    for (int i = 0; i < own.count; ++i) {
      rates[i] = along[i];
    }
    return;
  }
  quaternion_rate(q, along, rates);
  for (int i = 3; i < own.count; ++i) {
    rates[i + 1] = along[i];
  }
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
