#pragma once
/// \file
/// Momenta of many states of a mechanism with loops, a lane a state: ClosedMomenta with packs of numbers, and with the
/// reduced momenta of ClosedNaudet.
///
/// Cost beside accelerations: gravity in the frames of rows, a sweep inward for p', and for the tangent gauge one more
/// right side, outward no further than the last link where loops are closed, and a sweep inward.
#include "formulations/parts/lanes/cut_coordinate_lanes.hpp"
#include "formulations/parts/lanes/cut_right_sides.hpp"
#include "formulations/parts/lanes/dependent_lanes.hpp"
#include "formulations/parts/lanes/load_lanes.hpp"
#include "formulations/parts/lanes/loop_states.hpp"

namespace mbdbench::loop_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <int W>
struct MomentumStates : LoopStates<W> {
  using States = LoopStates<W>;
  using States::clear;
  using States::clear_wrenches;
  using States::close_positions;
  using States::coupling_residual;
  using States::drive;
  using States::part_with;
  using States::prescribed_rate;
  using States::seen;
  using States::solve_inward;
  using typename States::Part;
  using typename States::Side;
  using typename States::Sweeps;
  using typename States::T;
  using Momenta = PartMomenta<T>;

  static MBDBENCH_KERNEL void set_poses(const LoopData& data) {
    LaneVerdict<T> verdict;
    if (data.reduced) {
      take_reduced(data);
    }
    lane_sweeps::set_positions(data.tree, verdict);
    loop_sweeps::set_poses<T>(data, in_packs<Part>(data.part), nullptr);
    seen(data) = verdict;
  }

  static MBDBENCH_KERNEL void set_velocities(const LoopData& data) {
    LaneVerdict<T> verdict = seen(data);
    const Part part = part_with(data, verdict);
    const LaneData& tree = data.tree;
    close_positions(data, part, verdict);
    Side side = in_packs<Side>(data.impulses);
    side.driven = drive(data, data.motion_velocities);
    want(data, part, side);
    side.tau = packs<T>(tree.state) + tree.q_count;
    side.joint_rates = packs<T>(tree.velocities);
    move(data, part, part.row_count, side);
    move_ends(data, side);
    seen(data) = verdict;
  }

  static MBDBENCH_KERNEL void set_rates(const LoopData& data) {
    LaneVerdict<T> verdict = seen(data);
    const Part part = part_with(data, verdict);
    const LaneData& tree = data.tree;
    const T* const p = packs<T>(tree.state) + tree.q_count;
    const T* const u = packs<T>(tree.velocities);
    T* const rates = packs<T>(tree.rates) + tree.q_count;
    Side side = in_packs<Side>(data.impulses);
    set_momentum_rates(data, part, side, u, rates);
    if (data.tangent) {
      make_tangent(data, part, side, rates);
    }
    if (data.reduced) {
      DependentLanes<T> dependents(data);
      dependents.set_entries(data, part);
      dependents.factorise(verdict);
      dependents.solve(data, part, rates, side.multipliers);
    }
    if (data.tangent || data.reduced) {
      add_closing_momenta(data, part, side, rates);
    }
    if (data.tangent) {
      keep_prescribed(data, part, side, rates);
    }
    add_leak(data, p, u, rates);
    lane_sweeps::set_coordinate_rates(tree, u);
    if (data.reduced) {
      give_reduced(data, verdict);
    }
    States::judge(tree, verdict);
  }

  /// Velocities of momenta before a row, and the loops' multipliers. In the program once, for two right sides.
  static void move(const LoopData& data, const Part& part, int last_row, Side& side) {
    side.loaded = nullptr;
    clear_wrenches(side, data.cleared_rows, data.cleared_row_count);
    solve_inward(data, part, side);
    Part reached = part;
    reached.last_row = last_row;
    Sweeps::outward(reached, side);
  }

  /// The multipliers nu of p' as momenta, at Phi' = 0: those of w with M w = p' + Phi_q^T nu. Nothing pulls w back, and
  /// it rests where motions are prescribed. No further outward than loops are closed, unless M w is asked for.
  static MBDBENCH_KERNEL void make_tangent(const LoopData& data, const Part& part, Side& side, const T* rates) {
    clear(side.wanted, static_cast<long>(data.loop_count) * kLoopLanes);
    side.driven = nullptr;
    side.tau = rates;
    side.joint_rates = packs<T>(data.changes);
    move(data, part, data.motion_count > 0 ? part.row_count : data.last_closing + 1, side);
  }

  /// q and p of states as ClosedNaudet has them: momenta of dependent components are zero.
  static MBDBENCH_KERNEL void take_reduced(const LoopData& data) {
    const LaneData& tree = data.tree;
    const T* const from = packs<T>(data.outside.state);
    T* const state = packs<T>(tree.state);
    for (int k = 0; k < tree.q_count; ++k) {
      state[k] = from[k];
    }
    clear(state + tree.q_count, tree.u_count);
    for (int k = 0; k < data.independent_count; ++k) {
      state[tree.q_count + data.independents[k]] = from[data.rates_at + k];
    }
  }

  /// Their rates; a choice of dependent components stays.
  static MBDBENCH_KERNEL void give_reduced(const LoopData& data, LaneVerdict<T>& verdict) {
    const LaneData& tree = data.tree;
    const T* const rates = packs<T>(tree.rates);
    T* const to = packs<T>(data.outside.rates);
    clear(to, data.outside.q_count);
    for (int k = 0; k < tree.q_count; ++k) {
      to[k] = rates[k];
    }
    for (int c = 0; c < data.cut_count; ++c) {
      const int place = data.cut_coordinates[c].place;
      set_cut_coordinate_rates(data, c, packs<T>(data.outside.state) + place, cut_velocities<T>(data, c).along,
                               to + place);
    }
    for (int k = tree.q_count; k < data.rates_at; ++k) {
      verdict.see(to[k]);
    }
    for (int k = 0; k < data.independent_count; ++k) {
      to[data.rates_at + k] = rates[tree.q_count + data.independents[k]];
    }
  }

  /// Phi' wanted of the velocities.
  static MBDBENCH_KERNEL void want(const LoopData& data, const Part& part, const Side& side) {
    clear(side.wanted, static_cast<long>(data.loop_count) * kLoopLanes);
    for (int c = 0; c < data.cut_count; ++c) {
      want_velocities(data, c, part.loop_rows[c], side.wanted + static_cast<long>(c) * kLoopLanes);
    }
    for (int loop = data.cut_count; loop < data.loop_count; ++loop) {
      side.wanted[static_cast<long>(loop) * kLoopLanes] =
          T(-data.feedback) * coupling_residual(data, loop) - prescribed_rate(data, loop);
    }
  }

  /// Velocities of the rows with ends of cut joints or with loads, in world axes.
  static MBDBENCH_KERNEL void move_ends(const LoopData& data, const Side& side) {
    for (int k = 0; k < data.end_row_count; ++k) {
      const int row = data.end_rows[k];
      RowPose<T>& pose = pose_at<T>(data, row);
      pose.velocity = turned(pose.axes, side.linear[row]);
      pose.omega = turned(pose.axes, side.angular[row]);
    }
  }

  static MBDBENCH_KERNEL void set_momentum_rates(const LoopData& data, const Part& part, const Side& side, const T* u,
                                                 T* rates) {
    const LaneData& tree = data.tree;
    Momenta sweep = in_packs<Momenta>(data.momenta);
    sweep.linear = side.linear;
    sweep.angular = side.angular;
    sweep.rates = rates;
    sweep.own = data.leak != 0.0 ? packs<T>(data.own) : nullptr;
    if (data.loads_apart) {
      sweep.tau = packs<T>(tree.torques);
    } else if (tree.force_count > 0) {
      T* const torques = packs<T>(tree.torques);
      clear(torques, tree.u_count);
      lane_sweeps::add_forces(tree, u, torques);
      sweep.tau = torques;
    }
    set_loads<T>(data);
    clear_pushes(data);
    for (int c = 0; c < data.cut_count; ++c) {
      const LaneCut& cut = data.cuts[c];
      const T* const sigma = side.multipliers + static_cast<long>(c) * kLoopLanes;
      const CutWrench<T> impulse = cut_impulse(data, c, part.loop_rows[c], sigma);
      push_ends(data, cut, c, impulse, data.pushes);
      push_ends(data, cut, c, cut_load(data, c, part.loop_rows[c], sigma, impulse), data.loads);
    }
    if (sweep.gravity != nullptr) {
      set_gravity(data, part);
    }
    Sweeps::momenta(part, sweep);
  }

  /// The multiplier of a prescribed motion is what M w leaves of its own row (ClosedMomenta::make_tangent).
  static MBDBENCH_KERNEL void keep_prescribed(const LoopData& data, const Part& part, const Side& side, T* rates) {
    if (data.motion_count == 0) {
      return;
    }
    Momenta sweep = in_packs<Momenta>(data.momenta);
    sweep.linear = side.linear;
    sweep.angular = side.angular;
    sweep.impulses = nullptr;
    sweep.rates = nullptr;
    sweep.own = packs<T>(data.changes);
    Sweeps::momenta(part, sweep);
    for (int m = 0; m < data.motion_count; ++m) {
      rates[data.motion_components[m]] = sweep.own[data.motion_components[m]];
    }
  }

  /// A wrench at the point of a cut joint on its body b, and the opposite one on a.
  static MBDBENCH_KERNEL void push_ends(const LoopData& data, const LaneCut& cut, int c, const CutWrench<T>& wrench,
                                        double* wrenches) {
    const LinkVector<T>& point = place_of<T>(data, c).point;
    add_wrench_at(data, cut.b.row, point, wrench.force, wrench.moment, wrenches);
    add_wrench_at(data, cut.a.row, point, times(T(-1.0), wrench.force), times(T(-1.0), wrench.moment), wrenches);
  }

  static MBDBENCH_KERNEL void clear_pushes(const LoopData& data) {
    for (int k = 0; k < data.end_row_count; ++k) {
      reinterpret_cast<LinkWrench<T>*>(data.pushes)[data.end_rows[k]] = lane_sweeps::no_wrench<T>();
    }
  }

  /// g in the frames of all rows.
  static MBDBENCH_KERNEL void set_gravity(const LoopData& data, const Part& part) {
    LinkVector<T>* const gravity = reinterpret_cast<LinkVector<T>*>(data.gravities);
    LinkVector<T> g = no_vector<T>();
    for (int i = 0; i < part.row_count; ++i) {
      const LinkRow& row = part.rows[i];
      if (row.inboard < 0) {
        g = in_lanes<T>(part.gravity[i]);
      } else if (row.inboard != i - 1) {
        g = gravity[row.inboard];
      }
      if (part.parts[i].starts) {
        g = into_start(in_lanes<T>(part.starts[i]), g);
      }
      g = is_sphere(row.kind) ? turned_back(part.rotations[row.ordinal], g)
                              : rotated_outward(in_lanes<T>(part.links[i]), part.cosines[i], part.sines[i], g);
      gravity[i] = g;
    }
  }

  /// p' += kappa (M u - p) (gauge_option.hpp).
  static MBDBENCH_KERNEL void add_leak(const LoopData& data, const T* p, const T* u, T* rates) {
    const LaneData& tree = data.tree;
    if (data.leak == 0.0) {
      return;
    }
    T kappa = T(data.leak);
    for (int k = 0; data.tangent && k < tree.u_count; ++k) {
      const T rate = u[k] * T(data.inverse_scales[k]);
      const T size = where_less(rate, T(0.0), -rate, rate);
      kappa = where_less(kappa, size, size, kappa);
    }
    for (int k = 0; k < tree.u_count; ++k) {
      rates[k] += kappa * (packs<T>(data.own)[k] - p[k]);
    }
  }

  /// p' += Phi_q^T nu for the multipliers nu of a side.
  static MBDBENCH_KERNEL void add_closing_momenta(const LoopData& data, const Part& part, const Side& side, T* rates) {
    const LaneData& tree = data.tree;
    if (data.cut_count > 0) {
      clear_pushes(data);
      for (int c = 0; c < data.cut_count; ++c) {
        const T* const nu = side.multipliers + static_cast<long>(c) * kLoopLanes;
        push_ends(data, data.cuts[c], c, cut_impulse(data, c, part.loop_rows[c], nu), data.pushes);
      }
      Momenta sweep;  // of links at rest p' is what acts on them
      sweep.loads = reinterpret_cast<const LinkWrench<T>*>(data.pushes);
      sweep.acted_on = data.momenta.acted_on;
      sweep.carried = in_packs<Momenta>(data.momenta).carried;
      sweep.rates = packs<T>(data.changes);
      Sweeps::momenta(part, sweep);
      for (int k = 0; k < tree.u_count; ++k) {
        rates[k] += sweep.rates[k];
      }
    }
    for (int loop = data.cut_count; loop < data.loop_count; ++loop) {
      const int coupling = loop - data.cut_count;
      for (int k = data.term_starts[coupling]; k < data.term_starts[coupling + 1]; ++k) {
        rates[data.terms[k].u] += T(data.terms[k].factor) * side.multipliers[static_cast<long>(loop) * kLoopLanes];
      }
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
