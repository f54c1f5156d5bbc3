#include "formulations/derivatives/loops/all_joint_derivatives.hpp"

#include <algorithm>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

Eigen::VectorXd vector_from(std::span<const double> numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

}  // namespace

AllJointDerivatives::AllJointDerivatives(const Mechanism& mechanism, const CutReferences* near,
                                         std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : work_(mechanism, false, near, std::move(solver), set), cuts_(mechanism.cut_joints()) {
  work_.watched = LoopState::cut_velocity_count(mechanism);
}

std::string AllJointDerivatives::without_jacobian() const {
  return LoopState::obstacle(*work_.mechanism);
}

template <typename Number>
AllJointDerivatives::Parts<Number> AllJointDerivatives::parts_of(std::span<Number> x) const {
  const std::size_t q = index_of(static_cast<int>(work_.coordinates.size()));
  const std::size_t q_cut = index_of(static_cast<int>(cuts_.size()));
  const std::size_t u = index_of(static_cast<int>(work_.size));
  return {x.first(q), x.subspan(q, q_cut), x.subspan(q + q_cut, u), x.subspan(q + q_cut + u)};
}

RhsStatus AllJointDerivatives::linearise(double t, std::span<const double> x, bool whole) {
  const Parts<const double> at = parts_of(x);
  if (const RhsStatus status = work_.place(t, at.q, whole); !status.ok) {
    return status;
  }
  work_.accelerate(at.q, vector_from(at.u));
  work_.state.watch_cuts();
  work_.sweeps.slope_cuts(work_.state.data());
  return {};
}

RhsStatus AllJointDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x, true); !status.ok) {
    return status;
  }
  const Parts<const double> at = parts_of(x);
  const Eigen::Index n = work_.size;
  Eigen::MatrixXd accelerations(n, 2 * n);
  Eigen::MatrixXd wanted(work_.rows, 2 * n);
  Eigen::MatrixXd watched(work_.watched, 2 * n);
  // By displacements, then by velocities.
  for (const Eigen::Index first : {Eigen::Index{0}, n}) {
    const Eigen::MatrixXd own = Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(n, n);
    work_.sweep(first == 0 ? own : none, first == 0 ? none : own);
    accelerations.middleCols(first, n) = -work_.swept.forces.topRows(n);
    watched.middleCols(first, n) = -work_.swept.forces.bottomRows(work_.watched);
    wanted.middleCols(first, n) = -work_.swept.seconds;
  }
  work_.solve(accelerations, wanted);
  watched += work_.state.watched_by(accelerations);
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), total, total);
  all.setZero();
  const TurnedCoordinates& tree = work_.coordinates;
  const Eigen::Index u_at = tree.size() + cuts_.size();
  const Eigen::Index u_cut_at = u_at + n;
  all.block(0, u_at, tree.size(), n) = tree.rates(at.q, Eigen::MatrixXd::Identity(n, n));
  tree.add_rates_by_coordinates(vector_from(at.u), all.topLeftCorner(tree.size(), tree.size()));
  all.block(tree.size(), u_cut_at, cuts_.size(), work_.watched) =
      cuts_.rates(at.q_cut, Eigen::MatrixXd::Identity(work_.watched, work_.watched));
  cuts_.add_rates_by_coordinates(vector_from(at.u_cut),
                                 all.block(tree.size(), tree.size(), cuts_.size(), cuts_.size()));
  all.block(u_at, 0, n, tree.size()) = tree.by_coordinates(at.q, accelerations.leftCols(n));
  all.block(u_at, u_at, n, n) = accelerations.rightCols(n);
  all.block(u_cut_at, 0, work_.watched, tree.size()) = tree.by_coordinates(at.q, watched.leftCols(n));
  all.block(u_cut_at, u_at, work_.watched, n) = watched.rightCols(n);
  return finite_or_why(rows);
}

RhsStatus AllJointDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                               std::span<double> product) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const Parts<const double> at = parts_of(x);
  const Parts<const double> along = parts_of(direction);
  const Parts<double> to = parts_of(product);
  const Eigen::VectorXd pushes = vector_from(along.u);
  work_.sweep(work_.coordinates.turns_of(at.q, along.q), pushes);
  Eigen::VectorXd accelerations = -work_.swept.forces.topRows(work_.size);
  const Eigen::VectorXd held = -work_.swept.forces.bottomRows(work_.watched);
  work_.solve(accelerations, -work_.swept.seconds);
  const Eigen::VectorXd watched = held + work_.state.watched_by(accelerations);
  work_.coordinates.set_rates(at.q, along.q, vector_from(at.u), pushes, to.q);
  cuts_.set_rates(at.q_cut, along.q_cut, vector_from(at.u_cut), vector_from(along.u_cut), to.q_cut);
  std::copy(accelerations.begin(), accelerations.end(), to.u.begin());
  std::copy(watched.begin(), watched.end(), to.u_cut.begin());
  return finite_or_why(product);
}

RhsStatus AllJointDerivatives::weighted_derivatives(double t, std::span<const double> x,
                                                    std::span<const double> weights, std::span<double> product,
                                                    std::span<double> by_forces, std::span<double> by_masses) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const Parts<const double> at = parts_of(x);
  const Parts<const double> of = parts_of(weights);
  const Parts<double> to = parts_of(product);
  Eigen::VectorXd by_turn = Eigen::VectorXd::Zero(work_.size);
  Eigen::VectorXd by_push = by_turn;
  Eigen::VectorXd by_cut_push = Eigen::VectorXd::Zero(work_.watched);
  work_.coordinates.set_weights(at.q, of.q, vector_from(at.u), to.q, by_push);
  cuts_.set_weights(at.q_cut, of.q_cut, vector_from(at.u_cut), to.q_cut, by_cut_push);
  const Eigen::VectorXd of_watched = vector_from(of.u_cut);
  // The equations are symmetric: weights of u' become those of r and of s by the same solution.
  Eigen::VectorXd y = vector_from(of.u) + work_.state.weights_of_watched(of_watched);
  work_.solve(y, work_.none);
  std::copy_n(y.begin(), by_forces.size(), by_forces.begin());
  std::fill(by_masses.begin(), by_masses.end(), 0.0);
  work_.state.add_weights_of_masses(y, &LoopState::UnitMass::force, by_masses);
  const Eigen::VectorXd nu = work_.sigma;
  Eigen::VectorXd of_forces(work_.size + work_.watched);
  of_forces << -y, -of_watched;
  work_.sweeps.weights(work_.state.data(), {of_forces.data(), nu.data(), by_turn.data(), by_push.data(), nullptr});
  work_.coordinates.add_weights_of_turns(at.q, by_turn, to.q);
  std::copy(by_push.begin(), by_push.end(), to.u.begin());
  std::copy(by_cut_push.begin(), by_cut_push.end(), to.u_cut.begin());
  return finite_or_why(product);
}

RhsStatus AllJointDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                  std::span<const RateParameter> parameters, std::span<double> rows) {
  if (const RhsStatus status = linearise(t, x, false); !status.ok) {
    return status;
  }
  const Parts<const double> at = parts_of(x);
  const auto count = static_cast<Eigen::Index>(parameters.size());
  Eigen::MatrixXd accelerations = Eigen::MatrixXd::Zero(work_.size, count);
  Eigen::MatrixXd changes = accelerations;
  work_.add_parameters(parameters, at.q, vector_from(at.u), accelerations, changes);
  work_.solve(accelerations, Eigen::MatrixXd::Zero(work_.rows, count));
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), static_cast<Eigen::Index>(x.size()), count);
  all.setZero();
  all.middleRows(work_.coordinates.size() + cuts_.size(), work_.size) = accelerations;
  all.bottomRows(work_.watched) = work_.state.watched_by(accelerations);
  return finite_or_why(rows);
}

}  // namespace mbdbench
