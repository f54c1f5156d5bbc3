#include "formulations/derivatives/loops/momenta/momentum_derivatives.hpp"

#include <algorithm>
#include <utility>

namespace mbdbench {

MomentumDerivatives::MomentumDerivatives(const Mechanism& mechanism, MomentumRules rules, const CutReferences* near,
                                         std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : work_(mechanism, std::move(rules), false, near, std::move(solver), set) {}

std::string MomentumDerivatives::without_jacobian() const {
  return LoopState::obstacle(*work_.mechanism);
}

RhsStatus MomentumDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  const std::span<const double> q = work_.q_of(x);
  if (const RhsStatus status = work_.linearise(t, q, work_.rates_of(x), true); !status.ok) {
    return status;
  }
  const Eigen::Index n = work_.size;
  MomentumChanges changes(n, 2 * n);
  changes.turns.leftCols(n).setIdentity();
  changes.momenta.rightCols(n).setIdentity();
  work_.differentiate(q, changes);
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), total, total);
  const Eigen::Index q_size = work_.mechanism->q_size();
  all.bottomRightCorner(n, n) = changes.rates.rightCols(n);
  all.topRightCorner(q_size, n) = work_.coordinates.rates(q, changes.velocities.rightCols(n));
  all.bottomLeftCorner(n, q_size) = work_.coordinates.by_coordinates(q, changes.rates.leftCols(n));
  all.topLeftCorner(q_size, q_size) =
      work_.coordinates.rates(q, work_.coordinates.by_coordinates(q, changes.velocities.leftCols(n)));
  work_.coordinates.add_rates_by_coordinates(work_.u, all);
  return finite_or_why(rows);
}

RhsStatus MomentumDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                               std::span<double> product) {
  const std::span<const double> q = work_.q_of(x);
  if (const RhsStatus status = work_.linearise(t, q, work_.rates_of(x), false); !status.ok) {
    return status;
  }
  MomentumChanges changes(work_.size, 1);
  changes.turns.col(0) = work_.coordinates.turns_of(q, work_.q_of(direction));
  changes.momenta.col(0) = work_.rates_of(direction);
  work_.differentiate(q, changes);
  std::copy_n(changes.rates.data(), work_.size, product.begin() + work_.mechanism->q_size());
  work_.coordinates.set_rates(q, work_.q_of(direction), work_.u, changes.velocities.col(0), product.first(q.size()));
  return finite_or_why(product);
}

RhsStatus MomentumDerivatives::weighted_derivatives(double t, std::span<const double> x,
                                                    std::span<const double> weights, std::span<double> product,
                                                    const WeightsByParameter& by) {
  const std::span<const double> q = work_.q_of(x);
  if (const RhsStatus status = work_.linearise(t, q, work_.rates_of(x), false); !status.ok) {
    return status;
  }
  const std::span<double> by_q = product.first(q.size());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(work_.size);
  MomentumWorkspace::Weights worth{zero, zero, zero};
  work_.coordinates.set_weights(q, work_.q_of(weights), work_.u, by_q, worth.by_push);
  Eigen::VectorXd y = work_.rates_of(weights);
  Eigen::VectorXd leaked;  // weights of M u - p
  Eigen::VectorXd less;    // of the flow of the gauge
  Eigen::VectorXd less_multipliers;
  if (work_.rules.leak != 0.0) {
    leaked = work_.rules.leak * y;
    worth.by_push += work_.state.momenta_of(leaked);
    worth.by_momentum = -leaked;
  }
  if (work_.rules.tangent) {
    less = y;
    worth.by_push += less.dot(work_.excess) * work_.steepness;
    y = work_.state.momenta_of(less);
    work_.solve(y, work_.none);
    less_multipliers = work_.sigma.col(0);
    less = y - less;
    worth.by_momentum = work_.kappa * less;
  }
  work_.begin_weights(y, by);
  work_.weigh(q, y, {}, worth, by);
  if (work_.rules.leak != 0.0) {
    work_.turn_to_momenta();
    work_.add_weights_of_changes(leaked, work_.none, worth.by_turn, by);
    leaked *= -1.0;
    work_.state.add_weights_of_masses(leaked, &LoopState::UnitMass::change, by.masses);
  }
  if (work_.rules.tangent) {
    work_.turn_to_gauge();
    work_.state.add_weights_of_masses(less, &LoopState::UnitMass::change, by.masses);
    less *= -1.0;
    work_.add_weights_of_changes(less, less_multipliers, worth.by_turn, by);
  }
  work_.coordinates.add_weights_of_turns(q, worth.by_turn, by_q);
  std::copy(worth.by_momentum.begin(), worth.by_momentum.end(), product.begin() + work_.mechanism->q_size());
  return finite_or_why(product);
}

RhsStatus MomentumDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                  std::span<const RateParameter> parameters, std::span<double> rows) {
  const std::span<const double> q = work_.q_of(x);
  if (const RhsStatus status = work_.linearise(t, q, work_.rates_of(x), false); !status.ok) {
    return status;
  }
  MomentumChanges changes = work_.changes_by(parameters, q);
  work_.differentiate(q, changes);
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), static_cast<Eigen::Index>(x.size()), changes.turns.cols());
  all.bottomRows(work_.size) = changes.rates;
  all.topRows(work_.mechanism->q_size()) = work_.coordinates.rates(q, changes.velocities);
  return finite_or_why(rows);
}

}  // namespace mbdbench
