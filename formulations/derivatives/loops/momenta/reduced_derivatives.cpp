#include "formulations/derivatives/loops/momenta/reduced_derivatives.hpp"

#include <algorithm>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {

ReducedDerivatives::ReducedDerivatives(const Mechanism& mechanism, ReducedMomenta& states, const CutReferences* near,
                                       std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : states_(&states), work_(mechanism, {}, true, near, std::move(solver), set), cuts_(mechanism.cut_joints()) {}

std::string ReducedDerivatives::without_jacobian() const {
  return LoopState::obstacle(*work_.mechanism);
}

std::span<const double> ReducedDerivatives::coordinates_of(std::span<const double> x) const {
  return x.first(static_cast<std::size_t>(work_.coordinates.size()));
}

std::span<const double> ReducedDerivatives::cut_coordinates_of(std::span<const double> x) const {
  return x.subspan(static_cast<std::size_t>(work_.coordinates.size()), static_cast<std::size_t>(cuts_.size()));
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
    status = work_.linearise(t, coordinates_of(x), momenta_of(x), whole);
  }
  if (status.ok) {
    states_->multipliers(view(work_.state.wanted_forces()), view(work_.mu));
  }
  return status;
}

void ReducedDerivatives::differentiate(std::span<const double> x, MomentumChanges& changes) {
  work_.differentiate(coordinates_of(x), changes);
  for (Eigen::Index c = 0; c < changes.rates.cols(); ++c) {
    states_->reduce({changes.rates.col(c).data(), static_cast<std::size_t>(work_.size)});
  }
}

RhsStatus ReducedDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x, true); !status.ok) {
    return status;
  }
  const std::span<const double> q = coordinates_of(x);
  const std::span<const double> q_cut = cut_coordinates_of(x);
  const std::span<const int> independent = states_->independent();
  const Eigen::Index n = work_.size;
  const auto count = static_cast<Eigen::Index>(independent.size());
  MomentumChanges changes(n, n + count);
  changes.turns.leftCols(n).setIdentity();
  for (Eigen::Index k = 0; k < count; ++k) {
    changes.momenta(independent[index_of(k)], n + k) = 1.0;
  }
  differentiate(x, changes);
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), total, total);
  all.setZero();
  const TurnedCoordinates& tree = work_.coordinates;
  const Eigen::Index at = momenta_at();
  const Eigen::MatrixXd rates_by_q = tree.by_coordinates(q, changes.rates.leftCols(n));
  all.topLeftCorner(tree.size(), tree.size()) = tree.rates(q, tree.by_coordinates(q, changes.velocities.leftCols(n)));
  all.block(0, at, tree.size(), count) = tree.rates(q, changes.velocities.rightCols(count));
  tree.add_rates_by_coordinates(work_.u, all);
  all.block(tree.size(), 0, cuts_.size(), tree.size()) =
      cuts_.rates(q_cut, tree.by_coordinates(q, changes.watched.leftCols(n)));
  all.block(tree.size(), at, cuts_.size(), count) = cuts_.rates(q_cut, changes.watched.rightCols(count));
  cuts_.add_rates_by_coordinates(work_.cut_rates, all.block(tree.size(), tree.size(), cuts_.size(), cuts_.size()));
  for (Eigen::Index k = 0; k < count; ++k) {
    const int component = independent[index_of(k)];
    all.row(at + k).head(tree.size()) = rates_by_q.row(component);
    all.row(at + k).segment(at, count) = changes.rates.row(component).tail(count);
  }
  return finite_or_why(rows);
}

RhsStatus ReducedDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                              std::span<double> product) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = coordinates_of(x);
  MomentumChanges changes(work_.size, 1);
  changes.turns.col(0) = work_.coordinates.turns_of(q, coordinates_of(direction));
  changes.momenta.col(0) = momenta_of(direction);
  differentiate(x, changes);
  std::fill(product.begin(), product.end(), 0.0);
  work_.coordinates.set_rates(q, coordinates_of(direction), work_.u, changes.velocities.col(0),
                              product.first(q.size()));
  cuts_.set_rates(cut_coordinates_of(x), cut_coordinates_of(direction), work_.cut_rates, changes.watched.col(0),
                  product.subspan(q.size()));
  std::size_t place = static_cast<std::size_t>(momenta_at());
  for (const int component : states_->independent()) {
    product[place++] = changes.rates(component, 0);
  }
  return finite_or_why(product);
}

RhsStatus ReducedDerivatives::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                                   std::span<double> product, std::span<double> by_forces,
                                                   std::span<double> by_masses) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = coordinates_of(x);
  std::fill(product.begin(), product.end(), 0.0);
  const std::span<double> by_q = product.first(q.size());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(work_.size);
  MomentumWorkspace::Weights worth{zero, zero, zero};
  work_.coordinates.set_weights(q, coordinates_of(weights), work_.u, by_q, worth.by_push);
  Eigen::VectorXd of_watched = Eigen::VectorXd::Zero(work_.watched);
  cuts_.set_weights(cut_coordinates_of(x), cut_coordinates_of(weights), work_.cut_rates, product.subspan(q.size()),
                    of_watched);
  Eigen::VectorXd y = momenta_of(weights);
  states_->complete(view(y));
  std::copy_n(y.begin(), by_forces.size(), by_forces.begin());
  std::fill(by_masses.begin(), by_masses.end(), 0.0);
  work_.weigh(q, y, of_watched, worth, by_masses);
  work_.coordinates.add_weights_of_turns(q, worth.by_turn, by_q);
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
  const std::span<const double> q = coordinates_of(x);
  MomentumChanges changes = work_.changes_by(parameters, q);
  differentiate(x, changes);
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), static_cast<Eigen::Index>(x.size()), changes.turns.cols());
  all.setZero();
  all.topRows(work_.coordinates.size()) = work_.coordinates.rates(q, changes.velocities);
  all.middleRows(work_.coordinates.size(), cuts_.size()) = cuts_.rates(cut_coordinates_of(x), changes.watched);
  Eigen::Index place = momenta_at();
  for (const int component : states_->independent()) {
    all.row(place++) = changes.rates.row(component);
  }
  return finite_or_why(rows);
}

}  // namespace mbdbench
