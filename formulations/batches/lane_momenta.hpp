#pragma once
/// \file
/// Naudet's recursive Hamiltonian equations of many states of one tree, a lane a state [Naudet2005]: LinkNaudet's
/// sweeps with the same rows (kernels/momentum_rows.hpp). A lane never leaves early: what fails is seen at the end.
#include "formulations/batches/lane_positions.hpp"
#include "formulations/kernels/momentum_rows.hpp"

namespace mbdbench::lane_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <typename T>
struct MomentumSweeps {
  using Row = MomentumRow<T>;
  using General = GeneralMomentumRow<T>;
  using Ball = SphericalMomentumRow<T>;
  using Slot = MomentumLaneSlot<T>;

  static MBDBENCH_KERNEL Row& row_at(const LaneData& data, int i) { return reinterpret_cast<Row*>(data.turn_rows)[i]; }
  static MBDBENCH_KERNEL General& general_at(const LaneData& data, int i) {
    return reinterpret_cast<General*>(data.other_rows)[i];
  }
  static MBDBENCH_KERNEL Ball& ball_at(const LaneData& data, int k) {
    return reinterpret_cast<Ball*>(data.ball_rows)[k];
  }
  static MBDBENCH_KERNEL Slot& slot_at(const LaneData& data, int s) { return reinterpret_cast<Slot*>(data.slots)[s]; }

  static MBDBENCH_KERNEL void run(const LaneData& data) {
    LaneVerdict<T> verdict;
    const T* const p = packs<T>(data.state) + data.q_count;
    T* const u = packs<T>(data.velocities);
    T* const rates = packs<T>(data.rates) + data.q_count;
    set_positions(data, verdict);
    inward(data, p, verdict);
    outward(data, p, u, rates);
    add_forces(data, u, rates);
    set_coordinate_rates(data, u);
    for (int k = 0; k < data.q_count + data.u_count; ++k) {
      verdict.see(packs<T>(data.rates)[k]);
      verdict.see(packs<T>(data.state)[k]);
    }
    *packs<T>(data.verdict) = verdict.result();
  }

  // What a run carries inward joins the link where it starts.
  static MBDBENCH_KERNEL void join_run(const LaneData& data, const LaneRun& run, const CarriedMomentum<T>& carried) {
    const RunStart<T> start = in_lanes<T>(run.start);
    CarriedMomentum<T>& slot = slot_at(data, run.slot).carried;
    add_inertia(across_start(start, carried.inertia), slot.inertia);
    add_wrench(across_start(start, carried.momentum), slot.momentum);
    LinkVector<T> first_moment = out_of_start(start, carried.first_moment);
    first_moment.z += T(data.links[run.first].outboard_mass) * start.d;
    add_vector(first_moment, slot.first_moment);
  }

  static MBDBENCH_KERNEL void inward(const LaneData& data, const T* p, LaneVerdict<T>& verdict) {
    const CarriedMomentum<T> nothing{no_inertia<T>(), no_wrench<T>(), no_vector<T>()};
    for (int s = 0; s < data.slot_count; ++s) {
      slot_at(data, s).carried = nothing;
    }
    for (int r = data.run_count; r-- > 0;) {
      const LaneRun& run = data.runs[r];
      CarriedMomentum<T> carried = nothing;
      for (int i = run.last; i-- > run.first;) {
        verdict.see_pivot(eliminate(data, i, p, carried));
      }
      if (run.slot >= 0) {
        join_run(data, run, carried);
      }
    }
  }

  static MBDBENCH_KERNEL T eliminate(const LaneData& data, int i, const T* p, CarriedMomentum<T>& carried) {
    const LinkRow& row = data.rows[i];
    const LinkConstants<T> link = in_lanes<T>(data.links[i]);
    const T* const turns = packs<T>(data.turns) + 3 * i;
    const T zero = T(0.0);
    add_link(link, carried);
    if (row.slot >= 0) {
      const CarriedMomentum<T>& other = slot_at(data, row.slot).carried;
      add_inertia(other.inertia, carried.inertia);
      add_wrench(other.momentum, carried.momentum);
      add_vector(other.first_moment, carried.first_moment);
    }
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;  // StatesInLanes takes none
      case RowKind::revolute:
        return turn_inward(link, turns[0], turns[1], p[row.u], row_at(data, i), carried);
      case RowKind::prismatic:
        return slide_inward(link, turns[0], turns[1], turns[2], p[row.u], general_at(data, i), carried);
      case RowKind::driven_revolute:
      case RowKind::driven_prismatic: {
        General& own = general_at(data, i);
        own.rest = T(data.motions[row.motion]);
        const bool turn = row.kind == RowKind::driven_revolute;
        driven_inward(link, turns[0], turns[1], turns[2], turn ? own.rest : zero, turn ? zero : own.rest, own, carried);
        break;
      }
      case RowKind::spherical:
      case RowKind::free: {
        const SphericalConstants& constants = data.spherical[row.ordinal];
        const kernels::Matrix3<T> rotation = rotation_at<T>(data, row.ordinal);
        const LinkVector<T> lever = lever_at<T>(data, row.ordinal);
        const LinkVector<T> own = turned(in_lanes<T>(constants.axes_b), vector_of(p + row.u));
        Ball& ball = ball_at(data, row.ordinal);
        if (row.kind == RowKind::spherical) {
          return spherical_inward(link, rotation, lever, own, ball, carried);
        }
        const LinkVector<T> own_linear = turned(in_lanes<T>(constants.axes_a), vector_of(p + row.u + 3));
        return free_inward(link, rotation, lever, own, own_linear, ball, carried);
      }
    }
    return T(1.0);
  }

  static MBDBENCH_KERNEL void outward(const LaneData& data, const T* p, T* u, T* rates) {
    for (int r = 0; r < data.run_count; ++r) {
      const LaneRun& run = data.runs[r];
      CarriedVelocity<T> motion{no_vector<T>(), no_vector<T>(),
                                data.weight ? in_lanes<T>(run.gravity) : no_vector<T>()};
      if (run.slot >= 0) {
        const RunStart<T> start = in_lanes<T>(run.start);
        const CarriedVelocity<T>& slot = slot_at(data, run.slot).motion;
        motion = {moved_into_start(start, slot.linear, slot.angular), into_start(start, slot.angular),
                  into_start(start, slot.gravity)};
      }
      for (int i = run.first; i < run.last; ++i) {
        move(data, i, p, motion, u, rates);
        if (data.rows[i].slot >= 0) {
          slot_at(data, data.rows[i].slot).motion = motion;
        }
      }
    }
  }

  static MBDBENCH_KERNEL void move(const LaneData& data, int i, const T* p, CarriedVelocity<T>& motion, T* u,
                                   T* rates) {
    const LinkRow& row = data.rows[i];
    const LinkConstants<T> link = in_lanes<T>(data.links[i]);
    const T* const turns = packs<T>(data.turns) + 3 * i;
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;
      case RowKind::revolute:
        rates[row.u] = turn_outward(link, turns[0], turns[1], row_at(data, i), motion, u[row.u]);
        break;
      case RowKind::prismatic:
        rates[row.u] = slide_outward(link, turns[0], turns[1], turns[2], general_at(data, i), motion, u[row.u]);
        break;
      case RowKind::driven_revolute:
      case RowKind::driven_prismatic: {
        const General& own = general_at(data, i);
        carry_outward(link, turns[0], turns[1], turns[2], motion);
        u[row.u] = own.rest;
        if (row.kind == RowKind::driven_revolute) {
          motion.angular.z += own.rest;
          rates[row.u] = turn_momentum_rate(motion, whole_momentum(own, motion), own.first_moment);
        } else {
          motion.linear.z += own.rest;
          rates[row.u] = slide_momentum_rate(link, motion, whole_momentum(own, motion));
        }
        break;
      }
      case RowKind::spherical:
      case RowKind::free: {
        const SphericalConstants& constants = data.spherical[row.ordinal];
        const kernels::Matrix3<T> rotation = rotation_at<T>(data, row.ordinal);
        const LinkVector<T> lever = lever_at<T>(data, row.ordinal);
        const kernels::Matrix3<T> axes_a = in_lanes<T>(constants.axes_a);
        const kernels::Matrix3<T> axes_b = in_lanes<T>(constants.axes_b);
        const Ball& ball = ball_at(data, row.ordinal);
        LinkVector<T> rate = no_vector<T>();
        if (row.kind == RowKind::spherical) {
          const LinkVector<T> momentum_rate = spherical_outward(rotation, lever, ball, motion, rate);
          put_vector(turned_back(axes_b, momentum_rate), rates + row.u);
        } else {
          LinkVector<T> slide = no_vector<T>();
          LinkVector<T> slide_rate = no_vector<T>();
          const LinkVector<T> own_linear = turned(axes_a, vector_of(p + row.u + 3));
          const LinkVector<T> momentum_rate =
              free_outward(link, rotation, lever, ball, own_linear, motion, rate, slide, slide_rate);
          put_vector(turned_back(axes_b, momentum_rate), rates + row.u);
          put_vector(turned_back(axes_a, slide), u + row.u + 3);
          put_vector(turned_back(axes_a, slide_rate), rates + row.u + 3);
        }
        put_vector(turned_back(axes_b, rate), u + row.u);
        break;
      }
    }
  }

  /// p' += tau + E^T T* of the wrenches on all rows.
  static MBDBENCH_KERNEL void add_loads(const LaneData& data) {
    T* const rates = packs<T>(data.rates) + data.q_count;
    const T* const torques = packs<T>(data.torques);
    for (int k = 0; k < data.u_count; ++k) {
      rates[k] += torques[k];
    }
    if (data.wrenches != nullptr) {
      for (int s = 0; s < data.slot_count; ++s) {
        slot_at(data, s).load = no_wrench<T>();
      }
      for (int r = data.run_count; r-- > 0;) {
        const LaneRun& run = data.runs[r];
        LinkWrench<T> carried = no_wrench<T>();
        for (int i = run.last; i-- > run.first;) {
          add_load(data, i, carried, rates);
        }
        if (run.slot >= 0) {
          add_wrench(across_start(in_lanes<T>(run.start), carried), slot_at(data, run.slot).load);
        }
      }
    }
    LaneVerdict<T> verdict;
    for (int k = 0; k < data.u_count; ++k) {
      verdict.see(rates[k]);
    }
    *packs<T>(data.verdict) += verdict.not_finite;
  }

  // carried: T* of what is outboard of the link; receives what the inboard link gets.
  static MBDBENCH_KERNEL void add_load(const LaneData& data, int i, LinkWrench<T>& carried, T* rates) {
    const LinkRow& row = data.rows[i];
    const T* const w = packs<T>(data.wrenches) + 6 * i;
    add_wrench(LinkWrench<T>{w[0], w[1], w[2], w[3], w[4], w[5]}, carried);
    if (row.slot >= 0) {
      add_wrench(slot_at(data, row.slot).load, carried);
    }
    if (is_ball(row)) {
      const SphericalConstants& constants = data.spherical[row.ordinal];
      const kernels::Matrix3<T> rotation = rotation_at<T>(data, row.ordinal);
      const LinkVector<T> torque =
          turned_back(in_lanes<T>(constants.axes_b), LinkVector<T>{carried.nx, carried.ny, carried.nz});
      const LinkVector<T> f = turned(rotation, LinkVector<T>{carried.fx, carried.fy, carried.fz});
      const LinkVector<T> n = turned(rotation, LinkVector<T>{carried.nx, carried.ny, carried.nz});
      rates[row.u] += torque.x;
      rates[row.u + 1] += torque.y;
      rates[row.u + 2] += torque.z;
      if (row.kind == RowKind::free) {
        const LinkVector<T> force = turned_back(in_lanes<T>(constants.axes_a), f);
        rates[row.u + 3] += force.x;
        rates[row.u + 4] += force.y;
        rates[row.u + 5] += force.z;
      }
      carried = {f.x, f.y, f.z, n.x, n.y, n.z};
      move_inward(lever_at<T>(data, row.ordinal), carried);
      return;
    }
    const bool slides = row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic;
    rates[row.u] += slides ? carried.fz : carried.nz;
    const T* const turns = packs<T>(data.turns) + 3 * i;
    carried = carried_inward(in_lanes<T>(data.links[i]), turns[0], turns[1], turns[2], carried);
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::lane_sweeps
