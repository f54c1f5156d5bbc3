#include "formulations/recursion/links/link_naudet.hpp"

#include <cmath>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using namespace kernels;
using Vector = LinkVector<double>;

}  // namespace

LinkNaudet::LinkNaudet(const Mechanism& mechanism, const Execution& execution)
    : tree_(mechanism, execution.shares() ? TreeLayout::shared_branches : TreeLayout::branches),
      team_(branch_costs(tree_), execution),
      pieces_(team_, tree_, sizeof(Failure), sizeof(Carried)),
      load_pieces_(BranchPieces(team_, tree_, sizeof(Failure), sizeof(LinkWrench<double>)).roots),
      positions_(tree_.positions()),
      rows_(tree_.size()),
      slides_(index_of(tree_.slide_count())),
      driven_(index_of(tree_.driven_count())),
      spherical_(tree_.spherical().size()),
      slots_(index_of(tree_.slot_count())),
      velocities_(tree_.places().size()),
      rates_(tree_.places().size()),
      roots_(tree_.roots().size()),
      root_loads_(tree_.roots().size()),
      failures_(tree_.ranges().size()) {}

int LinkNaudet::evaluate(std::span<const double> q, std::span<const double> p, std::span<const double> motions,
                         bool weight, std::span<double> u, std::span<double> momentum_rates) {
  const LinkRange& trunk = tree_.ranges().front();
  team_.for_branches([&](std::size_t b) {
    const LinkRange& branch = tree_.ranges()[b];
    tree_.set_positions(q, branch, positions_);
    clear_slots(branch);
    failures_[b] = sweep_inward(branch, p, motions);
  });
  team_.exchange(std::span(roots_), pieces_.roots);
  team_.exchange(std::span(failures_), pieces_.ranges);
  tree_.set_positions(q, trunk, positions_);
  join_roots();
  failures_.front() = sweep_inward(trunk, p, motions);
  if (!settle(failures_)) {
    return tree_.joint(index_of(failure_.row));
  }
  const std::span<double> velocities = sweep_target(u, velocities_);
  const std::span<double> rates = sweep_target(momentum_rates, rates_);
  failures_.front() = sweep_outward(trunk, p, weight, velocities, rates);
  team_.for_branches(
      [&](std::size_t b) { failures_[b] = sweep_outward(tree_.ranges()[b], p, weight, velocities, rates); });
  team_.exchange(velocities, pieces_.places);
  team_.exchange(rates, pieces_.places);
  team_.exchange(std::span(failures_), pieces_.ranges);
  deliver(team_, tree_, velocities, u);
  deliver(team_, tree_, rates, momentum_rates);
  return settle(failures_) ? -1 : tree_.joint(index_of(failure_.row));
}

bool LinkNaudet::settle(std::span<const Failure> failures) {
  for (const Failure& failure : failures) {
    if (failure.row >= 0) {
      failure_ = failure;
      return false;
    }
  }
  return true;
}

void LinkNaudet::clear_slots(const LinkRange& range) {
  for (int slot = range.first_slot; slot < range.last_slot; ++slot) {
    slots_[index_of(slot)].carried = {};
  }
}

void LinkNaudet::join_roots() {
  clear_slots(tree_.ranges().front());
  for (const int root : tree_.roots()) {
    const LinkRun& run = tree_.runs()[index_of(root)];
    join_run(run, roots_[index_of(run.root)], slots_[index_of(run.slot)].carried);
  }
}

// What a run carries inward joins the link where it starts.
inline void LinkNaudet::join_run(const LinkRun& run, const Carried& carried, Carried& slot) const {
  add_inertia(across_start(run.start, carried.inertia), slot.inertia);
  add_wrench(across_start(run.start, carried.momentum), slot.momentum);
  Vector first_moment = out_of_start(run.start, carried.first_moment);
  first_moment.z += tree_.links()[index_of(run.first)].outboard_mass * run.start.d;
  add_vector(first_moment, slot.first_moment);
}

void LinkNaudet::add_loads(std::span<const LinkWrench<double>> loads, std::span<double> momentum_rates) {
  if (loads.empty()) {
    return;
  }
  const LinkRange& trunk = tree_.ranges().front();
  const std::span<double> rates = sweep_target(momentum_rates, rates_);  // as `evaluate` has left them
  team_.for_branches([&](std::size_t b) {
    clear_loads(tree_.ranges()[b]);
    sweep_loads(tree_.ranges()[b], loads, rates);
  });
  team_.exchange(std::span(root_loads_), load_pieces_);
  team_.exchange(rates, pieces_.places);
  clear_loads(trunk);
  for (const int root : tree_.roots()) {
    const LinkRun& run = tree_.runs()[index_of(root)];
    add_wrench(across_start(run.start, root_loads_[index_of(run.root)]), slots_[index_of(run.slot)].load);
  }
  sweep_loads(trunk, loads, rates);
  deliver(team_, tree_, rates, momentum_rates);
}

void LinkNaudet::clear_loads(const LinkRange& range) {
  for (int slot = range.first_slot; slot < range.last_slot; ++slot) {
    slots_[index_of(slot)].load = {};
  }
}

void LinkNaudet::sweep_loads(const LinkRange& range, std::span<const LinkWrench<double>> loads,
                             std::span<double> momentum_rates) {
  for (int r = range.last_run; r-- > range.first_run;) {
    const LinkRun& run = tree_.runs()[index_of(r)];
    LinkWrench<double> carried{};
    for (std::size_t i = index_of(run.last); i-- > index_of(run.first);) {
      add_wrench(loads[i], carried);
      if (const int slot = tree_.rows()[i].slot; slot >= 0) {
        add_wrench(slots_[index_of(slot)].load, carried);
      }
      add_load(i, carried, momentum_rates);
    }
    if (run.root >= 0) {
      root_loads_[index_of(run.root)] = carried;
    } else if (run.slot >= 0) {
      add_wrench(across_start(run.start, carried), slots_[index_of(run.slot)].load);
    }
  }
}

// carried: T* of the link and all outboard of it; receives what the inboard link gets.
void LinkNaudet::add_load(std::size_t i, LinkWrench<double>& carried, std::span<double> momentum_rates) const {
  const LinkRow& row = tree_.rows()[i];
  const auto first = index_of(row.place);
  if (row.kind == RowKind::spherical || row.kind == RowKind::free) {
    const auto k = index_of(row.ordinal);
    const SphericalConstants& constants = tree_.spherical()[k];
    const Vector torque = turned_back(constants.axes_b, Vector{carried.nx, carried.ny, carried.nz});
    const Vector f = kernels::turned(positions_.rotations[k], Vector{carried.fx, carried.fy, carried.fz});
    const Vector n = kernels::turned(positions_.rotations[k], Vector{carried.nx, carried.ny, carried.nz});
    momentum_rates[first] += torque.x;
    momentum_rates[first + 1] += torque.y;
    momentum_rates[first + 2] += torque.z;
    if (row.kind == RowKind::free) {
      const Vector force = turned_back(constants.axes_a, f);
      momentum_rates[first + 3] += force.x;
      momentum_rates[first + 4] += force.y;
      momentum_rates[first + 5] += force.z;
    }
    carried = {f.x, f.y, f.z, n.x, n.y, n.z};
    move_inward(positions_.levers[k], carried);
    return;
  }
  const bool slides = row.kind == RowKind::prismatic || row.kind == RowKind::driven_prismatic;
  momentum_rates[first] += slides ? carried.fz : carried.nz;
  carried = carried_inward(tree_.links()[i], positions_.cosines[i], positions_.sines[i], positions_.slides[i], carried);
}

MBDBENCH_SWEEP LinkNaudet::Failure LinkNaudet::sweep_inward(const LinkRange& range, std::span<const double> p,
                                                            std::span<const double> motions) {
  for (int r = range.last_run; r-- > range.first_run;) {
    const LinkRun& run = tree_.runs()[index_of(r)];
    Carried carried{};
    for (int k = run.last_segment; k-- > run.first_segment;) {
      const LinkSegment& segment = tree_.segments()[index_of(k)];
      const Failure failure = segment.kind == RowKind::revolute
                                  ? turns_inward(segment, p, carried)
                                  : row_inward(index_of(segment.first), p, motions, carried);
      if (failure.row >= 0) {
        return failure;
      }
    }
    if (run.root >= 0) {
      roots_[index_of(run.root)] = carried;
    } else if (run.slot >= 0) {
      join_run(run, carried, slots_[index_of(run.slot)].carried);
    }
  }
  return {};
}

// The link itself and the runs that start at it join what comes from outboard.
inline void LinkNaudet::join(std::size_t i, Carried& carried) const {
  add_link(tree_.links()[i], carried);
  if (const int slot = tree_.rows()[i].slot; slot >= 0) {
    const Carried& other = slots_[index_of(slot)].carried;
    add_inertia(other.inertia, carried.inertia);
    add_wrench(other.momentum, carried.momentum);
    add_vector(other.first_moment, carried.first_moment);
  }
}

MBDBENCH_SWEEP LinkNaudet::Failure LinkNaudet::turns_inward(const LinkSegment& segment, std::span<const double> p,
                                                            Carried& carried) {
  Carried local = carried;
  for (std::size_t i = index_of(segment.last); i-- > index_of(segment.first);) {
    join(i, local);
    const double pivot = turn_inward(tree_.links()[i], positions_.cosines[i], positions_.sines[i],
                                     p[index_of(tree_.rows()[i].u)], rows_[i], local);
    if (!(pivot > 0.0)) {
      return {static_cast<int>(i), pivot};
    }
  }
  carried = local;
  return {};
}

MBDBENCH_SWEEP LinkNaudet::Failure LinkNaudet::row_inward(std::size_t i, std::span<const double> p,
                                                          std::span<const double> motions, Carried& carried) {
  const LinkRow& row = tree_.rows()[i];
  const LinkConstants<double>& link = tree_.links()[i];
  const double c = positions_.cosines[i];
  const double s = positions_.sines[i];
  const double d = positions_.slides[i];
  const auto k = index_of(row.ordinal);
  Carried local = carried;
  join(i, local);
  double pivot = 1.0;
  switch (row.kind) {
    case RowKind::screw:
    case RowKind::driven_screw:
      break;  // PartRecursion has these (kernel_choice.hpp)
    case RowKind::revolute:
      pivot = turn_inward(link, c, s, p[index_of(row.u)], rows_[i], local);
      break;
    case RowKind::prismatic:
      pivot = slide_inward(link, c, s, d, p[index_of(row.u)], slides_[k], local);
      break;
    case RowKind::driven_revolute:
      driven_[k].rest = motions[index_of(row.motion)];
      driven_inward(link, c, s, d, driven_[k].rest, 0.0, driven_[k], local);
      break;
    case RowKind::driven_prismatic:
      driven_[k].rest = motions[index_of(row.motion)];
      driven_inward(link, c, s, d, 0.0, driven_[k].rest, driven_[k], local);
      break;
    case RowKind::spherical:
      pivot = spherical_inward(link, positions_.rotations[k], positions_.levers[k],
                               kernels::turned(tree_.spherical()[k].axes_b, three_at(&p[index_of(row.u)])),
                               spherical_[k], local);
      break;
    case RowKind::free:
      pivot = free_inward(link, positions_.rotations[k], positions_.levers[k],
                          kernels::turned(tree_.spherical()[k].axes_b, three_at(&p[index_of(row.u)])),
                          kernels::turned(tree_.spherical()[k].axes_a, three_at(&p[index_of(row.u + 3)])),
                          spherical_[k], local);
      break;
  }
  carried = local;
  return pivot > 0.0 ? Failure{} : Failure{static_cast<int>(i), pivot};
}

MBDBENCH_SWEEP LinkNaudet::Failure LinkNaudet::sweep_outward(const LinkRange& range, std::span<const double> p,
                                                             bool weight, std::span<double> u,
                                                             std::span<double> momentum_rates) {
  for (const LinkRun& run : runs_of(tree_, range)) {
    Motion motion{{}, {}, weight ? run.gravity : Vector{}};
    if (run.slot >= 0) {
      const Motion& slot = slots_[index_of(run.slot)].motion;
      motion.linear = moved_into_start(run.start, slot.linear, slot.angular);
      motion.angular = into_start(run.start, slot.angular);
      motion.gravity = into_start(run.start, slot.gravity);
    }
    for (const LinkSegment& segment :
         tree_.segments().subspan(index_of(run.first_segment), index_of(run.last_segment - run.first_segment))) {
      if (segment.kind == RowKind::revolute) {
        turns_outward(segment, motion, u, momentum_rates);
      } else if (const Failure failure = row_outward(index_of(segment.first), p, motion, u, momentum_rates);
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

MBDBENCH_SWEEP void LinkNaudet::turns_outward(const LinkSegment& segment, Motion& motion, std::span<double> u,
                                              std::span<double> momentum_rates) {
  Motion local = motion;
  for (std::size_t i = index_of(segment.first); i < index_of(segment.last); ++i) {
    const LinkRow& row = tree_.rows()[i];
    double rate = 0.0;
    momentum_rates[index_of(row.place)] =
        turn_outward(tree_.links()[i], positions_.cosines[i], positions_.sines[i], rows_[i], local, rate);
    u[index_of(row.place)] = rate;
    if (row.slot >= 0) {
      slots_[index_of(row.slot)].motion = local;
    }
  }
  motion = local;
}

MBDBENCH_SWEEP LinkNaudet::Failure LinkNaudet::row_outward(std::size_t i, std::span<const double> p, Motion& motion,
                                                           std::span<double> u, std::span<double> momentum_rates) {
  const LinkRow& row = tree_.rows()[i];
  const LinkConstants<double>& link = tree_.links()[i];
  const double c = positions_.cosines[i];
  const double s = positions_.sines[i];
  const double d = positions_.slides[i];
  const auto k = index_of(row.ordinal);
  const auto first = index_of(row.place);
  switch (row.kind) {
    case RowKind::screw:
    case RowKind::driven_screw:
      break;  // PartRecursion has these (kernel_choice.hpp)
    case RowKind::revolute:
      momentum_rates[first] = turn_outward(link, c, s, rows_[i], motion, u[first]);
      break;
    case RowKind::prismatic:
      momentum_rates[first] = slide_outward(link, c, s, d, slides_[k], motion, u[first]);
      break;
    case RowKind::driven_revolute:
      carry_outward(link, c, s, d, motion);
      motion.angular.z += driven_[k].rest;
      u[first] = driven_[k].rest;
      momentum_rates[first] = turn_momentum_rate(motion, whole_momentum(driven_[k], motion), driven_[k].first_moment);
      break;
    case RowKind::driven_prismatic:
      carry_outward(link, c, s, d, motion);
      motion.linear.z += driven_[k].rest;
      u[first] = driven_[k].rest;
      momentum_rates[first] = slide_momentum_rate(link, motion, whole_momentum(driven_[k], motion));
      break;
    case RowKind::spherical: {
      Vector rate{};
      const Vector momentum_rate =
          spherical_outward(positions_.rotations[k], positions_.levers[k], spherical_[k], motion, rate);
      put_three(turned_back(tree_.spherical()[k].axes_b, rate), &u[index_of(row.place)]);
      put_three(turned_back(tree_.spherical()[k].axes_b, momentum_rate), &momentum_rates[index_of(row.place)]);
      break;
    }
    case RowKind::free: {
      const SphericalConstants& constants = tree_.spherical()[k];
      Vector rate{};
      Vector slide{};
      Vector slide_rate{};
      const Vector momentum_rate = free_outward(link, positions_.rotations[k], positions_.levers[k], spherical_[k],
                                                kernels::turned(constants.axes_a, three_at(&p[index_of(row.u + 3)])),
                                                motion, rate, slide, slide_rate);
      put_three(turned_back(constants.axes_b, rate), &u[index_of(row.place)]);
      put_three(turned_back(constants.axes_a, slide), &u[index_of(row.place + 3)]);
      put_three(turned_back(constants.axes_b, momentum_rate), &momentum_rates[index_of(row.place)]);
      put_three(turned_back(constants.axes_a, slide_rate), &momentum_rates[index_of(row.place + 3)]);
      // Links outboard of a free joint do not feel what is not a number inboard of it.
      if (const double sum = slide.x + slide.y + slide.z; !std::isfinite(sum)) {
        return {static_cast<int>(i), sum};
      }
      break;
    }
  }
  if (row.slot >= 0) {
    slots_[index_of(row.slot)].motion = motion;
  }
  return {};
}

}  // namespace mbdbench
