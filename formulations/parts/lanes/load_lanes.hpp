#pragma once
/// \file
/// Springs between points and constant loads on bodies (mechanisms/model/loads), a lane a state; and the way of any
/// wrench from world axes to a row.
#include "formulations/parts/lanes/closing_lanes.hpp"
#include "formulations/parts/lanes/cut_lanes.hpp"

namespace mbdbench::loop_sweeps {

/// Adds a force and a torque at a point, in world axes, to what acts on a row about its O in its axes.
/// \param wrenches by row
template <typename T>
MBDBENCH_KERNEL void add_wrench_at(const LoopData& data, int row, const LinkVector<T>& point,
                                   const LinkVector<T>& force, const LinkVector<T>& torque, double* wrenches) {
  if (row < 0) {
    return;
  }
  const RowPose<T>& pose = pose_of<T>(data, row);
  const LinkVector<T> f = turned_back(pose.axes, force);
  const LinkVector<T> n = turned_back(pose.axes, plus(torque, cross(minus(point, pose.origin), force)));
  add_wrench(LinkWrench<T>{f.x, f.y, f.z, n.x, n.y, n.z}, reinterpret_cast<LinkWrench<T>*>(wrenches)[row]);
}

template <typename T>
MBDBENCH_KERNEL void add_load(const LoopData& data, int row, const LinkVector<T>& point, const LinkVector<T>& force,
                              const LinkVector<T>& torque) {
  add_wrench_at(data, row, point, force, torque, data.loads);
}

template <typename T>
MBDBENCH_KERNEL LinkVector<T> world_point(const LoopData& data, const LanePoint& point) {
  const RowPose<T>& pose = pose_of<T>(data, point.row);
  return plus(pose.origin, turned(pose.axes, in_lanes<T>(point.origin)));
}

template <typename T>
MBDBENCH_KERNEL void add_spring(const LoopData& data, const LanePointSpring& spring) {
  const LinkVector<T> first = world_point<T>(data, spring.first);
  const LinkVector<T> second = world_point<T>(data, spring.second);
  const LinkVector<T> between = minus(second, first);
  const T square = dot(between, between);
  const T zero = T(0.0);
  const T length = square_root(square);
  // No direction where the ends coincide.
  const T inverse = where_less(zero, square, T(1.0) / where_less(zero, square, length, T(1.0)), zero);
  const LinkVector<T> direction = times(inverse, between);
  const LinkVector<T> rate = minus(velocity_at(pose_of<T>(data, spring.second.row), second),
                                   velocity_at(pose_of<T>(data, spring.first.row), first));
  const T tension = T(spring.stiffness) * (length - T(spring.rest)) + T(spring.damping) * dot(direction, rate);
  const LinkVector<T> force = times(tension, direction);
  add_load(data, spring.first.row, first, force, no_vector<T>());
  add_load(data, spring.second.row, second, times(T(-1.0), force), no_vector<T>());
}

/// All loads on links about O_k in their axes, without weights. Only rows on which something acts are written.
template <typename T>
MBDBENCH_KERNEL void set_loads(const LoopData& data) {
  for (int k = 0; k < data.load_row_count; ++k) {
    reinterpret_cast<LinkWrench<T>*>(data.loads)[data.load_rows[k]] = lane_sweeps::no_wrench<T>();
  }
  for (int k = 0; k < data.spring_count; ++k) {
    add_spring<T>(data, data.springs[k]);
  }
  for (int k = 0; k < data.body_load_count; ++k) {
    const LaneBodyLoad& load = data.body_loads[k];
    const kernels::Matrix3<T>& axes = pose_of<T>(data, load.at.row).axes;
    const LinkVector<T> force = in_lanes<T>(load.force);
    const LinkVector<T> torque = in_lanes<T>(load.torque);
    add_load(data, load.at.row, world_point<T>(data, load.at), load.turns ? turned(axes, force) : force,
             load.turns ? turned(axes, torque) : torque);
  }
}

}  // namespace mbdbench::loop_sweeps
