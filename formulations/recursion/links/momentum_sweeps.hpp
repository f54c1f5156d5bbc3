#pragma once
/// \file
/// Naudet's recursive Hamiltonian equations over the rows of a tree [Naudet2005], whose arithmetic and symbols stand in
/// kernels/momentum_rows.hpp: inertias and momenta (inward), velocities and momentum rates (outward); and what loads
/// add to the rates (inward).
#include "formulations/kernels/momentum_rows.hpp"
#include "formulations/recursion/links/row_sweeps.hpp"

namespace mbdbench {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// What links where runs start leave for them and the other way round.
template <typename T>
struct MomentumSlot {
  kernels::CarriedVelocity<T> motion;
  kernels::CarriedMomentum<T> carried;
  kernels::LinkWrench<T> load;
};

template <typename T, typename C = double>
struct MomentumData : RowData<T, C> {
  kernels::MomentumRow<T>* turns = nullptr;             ///< by row
  kernels::GeneralMomentumRow<T>* general = nullptr;    ///< of slides and driven rows, by ordinal
  kernels::SphericalMomentumRow<T>* spheres = nullptr;  ///< by ordinal
  MomentumSlot<T>* slots = nullptr;
  kernels::CarriedMomentum<T>* roots = nullptr;  ///< what branches carry to the trunk
  kernels::LinkWrench<T>* root_loads = nullptr;  ///< likewise
};

/// \tparam T double, or a pack with a state or a tree a lane \tparam C as of RowData
template <typename T, typename C = double>
struct MomentumSweeps {
  using Data = MomentumData<T, C>;
  using Carried = kernels::CarriedMomentum<T>;
  using Motion = kernels::CarriedVelocity<T>;
  using Vector = kernels::LinkVector<T>;
  using Wrench = kernels::LinkWrench<T>;

  static MBDBENCH_KERNEL Carried nothing() {
    return {kernels::no_inertia<T>(), kernels::no_wrench<T>(), kernels::no_vector<T>()};
  }

  static MBDBENCH_KERNEL void clear_slots(const Data& data, int first, int last) {
    for (int slot = first; slot < last; ++slot) {
      data.slots[slot].carried = nothing();
    }
  }

  /// After clear_slots. \param motions velocities of prescribed motions
  template <typename Watch>
  static MBDBENCH_KERNEL void inward(const Data& data, const LinkRun* first, const LinkRun* last, const T* p,
                                     const double* motions, Watch& watch) {
    for (const LinkRun* run = last; run-- != first;) {
      Carried carried = nothing();
      for (int k = run->last_segment; k-- > run->first_segment;) {
        const LinkSegment& segment = data.segments[k];
        if (segment.kind == RowKind::revolute ? turns_inward(data, segment, p, carried, watch)
                                              : row_inward(data, segment.first, p, motions, carried, watch)) {
          return;
        }
      }
      if (run->root >= 0) {
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): who has branches has places for what they carry
        data.roots[run->root] = carried;
      } else if (run->slot >= 0) {
        join(data, *run, carried);
      }
    }
  }

  /// What a run carries inward joins the link where it starts.
  static MBDBENCH_KERNEL void join(const Data& data, const LinkRun& run, const Carried& carried) {
    const auto& start = data.start_of(run);
    Vector first_moment = out_of_start(start, carried.first_moment);
    first_moment.z += T(data.links[run.first].outboard_mass) * start.d;
    add({across_start(start, carried.inertia), across_start(start, carried.momentum), first_moment},
        data.slots[run.slot].carried);
  }

  static MBDBENCH_KERNEL void add(const Carried& other, Carried& carried) {
    add_inertia(other.inertia, carried.inertia);
    add_wrench(other.momentum, carried.momentum);
    add_vector(other.first_moment, carried.first_moment);
  }

  // The link itself and the runs that start at it join what comes from outboard.
  static MBDBENCH_KERNEL void add_row(const Data& data, int i, Carried& carried) {
    add_link(kernels::constant<T>(data.links[i]), carried);
    if (const int slot = data.rows[i].slot; slot >= 0) {
      add(data.slots[slot].carried, carried);
    }
  }

  template <typename Watch>
  static MBDBENCH_KERNEL bool turns_inward(const Data& data, const LinkSegment& segment, const T* p, Carried& carried,
                                           Watch& watch) {
    Carried local = carried;
    for (int i = segment.last; i-- > segment.first;) {
      add_row(data, i, local);
      if (watch.stops(i, turn_inward(kernels::constant<T>(data.links[i]), data.cosines[i], data.sines[i],
                                     p[data.rows[i].u], data.turns[i], local))) {
        return true;
      }
    }
    carried = local;
    return false;
  }

  template <typename Watch>
  static MBDBENCH_KERNEL bool row_inward(const Data& data, int i, const T* p, const double* motions, Carried& carried,
                                         Watch& watch) {
    const LinkRow& row = data.rows[i];
    const auto& link = kernels::constant<T>(data.links[i]);
    const T& c = data.cosines[i];
    const T& s = data.sines[i];
    const T& d = data.slides[i];
    const int k = row.ordinal;
    Carried local = carried;
    add_row(data, i, local);
    const T zero = T(0.0);
    T pivot = T(1.0);
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;  // PartRecursion has these (kernel_choice.hpp)
      case RowKind::revolute:
        pivot = turn_inward(link, c, s, p[row.u], data.turns[i], local);
        break;
      case RowKind::prismatic:
        pivot = slide_inward(link, c, s, d, p[row.u], data.general[k], local);
        break;
      case RowKind::driven_revolute:
        data.general[k].rest = T(motions[row.motion]);
        driven_inward(link, c, s, d, data.general[k].rest, zero, data.general[k], local);
        break;
      case RowKind::driven_prismatic:
        data.general[k].rest = T(motions[row.motion]);
        driven_inward(link, c, s, d, zero, data.general[k].rest, data.general[k], local);
        break;
      case RowKind::spherical:
        pivot = spherical_inward(link, data.rotations[k], data.levers[k],
                                 turned(kernels::constant<T>(data.spherical[k].axes_b), kernels::vector_of(p + row.u)),
                                 data.spheres[k], local);
        break;
      case RowKind::free:
        pivot = free_inward(link, data.rotations[k], data.levers[k],
                            turned(kernels::constant<T>(data.spherical[k].axes_b), kernels::vector_of(p + row.u)),
                            turned(kernels::constant<T>(data.spherical[k].axes_a), kernels::vector_of(p + row.u + 3)),
                            data.spheres[k], local);
        break;
    }
    carried = local;
    return watch.stops(i, pivot);
  }

  /// \param weight whether gravity is wanted in the momentum rates \param u, rates receive u and p', by LinkRow::place
  template <typename Watch>
  static MBDBENCH_KERNEL void outward(const Data& data, const LinkRun* first, const LinkRun* last, const T* p,
                                      bool weight, T* u, T* rates, Watch& watch) {
    for (const LinkRun* run = first; run != last; ++run) {
      Motion motion{kernels::no_vector<T>(), kernels::no_vector<T>(),
                    weight ? kernels::in_lanes<T>(run->gravity) : kernels::no_vector<T>()};
      if (run->slot >= 0) {
        const auto& start = data.start_of(*run);
        const Motion& slot = data.slots[run->slot].motion;
        motion = {moved_into_start(start, slot.linear, slot.angular), into_start(start, slot.angular),
                  into_start(start, slot.gravity)};
      }
      for (int k = run->first_segment; k < run->last_segment; ++k) {
        const LinkSegment& segment = data.segments[k];
        if (segment.kind == RowKind::revolute) {
          turns_outward(data, segment, motion, u, rates);
        } else if (row_outward(data, segment.first, p, motion, u, rates, watch)) {
          return;
        }
      }
      if (watch.breaks(run->last - 1, motion.angular.z + motion.linear.z)) {
        return;
      }
    }
  }

  static MBDBENCH_KERNEL void turns_outward(const Data& data, const LinkSegment& segment, Motion& motion, T* u,
                                            T* rates) {
    Motion local = motion;
    for (int i = segment.first; i < segment.last; ++i) {
      const LinkRow& row = data.rows[i];
      T rate = T(0.0);
      rates[row.place] =
          turn_outward(kernels::constant<T>(data.links[i]), data.cosines[i], data.sines[i], data.turns[i], local, rate);
      u[row.place] = rate;
      if (row.slot >= 0) {
        data.slots[row.slot].motion = local;
      }
    }
    motion = local;
  }

  template <typename Watch>
  static MBDBENCH_KERNEL bool row_outward(const Data& data, int i, const T* p, Motion& motion, T* u, T* rates,
                                          Watch& watch) {
    const LinkRow& row = data.rows[i];
    const auto& link = kernels::constant<T>(data.links[i]);
    const T& c = data.cosines[i];
    const T& s = data.sines[i];
    const T& d = data.slides[i];
    const int k = row.ordinal;
    T& to = rates[row.place];
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;  // PartRecursion has these (kernel_choice.hpp)
      case RowKind::revolute:
        to = turn_outward(link, c, s, data.turns[i], motion, u[row.place]);
        break;
      case RowKind::prismatic:
        to = slide_outward(link, c, s, d, data.general[k], motion, u[row.place]);
        break;
      case RowKind::driven_revolute:
        carry_outward(link, c, s, d, motion);
        motion.angular.z += data.general[k].rest;
        u[row.place] = data.general[k].rest;
        to = turn_momentum_rate(motion, whole_momentum(data.general[k], motion), data.general[k].first_moment);
        break;
      case RowKind::driven_prismatic:
        carry_outward(link, c, s, d, motion);
        motion.linear.z += data.general[k].rest;
        u[row.place] = data.general[k].rest;
        to = slide_momentum_rate(link, motion, whole_momentum(data.general[k], motion));
        break;
      case RowKind::spherical: {
        Vector rate = kernels::no_vector<T>();
        const Vector momentum_rate =
            spherical_outward(data.rotations[k], data.levers[k], data.spheres[k], motion, rate);
        put_vector(turned_back(kernels::constant<T>(data.spherical[k].axes_b), rate), u + row.place);
        put_vector(turned_back(kernels::constant<T>(data.spherical[k].axes_b), momentum_rate), &to);
        break;
      }
      case RowKind::free: {
        const auto& axes_a = kernels::constant<T>(data.spherical[k].axes_a);
        const auto& axes_b = kernels::constant<T>(data.spherical[k].axes_b);
        Vector rate = kernels::no_vector<T>();
        Vector slide = kernels::no_vector<T>();
        Vector slide_rate = kernels::no_vector<T>();
        const Vector momentum_rate =
            free_outward(link, data.rotations[k], data.levers[k], data.spheres[k],
                         turned(axes_a, kernels::vector_of(p + row.u + 3)), motion, rate, slide, slide_rate);
        put_vector(turned_back(axes_b, rate), u + row.place);
        put_vector(turned_back(axes_a, slide), u + row.place + 3);
        put_vector(turned_back(axes_b, momentum_rate), &to);
        put_vector(turned_back(axes_a, slide_rate), &to + 3);
        // Links outboard of a free joint do not feel what is not a number inboard of it.
        if (watch.breaks(i, slide.x + slide.y + slide.z)) {
          return true;
        }
        break;
      }
    }
    if (row.slot >= 0) {
      data.slots[row.slot].motion = motion;
    }
    return false;
  }

  static MBDBENCH_KERNEL void clear_loads(const Data& data, int first, int last) {
    for (int slot = first; slot < last; ++slot) {
      data.slots[slot].load = kernels::no_wrench<T>();
    }
  }

  /// Adds E^T T* of loads, after clear_loads. \param loads by row about O_k
  static MBDBENCH_KERNEL void add_loads(const Data& data, const LinkRun* first, const LinkRun* last,
                                        const Wrench* loads, T* rates) {
    for (const LinkRun* run = last; run-- != first;) {
      Wrench carried = kernels::no_wrench<T>();
      for (int i = run->last; i-- > run->first;) {
        add_wrench(loads[i], carried);
        if (const int slot = data.rows[i].slot; slot >= 0) {
          add_wrench(data.slots[slot].load, carried);
        }
        add_load(data, i, carried, rates + data.rows[i].place);
      }
      if (run->root >= 0) {
        data.root_loads[run->root] = carried;
      } else if (run->slot >= 0) {
        join_load(data, *run, carried);
      }
    }
  }

  static MBDBENCH_KERNEL void join_load(const Data& data, const LinkRun& run, const Wrench& carried) {
    add_wrench(across_start(data.start_of(run), carried), data.slots[run.slot].load);
  }

  // carried: T* of the link and all outboard of it; receives what the inboard link gets.
  static MBDBENCH_KERNEL void add_load(const Data& data, int i, Wrench& carried, T* rates) {
    const LinkRow& row = data.rows[i];
    if (!is_sphere(row.kind)) {
      rates[0] += is_slide(row.kind) ? carried.fz : carried.nz;
      carried =
          carried_inward(kernels::constant<T>(data.links[i]), data.cosines[i], data.sines[i], data.slides[i], carried);
      return;
    }
    const int k = row.ordinal;
    const SphericalAxes<C>& constants = data.spherical[k];
    const Vector torque =
        turned_back(kernels::constant<T>(constants.axes_b), Vector{carried.nx, carried.ny, carried.nz});
    const Vector f = turned(data.rotations[k], Vector{carried.fx, carried.fy, carried.fz});
    const Vector n = turned(data.rotations[k], Vector{carried.nx, carried.ny, carried.nz});
    add_three(torque, rates);
    if (row.kind == RowKind::free) {
      add_three(turned_back(kernels::constant<T>(constants.axes_a), f), rates + 3);
    }
    carried = {f.x, f.y, f.z, n.x, n.y, n.z};
    move_inward(data.levers[k], carried);
  }

  static MBDBENCH_KERNEL void add_three(const Vector& r, T* three) {
    three[0] += r.x;
    three[1] += r.y;
    three[2] += r.z;
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench
