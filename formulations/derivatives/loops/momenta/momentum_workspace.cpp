#include "formulations/derivatives/loops/momenta/momentum_workspace.hpp"

#include <algorithm>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {

MomentumWorkspace::MomentumWorkspace(const Mechanism& m, MomentumRules of, bool watches, const CutReferences* near,
                                     std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : LoopWorkspace(m, true, near, std::move(solver), set), rules(std::move(of)), mu(none) {
  watched = watches ? LoopState::cut_velocity_count(m) : 0;
  state.feed_back(rules.feedback);
}

RhsStatus MomentumWorkspace::linearise(double t, std::span<const double> q, const Eigen::VectorXd& p, bool whole) {
  if (const RhsStatus status = place(t, q, whole); !status.ok) {
    return status;
  }
  u = p;
  solve(u, state.prescribed_velocities());
  impulses = sigma.col(0);
  state.set_loads(q, u);
  state.set_flow(u, impulses);
  mu.setZero();
  state.set_momentum_rates(q, mu);
  if (watched > 0) {
    cut_rates = state.watch_cuts();
  }
  if (!rules.tangent) {
    return {};
  }
  const CharacteristicScales& scales = mechanism->scales();
  kappa = rules.tangent(view(std::as_const(u)));
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

void MomentumWorkspace::turn_to_velocities(std::span<const double> q) {
  if (!mu.isZero(0.0)) {
    state.set_momentum_rates(q, mu);
  }
  state.scale_feedback(1.0);
  sweeps.slope_cuts(state.data());
}

void MomentumWorkspace::turn_to_gauge() {
  state.set_flow(z, none);
  state.scale_feedback(kappa);
  sweeps.slope_flow(state.data());
}

void MomentumWorkspace::turn_to_momenta() {
  state.set_flow(u, none);
  sweeps.slope_flow(state.data());
}

void MomentumWorkspace::differentiate(std::span<const double> q, MomentumChanges& changes) {
  const Eigen::MatrixXd still = Eigen::MatrixXd::Zero(size, changes.turns.cols());
  turn_to_velocities(q);
  sweep(changes.turns, still, Wanted::flow, changes.lengths);
  changes.velocities = changes.momenta + changes.flow - swept.changes;
  solve(changes.velocities, -swept.firsts);
  sweep(changes.turns, changes.velocities, Wanted::all, changes.lengths, sigma);
  changes.rates = swept.forces.topRows(size) + changes.loads;
  changes.watched = swept.forces.bottomRows(watched);
  if (rules.leak != 0.0) {
    turn_to_momenta();
    sweep(changes.turns, changes.velocities, Wanted::flow, changes.lengths);
    changes.rates += rules.leak * (swept.changes - changes.flow - changes.momenta);
  }
  if (!rules.tangent) {
    return;
  }
  turn_to_gauge();
  sweep(changes.turns, still, Wanted::flow, changes.lengths);
  Eigen::MatrixXd flow = changes.rates + kappa * changes.momenta + changes.gauge - swept.changes;
  solve(flow, -swept.firsts);
  sweep(changes.turns, flow, Wanted::flow, changes.lengths);
  changes.rates = swept.changes - changes.gauge - kappa * changes.momenta;
  changes.rates.noalias() += excess * (steepness.transpose() * changes.velocities);
}

void MomentumWorkspace::weigh(std::span<const double> q, const Eigen::VectorXd& of_rates,
                              const Eigen::VectorXd& of_watched, Weights& worth, const WeightsByParameter& by) {
  Eigen::VectorXd by_multiplier = none;
  turn_to_velocities(q);
  state.add_weights_of_masses(of_rates, &LoopState::UnitMass::force, by.masses);
  Eigen::VectorXd y(size + watched);
  y << -of_rates, -of_watched;
  add_weights(y, none, worth.by_turn, worth.by_push, &by_multiplier, by);
  // The equations are symmetric: weights of a flow become those of its momenta and constraints by the same solution.
  y = worth.by_push;
  solve(y, -by_multiplier);
  const Eigen::VectorXd nu = sigma.col(0);
  worth.by_momentum += y;
  state.add_weights_of_masses(y, &LoopState::UnitMass::change, by.masses);
  y *= -1.0;
  add_weights_of_changes(y, nu, worth.by_turn, by);
}

MomentumChanges MomentumWorkspace::changes_by(std::span<const RateParameter> parameters, std::span<const double> q) {
  const auto count = static_cast<Eigen::Index>(parameters.size());
  MomentumChanges changes(size, count);
  if (rules.tangent) {
    Eigen::VectorXd unused = Eigen::VectorXd::Zero(size);
    state.set_flow(z, none);
    for (Eigen::Index k = 0; k < count; ++k) {
      if (const int body = place_of(*mechanism, parameters[index_of(k)]).body; body >= 0) {
        state.add_unit_mass(body, unused, changes.gauge.col(k));
      }
    }
    state.set_flow(u, impulses);
  }
  Parameters units = parameters_of(parameters, q, u);
  changes.loads = std::move(units.forces);
  changes.flow = std::move(units.changes);
  changes.lengths = std::move(units.lengths);
  return changes;
}

}  // namespace mbdbench
