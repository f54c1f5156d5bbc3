#include "formulations/derivatives/loops/momentum_derivatives.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "formulations/derivatives/loops/loop_workspace.hpp"
#include "formulations/derivatives/rate_parameters.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

/// Changes side by side, a column each: of the state, and of what a parameter adds.
struct Changes {
  Changes(Eigen::Index size, Eigen::Index count)
      : turns(Eigen::MatrixXd::Zero(size, count)), momenta(turns), flow(turns), loads(turns), gauge(turns) {}
  Eigen::MatrixXd turns;
  Eigen::MatrixXd momenta;
  Eigen::MatrixXd flow;   // less M u
  Eigen::MatrixXd loads;  // p' as published
  Eigen::MatrixXd gauge;  // less M z
  // What comes of them.
  Eigen::MatrixXd velocities;
  Eigen::MatrixXd rates;
};

}  // namespace

struct MomentumDerivatives::Workspace : LoopWorkspace {
  Workspace(const Mechanism& m, Leak l, const CutReferences* near, std::unique_ptr<LoopSolver> solver,
            const InstructionSet& set)
      : LoopWorkspace(m, true, near, std::move(solver), set), leak(std::move(l)), mu(none) {}

  /// Both flows of a state. \param whole as of LoopWorkspace::place
  RhsStatus linearise(double t, std::span<const double> x, bool whole);
  /// After linearise, makes the velocities what the passes go over; then the flow of the gauge.
  void turn_to_velocities(std::span<const double> q);
  void turn_to_gauge();
  void differentiate(std::span<const double> q, Changes& changes);

  Leak leak;
  Eigen::VectorXd u;
  Eigen::VectorXd impulses;  ///< sigma of u
  Eigen::VectorXd z;
  Eigen::VectorXd mu;
  double kappa = 0.0;
  Eigen::VectorXd steepness;  ///< of kappa, by u
  Eigen::VectorXd excess;     ///< M u - p
};

RhsStatus MomentumDerivatives::Workspace::linearise(double t, std::span<const double> x, bool whole) {
  if (const RhsStatus status = place(t, q_of(x), whole); !status.ok) {
    return status;
  }
  const Eigen::VectorXd p = rates_of(x);
  u = p;
  solve(u, state.prescribed_velocities());
  impulses = sigma.col(0);
  state.set_loads(q_of(x), u);
  state.set_flow(u, impulses);
  if (!leak) {
    state.set_momentum_rates(q_of(x), mu);
    return {};
  }
  mu.setZero();
  state.set_momentum_rates(q_of(x), mu);
  const CharacteristicScales& scales = mechanism->scales();
  kappa = leak(view(std::as_const(u)));
  steepness = Eigen::VectorXd::Zero(size);
  if (kappa > 0.0 && kappa == scales.largest_rate(u)) {
    Eigen::Index fastest = 0;
    u.cwiseQuotient(scales.columns).cwiseAbs().maxCoeff(&fastest);
    steepness[fastest] = (u[fastest] > 0.0 ? 1.0 : -1.0) / scales.columns[fastest];
  }
  excess = state.momenta_of(u) - p;
  z = state.wanted_forces() + kappa * p;
  solve(z, kappa * state.prescribed_velocities());
  mu = sigma.col(0);
  return {};
}

void MomentumDerivatives::Workspace::turn_to_velocities(std::span<const double> q) {
  if (leak) {
    state.set_momentum_rates(q, mu);
  }
  sweeps.slope_cuts(state.data());
}

void MomentumDerivatives::Workspace::turn_to_gauge() {
  state.set_flow(z, none);
  sweeps.slope_flow(state.data());
}

void MomentumDerivatives::Workspace::differentiate(std::span<const double> q, Changes& changes) {
  const Eigen::MatrixXd still = Eigen::MatrixXd::Zero(size, changes.turns.cols());
  turn_to_velocities(q);
  sweep(changes.turns, still, Wanted::flow);
  changes.velocities = changes.momenta + changes.flow - swept.changes;
  solve(changes.velocities, -swept.firsts);
  sweep(changes.turns, changes.velocities, Wanted::all, sigma);
  changes.rates = swept.forces + changes.loads;
  if (!leak) {
    return;
  }
  turn_to_gauge();
  sweep(changes.turns, still, Wanted::flow);
  Eigen::MatrixXd flow = changes.rates + kappa * changes.momenta + changes.gauge - swept.changes;
  solve(flow, -swept.firsts);
  sweep(changes.turns, flow, Wanted::flow);
  changes.rates = swept.changes - changes.gauge - kappa * changes.momenta;
  changes.rates.noalias() += excess * (steepness.transpose() * changes.velocities);
}

MomentumDerivatives::MomentumDerivatives(const Mechanism& mechanism, Leak leak, const CutReferences* near,
                                         std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : work_(std::make_unique<Workspace>(mechanism, std::move(leak), near, std::move(solver), set)) {}

MomentumDerivatives::~MomentumDerivatives() = default;

std::string MomentumDerivatives::without_jacobian() const {
  return LoopState::obstacle(*work_->mechanism);
}

RhsStatus MomentumDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, true); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  Changes changes(n, 2 * n);
  changes.turns.leftCols(n).setIdentity();
  changes.momenta.rightCols(n).setIdentity();
  const std::span<const double> q = work.q_of(x);
  work.differentiate(q, changes);
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), total, total);
  const Eigen::Index q_size = work.mechanism->q_size();
  all.bottomRightCorner(n, n) = changes.rates.rightCols(n);
  all.topRightCorner(q_size, n) = work.coordinates.rates(q, changes.velocities.rightCols(n));
  all.bottomLeftCorner(n, q_size) = work.coordinates.by_coordinates(q, changes.rates.leftCols(n));
  all.topLeftCorner(q_size, q_size) =
      work.coordinates.rates(q, work.coordinates.by_coordinates(q, changes.velocities.leftCols(n)));
  work.coordinates.add_rates_by_coordinates(work.u, all);
  return finite_or_why(rows);
}

RhsStatus MomentumDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                               std::span<double> product) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = work.q_of(x);
  Changes changes(work.size, 1);
  changes.turns.col(0) = work.coordinates.turns_of(q, work.q_of(direction));
  changes.momenta.col(0) = work.rates_of(direction);
  work.differentiate(q, changes);
  std::copy_n(changes.rates.data(), work.size, product.begin() + work.mechanism->q_size());
  work.coordinates.set_rates(q, work.q_of(direction), work.u, changes.velocities.col(0), product.first(q.size()));
  return finite_or_why(product);
}

RhsStatus MomentumDerivatives::weighted_derivatives(double t, std::span<const double> x,
                                                    std::span<const double> weights, std::span<double> product,
                                                    std::span<double> by_forces, std::span<double> by_masses) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = work.q_of(x);
  const std::span<double> by_q = product.first(q.size());
  Eigen::VectorXd by_turn = Eigen::VectorXd::Zero(work.size);
  Eigen::VectorXd by_push = Eigen::VectorXd::Zero(work.size);
  Eigen::VectorXd by_momentum = by_turn;
  Eigen::VectorXd by_multiplier = work.none;
  work.coordinates.set_weights(q, work.q_of(weights), work.u, by_q, by_push);
  std::fill(by_masses.begin(), by_masses.end(), 0.0);
  // The equations are symmetric: weights of a flow become those of its momenta and constraints by the same solution.
  Eigen::VectorXd y = work.rates_of(weights);
  Eigen::VectorXd less;  // of the flow of the gauge
  Eigen::VectorXd less_multipliers;
  if (work.leak) {
    less = y;
    by_push += less.dot(work.excess) * work.steepness;
    y = work.state.momenta_of(less);
    work.solve(y, work.none);
    less_multipliers = work.sigma.col(0);
    less = y - less;
    by_momentum = work.kappa * less;
  }
  work.turn_to_velocities(q);
  std::copy_n(y.begin(), by_forces.size(), by_forces.begin());
  work.state.add_weights_of_masses(y, &LoopState::UnitMass::force, by_masses);
  y *= -1.0;
  work.sweeps.weights(work.state.data(),
                      {y.data(), work.none.data(), by_turn.data(), by_push.data(), by_multiplier.data()});
  y = by_push;
  work.solve(y, -by_multiplier);
  const Eigen::VectorXd nu = work.sigma.col(0);
  by_momentum += y;
  work.state.add_weights_of_masses(y, &LoopState::UnitMass::change, by_masses);
  y *= -1.0;
  work.sweeps.change_weights(work.state.data(), {y.data(), nu.data(), by_turn.data(), nullptr, nullptr});
  if (work.leak) {
    work.turn_to_gauge();
    work.state.add_weights_of_masses(less, &LoopState::UnitMass::change, by_masses);
    less *= -1.0;
    work.sweeps.change_weights(work.state.data(),
                               {less.data(), less_multipliers.data(), by_turn.data(), nullptr, nullptr});
  }
  work.coordinates.add_weights_of_turns(q, by_turn, by_q);
  std::copy(by_momentum.begin(), by_momentum.end(), product.begin() + work.mechanism->q_size());
  return finite_or_why(product);
}

RhsStatus MomentumDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                  std::span<const RateParameter> parameters, std::span<double> rows) {
  Workspace& work = *work_;
  std::vector<ParameterPlace> places;
  for (const RateParameter& parameter : parameters) {
    places.push_back(place_of(*work.mechanism, parameter));
  }
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const std::span<const double> q = work.q_of(x);
  const auto count = static_cast<Eigen::Index>(parameters.size());
  Changes changes(work.size, count);
  Eigen::VectorXd unused = Eigen::VectorXd::Zero(work.size);
  if (work.leak) {
    work.state.set_flow(work.z, work.none);
    for (Eigen::Index k = 0; k < count; ++k) {
      if (places[index_of(k)].body >= 0) {
        work.state.add_unit_mass(places[index_of(k)].body, unused, changes.gauge.col(k));
      }
    }
    work.state.set_flow(work.u, work.impulses);
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const ParameterPlace& place = places[index_of(k)];
    if (place.body >= 0) {
      work.state.add_unit_mass(place.body, changes.loads.col(k), changes.flow.col(k));
    } else {
      changes.loads(place.u, k) = place.kind == ParameterKind::joint_force ? 1.0
                                  : place.kind == ParameterKind::damping   ? -work.u[place.u]
                                                                           : place.rest - q[index_of(place.q)];
    }
  }
  work.differentiate(q, changes);
  Eigen::Map<TurnedCoordinates::RowMajor> all(rows.data(), static_cast<Eigen::Index>(x.size()), count);
  all.bottomRows(work.size) = changes.rates;
  all.topRows(work.mechanism->q_size()) = work.coordinates.rates(q, changes.velocities);
  return finite_or_why(rows);
}

}  // namespace mbdbench
