#include "formulations/augmented_lagrangian/derivatives/absolute_derivatives.hpp"

#include <algorithm>
#include <functional>
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

using Numbers = Eigen::Matrix<double, BodySlopes::kNumbers, Eigen::Dynamic>;

}  // namespace

struct AbsoluteDerivatives::Workspace {
  /// One direction: its changes, what it asks of the passes, what these have made of it.
  struct Direction {
    AbsoluteChange change;
    std::vector<Vec6> g;
    std::vector<double> h;
    std::vector<Vec6> pushed;  ///< M^-1 D^T dlambda
    std::vector<Vec6> rates;   ///< da
  };

  Workspace(const Mechanism& m, const AugmentedOptions& options, IterationForm of_rates, const CutReferences* near)
      : mechanism(&m),
        form(of_rates),
        damping(2.0 * options.omega * options.mu),
        system(m, options, near),
        slopes(m, system, options, near, options.execution.instruction_set),
        passes(m, options, form, system),
        bodies(m.bodies().size()),
        velocities(bodies, Vec6::Zero()),
        places(bodies),
        rows(index_of(system.row_count())) {}

  RhsStatus linearise(double t, std::span<const double> x);
  /// Shows `slopes` a pass.
  void show(const LinearPasses::Pass& pass) { slopes.set_pass(pass.accelerations, pass.multipliers); }
  [[nodiscard]] Direction direction() const;
  /// Sets rates of all directions.
  RhsStatus solve(std::span<Direction> directions);
  /// What a direction asks of the passes.
  void ask(Direction& one);
  /// Weights of accelerations. \param of_rates changed
  RhsStatus solve_back(std::vector<Vec6>& of_rates, AbsoluteChange& weights);
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
  IterationForm form;
  double damping;  ///< 2 omega mu
  AugmentedSystem system;
  AbsoluteSlopes slopes;
  LinearPasses passes;
  std::size_t bodies;
  std::vector<Vec6> velocities;
  std::vector<BodySlopes> places;
  std::size_t rows;
};

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
  if (const RhsStatus status = passes.find(t); !status.ok) {
    return status;
  }
  slopes.set_state(t);
  show(passes.found().back());
  const Numbers numbers = numbers_of(x);
  for (std::size_t i = 0; i < bodies; ++i) {
    const auto own = numbers.col(static_cast<Eigen::Index>(i));
    const Mat3& rotation = system.kinematics().body(static_cast<int>(i)).rotation;
    const Vec6& acceleration = passes.found().back().accelerations[i];
    places[i] = form == IterationForm::primal
                    ? primal_body_slopes(own.segment<4>(3), own.segment<4>(10), rotation, acceleration, damping)
                    : body_slopes(own.segment<4>(3), own.segment<4>(10), rotation, acceleration);
  }
  return {};
}

AbsoluteDerivatives::Workspace::Direction AbsoluteDerivatives::Workspace::direction() const {
  Direction result;
  result.change.set_zero(*mechanism);
  result.g.assign(bodies, Vec6::Zero());
  result.h.assign(rows, 0.0);
  result.pushed.assign(bodies, Vec6::Zero());
  result.rates.assign(bodies, Vec6::Zero());
  return result;
}

void AbsoluteDerivatives::Workspace::ask(Direction& one) {
  slopes.run(one.change, one.g, one.h);
  for (std::size_t i = 0; i < bodies; ++i) {
    one.g[i] = passes.over_mass(i, one.g[i]);
    one.rates[i] = one.g[i] + one.pushed[i];
  }
}

RhsStatus AbsoluteDerivatives::Workspace::solve(std::span<Direction> directions) {
  if (passes.cut_off()) {
    for (const LinearPasses::Pass& pass : passes.found()) {
      show(pass);
      for (Direction& one : directions) {
        ask(one);
        passes.forward(one.h, one.pushed, one.rates);
      }
    }
    return {};
  }
  std::vector<double> ignored(rows);
  for (Direction& one : directions) {
    ask(one);
    passes.drop_redundant(one.h);
    std::fill(ignored.begin(), ignored.end(), 0.0);
    if (const RhsStatus status = passes.find_limit(one.h, ignored, one.rates); !status.ok) {
      return status;
    }
  }
  return {};
}

RhsStatus AbsoluteDerivatives::Workspace::solve_back(std::vector<Vec6>& of_rates, AbsoluteChange& weights) {
  std::vector<double> of_h(rows, 0.0);
  for (std::size_t i = 0; i < bodies; ++i) {
    of_rates[i] = passes.over_mass(i, of_rates[i]);
  }
  if (passes.cut_off()) {
    std::vector<Vec6> of_g = of_rates;
    for (std::size_t k = passes.found().size(); k-- > 0;) {
      passes.back(of_rates, of_g, of_h);
      show(passes.found()[k]);
      slopes.run_back(of_g, of_h, weights);
      std::fill(of_g.begin(), of_g.end(), Vec6::Zero());
      std::fill(of_h.begin(), of_h.end(), 0.0);
    }
    return {};
  }
  // What weights of the limit are weights of is a limit too: of rates that break no row.
  if (const RhsStatus status = passes.find_limit(std::vector<double>(rows, 0.0), of_h, of_rates); !status.ok) {
    return status;
  }
  std::transform(of_h.begin(), of_h.end(), of_h.begin(), std::negate<>());
  passes.drop_redundant(of_h);
  slopes.run_back(of_rates, of_h, weights);
  return {};
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
                                         IterationForm form, const CutReferences* near,
                                         std::function<std::span<const double>()> coordinates)
    : mechanism_(&mechanism), options_(options), form_(form), near_(near), coordinates_(std::move(coordinates)) {
  options_.execution = options.execution.alone();
}

AbsoluteDerivatives::~AbsoluteDerivatives() = default;

RhsStatus AbsoluteDerivatives::linearise(double t, std::span<const double> x) {
  if (work_ == nullptr) {
    if (!without_jacobian().empty()) {
      return {false, {}, "there are no exact derivatives, state components", static_cast<double>(x.size())};
    }
    work_ = std::make_unique<Workspace>(*mechanism_, options_, form_, near_);
  }
  work_->system.set_near(coordinates_());
  return work_->linearise(t, x);
}

std::string AbsoluteDerivatives::without_jacobian() const {
  if (!without_) {
    without_ = LoopLoads::obstacle(*mechanism_);
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
    if (const RhsStatus status = now.solve(directions); !status.ok) {
      return status;
    }
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
  if (const RhsStatus status = now.solve(std::span(&one, 1)); !status.ok) {
    return status;
  }
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
  if (const RhsStatus status = now.solve_back(of_rates, sums); !status.ok) {
    return status;
  }
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
  const RhsStatus status = finite_or_why(product);
  return status.ok ? finite_or_why(by) : status;
}

void AbsoluteDerivatives::set_parameter(const RateParameter& parameter, const SpringForces& springs,
                                        AbsoluteChange& change) const {
  const AbsoluteSlopes& slopes = work_->slopes;
  const ParameterPlace place = place_of(*mechanism_, parameter);
  if (place.moves_bodies()) {
    const auto pair = springs.wrenches(place);
    change.wrenches.assign(pair.begin(), pair.end());
    return;
  }
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
  SpringForces springs(*mechanism_, near_);
  springs.set_state(now.slopes.q(), now.slopes.u());
  constexpr std::size_t kTogether = 64;
  std::vector<double> column(x.size());
  for (std::size_t first = 0; first < parameters.size(); first += kTogether) {
    const std::size_t count = std::min(kTogether, parameters.size() - first);
    std::vector<Workspace::Direction> directions(count, now.direction());
    for (std::size_t j = 0; j < count; ++j) {
      set_parameter(parameters[first + j], springs, directions[j].change);
    }
    if (const RhsStatus status = now.solve(directions); !status.ok) {
      return status;
    }
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
