#include "formulations/closed_links/link_elimination.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using namespace kernels;
using Vector = LinkVector<double>;

Vector three_of(std::span<const double> values, int first) {
  return {values[index_of(first)], values[index_of(first) + 1], values[index_of(first) + 2]};
}

void put_three(const Vector& r, int first, std::span<double> values) {
  values[index_of(first)] = r.x;
  values[index_of(first) + 1] = r.y;
  values[index_of(first) + 2] = r.z;
}

bool is_sphere(RowKind kind) {
  return kind == RowKind::spherical || kind == RowKind::free;
}

void subtract(const LinkWrench<double>& load, LinkWrench<double>& wrench) {
  add_wrench({-load.fx, -load.fy, -load.fz, -load.nx, -load.ny, -load.nz}, wrench);
}

/// Gains of three directions that are eliminated one after another, from the factors of all three.
/// \param cholesky of their diagonal block \param gain B C^-1 of what stays, or nullptr \param first component
void describe_three(const Cholesky3<double>& cholesky, const kernels::Matrix3<double>* gain, int first,
                    ColumnStep* steps) {
  const double inverse[3] = {cholesky.inverse1, cholesky.inverse2, cholesky.inverse3};
  for (int i = 0; i < 3; ++i) {
    steps[i] = {first + i, {}, inverse[i]};
  }
  steps[0].gain[first + 1] = cholesky.l21;
  steps[0].gain[first + 2] = cholesky.l31;
  steps[1].gain[first + 2] = cholesky.l32;
  if (gain != nullptr) {
    // G = B C^-1 = X L^-1 with the gains X one after another, so X = G L.
    const double rows[3][3] = {
        {gain->xx, gain->xy, gain->xz}, {gain->yx, gain->yy, gain->yz}, {gain->zx, gain->zy, gain->zz}};
    for (int r = 0; r < 3; ++r) {
      steps[0].gain[r] = rows[r][0] + rows[r][1] * cholesky.l21 + rows[r][2] * cholesky.l31;
      steps[1].gain[r] = rows[r][1] + rows[r][2] * cholesky.l32;
      steps[2].gain[r] = rows[r][2];
    }
  }
}

/// \returns C^-1 n from L^-1 n.
Vector from_steps(const Cholesky3<double>& f, const double* y) {
  const double z = y[2] * f.inverse3;
  const double v = y[1] * f.inverse2 - f.l32 * z;
  return {y[0] * f.inverse1 - f.l21 * v - f.l31 * z, v, z};
}

}  // namespace

LinkElimination::LinkElimination(const Mechanism& mechanism)
    : tree_(mechanism),
      positions_(tree_.positions()),
      start_(tree_.size(), RunStart<double>{1.0, 0.0, 0.0}),
      starts_(tree_.size(), 0),
      inertias_(tree_.size()),
      wrenches_(tree_.size()),
      turnings_(tree_.size()),
      motions_(tree_.size()),
      turns_(tree_.size()),
      slides_(index_of(tree_.slide_count())),
      slide_gains_(slides_.size()),
      spheres_(tree_.spherical().size()) {
  for (Outward* outward : {&loads_, &impulses_}) {
    outward->rows.assign(tree_.size(), {});
    outward->spherical.assign(spheres_.size(), {});
  }
  for (const LinkRun& run : tree_.runs()) {
    starts_[index_of(run.first)] = run.slot >= 0;
    start_[index_of(run.first)] = run.start;
  }
}

int LinkElimination::step_count(std::size_t i) const {
  const RowKind kind = tree_.rows()[i].kind;
  return kind == RowKind::free ? 6 : kind == RowKind::spherical ? 3 : 1;
}

MBDBENCH_SWEEP int LinkElimination::set_positions(std::span<const double> q) {
  tree_.set_positions(q, positions_);
  std::fill(inertias_.begin(), inertias_.end(), ArticulatedInertia<double>{});
  for (std::size_t i = tree_.size(); i-- > 0;) {
    ArticulatedInertia<double> inertia = inertias_[i];
    if (!tree_.rows()[i].massless) {
      add_rigid(tree_.links()[i], inertia);
    }
    if (!eliminate(i, inertia)) {
      return tree_.joint(i);
    }
    const int inboard = tree_.rows()[i].inboard;
    if (inboard >= 0) {
      add_inertia(starts_[i] != 0 ? across_start(start_[i], inertia) : inertia, inertias_[index_of(inboard)]);
    }
  }
  return -1;
}

MBDBENCH_SWEEP bool LinkElimination::eliminate(std::size_t i, ArticulatedInertia<double>& inertia) {
  const LinkRow& row = tree_.rows()[i];
  const LinkConstants<double>& link = tree_.links()[i];
  const auto k = index_of(row.ordinal);
  if (row.kind == RowKind::revolute) {
    failed_pivot_ = inertia.czz;
    turns_[i] = eliminated_turn(inertia, loads_.rows[i].gain);
    impulses_.rows[i].gain = loads_.rows[i].gain;
    inertia = carried_inward(link, positions_.cosines[i], positions_.sines[i], turns_[i].rest);
  } else if (row.kind == RowKind::prismatic) {
    failed_pivot_ = inertia.azz;
    slides_[k] = eliminated_slide(inertia, slide_gains_[k]);
    inertia = carried_inward(link, positions_.cosines[i], positions_.sines[i], positions_.slides[i], slides_[k].rest);
  } else {
    const bool free = row.kind == RowKind::free;
    spheres_[k] = eliminated_sphere(inertia, free, loads_.spherical[k].gain);
    impulses_.spherical[k].gain = loads_.spherical[k].gain;
    failed_pivot_ = spheres_[k].turns.smallest_pivot;
    inertia = {};
    if (free) {
      failed_pivot_ = smaller(failed_pivot_, spheres_[k].slides.smallest_pivot);
    } else {
      inertia = linear_inertia_about(positions_.levers[k], turned(positions_.rotations[k], spheres_[k].rest));
    }
  }
  return failed_pivot_ > 0.0;
}

MBDBENCH_SWEEP void LinkElimination::set_velocities(std::span<const double> u) {
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const int inboard = tree_.rows()[i].inboard;
    Turning<double> turning = inboard < 0 ? Turning<double>{} : turnings_[index_of(inboard)];
    if (starts_[i] != 0) {
      turning.omega = into_start(start_[i], turning.omega);
    }
    const Vector slid = turned_twice(turning, {0.0, 0.0, start_[i].d});
    set_velocity(i, u, turning);
    turnings_[i] = turning;
    if (start_[i].d != 0.0) {  // spherical and free rows have it in their lever
      const Vector moved = rotated_outward(tree_.links()[i], positions_.cosines[i], positions_.sines[i], slid);
      Vector& centripetal = loads_.rows[i].centripetal;
      centripetal = {centripetal.x + moved.x, centripetal.y + moved.y, centripetal.z + moved.z};
    }
  }
}

MBDBENCH_SWEEP void LinkElimination::set_velocity(std::size_t i, std::span<const double> u, Turning<double>& turning) {
  const LinkRow& row = tree_.rows()[i];
  const LinkConstants<double>& link = tree_.links()[i];
  const double c = positions_.cosines[i];
  const double s = positions_.sines[i];
  if (row.kind == RowKind::revolute) {
    turn_velocity(link, c, s, u[index_of(row.u)], turning, loads_.rows[i]);
  } else if (row.kind == RowKind::prismatic) {
    slide_velocity(link, c, s, positions_.slides[i], u[index_of(row.u)], row.massless, turning, loads_.rows[i]);
  } else {
    const auto k = index_of(row.ordinal);
    const SphericalConstants& constants = tree_.spherical()[k];
    const Vector slide =
        row.kind == RowKind::free ? kernels::turned(constants.axes_a, three_of(u, row.u + 3)) : Vector{};
    spherical_velocity(link, positions_.rotations[k], positions_.levers[k],
                       kernels::turned(constants.axes_b, three_of(u, row.u)), slide, turning, loads_.spherical[k]);
  }
}

LinkWrench<double>& LinkElimination::needed(std::size_t i) {
  const LinkRow& row = tree_.rows()[i];
  return is_sphere(row.kind) ? loads_.spherical[index_of(row.ordinal)].needed : loads_.rows[i].needed;
}

MBDBENCH_SWEEP void LinkElimination::sweep_loads(std::span<const double> tau,
                                                 std::span<const LinkWrench<double>> loads) {
  std::fill(wrenches_.begin(), wrenches_.end(), LinkWrench<double>{});
  for (std::size_t i = tree_.size(); i-- > 0;) {
    const LinkRow& row = tree_.rows()[i];
    const LinkConstants<double>& link = tree_.links()[i];
    const auto k = index_of(row.ordinal);
    LinkWrench<double> wrench = wrenches_[i];
    add_wrench(needed(i), wrench);
    subtract(loads[i], wrench);
    if (row.kind == RowKind::revolute) {
      turn_loaded(link, positions_.cosines[i], positions_.sines[i], tau[index_of(row.u)], turns_[i], loads_.rows[i],
                  wrench);
    } else if (row.kind == RowKind::prismatic) {
      slide_loaded(link, positions_.cosines[i], positions_.sines[i], positions_.slides[i], tau[index_of(row.u)],
                   slides_[k], slide_gains_[k], loads_.rows[i], wrench);
    } else {
      const bool free = row.kind == RowKind::free;
      const SphericalConstants& constants = tree_.spherical()[k];
      const Vector force = free ? kernels::turned(constants.axes_a, three_of(tau, row.u + 3)) : Vector{};
      sphere_loaded(positions_.rotations[k], positions_.levers[k], free,
                    kernels::turned(constants.axes_b, three_of(tau, row.u)), force, spheres_[k], loads_.spherical[k],
                    wrench);
    }
    const int inboard = tree_.rows()[i].inboard;
    if (inboard >= 0) {
      add_wrench(starts_[i] != 0 ? across_start(start_[i], wrench) : wrench, wrenches_[index_of(inboard)]);
    }
  }
}

MBDBENCH_SWEEP void LinkElimination::sweep_outward(const Outward& outward, std::span<double> rates) {
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const LinkRow& row = tree_.rows()[i];
    const LinkConstants<double>& link = tree_.links()[i];
    const auto k = index_of(row.ordinal);
    const double c = positions_.cosines[i];
    const double s = positions_.sines[i];
    const int inboard = tree_.rows()[i].inboard;
    Motion motion = inboard < 0 ? Motion{} : motions_[index_of(inboard)];
    if (starts_[i] != 0) {
      motion.linear = moved_into_start(start_[i], motion.linear, motion.angular);
      motion.angular = into_start(start_[i], motion.angular);
    }
    if (row.kind == RowKind::revolute) {
      rates[index_of(row.u)] = turn_acceleration(link, c, s, outward.rows[i], motion.linear, motion.angular);
    } else if (row.kind == RowKind::prismatic) {
      rates[index_of(row.u)] = slide_acceleration(link, c, s, positions_.slides[i], outward.rows[i], slide_gains_[k],
                                                  motion.linear, motion.angular);
    } else {
      const SphericalConstants& constants = tree_.spherical()[k];
      Vector slide{};
      const Vector turn = row.kind == RowKind::free
                              ? free_acceleration(positions_.rotations[k], positions_.levers[k], outward.spherical[k],
                                                  motion.linear, motion.angular, slide)
                              : spherical_acceleration(positions_.rotations[k], positions_.levers[k],
                                                       outward.spherical[k], motion.linear, motion.angular);
      put_three(turned_back(constants.axes_b, turn), row.u, rates);
      if (row.kind == RowKind::free) {
        put_three(turned_back(constants.axes_a, slide), row.u + 3, rates);
      }
    }
    motions_[i] = motion;
  }
}

void LinkElimination::sweep_accelerations(std::span<double> rates) {
  sweep_outward(loads_, rates);
}

void LinkElimination::sweep_impulses(std::span<double> rates) {
  sweep_outward(impulses_, rates);
}

void LinkElimination::describe(std::size_t i, ColumnLink& link) const {
  const LinkRow& row = tree_.rows()[i];
  const auto k = index_of(row.ordinal);
  kernels::Matrix3<double> r{};
  Vector way{};
  if (is_sphere(row.kind)) {
    r = positions_.rotations[k];
    way = positions_.levers[k];
    describe_three(spheres_[k].turns, &loads_.spherical[k].gain, 3, link.steps);
    if (row.kind == RowKind::free) {
      describe_three(spheres_[k].slides, nullptr, 0, link.steps + 3);
    }
  } else {
    const LinkConstants<double>& constants = tree_.links()[i];
    const double c = positions_.cosines[i];
    const double s = positions_.sines[i];
    r = {c,
         -s,
         0.0,
         constants.cos_alpha * s,
         constants.cos_alpha * c,
         -constants.sin_alpha,
         constants.sin_alpha * s,
         constants.sin_alpha * c,
         constants.cos_alpha};
    way = lever(constants, positions_.slides[i]);
    if (row.kind == RowKind::revolute) {
      const JointGain<double>& g = loads_.rows[i].gain;
      link.steps[0] = {5, {g.bx, g.by, g.bz, g.cx, g.cy, 0.0}, turns_[i].inverse};
    } else {
      const SlideGain<double>& g = slide_gains_[k];
      link.steps[0] = {2, {g.ax, g.ay, 0.0, g.bx, g.by, g.bz}, slides_[k].inverse};
    }
  }
  const RunStart<double>& start = start_[i];
  if (starts_[i] != 0) {
    const Vector x = out_of_start(start, Vector{r.xx, r.yx, r.zx});
    const Vector y = out_of_start(start, Vector{r.xy, r.yy, r.zy});
    const Vector z = out_of_start(start, Vector{r.xz, r.yz, r.zz});
    r = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    way = out_of_start(start, way);
    way.z += start.d;
  }
  const double rotation[9] = {r.xx, r.xy, r.xz, r.yx, r.yy, r.yz, r.zx, r.zy, r.zz};
  std::copy(std::begin(rotation), std::end(rotation), std::begin(link.rotation));
  link.way[0] = way.x;
  link.way[1] = way.y;
  link.way[2] = way.z;
}

void LinkElimination::set_impulse(std::size_t i, const double* along) {
  const LinkRow& row = tree_.rows()[i];
  const auto k = index_of(row.ordinal);
  if (row.kind == RowKind::revolute) {
    impulses_.rows[i].rest = along[0] * turns_[i].inverse;
  } else if (row.kind == RowKind::prismatic) {
    impulses_.rows[i].rest = along[0] * slides_[k].inverse;
  } else {
    SphericalAccelerationRow<double>& sphere = impulses_.spherical[k];
    sphere.rest = from_steps(spheres_[k].turns, along);
    if (row.kind == RowKind::free) {
      sphere.linear = from_steps(spheres_[k].slides, along + 3);
    }
  }
}

}  // namespace mbdbench
