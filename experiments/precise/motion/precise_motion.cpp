#include "experiments/precise/motion/precise_motion.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

void add(const Reals& more, Reals& to) {
  std::transform(to.begin(), to.end(), more.begin(), to.begin(), std::plus<>());
}

Real kappa_of(const MomentumGauge& gauge, const Reals& u) {
  Real kappa = gauge.leak;
  for (Eigen::Index i = 0; gauge.leak != 0.0 && i < gauge.units.size(); ++i) {
    kappa = std::max(kappa, Real(abs(u[index_of(i)]) / Real(gauge.units[i])));
  }
  return kappa;
}

}  // namespace

std::string refuse_precise_motion(const Mechanism& mechanism) {
  const TreeNumbers numbers(mechanism);
  try {
    const PreciseMotion motion(mechanism, numbers);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

PreciseMotion::PreciseMotion(const Mechanism& mechanism, const TreeNumbers& numbers)
    : tree_(mechanism, numbers), loads_(mechanism, numbers), loops_(tree_), near_(mechanism) {}

void PreciseMotion::place(double t, std::span<const Real> q) {
  tree_.place(q);
  loops_.place(t, q);
}

void PreciseMotion::go_to(double t, std::span<const Real> q, std::span<const Real> u) {
  place(t, q);
  move(q, u);
}

void PreciseMotion::factorise(double t, std::span<const Real> q) {
  place(t, q);
  solver_.factorise(tree_, loops_);
}

void PreciseMotion::move(std::span<const Real> q, std::span<const Real> u) {
  tree_.move(u);
  loops_.move(u, tree_.coordinate_rates(q, u));
}

AppliedLoads PreciseMotion::loads_at(double t, std::span<const Real> q, std::span<const Real> u) {
  AppliedLoads loads = loads_.at(t, q, u, tree_, near_);
  pieces_ = loads.pieces;
  pieces_.insert(pieces_.end(), loops_.pieces().begin(), loops_.pieces().end());
  return loads;
}

Reals PreciseMotion::accelerations_at(double t, std::span<const Real> q, std::span<const Real> u,
                                      const PullingBack& pull) {
  move(q, u);
  const AppliedLoads loads = loads_at(t, q, u);
  Reals free = tree_.accelerations({loads.joint_forces, true, loads.wrenches});
  RealVector excess = loops_.accelerations(free);
  if (pull.alpha != 0.0 || pull.beta != 0.0) {
    excess += loops_.rates() * Real(2.0 * pull.alpha) + loops_.openings() * (Real(pull.beta) * Real(pull.beta));
  }
  add(solver_.remove(excess).x, free);
  return free;
}

Reals PreciseMotion::accelerations(double t, std::span<const Real> q, std::span<const Real> u) {
  factorise(t, q);
  return accelerations_at(t, q, u, {});
}

PreciseMotion::StateRates PreciseMotion::velocity_rates(double t, std::span<const Real> q, std::span<const Real> u,
                                                        const VelocityRules& rules) {
  factorise(t, q);
  Reals moving(u.begin(), u.end());
  if (rules.projects) {
    keep_constraints(moving);
  }
  return {tree_.coordinate_rates(q, moving), accelerations_at(t, q, moving, rules.pull)};
}

Reals PreciseMotion::projected(double t, std::span<const Real> q, std::span<const Real> u) {
  factorise(t, q);
  Reals moving(u.begin(), u.end());
  keep_constraints(moving);
  return moving;
}

void PreciseMotion::keep_constraints(Reals& u) const {
  add(solver_.remove(loops_.jacobian() * as_vector(u) + loops_.time_rates()).x, u);
}

Reals PreciseMotion::correction(double t, std::span<const Real> q, const RealVector& excess) {
  factorise(t, q);
  return solver_.remove(excess).x;
}

PreciseMotion::StateRates PreciseMotion::momentum_rates(double t, std::span<const Real> q, std::span<const Real> p,
                                                        const MomentumGauge& gauge) {
  factorise(t, q);
  Reals u = tree_.accelerations({p, false, {}});
  const LoopSolver::Correction held = solver_.remove(loops_.jacobian() * as_vector(u) + loops_.time_rates());
  add(held.x, u);
  const RealVector& sigma = held.y;
  move(q, u);
  Reals rates = momentum_rates_there(t, q, u, sigma);
  if (loops_.rows() > 0) {
    RealVector along = sigma * kappa_of(gauge, u);
    if (gauge.tangent) {
      const Reals moved = tree_.accelerations({rates, false, {}});
      along += solver_.remove(loops_.jacobian() * as_vector(moved)).y;
    }
    const RealVector added = loops_.jacobian().transpose() * along;
    add({added.begin(), added.end()}, rates);
  }
  return {tree_.coordinate_rates(q, u), std::move(rates)};
}

Reals PreciseMotion::momentum_rates_there(double t, std::span<const Real> q, std::span<const Real> u,
                                          const RealVector& sigma) {
  const std::vector<Spatial> impulses = loops_.wrenches(sigma);
  const std::vector<Spatial> turning = loops_.wrench_rates(sigma);
  const AppliedLoads loads = loads_at(t, q, u);
  Reals rates = tree_.momentum_rates({loads.joint_forces, true, loads.wrenches}, {impulses, turning});
  const RealVector turned = -loops_.own_force_rates(sigma);
  add({turned.begin(), turned.end()}, rates);
  return rates;
}

Reals PreciseMotion::velocities(double t, std::span<const Real> q, std::span<const Real> p) {
  factorise(t, q);
  Reals free = tree_.accelerations({p, false, {}});
  keep_constraints(free);
  return free;
}

Reals PreciseMotion::momenta(std::span<const Real> q, std::span<const Real> u) {
  tree_.place(q);
  tree_.move(u);
  return tree_.momenta();
}

}  // namespace mbdbench::precise
