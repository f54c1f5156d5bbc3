#include "experiments/precise/precise_changes.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>

#include "experiments/precise/motion/precise_motion.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// Truncation leaves its square, rounding 1e-34 over it.
constexpr double kStep = 1e-11;
/// Differences of numbers, over the largest of those of their kind, that are their rounding: slopes of 1e-19 at most.
constexpr double kRounding = 1e-30;
/// Kinds of numbers: coordinates (or their rates), velocities or momenta (or theirs), what says what others mean. The
/// last may be 1e15, beside which slopes of 1e-5 would be rounding.
constexpr std::size_t kKinds = 3;
/// Rates of joints that are so near one another, relative, count as the same.
constexpr double kSameRate = 1e-9;
/// A body costs 0.1 ms a change, and more with every row of loops.
constexpr int kMostPairs = 3000;  // of bodies and rows

Reals reals(std::span<const double> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// \returns (after - before) / (2 step), rounded: zero where nothing changes. \param kinds a number each; none: all are
/// of one
template <typename Numbers>
Eigen::VectorXd slopes(const Numbers& after, const Numbers& before, std::span<const std::size_t> kinds = {}) {
  const auto a = after.begin();
  const auto b = before.begin();
  const Eigen::Index count = static_cast<Eigen::Index>(after.size());
  const auto kind_of = [kinds](Eigen::Index i) { return kinds.empty() ? 0 : kinds[index_of(i)]; };
  std::array<Real, kKinds> largest = {0.0, 0.0, 0.0};
  for (Eigen::Index i = 0; i < count; ++i) {
    Real& own = largest[kind_of(i)];
    own = std::max(own, Real(abs(a[i])));
  }
  Eigen::VectorXd rounded(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Real change = a[i] - b[i];
    const bool changes = abs(change) > Real(kRounding) * largest[kind_of(i)];
    rounded[i] = changes ? Real(change / Real(2.0 * kStep)).template convert_to<double>() : 0.0;
  }
  return rounded;
}

std::vector<std::size_t> kinds_of(std::span<const StateComponent> layout) {
  std::vector<std::size_t> kinds;
  std::transform(layout.begin(), layout.end(), std::back_inserter(kinds), [](const StateComponent& one) -> std::size_t {
    const bool rate = one.kind == StateKind::velocity || one.kind == StateKind::momentum;
    return one.constant ? 2 : (rate ? 1 : 0);
  });
  return kinds;
}

/// x + step direction.
Reals moved(std::span<const double> x, std::span<const double> direction, double step) {
  Reals there = reals(x);
  for (std::size_t i = 0; i < direction.size(); ++i) {
    there[i] += Real(step) * Real(direction[i]);
  }
  return there;
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

std::string refuse_precise_changes(const Formulation& formulation, const Parameters& options, int most_bodies) {
  if (std::string refusal = refuse_precise_states(formulation, options); !refusal.empty()) {
    return refusal;
  }
  const Mechanism& mechanism = formulation.mechanism();
  if (mechanism.body_count() > most_bodies || mechanism.body_count() * mechanism.constraint_size() > kMostPairs) {
    return "the reference of 113 bits takes " + std::to_string(most_bodies) + " bodies and " +
           std::to_string(kMostPairs) + " pairs of a body and a row of constraints";
  }
  return {};
}

PreciseChanges::PreciseChanges(const Formulation& formulation, const Parameters& options)
    : mechanism_(&formulation.mechanism()), kinds_(kinds_of(formulation.layout())) {
  if (begins_with_joint_states(formulation)) {
    rules_ = state_rules(formulation, options);
  } else {
    map_.emplace(formulation);
  }
}

TreeNumbers PreciseChanges::numbers_at(double step, std::span<const NumberChange> changes) const {
  TreeNumbers numbers(*mechanism_);
  for (const NumberChange& one : changes) {
    const Real change = Real(step) * Real(one.change);
    switch (one.kind) {
      case ParameterKind::joint_force:
        numbers.forces[one.place] += change;
        break;
      case ParameterKind::mass:
        numbers.masses[one.place] += change;
        break;
      case ParameterKind::stiffness:
        numbers.stiffness[one.place] += change;
        break;
      case ParameterKind::damping:
        numbers.damping[one.place] += change;
        break;
      case ParameterKind::length:
        numbers.elongation[one.place] += change;
        break;
    }
  }
  return numbers;
}

Reals PreciseChanges::rates_at(double t, std::span<const double> x, std::span<const double> direction, double step,
                               std::span<const NumberChange> numbers, Pieces& pieces) const {
  const TreeNumbers own = numbers_at(step, numbers);
  PreciseMotion motion(*mechanism_, own);
  Reals rates = state_rates(motion, rules_, t, moved(x, direction, step));
  pieces = motion.pieces();
  return rates;
}

Eigen::VectorXd PreciseChanges::along(double t, std::span<const double> x, std::span<const double> direction,
                                      std::span<const NumberChange> numbers) const {
  Pieces pieces;
  const Reals after = rates_at(t, x, direction, kStep, numbers, pieces);
  return slopes(after, rates_at(t, x, direction, -kStep, numbers, pieces), kinds_);
}

bool PreciseChanges::closes(std::span<const double> x) const {
  if (!map_) {
    return false;
  }
  PreciseStateMap map = *map_;
  map.choose(x);
  return map.closes();
}

std::optional<PreciseChanges::Change> PreciseChanges::along_motion(double t, const MotionDirection& along,
                                                                   std::span<const double> x,
                                                                   std::span<const NumberChange> numbers,
                                                                   double open) const {
  PreciseStateMap map = *map_;
  map.choose(x);
  struct Side {
    PreciseStateMap::Moving x;
    Pieces pieces;
  };
  const auto at = [&](double step) {
    const TreeNumbers own = numbers_at(step, numbers);
    PreciseMotion motion(*mechanism_, own);
    Reals q = moved(along.q, along.q_change, step);
    Reals u = moved(along.u, along.u_change, step);
    map.close(motion, t, q, u, open);
    return Side{map.moving(motion, t, {q, u}, x), motion.pieces()};
  };
  const Side after = at(kStep);
  const Side before = at(-kStep);
  if (after.pieces != before.pieces) {
    return std::nullopt;
  }
  return Change{slopes(after.x.state, before.x.state, kinds_), slopes(after.x.rates, before.x.rates, kinds_)};
}

std::optional<Eigen::VectorXd> PreciseChanges::along_where_smooth(double t, std::span<const double> x,
                                                                  std::span<const double> direction,
                                                                  std::span<const NumberChange> numbers) const {
  if (gauge_bends(t, x, direction, numbers)) {
    return std::nullopt;
  }
  Pieces after;
  Pieces before;
  const Reals rates_after = rates_at(t, x, direction, kStep, numbers, after);
  const Reals rates_before = rates_at(t, x, direction, -kStep, numbers, before);
  return after == before ? std::optional(slopes(rates_after, rates_before, kinds_)) : std::nullopt;
}

bool PreciseChanges::gauge_bends(double t, std::span<const double> x, std::span<const double> direction,
                                 std::span<const NumberChange> numbers) const {
  const MomentumGauge& gauge = rules_.gauge;
  if (!rules_.momenta || gauge.units.size() == 0 || gauge.leak == 0.0) {
    return false;
  }
  const std::size_t q_size = index_of(mechanism_->q_size());
  // The leak, and what joints make of it where they are faster.
  const auto candidates = [&](double step) {
    const TreeNumbers own = numbers_at(step, numbers);
    const Reals there = moved(x, direction, step);
    Reals rates = PreciseMotion(*mechanism_, own)
                      .velocities(t, std::span(there).first(q_size),
                                  std::span(there).subspan(q_size, index_of(mechanism_->u_size())));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      rates[i] = abs(rates[i]) / Real(gauge.units[static_cast<Eigen::Index>(i)]);
    }
    rates.emplace_back(gauge.leak);
    return rates;
  };
  const Reals here = candidates(0.0);
  const Eigen::VectorXd all = slopes(candidates(kStep), candidates(-kStep));
  const Real fastest = *std::max_element(here.begin(), here.end());
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i] >= (Real(1.0) - Real(kSameRate)) * fastest) {
      least = std::min(least, all[static_cast<Eigen::Index>(i)]);
      largest = std::max(largest, all[static_cast<Eigen::Index>(i)]);
    }
  }
  return largest - least > kSameRate * fastest.convert_to<double>();
}

Eigen::VectorXd PreciseChanges::closing(double t, std::span<const double> x,
                                        std::span<const NumberChange> numbers) const {
  const bool longer = std::any_of(numbers.begin(), numbers.end(), [](const NumberChange& one) {
    return one.kind == ParameterKind::length && one.change != 0.0;
  });
  if (!longer || mechanism_->cut_joints().empty()) {
    return {};
  }
  const std::size_t q_size = index_of(mechanism_->q_size());
  const std::span<const double> q = x.first(q_size);
  const auto openings = [&](double step) {
    const TreeNumbers own = numbers_at(step, numbers);
    PreciseMotion motion(*mechanism_, own);
    motion.place(t, reals(q));
    return motion.loops().openings();
  };
  const RealVector opening = (openings(kStep) - openings(-kStep)) / Real(2.0 * kStep);
  const TreeNumbers here(*mechanism_);
  PreciseMotion motion(*mechanism_, here);
  const Reals place = reals(q);
  const Reals along = motion.coordinate_rates(place, motion.correction(t, place, opening));
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(x.size()));
  std::transform(along.begin(), along.end(), direction.begin(),
                 [](const Real& one) { return one.convert_to<double>(); });
  if (rules_.momenta) {
    return direction;
  }
  const auto velocities = [&](double step) {
    const TreeNumbers own = numbers_at(step, numbers);
    PreciseMotion longer_motion(*mechanism_, own);
    const std::span<const double> coordinates(direction.data(), q_size);
    return longer_motion.projected(t, moved(q, coordinates, step),
                                   reals(x.subspan(q_size, index_of(mechanism_->u_size()))));
  };
  direction.segment(mechanism_->q_size(), mechanism_->u_size()) = slopes(velocities(kStep), velocities(-kStep));
  return direction;
}

}  // namespace mbdbench::precise
