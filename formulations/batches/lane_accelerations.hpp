#pragma once
/// \file
/// The articulated-body algorithm of many states of one tree, a lane a state [Featherstone1983]: LinkAba's sweeps with
/// the same rows (kernels/acceleration_rows.hpp). A lane never leaves early: what fails is seen at the end.
#include "formulations/batches/lane_positions.hpp"
#include "formulations/kernels/acceleration_rows.hpp"

namespace mbdbench::lane_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <typename T>
struct AccelerationSweeps {
  using Row = AccelerationRow<T>;
  using Ball = SphericalAccelerationRow<T>;
  using Slot = AccelerationLaneSlot<T>;
  using Gain = SlideGain<T>;

  static MBDBENCH_KERNEL Row& row_at(const LaneData& data, int i) { return reinterpret_cast<Row*>(data.turn_rows)[i]; }
  static MBDBENCH_KERNEL Gain& gain_at(const LaneData& data, int i) {
    return reinterpret_cast<Gain*>(data.other_rows)[i];
  }
  static MBDBENCH_KERNEL Ball& ball_at(const LaneData& data, int k) {
    return reinterpret_cast<Ball*>(data.ball_rows)[k];
  }
  static MBDBENCH_KERNEL Slot& slot_at(const LaneData& data, int s) { return reinterpret_cast<Slot*>(data.slots)[s]; }

  static MBDBENCH_KERNEL void run(const LaneData& data) {
    LaneVerdict<T> verdict;
    const T* const u = packs<T>(data.state) + data.q_count;
    T* const torques = packs<T>(data.torques);
    set_positions(data, verdict);
    add_forces(data, u, torques);
    outward_velocities(data, u);
    inward(data, torques, verdict);
    T* const rates = packs<T>(data.rates) + data.q_count;
    outward_accelerations(data, rates);
    set_coordinate_rates(data, u);
    for (int k = 0; k < data.q_count + data.u_count; ++k) {
      verdict.see(packs<T>(data.rates)[k]);
      verdict.see(packs<T>(data.state)[k]);
    }
    *packs<T>(data.verdict) = verdict.result();
  }

  static MBDBENCH_KERNEL void outward_velocities(const LaneData& data, const T* u) {
    for (int r = 0; r < data.run_count; ++r) {
      const LaneRun& run = data.runs[r];
      const RunStart<T> start = in_lanes<T>(run.start);
      Turning<T> turning{no_vector<T>(), T(0.0)};
      if (run.slot >= 0) {
        const Slot& slot = slot_at(data, run.slot);
        turning = {into_start(start, slot.omega), slot.square};
      }
      const LinkVector<T> slid = turned_twice(turning, LinkVector<T>{T(0.0), T(0.0), start.d});
      for (int i = run.first; i < run.last; ++i) {
        velocity(data, i, u, turning);
        if (i == run.first && run.start.d != 0.0 && !is_ball(data.rows[i])) {  // balls have it in their lever
          const T* const turns = packs<T>(data.turns) + 3 * i;
          const LinkVector<T> moved = rotated_outward(in_lanes<T>(data.links[i]), turns[0], turns[1], slid);
          LinkVector<T>& centripetal = row_at(data, i).centripetal;
          centripetal = {centripetal.x + moved.x, centripetal.y + moved.y, centripetal.z + moved.z};
        }
      }
    }
  }

  static MBDBENCH_KERNEL void velocity(const LaneData& data, int i, const T* u, Turning<T>& turning) {
    const LinkRow& row = data.rows[i];
    const LinkConstants<T> link = in_lanes<T>(data.links[i]);
    const T* const turns = packs<T>(data.turns) + 3 * i;
    Row& own = row_at(data, i);
    LinkWrench<T>* needed = &own.needed;
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;  // StatesInLanes takes none
      case RowKind::driven_revolute:
        own.rest = T(data.motions[row.motion]);
        [[fallthrough]];
      case RowKind::revolute:
        turn_velocity(link, turns[0], turns[1], u[row.u], turning, own);
        break;
      case RowKind::driven_prismatic:
        own.rest = T(data.motions[row.motion]);
        [[fallthrough]];
      case RowKind::prismatic:
        slide_velocity(link, turns[0], turns[1], turns[2], u[row.u], row.massless, turning, own);
        break;
      case RowKind::spherical:
      case RowKind::free: {
        const SphericalConstants& constants = data.spherical[row.ordinal];
        const LinkVector<T> slide = row.kind == RowKind::free
                                        ? turned(in_lanes<T>(constants.axes_a), vector_of(u + row.u + 3))
                                        : no_vector<T>();
        Ball& ball = ball_at(data, row.ordinal);
        spherical_velocity(link, rotation_at<T>(data, row.ordinal), lever_at<T>(data, row.ordinal),
                           turned(in_lanes<T>(constants.axes_b), vector_of(u + row.u)), slide, turning, ball);
        needed = &ball.needed;
        break;
      }
    }
    if (data.wrenches != nullptr) {
      const T* const w = packs<T>(data.wrenches) + 6 * i;
      subtract_wrench(LinkWrench<T>{w[0], w[1], w[2], w[3], w[4], w[5]}, *needed);
    }
    if (row.slot >= 0) {
      Slot& slot = slot_at(data, row.slot);
      slot.omega = turning.omega;
      slot.square = turning.square;
    }
  }

  static MBDBENCH_KERNEL void inward(const LaneData& data, const T* torques, LaneVerdict<T>& verdict) {
    for (int s = 0; s < data.slot_count; ++s) {
      slot_at(data, s).inertia = no_inertia<T>();
      slot_at(data, s).wrench = no_wrench<T>();
    }
    for (int r = data.run_count; r-- > 0;) {
      const LaneRun& run = data.runs[r];
      ArticulatedInertia<T> inertia = no_inertia<T>();
      LinkWrench<T> wrench = no_wrench<T>();
      for (int i = run.last; i-- > run.first;) {
        verdict.see_pivot(eliminate(data, i, torques, inertia, wrench));
      }
      if (run.slot >= 0) {
        const RunStart<T> start = in_lanes<T>(run.start);
        Slot& slot = slot_at(data, run.slot);
        add_inertia(across_start(start, inertia), slot.inertia);
        add_wrench(across_start(start, wrench), slot.wrench);
      }
    }
  }

  static MBDBENCH_KERNEL T eliminate(const LaneData& data, int i, const T* torques, ArticulatedInertia<T>& inertia,
                                     LinkWrench<T>& wrench) {
    const LinkRow& row = data.rows[i];
    const LinkConstants<T> link = in_lanes<T>(data.links[i]);
    const T* const turns = packs<T>(data.turns) + 3 * i;
    Row& own = row_at(data, i);
    if (!row.massless) {
      add_rigid(link, inertia);
      add_wrench(is_ball(row) ? ball_at(data, row.ordinal).needed : own.needed, wrench);
    }
    if (row.slot >= 0) {
      add_inertia(slot_at(data, row.slot).inertia, inertia);
      add_wrench(slot_at(data, row.slot).wrench, wrench);
    }
    const T zero = T(0.0);
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;
      case RowKind::revolute:
        return turn_inward(link, turns[0], turns[1], torques[row.u], own, inertia, wrench);
      case RowKind::prismatic:
        return slide_inward(link, turns[0], turns[1], turns[2], torques[row.u], own, gain_at(data, i), inertia, wrench);
      case RowKind::driven_revolute:
        driven_inward(link, turns[0], turns[1], zero, own.rest, zero, own, inertia, wrench);
        break;
      case RowKind::driven_prismatic:
        driven_inward(link, turns[0], turns[1], turns[2], zero, own.rest, own, inertia, wrench);
        break;
      case RowKind::spherical:
      case RowKind::free: {
        const SphericalConstants& constants = data.spherical[row.ordinal];
        const kernels::Matrix3<T> rotation = rotation_at<T>(data, row.ordinal);
        const LinkVector<T> lever = lever_at<T>(data, row.ordinal);
        const LinkVector<T> torque = turned(in_lanes<T>(constants.axes_b), vector_of(torques + row.u));
        Ball& ball = ball_at(data, row.ordinal);
        if (row.kind == RowKind::spherical) {
          return spherical_inward(rotation, lever, torque, ball, inertia, wrench);
        }
        const LinkVector<T> force = turned(in_lanes<T>(constants.axes_a), vector_of(torques + row.u + 3));
        return free_inward(rotation, lever, torque, force, ball, inertia, wrench);
      }
    }
    return T(1.0);
  }

  static MBDBENCH_KERNEL void outward_accelerations(const LaneData& data, T* rates) {
    for (int r = 0; r < data.run_count; ++r) {
      const LaneRun& run = data.runs[r];
      LinkVector<T> linear = no_vector<T>();
      LinkVector<T> angular = no_vector<T>();
      if (run.slot >= 0) {
        const RunStart<T> start = in_lanes<T>(run.start);
        const Slot& slot = slot_at(data, run.slot);
        linear = moved_into_start(start, slot.linear, slot.angular);
        angular = into_start(start, slot.angular);
      } else if (data.weight) {
        linear = in_lanes<T>(LinkVector<double>{-run.gravity.x, -run.gravity.y, -run.gravity.z});
      }
      for (int i = run.first; i < run.last; ++i) {
        accelerate(data, i, linear, angular, rates);
        if (data.rows[i].slot >= 0) {
          slot_at(data, data.rows[i].slot).linear = linear;
          slot_at(data, data.rows[i].slot).angular = angular;
        }
      }
    }
  }

  static MBDBENCH_KERNEL void accelerate(const LaneData& data, int i, LinkVector<T>& linear, LinkVector<T>& angular,
                                         T* rates) {
    const LinkRow& row = data.rows[i];
    const LinkConstants<T> link = in_lanes<T>(data.links[i]);
    const T* const turns = packs<T>(data.turns) + 3 * i;
    const Row& own = row_at(data, i);
    const T zero = T(0.0);
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;
      case RowKind::revolute:
        rates[row.u] = turn_acceleration(link, turns[0], turns[1], own, linear, angular);
        break;
      case RowKind::prismatic:
        rates[row.u] = slide_acceleration(link, turns[0], turns[1], turns[2], own, gain_at(data, i), linear, angular);
        break;
      case RowKind::driven_revolute:
        driven_acceleration(link, turns[0], turns[1], zero, own.rest, zero, own, linear, angular);
        rates[row.u] = own.rest;
        break;
      case RowKind::driven_prismatic:
        driven_acceleration(link, turns[0], turns[1], turns[2], zero, own.rest, own, linear, angular);
        rates[row.u] = own.rest;
        break;
      case RowKind::spherical:
      case RowKind::free: {
        const SphericalConstants& constants = data.spherical[row.ordinal];
        const kernels::Matrix3<T> rotation = rotation_at<T>(data, row.ordinal);
        const LinkVector<T> lever = lever_at<T>(data, row.ordinal);
        const Ball& ball = ball_at(data, row.ordinal);
        const kernels::Matrix3<T> axes_b = in_lanes<T>(constants.axes_b);
        if (row.kind == RowKind::spherical) {
          put_vector(turned_back(axes_b, spherical_acceleration(rotation, lever, ball, linear, angular)),
                     rates + row.u);
          break;
        }
        LinkVector<T> slide = no_vector<T>();
        put_vector(turned_back(axes_b, free_acceleration(rotation, lever, ball, linear, angular, slide)),
                   rates + row.u);
        put_vector(turned_back(in_lanes<T>(constants.axes_a), slide), rates + row.u + 3);
        break;
      }
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::lane_sweeps
