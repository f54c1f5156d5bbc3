#include "experiments/precise/precise_changes.hpp"

#include <algorithm>
#include <iterator>

#include "experiments/precise/precise_motion.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// Truncation leaves its square, rounding 1e-34 over it.
constexpr double kStep = 1e-11;
/// A body costs 0.1 ms and more with every row of loops.
constexpr int kMostBodies = 128;
constexpr int kMostPairs = 3000;  // of bodies and rows

Reals reals(std::span<const double> numbers) {
  return {numbers.begin(), numbers.end()};
}

StateKind rate_kind(const Formulation& formulation) {
  const bool momenta = std::any_of(formulation.layout().begin(), formulation.layout().end(),
                                   [](const StateComponent& one) { return one.kind == StateKind::momentum; });
  return momenta ? StateKind::momentum : StateKind::velocity;
}

/// \returns x' of a state in joint coordinates.
Reals rates_of(PreciseMotion& motion, StateKind kind, double t, std::span<const Real> x, std::size_t q_size) {
  const std::span<const Real> q = x.first(q_size);
  const std::span<const Real> second = x.subspan(q_size);
  PreciseMotion::MomentumRates rates;
  if (kind == StateKind::momentum) {
    rates = motion.momentum_rates(t, q, second);
  } else {
    rates.q = motion.coordinate_rates(q, second);
    rates.p = motion.accelerations(t, q, second);
  }
  rates.q.insert(rates.q.end(), rates.p.begin(), rates.p.end());
  return rates.q;
}

}  // namespace

std::vector<double> precise_accelerations(const Mechanism& mechanism, double t, std::span<const double> q,
                                          std::span<const double> u) {
  const TreeNumbers numbers(mechanism);
  const Reals rates = PreciseMotion(mechanism, numbers).accelerations(t, reals(q), reals(u));
  std::vector<double> rounded;
  std::transform(rates.begin(), rates.end(), std::back_inserter(rounded),
                 [](const Real& rate) { return rate.convert_to<double>(); });
  return rounded;
}

std::string refuse_precise_changes(const Formulation& formulation) {
  const Mechanism& mechanism = formulation.mechanism();
  if (std::string refusal = refuse_precise_motion(mechanism); !refusal.empty()) {
    return refusal;
  }
  if (!has_joint_states(formulation)) {
    return "its states are not those of the tree's joints";
  }
  const int rows = mechanism.constraint_size();
  if (rows > 0 && rate_kind(formulation) == StateKind::momentum) {
    return "momenta of loops hold impulses of constraints";
  }
  if (mechanism.body_count() > kMostBodies || mechanism.body_count() * rows > kMostPairs) {
    return "the reference of 113 bits would take too long";
  }
  return {};
}

Eigen::VectorXd precise_change(const Formulation& formulation, double t, std::span<const double> x,
                               std::span<const double> direction) {
  const Mechanism& mechanism = formulation.mechanism();
  const TreeNumbers numbers(mechanism);
  PreciseMotion motion(mechanism, numbers);
  const StateKind kind = rate_kind(formulation);
  const auto at = [&](double step) {
    Reals there = reals(x);
    for (std::size_t i = 0; i < there.size(); ++i) {
      there[i] += Real(step) * Real(direction[i]);
    }
    return rates_of(motion, kind, t, there, index_of(mechanism.q_size()));
  };
  const Reals after = at(kStep);
  const Reals before = at(-kStep);
  Eigen::VectorXd change(static_cast<Eigen::Index>(x.size()));
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Real slope = (after[i] - before[i]) / Real(2.0 * kStep);
    change[static_cast<Eigen::Index>(i)] = slope.convert_to<double>();
  }
  return change;
}

}  // namespace mbdbench::precise
