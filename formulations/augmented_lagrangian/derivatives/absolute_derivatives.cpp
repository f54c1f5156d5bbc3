#include "formulations/augmented_lagrangian/derivatives/absolute_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "formulations/augmented_lagrangian/derivatives/absolute_slopes.hpp"
#include "formulations/derivatives/loops/loop_workspace.hpp"
#include "formulations/derivatives/rate_parameters.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

/// Of slopes of different passes, relative: what passes leave below it is rounding.
constexpr double kConverged = 1e-14;

using Numbers = Eigen::Matrix<double, BodySlopes::kNumbers, Eigen::Dynamic>;

double size_of(std::span<const Vec6> rates) {
  double sum = 0.0;
  for (const Vec6& rate : rates) {
    sum += rate.squaredNorm();
  }
  return std::sqrt(sum);
}

}  // namespace

struct AbsoluteDerivatives::Workspace {
  /// What one pass leaves.
  struct Pass {
    std::vector<Vec6> accelerations;
    std::vector<double> multipliers;
    double change = 0.0;  ///< of accelerations and multipliers, relative
  };
  /// One direction: its changes, what it asks of the passes, what these have made of it.
  struct Direction {
    AbsoluteChange change;
    std::vector<Vec6> g;
    std::vector<double> h;
    std::vector<Vec6> pushed;  ///< M^-1 D^T dlambda
    std::vector<Vec6> rates;   ///< da
  };

  Workspace(const Mechanism& m, const AugmentedOptions& options, const CutReferences* near)
      : mechanism(&m),
        alpha(options.alpha),
        redundant(m.generic_rank().rank < m.constraint_size()),
        system(m, options, near),
        slopes(m, system, options, near, options.execution.instruction_set),
        bodies(m.bodies().size()),
        velocities(bodies, Vec6::Zero()),
        places(bodies),
        multipliers(index_of(system.row_count())),
        residual(multipliers.size()),
        rates(bodies, Vec6::Zero()) {}

  RhsStatus linearise(double t, std::span<const double> x);
  /// Shows `slopes` a pass. \returns whether it was another one
  bool show(std::size_t pass);
  [[nodiscard]] Direction direction() const;
  /// Sets rates of all directions.
  void solve(std::span<Direction> directions);
  /// Takes from right sides of rows, or from weights of these, what rows that repeat others have against one another:
  /// no acceleration depends on it, and B, which multiplies it by alpha, would make rounding of it that counts.
  void drop_redundant(std::span<double> of_rows);
  /// Weights of accelerations. \param of_rates changed
  void solve_back(std::vector<Vec6>& of_rates, AbsoluteChange& weights);
  [[nodiscard]] Vec6 over_mass(std::size_t body, const Vec6& wrench) const;
  [[nodiscard]] Numbers numbers_of(std::span<const double> x) const;
  void put_numbers(const Numbers& numbers, std::span<double> x) const;
  /// x' of a direction whose rates are set. \param change of the state
  [[nodiscard]] Numbers rates_of(const Direction& direction, const Numbers& change) const;
  void set_twists(const Numbers& change, Direction& direction) const;

  const Mechanism* mechanism;
  double alpha;
  bool redundant;  ///< whether rows repeat others
  AugmentedSystem system;
  AbsoluteSlopes slopes;
  std::size_t bodies;
  std::vector<Vec6> velocities;
  std::vector<BodySlopes> places;
  std::vector<Pass> passes;
  bool converged = false;  ///< whether the slopes of the last pass are those of all
  std::size_t shown = 0;
  bool shows = false;
  std::vector<double> multipliers;
  std::vector<double> residual;
  std::vector<Vec6> rates;
};

Vec6 AbsoluteDerivatives::Workspace::over_mass(std::size_t body, const Vec6& wrench) const {
  Vec6 result;
  result.head<3>() = wrench.head<3>() / mechanism->bodies()[body].mass;
  result.tail<3>().noalias() = system.kinematics().body(static_cast<int>(body)).inertia_inverse * wrench.tail<3>();
  return result;
}

Numbers AbsoluteDerivatives::Workspace::numbers_of(std::span<const double> x) const {
  Numbers result(BodySlopes::kNumbers, static_cast<Eigen::Index>(bodies));
  constexpr auto kHalf = static_cast<Eigen::Index>(kAbsoluteCoordinates);
  const Eigen::Map<const Eigen::Matrix<double, kHalf, Eigen::Dynamic>> y(x.data(), kHalf, result.cols());
  const Eigen::Map<const Eigen::Matrix<double, kHalf, Eigen::Dynamic>> rate(x.data() + y.size(), kHalf, result.cols());
  result << y, rate;
  return result;
}

void AbsoluteDerivatives::Workspace::put_numbers(const Numbers& numbers, std::span<double> x) const {
  constexpr auto kHalf = static_cast<Eigen::Index>(kAbsoluteCoordinates);
  Eigen::Map<Eigen::Matrix<double, kHalf, Eigen::Dynamic>> y(x.data(), kHalf, numbers.cols());
  Eigen::Map<Eigen::Matrix<double, kHalf, Eigen::Dynamic>> rate(x.data() + y.size(), kHalf, numbers.cols());
  y = numbers.topRows<kHalf>();
  rate = numbers.bottomRows<kHalf>();
}

RhsStatus AbsoluteDerivatives::Workspace::linearise(double t, std::span<const double> x) {
  const std::size_t half = x.size() / 2;
  system.place(t, x.first(half));
  body_velocities(x.first(half), x.subspan(half), velocities);
  system.set_velocities(velocities);
  if (const RhsStatus status = system.assemble(); !status.ok) {
    return status;
  }
  const auto count = index_of(system.solve_accelerations(t));
  // The same passes, of which the system keeps the last alone.
  passes.assign(count, {});
  Pass now;
  now.accelerations.resize(bodies);
  now.multipliers.assign(multipliers.size(), 0.0);
  for (std::size_t i = 0; i < bodies; ++i) {
    now.accelerations[i] = over_mass(i, system.input()[i]);
  }
  const auto change_of = [](double change, double size) { return change > 0.0 ? change / size : 0.0; };
  for (Pass& pass : passes) {
    system.row_residual(system.right(), now.accelerations, residual);
    system.correct(residual, multipliers, rates);
    double step = 0.0;
    double length = 0.0;
    for (std::size_t row = 0; row < multipliers.size(); ++row) {
      now.multipliers[row] += multipliers[row];
      step += multipliers[row] * multipliers[row];
      length += now.multipliers[row] * now.multipliers[row];
    }
    for (std::size_t i = 0; i < bodies; ++i) {
      now.accelerations[i] += rates[i];
    }
    now.change =
        std::max(change_of(std::sqrt(step), std::sqrt(length)), change_of(size_of(rates), size_of(now.accelerations)));
    pass = now;
  }
  // What a pass leaves of an error is about what it left of the last change; slopes of earlier passes differ from the
  // last one's by as much as the pass changed, and reach the end by that part of themselves.
  const double last = passes.back().change;
  converged = count == 1 || last * last <= kConverged * passes[count - 2].change;
  slopes.set_state(t);
  shows = false;
  show(count - 1);
  const Numbers numbers = numbers_of(x);
  for (std::size_t i = 0; i < bodies; ++i) {
    const auto own = numbers.col(static_cast<Eigen::Index>(i));
    places[i] = body_slopes(own.segment<4>(3), own.segment<4>(10),
                            system.kinematics().body(static_cast<int>(i)).rotation, passes.back().accelerations[i]);
  }
  return {};
}

bool AbsoluteDerivatives::Workspace::show(std::size_t pass) {
  const std::size_t which = converged ? passes.size() - 1 : pass;
  if (shows && shown == which) {
    return false;
  }
  slopes.set_pass(passes[which].accelerations, passes[which].multipliers);
  shown = which;
  shows = true;
  return true;
}

AbsoluteDerivatives::Workspace::Direction AbsoluteDerivatives::Workspace::direction() const {
  Direction result;
  result.change.set_zero(*mechanism);
  result.g.assign(bodies, Vec6::Zero());
  result.h.assign(multipliers.size(), 0.0);
  result.pushed.assign(bodies, Vec6::Zero());
  result.rates.assign(bodies, Vec6::Zero());
  return result;
}

void AbsoluteDerivatives::Workspace::solve(std::span<Direction> directions) {
  for (std::size_t k = 0; k < passes.size(); ++k) {
    const bool changed = show(k) || k == 0;
    for (Direction& one : directions) {
      if (changed) {
        slopes.run(one.change, one.g, one.h);
        for (std::size_t i = 0; i < bodies; ++i) {
          one.g[i] = over_mass(i, one.g[i]);
        }
        if (converged && redundant) {
          drop_redundant(one.h);
        }
      }
      for (std::size_t i = 0; i < bodies; ++i) {
        one.rates[i] = one.g[i] + one.pushed[i];
      }
      system.row_residual(one.h, one.rates, residual);
      system.correct(residual, multipliers, rates);
      for (std::size_t i = 0; i < bodies; ++i) {
        one.pushed[i] += rates[i];
        one.rates[i] += rates[i];
      }
    }
  }
}

void AbsoluteDerivatives::Workspace::drop_redundant(std::span<double> of_rows) {
  // B / alpha leaves them, and of all others as little as a pass leaves of an error.
  std::vector<double> left(of_rows.begin(), of_rows.end());
  for (std::size_t k = 0; k < passes.size(); ++k) {
    std::transform(left.begin(), left.end(), left.begin(), [this](double row) { return row / alpha; });
    system.correct(left, multipliers, rates);
    left = multipliers;
  }
  std::transform(of_rows.begin(), of_rows.end(), left.begin(), of_rows.begin(), std::minus<>());
}

void AbsoluteDerivatives::Workspace::solve_back(std::vector<Vec6>& of_rates, AbsoluteChange& weights) {
  const std::vector<double> none(multipliers.size(), 0.0);
  std::vector<Vec6> of_g(bodies, Vec6::Zero());
  std::vector<double> of_h(multipliers.size(), 0.0);
  for (std::size_t i = 0; i < bodies; ++i) {
    of_rates[i] = over_mass(i, of_rates[i]);
    of_g[i] = of_rates[i];
  }
  for (std::size_t k = passes.size(); k-- > 0;) {
    if (!converged && k + 1 < passes.size()) {
      slopes.run_back(of_g, of_h, weights);
      std::fill(of_g.begin(), of_g.end(), Vec6::Zero());
      std::fill(of_h.begin(), of_h.end(), 0.0);
    }
    show(k);
    system.row_residual(none, of_rates, residual);
    for (double& row : residual) {
      row = -row;
    }
    system.correct(residual, multipliers, rates);
    for (std::size_t i = 0; i < bodies; ++i) {
      of_rates[i] -= rates[i];
      of_g[i] -= rates[i];
    }
    for (std::size_t row = 0; row < of_h.size(); ++row) {
      of_h[row] += multipliers[row];
    }
  }
  if (converged && redundant) {
    drop_redundant(of_h);
  }
  slopes.run_back(of_g, of_h, weights);
}

void AbsoluteDerivatives::Workspace::set_twists(const Numbers& change, Direction& direction) const {
  for (std::size_t i = 0; i < bodies; ++i) {
    const auto body = static_cast<Eigen::Index>(i);
    direction.change.twists.col(body) = places[i].twist * change.col(body);
  }
}

Numbers AbsoluteDerivatives::Workspace::rates_of(const Direction& direction, const Numbers& change) const {
  Numbers result(change.rows(), change.cols());
  for (std::size_t i = 0; i < bodies; ++i) {
    const auto body = static_cast<Eigen::Index>(i);
    result.col(body) = places[i].rates * change.col(body) + places[i].by_acceleration * direction.rates[i];
  }
  return result;
}

AbsoluteDerivatives::AbsoluteDerivatives(const Mechanism& mechanism, const AugmentedOptions& options,
                                         const CutReferences* near,
                                         std::function<std::span<const double>()> coordinates)
    : mechanism_(&mechanism), options_(options), near_(near), coordinates_(std::move(coordinates)) {
  options_.execution = options.execution.alone();
}

AbsoluteDerivatives::~AbsoluteDerivatives() = default;

AbsoluteDerivatives::Workspace& AbsoluteDerivatives::work() {
  if (work_ == nullptr) {
    work_ = std::make_unique<Workspace>(*mechanism_, options_, near_);
  }
  work_->system.set_near(coordinates_());
  return *work_;
}

std::string AbsoluteDerivatives::without_jacobian() const {
  if (options_.conjugate) {
    return "passes that are conjugate residuals have no exact derivatives; with passes=plain there are some";
  }
  return LoopLoads::obstacle(*mechanism_);
}

RhsStatus AbsoluteDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  Workspace& now = work();
  if (const RhsStatus status = now.linearise(t, x); !status.ok) {
    return status;
  }
  const std::size_t size = x.size();
  Numbers change = Numbers::Zero(BodySlopes::kNumbers, static_cast<Eigen::Index>(now.bodies));
  std::vector<double> column(size);
  std::vector<Workspace::Direction> directions;
  // Slopes of passes that differ are set once for the numbers of so many bodies.
  constexpr std::size_t kTogether = 8;
  for (std::size_t first = 0; first < now.bodies; first += kTogether) {
    const std::size_t last = std::min(first + kTogether, now.bodies);
    directions.assign((last - first) * BodySlopes::kNumbers, now.direction());
    const auto place_of = [first](std::size_t d) {
      return std::pair(first + d / BodySlopes::kNumbers, static_cast<Eigen::Index>(d % BodySlopes::kNumbers));
    };
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const auto [body, number] = place_of(d);
      directions[d].change.twists.col(static_cast<Eigen::Index>(body)) = now.places[body].twist.col(number);
    }
    now.solve(directions);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const auto [body, number] = place_of(d);
      auto own = change.col(static_cast<Eigen::Index>(body));
      own = Eigen::Matrix<double, BodySlopes::kNumbers, 1>::Unit(number);
      now.put_numbers(now.rates_of(directions[d], change), column);
      own.setZero();
      const auto of_half = static_cast<std::size_t>(number) % kAbsoluteCoordinates;
      const bool rate = static_cast<std::size_t>(number) >= kAbsoluteCoordinates;
      const std::size_t at = (rate ? size / 2 : 0) + kAbsoluteCoordinates * body + of_half;
      for (std::size_t i = 0; i < size; ++i) {
        rows[i * size + at] = column[i];
      }
    }
  }
  return finite_or_why(rows);
}

RhsStatus AbsoluteDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                               std::span<double> product) {
  Workspace& now = work();
  if (const RhsStatus status = now.linearise(t, x); !status.ok) {
    return status;
  }
  const Numbers change = now.numbers_of(direction);
  Workspace::Direction one = now.direction();
  now.set_twists(change, one);
  now.solve(std::span(&one, 1));
  now.put_numbers(now.rates_of(one, change), product);
  return finite_or_why(product);
}

RhsStatus AbsoluteDerivatives::weighted_derivatives(double t, std::span<const double> x,
                                                    std::span<const double> weights, std::span<double> product,
                                                    const WeightsByParameter& by) {
  Workspace& now = work();
  if (const RhsStatus status = now.linearise(t, x); !status.ok) {
    return status;
  }
  const Numbers given = now.numbers_of(weights);
  std::vector<Vec6> of_rates(now.bodies);
  for (std::size_t i = 0; i < now.bodies; ++i) {
    of_rates[i] = now.places[i].by_acceleration.transpose() * given.col(static_cast<Eigen::Index>(i));
  }
  AbsoluteChange sums;
  sums.set_zero(*mechanism_);
  now.solve_back(of_rates, sums);
  Numbers result(given.rows(), given.cols());
  for (std::size_t i = 0; i < now.bodies; ++i) {
    const auto body = static_cast<Eigen::Index>(i);
    result.col(body) =
        now.places[i].rates.transpose() * given.col(body) + now.places[i].twist.transpose() * sums.twists.col(body);
  }
  now.put_numbers(result, product);
  const auto copy = [](const Eigen::VectorXd& from, std::span<double> to) {
    std::copy_n(from.data(), to.size(), to.data());
  };
  copy(sums.forces, by.forces);
  copy(sums.masses, by.masses);
  copy(sums.lengths, by.lengths);
  return finite_or_why(product);
}

RhsStatus AbsoluteDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                  std::span<const RateParameter> parameters, std::span<double> rows) {
  Workspace& now = work();
  if (const RhsStatus status = now.linearise(t, x); !status.ok) {
    return status;
  }
  std::vector<Workspace::Direction> directions(parameters.size(), now.direction());
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const ParameterPlace place = place_of(*mechanism_, parameters[j]);
    AbsoluteChange& change = directions[j].change;
    switch (place.kind) {
      case ParameterKind::mass:
        change.masses[place.body] = 1.0;
        break;
      case ParameterKind::length:
        require_length(*mechanism_, parameters[j], now.slopes.link_direction(place.link));
        change.lengths[place.link] = 1.0;
        break;
      case ParameterKind::joint_force:
        change.forces[place.u] = 1.0;
        break;
      case ParameterKind::stiffness:
        change.forces[place.u] = place.rest - now.slopes.q()[index_of(place.q)];
        break;
      case ParameterKind::damping:
        change.forces[place.u] = -now.slopes.u()[index_of(place.u)];
        break;
    }
  }
  now.solve(directions);
  const Numbers none = Numbers::Zero(BodySlopes::kNumbers, static_cast<Eigen::Index>(now.bodies));
  std::vector<double> column(x.size());
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    now.put_numbers(now.rates_of(directions[j], none), column);
    for (std::size_t i = 0; i < x.size(); ++i) {
      rows[i * parameters.size() + j] = column[i];
    }
  }
  return finite_or_why(rows);
}

}  // namespace mbdbench
