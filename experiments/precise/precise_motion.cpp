#include "experiments/precise/precise_motion.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

Eigen::Map<const RealVector> as_vector(const Reals& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

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
  for (const Joint& joint : mechanism.cut_joints()) {
    if (!is_known(joint.type)) {
      return "the reference of 113 bits does not know cut joint '" + joint.name + "'";
    }
  }
  if (mechanism.rheonomic()) {
    return "the reference of 113 bits knows no prescribed motions";
  }
  const MechanismDescription& given = mechanism.description();
  if (!given.couplings.empty() || !given.velocity_constraints.empty()) {
    return "the reference of 113 bits knows no couplings and no constraints of velocities";
  }
  const std::string load = unknown_loads(mechanism);
  return load.empty() ? load : "the reference of 113 bits does not know " + load;
}

PreciseMotion::PreciseMotion(const Mechanism& mechanism, const TreeNumbers& numbers)
    : tree_(mechanism, numbers), loops_(tree_) {
  if (const std::string refusal = refuse_precise_motion(mechanism); !refusal.empty()) {
    throw std::invalid_argument(refusal);
  }
}

void PreciseMotion::place(std::span<const Real> q) {
  tree_.place(q);
  loops_.place();
}

void PreciseMotion::factorise(std::span<const Real> q) {
  place(q);
  solver_.factorise(tree_, loops_);
}

Reals PreciseMotion::accelerations_at(double t, std::span<const Real> q, std::span<const Real> u,
                                      const PullingBack& pull) {
  tree_.move(u);
  loops_.move();
  const Reals forces = tree_.joint_forces(t, q, u);
  Reals free = tree_.accelerations({forces, true});
  RealVector excess = loops_.accelerations();
  if (pull.alpha != 0.0 || pull.beta != 0.0) {
    excess += loops_.rates() * Real(2.0 * pull.alpha) + loops_.openings() * (Real(pull.beta) * Real(pull.beta));
  }
  add(solver_.remove(excess).x, free);
  return free;
}

Reals PreciseMotion::accelerations(double t, std::span<const Real> q, std::span<const Real> u) {
  factorise(q);
  return accelerations_at(t, q, u, {});
}

PreciseMotion::StateRates PreciseMotion::velocity_rates(double t, std::span<const Real> q, std::span<const Real> u,
                                                        const VelocityRules& rules) {
  factorise(q);
  Reals moving(u.begin(), u.end());
  if (rules.projects) {
    add(solver_.remove(loops_.jacobian() * as_vector(moving)).x, moving);
  }
  return {tree_.coordinate_rates(q, moving), accelerations_at(t, q, moving, rules.pull)};
}

Reals PreciseMotion::projected(std::span<const Real> q, std::span<const Real> u) {
  factorise(q);
  Reals moving(u.begin(), u.end());
  add(solver_.remove(loops_.jacobian() * as_vector(moving)).x, moving);
  return moving;
}

Reals PreciseMotion::correction(std::span<const Real> q, const RealVector& excess) {
  factorise(q);
  return solver_.remove(excess).x;
}

RealVector PreciseMotion::multipliers_of(std::span<const Real> forces) {
  const Reals free = tree_.accelerations({forces, false});
  return solver_.remove(loops_.jacobian() * as_vector(free)).y;
}

PreciseMotion::StateRates PreciseMotion::momentum_rates(double t, std::span<const Real> q, std::span<const Real> p,
                                                        const MomentumGauge& gauge) {
  const Reals u = velocities(q, p);
  const RealVector sigma = multipliers_of(p);
  tree_.move(u);
  loops_.move();
  const std::vector<Spatial> impulses = loops_.wrenches(sigma);
  const std::vector<Spatial> turning = loops_.wrench_rates(sigma);
  Reals rates = tree_.momentum_rates(tree_.joint_forces(t, q, u), {impulses, turning});
  if (loops_.rows() > 0) {
    RealVector along = sigma * kappa_of(gauge, u);
    if (gauge.tangent) {
      along += multipliers_of(rates);
    }
    const RealVector added = loops_.jacobian().transpose() * along;
    add({added.begin(), added.end()}, rates);
  }
  return {tree_.coordinate_rates(q, u), std::move(rates)};
}

Reals PreciseMotion::velocities(std::span<const Real> q, std::span<const Real> p) {
  factorise(q);
  Reals free = tree_.accelerations({p, false});
  add(solver_.remove(loops_.jacobian() * as_vector(free)).x, free);
  return free;
}

Reals PreciseMotion::momenta(std::span<const Real> q, std::span<const Real> u) {
  tree_.place(q);
  tree_.move(u);
  return tree_.momenta();
}

}  // namespace mbdbench::precise
