#pragma once
/// \file
/// The sweeps over a block of sub-trees of equal form: compiled once an instruction set (tree_sweeps_for_sets.cpp), and
/// by one for the trunk, which has one lane.
///
/// They are those of LinkAba [Featherstone1983] and LinkNaudet [Naudet2005] for lean turns, eight sub-trees side by
/// side. A sub-tree has no distal handle, so that no columns are needed: as a node of divide and conquer it is
/// F = K V + f alone. About 420 operations a lane and link (accelerations), 360 (momenta).
#include "formulations/kernels/chains/turns.hpp"
#include "formulations/subtrees/tree_block.hpp"

namespace mbdbench::tree_sweeps {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

using namespace kernels;  // NOLINT(google-build-using-namespace): a header of one purpose

/// A block's arrays as arrays of structures of lanes.
template <typename T>
struct TreeView {
  const LinkConstants<T>* links;
  const RunStart<T>* starts;
  const T* offsets;
  T* angles;
  SineCosine<T>* turns;
  const T* rates;
  const T* forces;
  T* results;
  T* momentum_rates;
  TreeRow<T>* kept;
  TreeSlot<T>* slots;
};

template <typename T>
MBDBENCH_KERNEL TreeView<T> view_of(const TreeBlock& b) {
  return {reinterpret_cast<const LinkConstants<T>*>(b.links),
          reinterpret_cast<const RunStart<T>*>(b.starts),
          reinterpret_cast<const T*>(b.offsets),
          reinterpret_cast<T*>(b.angles),
          reinterpret_cast<SineCosine<T>*>(b.turns),
          reinterpret_cast<const T*>(b.rates),
          reinterpret_cast<const T*>(b.forces),
          reinterpret_cast<T*>(b.results),
          reinterpret_cast<T*>(b.momentum_rates),
          reinterpret_cast<TreeRow<T>*>(b.kept),
          reinterpret_cast<TreeSlot<T>*>(b.slot_data)};
}

/// \returns nothing carried.
template <typename T>
MBDBENCH_KERNEL CarriedMomentum<T> nothing() {
  CarriedMomentum<T> carried;
  __builtin_memset(static_cast<void*>(&carried), 0, sizeof carried);
  return carried;
}

template <typename T>
bool set_turns(const TreeBlock& block) {
  const TreeView<T> view = view_of<T>(block);
  return set_all_turns(block.rows, view.offsets, view.angles, view.turns);
}

template <typename T>
void clear_slots(const TreeBlock& block) {
  const TreeView<T> view = view_of<T>(block);
  for (int s = 0; s < block.slots; ++s) {
    view.slots[s].carried = nothing<T>();
  }
}

template <typename T>
void velocities(const TreeBlock& block) {
  const TreeView<T> view = view_of<T>(block);
  for (const TreeRun* run = block.runs; run != block.last_run; ++run) {
    const RunStart<T>& start = view.starts[run - block.runs];
    Turning<T> turning;
    turning.omega = into_start(start, view.slots[run->slot].omega);
    turning.square = squared(turning.omega);
    const LinkVector<T> slid = turned_twice(turning, LinkVector<T>{T(0.0), T(0.0), start.d});
    for (int i = run->first; i < run->last; ++i) {
      AccelerationRow<T>& row = view.kept[i].acceleration;
      turn_velocity(view.links[i], view.turns[i].cosine, view.turns[i].sine, view.rates[i], turning, row);
      if (i == run->first) {
        const LinkVector<T> moved = rotated_outward(view.links[i], view.turns[i].cosine, view.turns[i].sine, slid);
        row.centripetal.x += moved.x;
        row.centripetal.y += moved.y;
        row.centripetal.z += moved.z;
      }
      if (block.slot_of_row[i] >= 0) {
        view.slots[block.slot_of_row[i]].omega = turning.omega;
      }
    }
  }
}

template <typename T>
double accelerations_inward(const TreeBlock& block) {
  const TreeView<T> view = view_of<T>(block);
  T least = T(1e300);
  for (const TreeRun* run = block.last_run; run-- != block.runs;) {
    ArticulatedInertia<T> inertia = nothing<T>().inertia;
    LinkWrench<T> wrench = nothing<T>().momentum;
    for (int i = run->last; i-- > run->first;) {
      AccelerationRow<T>& row = view.kept[i].acceleration;
      add_rigid(view.links[i], inertia);
      add_wrench(row.needed, wrench);
      if (block.slot_of_row[i] >= 0) {
        const CarriedMomentum<T>& others = view.slots[block.slot_of_row[i]].carried;
        add_inertia(others.inertia, inertia);
        add_wrench(others.momentum, wrench);
      }
      least = smaller(
          turn_inward(view.links[i], view.turns[i].cosine, view.turns[i].sine, view.forces[i], row, inertia, wrench),
          least);
    }
    CarriedMomentum<T>& inboard = view.slots[run->slot].carried;
    const RunStart<T>& start = view.starts[run - block.runs];
    add_inertia(across_start(start, inertia), inboard.inertia);
    add_wrench(across_start(start, wrench), inboard.momentum);
  }
  return smallest_lane(least);
}

template <typename T>
void accelerations_outward(const TreeBlock& block) {
  const TreeView<T> view = view_of<T>(block);
  for (const TreeRun* run = block.runs; run != block.last_run; ++run) {
    const RunStart<T>& start = view.starts[run - block.runs];
    const CarriedVelocity<T>& inboard = view.slots[run->slot].motion;
    LinkVector<T> linear = moved_into_start(start, inboard.linear, inboard.angular);
    LinkVector<T> angular = into_start(start, inboard.angular);
    for (int i = run->first; i < run->last; ++i) {
      view.results[i] = turn_acceleration(view.links[i], view.turns[i].cosine, view.turns[i].sine,
                                          view.kept[i].acceleration, linear, angular);
      if (block.slot_of_row[i] >= 0) {
        CarriedVelocity<T>& own = view.slots[block.slot_of_row[i]].motion;
        own.linear = linear;
        own.angular = angular;
      }
    }
  }
}

template <typename T>
double momenta_inward(const TreeBlock& block) {
  const TreeView<T> view = view_of<T>(block);
  T least = T(1e300);
  for (const TreeRun* run = block.last_run; run-- != block.runs;) {
    CarriedMomentum<T> carried = nothing<T>();
    for (int i = run->last; i-- > run->first;) {
      add_link(view.links[i], carried);
      if (block.slot_of_row[i] >= 0) {
        const CarriedMomentum<T>& others = view.slots[block.slot_of_row[i]].carried;
        add_inertia(others.inertia, carried.inertia);
        add_wrench(others.momentum, carried.momentum);
        add_vector(others.first_moment, carried.first_moment);
      }
      least = smaller(turn_inward(view.links[i], view.turns[i].cosine, view.turns[i].sine, view.rates[i],
                                  view.kept[i].momentum, carried),
                      least);
    }
    CarriedMomentum<T>& inboard = view.slots[run->slot].carried;
    const RunStart<T>& start = view.starts[run - block.runs];
    add_inertia(across_start(start, carried.inertia), inboard.inertia);
    add_wrench(across_start(start, carried.momentum), inboard.momentum);
    LinkVector<T> first_moment = out_of_start(start, carried.first_moment);
    first_moment.z += view.links[run->first].outboard_mass * start.d;
    add_vector(first_moment, inboard.first_moment);
  }
  return smallest_lane(least);
}

template <typename T>
void momenta_outward(const TreeBlock& block) {
  const TreeView<T> view = view_of<T>(block);
  for (const TreeRun* run = block.runs; run != block.last_run; ++run) {
    const RunStart<T>& start = view.starts[run - block.runs];
    const CarriedVelocity<T>& inboard = view.slots[run->slot].motion;
    CarriedVelocity<T> motion;
    motion.linear = moved_into_start(start, inboard.linear, inboard.angular);
    motion.angular = into_start(start, inboard.angular);
    motion.gravity = into_start(start, inboard.gravity);
    for (int i = run->first; i < run->last; ++i) {
      T rate;
      view.momentum_rates[i] =
          turn_outward(view.links[i], view.turns[i].cosine, view.turns[i].sine, view.kept[i].momentum, motion, rate);
      view.results[i] = rate;
      if (block.slot_of_row[i] >= 0) {
        view.slots[block.slot_of_row[i]].motion = motion;
      }
    }
  }
}

/// \returns the sweeps for numbers T.
template <typename T>
constexpr TreeSweeps sweeps() {
  return {set_turns<T>,      clear_slots<T>,    velocities<T>, accelerations_inward<T>, accelerations_outward<T>,
          momenta_inward<T>, momenta_outward<T>};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

template <int W>
TreeSweeps sweeps_in_registers() {
  return sweeps<kernels::Pack<8, W>>();
}

}  // namespace mbdbench::tree_sweeps
