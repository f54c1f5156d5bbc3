#include "formulations/augmented_lagrangian/derivatives/absolute_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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

/// What passes leave below it, relative, is rounding.
constexpr double kRounding = 1e-15;
/// Most passes in which what rows that repeat others have against one another is told from the rest.
constexpr int kMostDrops = 30;

/// \returns whether the next pass would change rounding alone: it leaves of an error what this one left of the last.
bool is_last(double change, double last, double size) {
  return change * change <= kRounding * last * size;
}

double size_of(std::span<const double> rows) {
  return Eigen::Map<const Eigen::VectorXd>(rows.data(), static_cast<Eigen::Index>(rows.size())).norm();
}

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
        most(options.most_iterations),
        redundant(m.generic_rank().rank < m.constraint_size()),
        system(m, options, near),
        slopes(m, system, options, near, options.execution.instruction_set),
        bodies(m.bodies().size()),
        velocities(bodies, Vec6::Zero()),
        places(bodies),
        multipliers(index_of(system.row_count())),
        residual(multipliers.size()),
        rates(bodies, Vec6::Zero()) {
    for (const Body& body : m.bodies()) {
      largest_inverse = std::max({largest_inverse, 1.0 / body.mass, body.inertia_inverse.norm()});
    }
  }

  RhsStatus linearise(double t, std::span<const double> x);
  /// Shows `slopes` a pass.
  void show(const Pass& pass) { slopes.set_pass(pass.accelerations, pass.multipliers); }
  [[nodiscard]] Direction direction() const;
  /// Sets rates of all directions.
  void solve(std::span<Direction> directions);
  /// What a direction asks of the passes.
  void ask(Direction& one);
  /// One pass. \returns how much it changes the rates
  double pass_on(Direction& one);
  /// Takes from right sides of rows, or from weights of these, what rows that repeat others have against one another:
  /// no acceleration depends on it, and B, which multiplies it by alpha, would make rounding of it that counts.
  void drop_redundant(std::span<double> of_rows);
  /// Weights of accelerations. \param of_rates changed
  void solve_back(std::vector<Vec6>& of_rates, AbsoluteChange& weights);
  /// One pass. \returns how much it changes of_rates
  double pass_back(std::vector<Vec6>& of_rates, std::vector<Vec6>& of_g, std::vector<double>& of_h);
  [[nodiscard]] Vec6 over_mass(std::size_t body, const Vec6& wrench) const;
  [[nodiscard]] Numbers numbers_of(std::span<const double> x) const;
  void put_numbers(const Numbers& numbers, std::span<double> x) const;
  /// x' of a direction whose rates are set. \param change of the state
  [[nodiscard]] Numbers rates_of(const Direction& direction, const Numbers& change) const;
  void set_twists(const Numbers& change, Direction& direction) const;
  [[nodiscard]] Numbers none() const { return Numbers::Zero(BodySlopes::kNumbers, static_cast<Eigen::Index>(bodies)); }
  /// Calls work(number, place in x) for the numbers of a body.
  template <typename Work>
  void for_numbers(std::size_t body, const Work& work) const {
    for (std::size_t number = 0; number < BodySlopes::kNumbers; ++number) {
      const bool rate = number >= kAbsoluteCoordinates;
      const std::size_t half = rate ? bodies : 0;
      work(static_cast<int>(number),
           static_cast<Eigen::Index>(kAbsoluteCoordinates * (half + body - (rate ? 1 : 0)) + number));
    }
  }

  const Mechanism* mechanism;
  double alpha;
  int most;                      ///< passes
  double largest_inverse = 0.0;  ///< of masses and inertias, SI
  bool redundant;                ///< whether rows repeat others
  AugmentedSystem system;
  AbsoluteSlopes slopes;
  std::size_t bodies;
  std::vector<Vec6> velocities;
  std::vector<BodySlopes> places;
  /// Those of the state, where their number cuts them off; else their limit, and directions have limits of their own:
  /// a state may not excite what its neighbours do.
  std::vector<Pass> passes;
  bool cut_off = false;
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
  const int count = system.solve_accelerations(t);
  cut_off = system.remainder().rates > 0.0;
  if (cut_off && mechanism->generic_rank().overconstrained) {
    return {false, {}, "passes end before they converge where rows repeat others: no derivatives, passes", 1.0 * count};
  }
  // The same passes, of which the system keeps the last alone; and where they converge their limit.
  passes.clear();
  Pass now;
  now.accelerations.resize(bodies);
  now.multipliers.assign(multipliers.size(), 0.0);
  for (std::size_t i = 0; i < bodies; ++i) {
    now.accelerations[i] = over_mass(i, system.input()[i]);
  }
  double last = size_of(now.accelerations);
  for (int k = 0; k < (cut_off ? count : most); ++k) {
    system.row_residual(system.right(), now.accelerations, residual);
    system.correct(residual, multipliers, rates);
    std::transform(now.multipliers.begin(), now.multipliers.end(), multipliers.begin(), now.multipliers.begin(),
                   std::plus<>());
    std::transform(now.accelerations.begin(), now.accelerations.end(), rates.begin(), now.accelerations.begin(),
                   std::plus<>());
    if (cut_off) {
      passes.push_back(now);
    }
    const double change = size_of(rates);
    if (!cut_off && k > 0 && is_last(change, last, size_of(now.accelerations))) {
      break;
    }
    last = change;
  }
  if (!cut_off) {
    passes.push_back(now);
  }
  slopes.set_state(t);
  show(passes.back());
  const Numbers numbers = numbers_of(x);
  for (std::size_t i = 0; i < bodies; ++i) {
    const auto own = numbers.col(static_cast<Eigen::Index>(i));
    places[i] = body_slopes(own.segment<4>(3), own.segment<4>(10),
                            system.kinematics().body(static_cast<int>(i)).rotation, passes.back().accelerations[i]);
  }
  return {};
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

void AbsoluteDerivatives::Workspace::ask(Direction& one) {
  slopes.run(one.change, one.g, one.h);
  for (std::size_t i = 0; i < bodies; ++i) {
    one.g[i] = over_mass(i, one.g[i]);
    one.rates[i] = one.g[i] + one.pushed[i];
  }
}

double AbsoluteDerivatives::Workspace::pass_on(Direction& one) {
  system.row_residual(one.h, one.rates, residual);
  system.correct(residual, multipliers, rates);
  for (std::size_t i = 0; i < bodies; ++i) {
    one.pushed[i] += rates[i];
    one.rates[i] += rates[i];
  }
  return size_of(rates);
}

void AbsoluteDerivatives::Workspace::solve(std::span<Direction> directions) {
  if (cut_off) {
    for (const Pass& pass : passes) {
      show(pass);
      for (Direction& one : directions) {
        ask(one);
        pass_on(one);
      }
    }
    return;
  }
  for (Direction& one : directions) {
    ask(one);
    if (redundant) {
      drop_redundant(one.h);
    }
    double last = size_of(one.rates);
    for (int k = 0; k < most; ++k) {
      const double change = pass_on(one);
      if (k > 0 && is_last(change, last, size_of(one.rates))) {
        break;
      }
      last = change;
    }
  }
}

void AbsoluteDerivatives::Workspace::drop_redundant(std::span<double> of_rows) {
  // B / alpha leaves them, and of all others less at every time, until what is left moves bodies by rounding alone.
  constexpr double kOfRounding = 1e3 * std::numeric_limits<double>::epsilon();  // sums of some tens, levers of metres
  std::vector<double> left(of_rows.begin(), of_rows.end());
  const double nothing = std::numeric_limits<double>::epsilon() * size_of(of_rows);
  for (int k = 0; k < kMostDrops && size_of(left) > nothing; ++k) {
    std::transform(left.begin(), left.end(), left.begin(), [this](double row) { return row / alpha; });
    system.correct(left, multipliers, rates);
    left = multipliers;
    if (size_of(rates) <= kOfRounding * largest_inverse * size_of(left)) {
      std::transform(of_rows.begin(), of_rows.end(), left.begin(), of_rows.begin(), std::minus<>());
      return;
    }
  }
}

double AbsoluteDerivatives::Workspace::pass_back(std::vector<Vec6>& of_rates, std::vector<Vec6>& of_g,
                                                 std::vector<double>& of_h) {
  const std::vector<double> none(multipliers.size(), 0.0);
  system.row_residual(none, of_rates, residual);
  std::transform(residual.begin(), residual.end(), residual.begin(), std::negate<>());
  system.correct(residual, multipliers, rates);
  for (std::size_t i = 0; i < bodies; ++i) {
    of_rates[i] -= rates[i];
    of_g[i] -= rates[i];
  }
  std::transform(of_h.begin(), of_h.end(), multipliers.begin(), of_h.begin(), std::plus<>());
  return size_of(rates);
}

void AbsoluteDerivatives::Workspace::solve_back(std::vector<Vec6>& of_rates, AbsoluteChange& weights) {
  std::vector<double> of_h(multipliers.size(), 0.0);
  for (std::size_t i = 0; i < bodies; ++i) {
    of_rates[i] = over_mass(i, of_rates[i]);
  }
  std::vector<Vec6> of_g = of_rates;
  if (cut_off) {
    for (std::size_t k = passes.size(); k-- > 0;) {
      pass_back(of_rates, of_g, of_h);
      show(passes[k]);
      slopes.run_back(of_g, of_h, weights);
      std::fill(of_g.begin(), of_g.end(), Vec6::Zero());
      std::fill(of_h.begin(), of_h.end(), 0.0);
    }
    return;
  }
  double last = size_of(of_rates);
  for (int k = 0; k < most; ++k) {
    const double change = pass_back(of_rates, of_g, of_h);
    if (k > 0 && is_last(change, last, size_of(of_rates))) {
      break;
    }
    last = change;
  }
  if (redundant) {
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

RhsStatus AbsoluteDerivatives::linearise(double t, std::span<const double> x) {
  if (work_ == nullptr) {
    if (!without_jacobian().empty()) {
      return {false, {}, "there are no exact derivatives, state components", static_cast<double>(x.size())};
    }
    work_ = std::make_unique<Workspace>(*mechanism_, options_, near_);
  }
  work_->system.set_near(coordinates_());
  return work_->linearise(t, x);
}

std::string AbsoluteDerivatives::without_jacobian() const {
  if (!without_) {
    without_ = options_.conjugate
                   ? "passes that are conjugate residuals have no exact derivatives; with passes=plain there are some"
                   : LoopLoads::obstacle(*mechanism_);
  }
  return *without_;
}

RhsStatus AbsoluteDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x); !status.ok) {
    return status;
  }
  Workspace& now = *work_;
  const std::size_t size = x.size();
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(
      rows.data(), static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
  // x' by the motions of so many bodies at a time: slopes of passes that differ are set once for these.
  constexpr std::size_t kTogether = 8;
  constexpr std::size_t kTwist = BodySlopes::kTwist;
  std::vector<Workspace::Direction> directions;
  Eigen::MatrixXd columns(static_cast<Eigen::Index>(size), BodySlopes::kTwist);
  for (std::size_t first = 0; first < now.bodies; first += kTogether) {
    const std::size_t last = std::min(first + kTogether, now.bodies);
    directions.assign((last - first) * kTwist, now.direction());
    for (std::size_t d = 0; d < directions.size(); ++d) {
      directions[d].change.twists.col(static_cast<Eigen::Index>(first + d / kTwist))[static_cast<int>(d % kTwist)] =
          1.0;
    }
    now.solve(directions);
    for (std::size_t body = first; body < last; ++body) {
      for (std::size_t k = 0; k < kTwist; ++k) {
        now.put_numbers(now.rates_of(directions[(body - first) * kTwist + k], now.none()),
                        {columns.col(static_cast<Eigen::Index>(k)).data(), size});
      }
      const Eigen::MatrixXd by_numbers = columns * now.places[body].twist;
      now.for_numbers(body, [&](int number, Eigen::Index at) { all.col(at) = by_numbers.col(number); });
      now.for_numbers(body, [&](int number, Eigen::Index at) {
        now.for_numbers(body,
                        [&](int rate, Eigen::Index row) { all(row, at) += now.places[body].rates(rate, number); });
      });
    }
  }
  return finite_or_why(rows);
}

RhsStatus AbsoluteDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                               std::span<double> product) {
  if (const RhsStatus status = linearise(t, x); !status.ok) {
    return status;
  }
  Workspace& now = *work_;
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
  if (const RhsStatus status = linearise(t, x); !status.ok) {
    return status;
  }
  Workspace& now = *work_;
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

void AbsoluteDerivatives::set_parameter(const RateParameter& parameter, const AbsoluteSlopes& slopes,
                                        AbsoluteChange& change) const {
  const ParameterPlace place = place_of(*mechanism_, parameter);
  switch (place.kind) {
    case ParameterKind::mass:
      change.masses[place.body] = 1.0;
      break;
    case ParameterKind::length:
      require_length(*mechanism_, parameter, slopes.link_direction(place.link));
      change.lengths[place.link] = 1.0;
      break;
    case ParameterKind::joint_force:
      change.forces[place.u] = 1.0;
      break;
    case ParameterKind::stiffness:
      change.forces[place.u] = place.rest - slopes.q()[index_of(place.q)];
      break;
    case ParameterKind::damping:
      change.forces[place.u] = -slopes.u()[index_of(place.u)];
      break;
  }
}

RhsStatus AbsoluteDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                  std::span<const RateParameter> parameters, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x); !status.ok) {
    return status;
  }
  Workspace& now = *work_;
  constexpr std::size_t kTogether = 64;
  std::vector<double> column(x.size());
  for (std::size_t first = 0; first < parameters.size(); first += kTogether) {
    const std::size_t count = std::min(kTogether, parameters.size() - first);
    std::vector<Workspace::Direction> directions(count, now.direction());
    for (std::size_t j = 0; j < count; ++j) {
      set_parameter(parameters[first + j], now.slopes, directions[j].change);
    }
    now.solve(directions);
    for (std::size_t j = 0; j < count; ++j) {
      now.put_numbers(now.rates_of(directions[j], now.none()), column);
      for (std::size_t i = 0; i < x.size(); ++i) {
        rows[i * parameters.size() + first + j] = column[i];
      }
    }
  }
  return finite_or_why(rows);
}

}  // namespace mbdbench
