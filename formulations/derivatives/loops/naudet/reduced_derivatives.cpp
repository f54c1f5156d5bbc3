#include "formulations/derivatives/loops/naudet/reduced_derivatives.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
ReducedDerivatives::ReducedDerivatives(const Mechanism& mechanism, DependentStates& states, const CutReferences* near,
                                       std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : states_(&states),
      work_(mechanism, {}, !states.solves_coordinates(), near, std::move(solver), set),
      cuts_(cuts_in(states, mechanism)) {}

std::string ReducedDerivatives::without_jacobian() const {
  return LoopState::obstacle(*work_.mechanism);
}

std::span<const double> ReducedDerivatives::cut_coordinates_of(std::span<const double> x) const {
  return x.subspan(static_cast<std::size_t>(cuts_at()), static_cast<std::size_t>(cuts_.size()));
}

Eigen::VectorXd ReducedDerivatives::momenta_of(std::span<const double> x) const {
  Eigen::VectorXd p = Eigen::VectorXd::Zero(work_.size);
  std::size_t place = static_cast<std::size_t>(momenta_at());
  for (const int component : states_->independent()) {
    p[component] = x[place++];
  }
  return p;
}

RhsStatus ReducedDerivatives::linearise(double t, std::span<const double> x, bool whole) {
  RhsStatus status = states_->read(x);
  if (status.ok) {
    status = work_.linearise(t, states_->coordinates(), momenta_of(x), whole);
  }
  if (status.ok) {
    states_->multipliers(view(work_.state.wanted_forces()), view(work_.mu));
  }
  return status;
}

void ReducedDerivatives::differentiate(MomentumChanges& changes) {
  work_.differentiate(states_->coordinates(), changes);
  for (Eigen::Index c = 0; c < changes.rates.cols(); ++c) {
    states_->reduce({changes.rates.col(c).data(), static_cast<std::size_t>(work_.size)});
  }
}

RhsStatus ReducedDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x, true); !status.ok) {
    return status;
  }
  const std::span<const double> q = states_->coordinates();
  const std::span<const double> q_cut = cut_coordinates_of(x);
  const std::span<const int> held = states_->held();
  const std::span<const int> independent = states_->independent();
  const Eigen::Index n = work_.size;
  const auto count = static_cast<Eigen::Index>(independent.size());
  MomentumChanges changes(n, n + count);
  changes.turns.leftCols(n) = motions_of(*states_, n);
  for (Eigen::Index k = 0; k < count; ++k) {
    changes.momenta(independent[index_of(k)], n + k) = 1.0;
  }
  differentiate(changes);
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), total, total);
  all.setZero();
  const TurnedCoordinates& tree = work_.coordinates;
  const Eigen::Index cuts_from = cuts_at();
  const Eigen::Index at = momenta_at();
  TurnedCoordinates::RowMajor by_q = tree.rates(q, tree.by_coordinates(q, changes.velocities.leftCols(n)));
  tree.add_rates_by_coordinates(work_.u, by_q);
  all.topLeftCorner(cuts_from, cuts_from) = by_q(held, held);
  all.block(0, at, cuts_from, count) = tree.rates(q, changes.velocities.rightCols(count))(held, Eigen::all);
  all.block(cuts_from, 0, cuts_.size(), cuts_from) =
      cuts_.rates(q_cut, tree.by_coordinates(q, changes.watched.leftCols(n)))(Eigen::all, held);
  all.block(cuts_from, at, cuts_.size(), count) = cuts_.rates(q_cut, changes.watched.rightCols(count));
  cuts_.add_rates_by_coordinates(work_.cut_rates, all.block(cuts_from, cuts_from, cuts_.size(), cuts_.size()));
  all.block(at, 0, count, cuts_from) = tree.by_coordinates(q, changes.rates.leftCols(n))(independent, held);
  all.block(at, at, count, count) = changes.rates.rightCols(count)(independent, Eigen::all);
  return finite_or_why(rows);
}

RhsStatus ReducedDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                              std::span<double> product) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = states_->coordinates();
  const std::vector<double> moved = spread(*states_, direction);
  MomentumChanges changes(work_.size, 1);
  changes.turns.col(0) = work_.coordinates.turns_of(q, moved);
  if (states_->solves_coordinates()) {
    states_->complete({changes.turns.data(), static_cast<std::size_t>(work_.size)});
  }
  changes.momenta.col(0) = momenta_of(direction);
  differentiate(changes);
  std::fill(product.begin(), product.end(), 0.0);
  std::vector<double> rates(q.size());
  work_.coordinates.set_rates(q, moved, work_.u, changes.velocities.col(0), rates);
  gather(*states_, rates, product);
  cuts_.set_rates(cut_coordinates_of(x), cut_coordinates_of(direction), work_.cut_rates, changes.watched.col(0),
                  product.subspan(static_cast<std::size_t>(cuts_at())));
  std::size_t place = static_cast<std::size_t>(momenta_at());
  for (const int component : states_->independent()) {
    product[place++] = changes.rates(component, 0);
  }
  return finite_or_why(product);
}

RhsStatus ReducedDerivatives::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                                   std::span<double> product, const WeightsByParameter& by) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = states_->coordinates();
  std::fill(product.begin(), product.end(), 0.0);
  std::vector<double> by_q(q.size());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(work_.size);
  MomentumWorkspace::Weights worth{zero, zero, zero};
  work_.coordinates.set_weights(q, spread(*states_, weights), work_.u, by_q, worth.by_push);
  Eigen::VectorXd of_watched = Eigen::VectorXd::Zero(work_.watched);
  cuts_.set_weights(cut_coordinates_of(x), cut_coordinates_of(weights), work_.cut_rates,
                    product.subspan(static_cast<std::size_t>(cuts_at())), of_watched);
  Eigen::VectorXd y = momenta_of(weights);
  states_->complete(view(y));
  work_.begin_weights(y, by);
  work_.weigh(q, y, of_watched, worth, by);
  if (states_->solves_coordinates()) {
    if (!by.lengths.empty()) {
      // Dependent coordinates close what longer links open.
      Eigen::VectorXd nu = work_.none;
      states_->multipliers(view(std::as_const(worth.by_turn)), view(nu));
      work_.state.add_weights_of_openings(view(std::as_const(nu)), by.lengths);
    }
    states_->reduce(view(worth.by_turn));
  }
  work_.coordinates.add_weights_of_turns(q, worth.by_turn, by_q);
  gather(*states_, by_q, product);
  std::size_t place = static_cast<std::size_t>(momenta_at());
  for (const int component : states_->independent()) {
    product[place++] = worth.by_momentum[component];
  }
  return finite_or_why(product);
}

RhsStatus ReducedDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                 std::span<const RateParameter> parameters, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = states_->coordinates();
  MomentumChanges changes = work_.changes_by(parameters, q);
  if (changes.lengths.cols() > 0 && states_->solves_coordinates()) {
    changes.turns = closing_turns(*states_, work_.state.openings_by_lengths(changes.lengths), work_.size);
  }
  differentiate(changes);
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), static_cast<Eigen::Index>(x.size()), changes.turns.cols());
  all.setZero();
  all.topRows(cuts_at()) = work_.coordinates.rates(q, changes.velocities)(states_->held(), Eigen::all);
  all.middleRows(cuts_at(), cuts_.size()) = cuts_.rates(cut_coordinates_of(x), changes.watched);
  all.middleRows(momenta_at(), static_cast<Eigen::Index>(states_->independent().size())) =
      changes.rates(states_->independent(), Eigen::all);
  return finite_or_why(rows);
}

}  // namespace mbdbench
