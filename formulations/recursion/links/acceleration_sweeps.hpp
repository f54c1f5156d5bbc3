#pragma once
/// \file
/// The articulated-body algorithm over the rows of a tree [Featherstone1983], whose arithmetic stands in
/// kernels/acceleration_rows.hpp: angular velocities and what they need (outward), articulated inertias (inward),
/// accelerations (outward). Gravity is an upward acceleration of the ground.
#include "formulations/kernels/acceleration_rows.hpp"
#include "formulations/recursion/links/row_sweeps.hpp"

namespace mbdbench {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// What a run carries inward.
template <typename T>
struct CarriedAcceleration {
  kernels::ArticulatedInertia<T> inertia;
  kernels::LinkWrench<T> wrench;
};

/// What links where runs start leave for them and the other way round.
template <typename T>
struct AccelerationSlot {
  kernels::Turning<T> turning;
  kernels::LinkVector<T> linear, angular;
  CarriedAcceleration<T> carried;
};

template <typename T, typename C = double>
struct AccelerationData : RowData<T, C> {
  kernels::AccelerationRow<T>* turns = nullptr;             ///< by row
  kernels::SlideGain<T>* gains = nullptr;                   ///< of slides, by ordinal
  kernels::SphericalAccelerationRow<T>* spheres = nullptr;  ///< by ordinal
  AccelerationSlot<T>* slots = nullptr;
  CarriedAcceleration<T>* roots = nullptr;  ///< what branches carry to the trunk
};

/// \tparam T double, or a pack with a state or a tree a lane \tparam C as of RowData
template <typename T, typename C = double>
struct AccelerationSweeps {
  using Data = AccelerationData<T, C>;
  using Carried = CarriedAcceleration<T>;
  using Vector = kernels::LinkVector<T>;
  using Wrench = kernels::LinkWrench<T>;

  static MBDBENCH_KERNEL Carried nothing() { return {kernels::no_inertia<T>(), kernels::no_wrench<T>()}; }

  static MBDBENCH_KERNEL void clear_slots(const Data& data, int first, int last) {
    for (int slot = first; slot < last; ++slot) {
      data.slots[slot].carried = nothing();
    }
  }

  static MBDBENCH_KERNEL void velocities(const Data& data, const LinkRun* first, const LinkRun* last, const T* u,
                                         const double* motions) {
    for (const LinkRun* run = first; run != last; ++run) {
      const auto& start = data.start_of(*run);
      kernels::Turning<T> turning{kernels::no_vector<T>(), T(0.0)};
      if (run->slot >= 0) {
        turning = data.slots[run->slot].turning;
        turning.omega = into_start(start, turning.omega);
      }
      const Vector slid = turned_twice(turning, Vector{T(0.0), T(0.0), start.d});
      for (int k = run->first_segment; k < run->last_segment; ++k) {
        const LinkSegment& segment = data.segments[k];
        if (segment.kind == RowKind::revolute) {
          turn_velocities(data, segment, u, turning);
        } else {
          row_velocity(data, segment.first, u, motions, turning);
        }
      }
      // Spherical and free rows have it in their lever.
      if (const int i = run->first; has_way(*run) && !is_sphere(data.rows[i].kind)) {
        const Vector moved = rotated_outward(kernels::constant<T>(data.links[i]), data.cosines[i], data.sines[i], slid);
        Vector& to = data.turns[i].centripetal;
        to = {to.x + moved.x, to.y + moved.y, to.z + moved.z};
      }
    }
  }

  /// \returns whether the run starts anywhere but at O of the link that it starts on.
  static MBDBENCH_KERNEL bool has_way(const LinkRun& run) { return !std::is_same_v<C, double> || run.start.d != 0.0; }

  static MBDBENCH_KERNEL void turn_velocities(const Data& data, const LinkSegment& segment, const T* u,
                                              kernels::Turning<T>& carried) {
    kernels::Turning<T> turning = carried;
    for (int i = segment.first; i < segment.last; ++i) {
      const LinkRow& row = data.rows[i];
      turn_velocity(kernels::constant<T>(data.links[i]), data.cosines[i], data.sines[i], u[row.u], turning,
                    data.turns[i]);
      if (row.slot >= 0) {
        data.slots[row.slot].turning = turning;
      }
    }
    carried = turning;
  }

  static MBDBENCH_KERNEL void row_velocity(const Data& data, int i, const T* u, const double* motions,
                                           kernels::Turning<T>& turning) {
    const LinkRow& row = data.rows[i];
    const auto& link = kernels::constant<T>(data.links[i]);
    const T& c = data.cosines[i];
    const T& s = data.sines[i];
    if (row.motion >= 0) {
      data.turns[i].rest = T(motions[row.motion]);
    }
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;  // PartRecursion has these (kernel_choice.hpp)
      case RowKind::revolute:
      case RowKind::driven_revolute:
        turn_velocity(link, c, s, u[row.u], turning, data.turns[i]);
        break;
      case RowKind::prismatic:
      case RowKind::driven_prismatic:
        slide_velocity(link, c, s, data.slides[i], u[row.u], row.massless, turning, data.turns[i]);
        break;
      case RowKind::spherical:
      case RowKind::free: {
        const int k = row.ordinal;
        const SphericalAxes<C>& constants = data.spherical[k];
        const Vector slide = row.kind == RowKind::free
                                 ? turned(kernels::constant<T>(constants.axes_a), kernels::vector_of(u + row.u + 3))
                                 : kernels::no_vector<T>();
        spherical_velocity(link, data.rotations[k], data.levers[k],
                           turned(kernels::constant<T>(constants.axes_b), kernels::vector_of(u + row.u)), slide,
                           turning, data.spheres[k]);
        break;
      }
    }
    if (row.slot >= 0) {
      data.slots[row.slot].turning = turning;
    }
  }

  /// After velocities. \param loads by row about O_k
  static MBDBENCH_KERNEL void subtract(const Data& data, int first_row, int last_row, const Wrench* loads) {
    for (int i = first_row; i < last_row; ++i) {
      subtract_wrench(loads[i], needed_at(data, i));
    }
  }

  static MBDBENCH_KERNEL Wrench& needed_at(const Data& data, int i) {
    const LinkRow& row = data.rows[i];
    return is_sphere(row.kind) ? data.spheres[row.ordinal].needed : data.turns[i].needed;
  }

  /// After clear_slots.
  template <typename Watch>
  static MBDBENCH_KERNEL void inward(const Data& data, const LinkRun* first, const LinkRun* last, const T* tau,
                                     Watch& watch) {
    for (const LinkRun* run = last; run-- != first;) {
      Carried carried = nothing();
      for (int k = run->last_segment; k-- > run->first_segment;) {
        const LinkSegment& segment = data.segments[k];
        if (segment.kind == RowKind::revolute ? turns_inward(data, segment, tau, carried, watch)
                                              : row_inward(data, segment.first, tau, carried, watch)) {
          return;
        }
      }
      if (run->root >= 0) {
        data.roots[run->root] = carried;
      } else if (run->slot >= 0) {
        join(data, *run, carried);
      }
    }
  }

  /// What a run carries inward joins the link where it starts.
  static MBDBENCH_KERNEL void join(const Data& data, const LinkRun& run, const Carried& carried) {
    const auto& start = data.start_of(run);
    Carried& slot = data.slots[run.slot].carried;
    add_inertia(across_start(start, carried.inertia), slot.inertia);
    add_wrench(across_start(start, carried.wrench), slot.wrench);
  }

  template <typename Watch>
  static MBDBENCH_KERNEL bool turns_inward(const Data& data, const LinkSegment& segment, const T* tau, Carried& carried,
                                           Watch& watch) {
    kernels::ArticulatedInertia<T> inertia = carried.inertia;
    Wrench wrench = carried.wrench;
    for (int i = segment.last; i-- > segment.first;) {
      const LinkRow& row = data.rows[i];
      const auto& link = kernels::constant<T>(data.links[i]);
      add_rigid(link, inertia);
      add_wrench(data.turns[i].needed, wrench);
      if (row.slot >= 0) {
        add_inertia(data.slots[row.slot].carried.inertia, inertia);
        add_wrench(data.slots[row.slot].carried.wrench, wrench);
      }
      if (watch.stops(i,
                      turn_inward(link, data.cosines[i], data.sines[i], tau[row.u], data.turns[i], inertia, wrench))) {
        return true;
      }
    }
    carried = {inertia, wrench};
    return false;
  }

  template <typename Watch>
  static MBDBENCH_KERNEL bool row_inward(const Data& data, int i, const T* tau, Carried& carried, Watch& watch) {
    const LinkRow& row = data.rows[i];
    const auto& link = kernels::constant<T>(data.links[i]);
    const T& c = data.cosines[i];
    const T& s = data.sines[i];
    const int k = row.ordinal;
    kernels::AccelerationRow<T>& own = data.turns[i];
    kernels::ArticulatedInertia<T> inertia = carried.inertia;
    Wrench wrench = carried.wrench;
    if (!row.massless) {
      add_rigid(link, inertia);
      add_wrench(needed_at(data, i), wrench);
    }
    if (row.slot >= 0) {
      add_inertia(data.slots[row.slot].carried.inertia, inertia);
      add_wrench(data.slots[row.slot].carried.wrench, wrench);
    }
    const T zero = T(0.0);
    T pivot = T(1.0);
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;  // PartRecursion has these (kernel_choice.hpp)
      case RowKind::revolute:
        pivot = turn_inward(link, c, s, tau[row.u], own, inertia, wrench);
        break;
      case RowKind::prismatic:
        pivot = slide_inward(link, c, s, data.slides[i], tau[row.u], own, data.gains[k], inertia, wrench);
        break;
      case RowKind::driven_revolute:
        driven_inward(link, c, s, zero, own.rest, zero, own, inertia, wrench);
        break;
      case RowKind::driven_prismatic:
        driven_inward(link, c, s, data.slides[i], zero, own.rest, own, inertia, wrench);
        break;
      case RowKind::spherical:
        pivot =
            spherical_inward(data.rotations[k], data.levers[k],
                             turned(kernels::constant<T>(data.spherical[k].axes_b), kernels::vector_of(tau + row.u)),
                             data.spheres[k], inertia, wrench);
        break;
      case RowKind::free:
        pivot = free_inward(data.rotations[k], data.levers[k],
                            turned(kernels::constant<T>(data.spherical[k].axes_b), kernels::vector_of(tau + row.u)),
                            turned(kernels::constant<T>(data.spherical[k].axes_a), kernels::vector_of(tau + row.u + 3)),
                            data.spheres[k], inertia, wrench);
        break;
    }
    carried = {inertia, wrench};
    return watch.stops(i, pivot);
  }

  /// \param weight whether gravity is not among the loads \param rates receives u', by LinkRow::place
  template <typename Watch>
  static MBDBENCH_KERNEL void outward(const Data& data, const LinkRun* first, const LinkRun* last, bool weight,
                                      T* rates, Watch& watch) {
    for (const LinkRun* run = first; run != last; ++run) {
      Vector linear = kernels::no_vector<T>();
      Vector angular = kernels::no_vector<T>();
      if (run->slot >= 0) {
        const auto& start = data.start_of(*run);
        const AccelerationSlot<T>& slot = data.slots[run->slot];
        linear = moved_into_start(start, slot.linear, slot.angular);
        angular = into_start(start, slot.angular);
      } else if (weight) {
        linear = {T(-run->gravity.x), T(-run->gravity.y), T(-run->gravity.z)};
      }
      for (int k = run->first_segment; k < run->last_segment; ++k) {
        const LinkSegment& segment = data.segments[k];
        if (segment.kind == RowKind::revolute) {
          turn_accelerations(data, segment, linear, angular, rates);
        } else if (row_acceleration(data, segment.first, linear, angular, rates, watch)) {
          return;
        }
      }
      if (watch.breaks(run->last - 1, angular.z + linear.z)) {
        return;
      }
    }
  }

  static MBDBENCH_KERNEL void turn_accelerations(const Data& data, const LinkSegment& segment, Vector& carried_linear,
                                                 Vector& carried_angular, T* rates) {
    Vector linear = carried_linear;
    Vector angular = carried_angular;
    for (int i = segment.first; i < segment.last; ++i) {
      const LinkRow& row = data.rows[i];
      rates[row.place] = turn_acceleration(kernels::constant<T>(data.links[i]), data.cosines[i], data.sines[i],
                                           data.turns[i], linear, angular);
      if (row.slot >= 0) {
        data.slots[row.slot].linear = linear;
        data.slots[row.slot].angular = angular;
      }
    }
    carried_linear = linear;
    carried_angular = angular;
  }

  template <typename Watch>
  static MBDBENCH_KERNEL bool row_acceleration(const Data& data, int i, Vector& linear, Vector& angular, T* rates,
                                               Watch& watch) {
    const LinkRow& row = data.rows[i];
    const auto& link = kernels::constant<T>(data.links[i]);
    const T& c = data.cosines[i];
    const T& s = data.sines[i];
    const int k = row.ordinal;
    const kernels::AccelerationRow<T>& own = data.turns[i];
    T* const to = rates + row.place;
    const T zero = T(0.0);
    switch (row.kind) {
      case RowKind::screw:
      case RowKind::driven_screw:
        break;  // PartRecursion has these (kernel_choice.hpp)
      case RowKind::revolute:
        *to = turn_acceleration(link, c, s, own, linear, angular);
        break;
      case RowKind::prismatic:
        *to = slide_acceleration(link, c, s, data.slides[i], own, data.gains[k], linear, angular);
        break;
      case RowKind::driven_revolute:
        driven_acceleration(link, c, s, zero, own.rest, zero, own, linear, angular);
        *to = own.rest;
        break;
      case RowKind::driven_prismatic:
        driven_acceleration(link, c, s, data.slides[i], zero, own.rest, own, linear, angular);
        *to = own.rest;
        break;
      case RowKind::spherical:
        put_vector(
            turned_back(kernels::constant<T>(data.spherical[k].axes_b),
                        spherical_acceleration(data.rotations[k], data.levers[k], data.spheres[k], linear, angular)),
            to);
        break;
      case RowKind::free: {
        Vector slide = kernels::no_vector<T>();
        const Vector rate =
            free_acceleration(data.rotations[k], data.levers[k], data.spheres[k], linear, angular, slide);
        put_vector(turned_back(kernels::constant<T>(data.spherical[k].axes_b), rate), to);
        put_vector(turned_back(kernels::constant<T>(data.spherical[k].axes_a), slide), to + 3);
        // Links outboard of a free joint do not feel what is not a number inboard of it.
        if (watch.breaks(i, slide.x + slide.y + slide.z)) {
          return true;
        }
        break;
      }
    }
    if (row.slot >= 0) {
      data.slots[row.slot].linear = linear;
      data.slots[row.slot].angular = angular;
    }
    return false;
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench
