#include "formulations/derivatives/loops/naudet/twin_derivatives.hpp"

#include <algorithm>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
TwinDerivatives::TwinDerivatives(const Mechanism& mechanism, DependentStates* states, const CutReferences* near,
                                 std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : all_joints_(states == nullptr ? std::make_unique<AllJointStates>(mechanism) : nullptr),
      states_(states == nullptr ? all_joints_.get() : states),
      work_(mechanism, false, near, std::move(solver), set),
      cuts_(cuts_in(*states_, mechanism)) {
  work_.watched = states_->solves_coordinates() ? 0 : LoopState::cut_velocity_count(mechanism);
}

std::string TwinDerivatives::without_jacobian() const {
  return LoopState::obstacle(*work_.mechanism);
}

TwinDerivatives::Parts TwinDerivatives::none() const {
  return {std::vector<double>(index_of(work_.mechanism->q_size())),
          std::vector<double>(static_cast<std::size_t>(cuts_.size())), Eigen::VectorXd::Zero(work_.size),
          Eigen::VectorXd::Zero(work_.watched)};
}

TwinDerivatives::Parts TwinDerivatives::parts_of(std::span<const double> x) const {
  Parts parts = none();
  parts.q = spread(*states_, x);
  std::size_t place = states_->held().size();
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(place), parts.q_cut.size(), parts.q_cut.begin());
  place += parts.q_cut.size();
  for (const int component : states_->independent()) {
    parts.u[component] = x[place++];
  }
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(place), parts.u_cut.size(), parts.u_cut.begin());
  return parts;
}

void TwinDerivatives::put(const Parts& parts, std::span<double> x) const {
  std::fill(x.begin(), x.end(), 0.0);
  gather(*states_, parts.q, x);
  std::size_t place = states_->held().size();
  std::copy(parts.q_cut.begin(), parts.q_cut.end(), x.begin() + static_cast<std::ptrdiff_t>(place));
  place += parts.q_cut.size();
  for (const int component : states_->independent()) {
    x[place++] = parts.u[component];
  }
  std::copy(parts.u_cut.begin(), parts.u_cut.end(), x.begin() + static_cast<std::ptrdiff_t>(place));
}

RhsStatus TwinDerivatives::linearise(double t, std::span<const double> x, bool whole) {
  if (const RhsStatus status = states_->read(x); !status.ok) {
    return status;
  }
  at_ = parts_of(x);
  std::copy(states_->coordinates().begin(), states_->coordinates().end(), at_.q.begin());
  states_->complete(view(at_.u));
  if (const RhsStatus status = work_.place(t, at_.q, whole); !status.ok) {
    return status;
  }
  work_.accelerate(at_.q, at_.u);
  if (!states_->solves_coordinates()) {
    work_.state.watch_cuts();
  }
  work_.sweeps.slope_cuts(work_.state.data());
  return {};
}

Eigen::MatrixXd TwinDerivatives::pushes_of(const Eigen::MatrixXd& turns, const Eigen::MatrixXd& lengths) {
  Eigen::MatrixXd pushes = Eigen::MatrixXd::Zero(work_.size, turns.cols());
  if (!states_->solves_coordinates()) {
    return pushes;
  }
  work_.sweep(turns, pushes, LoopWorkspace::Wanted::flow, lengths);
  for (Eigen::Index c = 0; c < turns.cols(); ++c) {
    states_->add_correction({work_.swept.firsts.col(c).data(), index_of(work_.mechanism->cut_row_count())},
                            {pushes.col(c).data(), static_cast<std::size_t>(work_.size)});
  }
  return pushes;
}

RhsStatus TwinDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x, true); !status.ok) {
    return status;
  }
  const Eigen::Index n = work_.size;
  const Eigen::MatrixXd motions = motions_of(*states_, n);
  const Eigen::MatrixXd pushed = pushes_of(motions);
  Eigen::MatrixXd accelerations(n, 2 * n);
  Eigen::MatrixXd wanted(work_.rows, 2 * n);
  Eigen::MatrixXd watched(work_.watched, 2 * n);
  // By displacements, then by velocities.
  for (const Eigen::Index first : {Eigen::Index{0}, n}) {
    work_.sweep(first == 0 ? motions : Eigen::MatrixXd::Zero(n, n), first == 0 ? pushed : motions);
    accelerations.middleCols(first, n) = -work_.swept.forces.topRows(n);
    watched.middleCols(first, n) = -work_.swept.forces.bottomRows(work_.watched);
    wanted.middleCols(first, n) = -work_.swept.seconds;
  }
  work_.solve(accelerations, wanted);
  if (work_.watched > 0) {
    watched += work_.state.watched_by(accelerations);
  }
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), total, total);
  all.setZero();
  const TurnedCoordinates& tree = work_.coordinates;
  const std::span<const int> held = states_->held();
  const std::span<const int> independent = states_->independent();
  const auto held_count = static_cast<Eigen::Index>(held.size());
  const auto count = static_cast<Eigen::Index>(independent.size());
  const Eigen::Index u_at = held_count + cuts_.size();
  const Eigen::Index u_cut_at = u_at + count;
  // What depends moves no coordinate that is held.
  TurnedCoordinates::RowMajor by_q = TurnedCoordinates::RowMajor::Zero(tree.size(), tree.size());
  tree.add_rates_by_coordinates(at_.u, by_q);
  all.topLeftCorner(held_count, held_count) = by_q(held, held);
  all.block(0, u_at, held_count, count) = tree.rates(at_.q, motions)(held, independent);
  all.block(held_count, u_cut_at, cuts_.size(), work_.watched) =
      cuts_.rates(at_.q_cut, Eigen::MatrixXd::Identity(work_.watched, work_.watched));
  cuts_.add_rates_by_coordinates(at_.u_cut, all.block(held_count, held_count, cuts_.size(), cuts_.size()));
  all.block(u_at, 0, count, held_count) = tree.by_coordinates(at_.q, accelerations.leftCols(n))(independent, held);
  all.block(u_at, u_at, count, count) = accelerations.rightCols(n)(independent, independent);
  all.block(u_cut_at, 0, work_.watched, held_count) = tree.by_coordinates(at_.q, watched.leftCols(n))(Eigen::all, held);
  all.block(u_cut_at, u_at, work_.watched, count) = watched.rightCols(n)(Eigen::all, independent);
  return finite_or_why(rows);
}

RhsStatus TwinDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                           std::span<double> product) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const Parts along = parts_of(direction);
  Eigen::VectorXd turns = work_.coordinates.turns_of(at_.q, along.q);
  Eigen::VectorXd pushes = along.u;
  if (states_->solves_coordinates()) {
    states_->complete(view(turns));
    states_->complete(view(pushes));
    pushes += pushes_of(turns);
  }
  work_.sweep(turns, pushes);
  Parts to = none();
  to.u = -work_.swept.forces.topRows(work_.size);
  to.u_cut = -work_.swept.forces.bottomRows(work_.watched);
  work_.solve(to.u, -work_.swept.seconds);
  if (work_.watched > 0) {
    to.u_cut += work_.state.watched_by(to.u);
  }
  work_.coordinates.set_rates(at_.q, along.q, at_.u, pushes, to.q);
  cuts_.set_rates(at_.q_cut, along.q_cut, at_.u_cut, along.u_cut, to.q_cut);
  put(to, product);
  return finite_or_why(product);
}

RhsStatus TwinDerivatives::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                                std::span<double> product, const WeightsByParameter& by) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const Parts of = parts_of(weights);
  Parts to = none();
  Eigen::VectorXd by_turn = Eigen::VectorXd::Zero(work_.size);
  work_.coordinates.set_weights(at_.q, of.q, at_.u, to.q, to.u);
  cuts_.set_weights(at_.q_cut, of.q_cut, at_.u_cut, to.q_cut, to.u_cut);
  // The equations are symmetric: weights of u' become those of r and of s by the same solution.
  Eigen::VectorXd y = of.u + work_.state.weights_of_watched(of.u_cut);
  work_.solve(y, work_.none);
  work_.begin_weights(y, by);
  work_.state.add_weights_of_masses(y, &LoopState::UnitMass::force, by.masses);
  Eigen::VectorXd nu = work_.sigma;
  Eigen::VectorXd of_forces(work_.size + work_.watched);
  of_forces << -y, -of.u_cut;
  work_.add_weights(of_forces, nu, by_turn, to.u, nullptr, by);
  if (states_->solves_coordinates()) {
    // Of the velocities that follow displacements.
    states_->multipliers(view(std::as_const(to.u)), view(nu));
    of_forces.setZero();
    work_.add_weights_of_changes(of_forces, nu, by_turn, by);
    if (!by.lengths.empty()) {
      // Dependent coordinates close what longer links open.
      states_->multipliers(view(std::as_const(by_turn)), view(nu));
      work_.state.add_weights_of_openings(view(std::as_const(nu)), by.lengths);
    }
    states_->reduce(view(by_turn));
    states_->reduce(view(to.u));
  }
  work_.coordinates.add_weights_of_turns(at_.q, by_turn, to.q);
  put(to, product);
  return finite_or_why(product);
}

RhsStatus TwinDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                              std::span<const RateParameter> parameters, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const auto count = static_cast<Eigen::Index>(parameters.size());
  auto [accelerations, unused, lengths] = work_.parameters_of(parameters, at_.q, at_.u);
  Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(work_.rows, count);
  Eigen::MatrixXd watched = Eigen::MatrixXd::Zero(work_.watched, count);
  if (lengths.cols() > 0) {
    Eigen::MatrixXd turns = Eigen::MatrixXd::Zero(work_.size, count);
    if (states_->solves_coordinates()) {
      turns = closing_turns(*states_, work_.state.openings_by_lengths(lengths), work_.size);
    }
    work_.sweep(turns, pushes_of(turns, lengths), LoopWorkspace::Wanted::all, lengths);
    accelerations -= work_.swept.forces.topRows(work_.size);
    watched = -work_.swept.forces.bottomRows(work_.watched);
    wanted = -work_.swept.seconds;
  }
  work_.solve(accelerations, wanted);
  const std::span<const int> independent = states_->independent();
  const auto u_at = static_cast<Eigen::Index>(states_->held().size()) + cuts_.size();
  const auto rate_count = static_cast<Eigen::Index>(independent.size());
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), static_cast<Eigen::Index>(x.size()), count);
  all.setZero();
  all.middleRows(u_at, rate_count) = accelerations(independent, Eigen::all);
  if (work_.watched > 0) {
    all.middleRows(u_at + rate_count, work_.watched) = watched + work_.state.watched_by(accelerations);
  }
  return finite_or_why(rows);
}

}  // namespace mbdbench
