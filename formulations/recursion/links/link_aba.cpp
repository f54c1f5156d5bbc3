#include "formulations/recursion/links/link_aba.hpp"

#include <cmath>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using namespace kernels;
using Vector = LinkVector<double>;

}  // namespace

LinkAba::LinkAba(const Mechanism& mechanism, const Execution& execution)
    : tree_(mechanism, execution.shares() ? TreeLayout::shared_branches : TreeLayout::branches),
      team_(branch_costs(tree_), execution),
      pieces_(team_, tree_, sizeof(Failure), sizeof(Carried)),
      positions_(tree_.positions()),
      rows_(tree_.size()),
      slides_(index_of(tree_.slide_count())),
      spherical_(tree_.spherical().size()),
      slots_(index_of(tree_.slot_count())),
      rates_(tree_.places().size()),
      roots_(tree_.roots().size()),
      failures_(tree_.ranges().size()) {}

void LinkAba::set_positions(std::span<const double> q, bool everywhere) {
  if (everywhere && team_.is_divided()) {
    tree_.set_positions(q, positions_);
    return;
  }
  tree_.set_positions(q, tree_.ranges().front(), positions_);
  team_.for_branches([&](std::size_t b) { tree_.set_positions(q, tree_.ranges()[b], positions_); });
}

int LinkAba::evaluate(std::span<const double> u, std::span<const double> tau, std::span<const double> motions,
                      std::span<const LinkWrench<double>> loads, std::span<double> accelerations) {
  const LinkRange& trunk = tree_.ranges().front();
  const bool weight = loads.empty();
  sweep_velocities(trunk, u, motions);
  subtract(trunk, loads);
  team_.for_branches([&](std::size_t b) {
    const LinkRange& branch = tree_.ranges()[b];
    sweep_velocities(branch, u, motions);
    subtract(branch, loads);
    clear_slots(branch);
    failures_[b] = sweep_inward(branch, tau);
  });
  team_.exchange(std::span(roots_), pieces_.roots);
  team_.exchange(std::span(failures_), pieces_.ranges);
  join_roots();
  failures_.front() = sweep_inward(trunk, tau);
  if (!settle(failures_)) {
    return tree_.joint(index_of(failure_.row));
  }
  const std::span<double> rates = sweep_target(accelerations, rates_);
  failures_.front() = sweep_accelerations(trunk, weight, rates);
  team_.for_branches([&](std::size_t b) { failures_[b] = sweep_accelerations(tree_.ranges()[b], weight, rates); });
  team_.exchange(rates, pieces_.places);
  team_.exchange(std::span(failures_), pieces_.ranges);
  deliver(team_, tree_, rates, accelerations);
  return settle(failures_) ? -1 : tree_.joint(index_of(failure_.row));
}

bool LinkAba::settle(std::span<const Failure> failures) {
  for (const Failure& failure : failures) {
    if (failure.row >= 0) {
      failure_ = failure;
      return false;
    }
  }
  return true;
}

void LinkAba::clear_slots(const LinkRange& range) {
  for (int slot = range.first_slot; slot < range.last_slot; ++slot) {
    slots_[index_of(slot)].inertia = {};
    slots_[index_of(slot)].wrench = {};
  }
}

void LinkAba::join_roots() {
  clear_slots(tree_.ranges().front());
  for (const int root : tree_.roots()) {
    const LinkRun& run = tree_.runs()[index_of(root)];
    const Carried& carried = roots_[index_of(run.root)];
    Slot& slot = slots_[index_of(run.slot)];
    add_inertia(across_start(run.start, carried.inertia), slot.inertia);
    add_wrench(across_start(run.start, carried.wrench), slot.wrench);
  }
}

void LinkAba::subtract(const LinkRange& range, Loads loads) {
  for (std::size_t i = index_of(range.first_row); !loads.empty() && i < index_of(range.last_row); ++i) {
    const LinkRow& row = tree_.rows()[i];
    const bool spherical = row.kind == RowKind::spherical || row.kind == RowKind::free;
    const LinkWrench<double>& w = loads[i];
    add_wrench({-w.fx, -w.fy, -w.fz, -w.nx, -w.ny, -w.nz},
               spherical ? spherical_[index_of(row.ordinal)].needed : rows_[i].needed);
  }
}

MBDBENCH_SWEEP void LinkAba::sweep_velocities(const LinkRange& range, std::span<const double> u,
                                              std::span<const double> motions) {
  for (const LinkRun& run : runs_of(tree_, range)) {
    Turning<double> turning{};
    if (run.slot >= 0) {
      turning = slots_[index_of(run.slot)].turning;
      turning.omega = into_start(run.start, turning.omega);
    }
    const Vector slid = turned_twice(turning, {0.0, 0.0, run.start.d});
    for (const LinkSegment& segment :
         tree_.segments().subspan(index_of(run.first_segment), index_of(run.last_segment - run.first_segment))) {
      if (segment.kind == RowKind::revolute) {
        turn_velocities(segment, u, turning);
      } else {
        row_velocity(index_of(segment.first), u, motions, turning);
      }
    }
    if (run.start.d != 0.0) {  // spherical and free rows have it in their lever
      const auto first = index_of(run.first);
      const Vector moved =
          rotated_outward(tree_.links()[first], positions_.cosines[first], positions_.sines[first], slid);
      rows_[first].centripetal.x += moved.x;
      rows_[first].centripetal.y += moved.y;
      rows_[first].centripetal.z += moved.z;
    }
  }
}

MBDBENCH_SWEEP void LinkAba::turn_velocities(const LinkSegment& segment, std::span<const double> u,
                                             Turning<double>& carried) {
  Turning<double> turning = carried;
  for (std::size_t i = index_of(segment.first); i < index_of(segment.last); ++i) {
    const LinkRow& row = tree_.rows()[i];
    turn_velocity(tree_.links()[i], positions_.cosines[i], positions_.sines[i], u[index_of(row.u)], turning, rows_[i]);
    if (row.slot >= 0) {
      slots_[index_of(row.slot)].turning = turning;
    }
  }
  carried = turning;
}

MBDBENCH_SWEEP void LinkAba::row_velocity(std::size_t i, std::span<const double> u, std::span<const double> motions,
                                          Turning<double>& turning) {
  const LinkRow& row = tree_.rows()[i];
  const LinkConstants<double>& link = tree_.links()[i];
  const double c = positions_.cosines[i];
  const double s = positions_.sines[i];
  if (row.motion >= 0) {
    rows_[i].rest = motions[index_of(row.motion)];
  }
  switch (row.kind) {
    case RowKind::screw:
    case RowKind::driven_screw:
      break;  // PartRecursion has these (kernel_choice.hpp)
    case RowKind::revolute:
    case RowKind::driven_revolute:
      turn_velocity(link, c, s, u[index_of(row.u)], turning, rows_[i]);
      break;
    case RowKind::prismatic:
    case RowKind::driven_prismatic:
      slide_velocity(link, c, s, positions_.slides[i], u[index_of(row.u)], row.massless, turning, rows_[i]);
      break;
    case RowKind::spherical:
    case RowKind::free: {
      const auto k = index_of(row.ordinal);
      const SphericalConstants& constants = tree_.spherical()[k];
      const Vector slide =
          row.kind == RowKind::free ? kernels::turned(constants.axes_a, three_at(&u[index_of(row.u + 3)])) : Vector{};
      spherical_velocity(link, positions_.rotations[k], positions_.levers[k],
                         kernels::turned(constants.axes_b, three_at(&u[index_of(row.u)])), slide, turning,
                         spherical_[k]);
      break;
    }
  }
  if (row.slot >= 0) {
    slots_[index_of(row.slot)].turning = turning;
  }
}

MBDBENCH_SWEEP LinkAba::Failure LinkAba::sweep_inward(const LinkRange& range, std::span<const double> tau) {
  for (int r = range.last_run; r-- > range.first_run;) {
    const LinkRun& run = tree_.runs()[index_of(r)];
    Carried carried;
    for (int k = run.last_segment; k-- > run.first_segment;) {
      const LinkSegment& segment = tree_.segments()[index_of(k)];
      const Failure failure = segment.kind == RowKind::revolute ? turns_inward(segment, tau, carried)
                                                                : row_inward(index_of(segment.first), tau, carried);
      if (failure.row >= 0) {
        return failure;
      }
    }
    if (run.root >= 0) {
      roots_[index_of(run.root)] = carried;
    } else if (run.slot >= 0) {
      Slot& slot = slots_[index_of(run.slot)];
      add_inertia(across_start(run.start, carried.inertia), slot.inertia);
      add_wrench(across_start(run.start, carried.wrench), slot.wrench);
    }
  }
  return {};
}

MBDBENCH_SWEEP LinkAba::Failure LinkAba::turns_inward(const LinkSegment& segment, std::span<const double> tau,
                                                      Carried& carried) {
  ArticulatedInertia<double> inertia = carried.inertia;
  LinkWrench<double> wrench = carried.wrench;
  for (std::size_t i = index_of(segment.last); i-- > index_of(segment.first);) {
    const LinkRow& row = tree_.rows()[i];
    const LinkConstants<double>& link = tree_.links()[i];
    add_rigid(link, inertia);
    add_wrench(rows_[i].needed, wrench);
    if (row.slot >= 0) {
      add_inertia(slots_[index_of(row.slot)].inertia, inertia);
      add_wrench(slots_[index_of(row.slot)].wrench, wrench);
    }
    const double pivot =
        turn_inward(link, positions_.cosines[i], positions_.sines[i], tau[index_of(row.u)], rows_[i], inertia, wrench);
    if (!(pivot > 0.0)) {
      return {static_cast<int>(i), pivot};
    }
  }
  carried.inertia = inertia;
  carried.wrench = wrench;
  return {};
}

MBDBENCH_SWEEP LinkAba::Failure LinkAba::row_inward(std::size_t i, std::span<const double> tau, Carried& carried) {
  const LinkRow& row = tree_.rows()[i];
  const LinkConstants<double>& link = tree_.links()[i];
  const double c = positions_.cosines[i];
  const double s = positions_.sines[i];
  const auto k = index_of(row.ordinal);
  ArticulatedInertia<double> inertia = carried.inertia;
  LinkWrench<double> wrench = carried.wrench;
  const bool spherical = row.kind == RowKind::spherical || row.kind == RowKind::free;
  if (!row.massless) {
    add_rigid(link, inertia);
    add_wrench(spherical ? spherical_[k].needed : rows_[i].needed, wrench);
  }
  if (row.slot >= 0) {
    add_inertia(slots_[index_of(row.slot)].inertia, inertia);
    add_wrench(slots_[index_of(row.slot)].wrench, wrench);
  }
  double pivot = 1.0;
  switch (row.kind) {
    case RowKind::screw:
    case RowKind::driven_screw:
      break;  // PartRecursion has these (kernel_choice.hpp)
    case RowKind::revolute:
      pivot = turn_inward(link, c, s, tau[index_of(row.u)], rows_[i], inertia, wrench);
      break;
    case RowKind::prismatic:
      pivot =
          slide_inward(link, c, s, positions_.slides[i], tau[index_of(row.u)], rows_[i], slides_[k], inertia, wrench);
      break;
    case RowKind::driven_revolute:
      driven_inward(link, c, s, 0.0, rows_[i].rest, 0.0, rows_[i], inertia, wrench);
      break;
    case RowKind::driven_prismatic:
      driven_inward(link, c, s, positions_.slides[i], 0.0, rows_[i].rest, rows_[i], inertia, wrench);
      break;
    case RowKind::spherical:
      pivot = spherical_inward(positions_.rotations[k], positions_.levers[k],
                               kernels::turned(tree_.spherical()[k].axes_b, three_at(&tau[index_of(row.u)])),
                               spherical_[k], inertia, wrench);
      break;
    case RowKind::free:
      pivot = free_inward(positions_.rotations[k], positions_.levers[k],
                          kernels::turned(tree_.spherical()[k].axes_b, three_at(&tau[index_of(row.u)])),
                          kernels::turned(tree_.spherical()[k].axes_a, three_at(&tau[index_of(row.u + 3)])),
                          spherical_[k], inertia, wrench);
      break;
  }
  carried.inertia = inertia;
  carried.wrench = wrench;
  return pivot > 0.0 ? Failure{} : Failure{static_cast<int>(i), pivot};
}

MBDBENCH_SWEEP LinkAba::Failure LinkAba::sweep_accelerations(const LinkRange& range, bool weight,
                                                             std::span<double> accelerations) {
  for (const LinkRun& run : runs_of(tree_, range)) {
    Motion motion;
    if (run.slot < 0 && weight) {
      motion.linear = {-run.gravity.x, -run.gravity.y, -run.gravity.z};
    } else if (run.slot >= 0) {
      const Slot& slot = slots_[index_of(run.slot)];
      motion.linear = moved_into_start(run.start, slot.linear, slot.angular);
      motion.angular = into_start(run.start, slot.angular);
    }
    for (const LinkSegment& segment :
         tree_.segments().subspan(index_of(run.first_segment), index_of(run.last_segment - run.first_segment))) {
      if (segment.kind == RowKind::revolute) {
        turn_accelerations(segment, motion, accelerations);
      } else if (const Failure failure = row_acceleration(index_of(segment.first), motion, accelerations);
                 failure.row >= 0) {
        return failure;
      }
    }
    // What is not a number at a link stays so outboard of it.
    const double end = motion.angular.z + motion.linear.z;
    if (!std::isfinite(end)) {
      return {run.last - 1, end};
    }
  }
  return {};
}

MBDBENCH_SWEEP void LinkAba::turn_accelerations(const LinkSegment& segment, Motion& motion,
                                                std::span<double> accelerations) {
  Vector linear = motion.linear;
  Vector angular = motion.angular;
  for (std::size_t i = index_of(segment.first); i < index_of(segment.last); ++i) {
    const LinkRow& row = tree_.rows()[i];
    accelerations[index_of(row.place)] =
        turn_acceleration(tree_.links()[i], positions_.cosines[i], positions_.sines[i], rows_[i], linear, angular);
    if (row.slot >= 0) {
      slots_[index_of(row.slot)].linear = linear;
      slots_[index_of(row.slot)].angular = angular;
    }
  }
  motion = {linear, angular};
}

MBDBENCH_SWEEP LinkAba::Failure LinkAba::row_acceleration(std::size_t i, Motion& motion,
                                                          std::span<double> accelerations) {
  const LinkRow& row = tree_.rows()[i];
  const LinkConstants<double>& link = tree_.links()[i];
  const double c = positions_.cosines[i];
  const double s = positions_.sines[i];
  const auto k = index_of(row.ordinal);
  Vector& linear = motion.linear;
  Vector& angular = motion.angular;
  switch (row.kind) {
    case RowKind::screw:
    case RowKind::driven_screw:
      break;  // PartRecursion has these (kernel_choice.hpp)
    case RowKind::revolute:
      accelerations[index_of(row.place)] = turn_acceleration(link, c, s, rows_[i], linear, angular);
      break;
    case RowKind::prismatic:
      accelerations[index_of(row.place)] =
          slide_acceleration(link, c, s, positions_.slides[i], rows_[i], slides_[k], linear, angular);
      break;
    case RowKind::driven_revolute:
      driven_acceleration(link, c, s, 0.0, rows_[i].rest, 0.0, rows_[i], linear, angular);
      accelerations[index_of(row.place)] = rows_[i].rest;
      break;
    case RowKind::driven_prismatic:
      driven_acceleration(link, c, s, positions_.slides[i], 0.0, rows_[i].rest, rows_[i], linear, angular);
      accelerations[index_of(row.place)] = rows_[i].rest;
      break;
    case RowKind::spherical: {
      const Vector rate =
          spherical_acceleration(positions_.rotations[k], positions_.levers[k], spherical_[k], linear, angular);
      put_three(turned_back(tree_.spherical()[k].axes_b, rate), &accelerations[index_of(row.place)]);
      break;
    }
    case RowKind::free: {
      Vector slide{};
      const Vector rate =
          free_acceleration(positions_.rotations[k], positions_.levers[k], spherical_[k], linear, angular, slide);
      put_three(turned_back(tree_.spherical()[k].axes_b, rate), &accelerations[index_of(row.place)]);
      put_three(turned_back(tree_.spherical()[k].axes_a, slide), &accelerations[index_of(row.place + 3)]);
      // Links outboard of a free joint do not feel what is not a number inboard of it.
      if (const double sum = slide.x + slide.y + slide.z; !std::isfinite(sum)) {
        return {static_cast<int>(i), sum};
      }
      break;
    }
  }
  if (row.slot >= 0) {
    slots_[index_of(row.slot)].linear = linear;
    slots_[index_of(row.slot)].angular = angular;
  }
  return {};
}

}  // namespace mbdbench
