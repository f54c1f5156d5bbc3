#include "formulations/derivatives/loops/closed_derivatives.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "formulations/derivatives/loops/loop_workspace.hpp"

namespace mbdbench {
namespace {

// Projections that change velocities by rounding alone change nothing else.
constexpr double kDrift = 4.0 * std::numeric_limits<double>::epsilon();

}  // namespace

struct ClosedDerivatives::Workspace : LoopWorkspace {
  Workspace(const Mechanism& m, const VelocityRules& rules, const CutReferences* near,
            std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
      : LoopWorkspace(m, false, near, std::move(solver), set), projects(rules.projects && m.constrained()) {
    state.stabilise(rules.alpha, rules.beta);
  }

  /// What all derivatives at a state share. \param whole as of LoopWorkspace::place
  RhsStatus linearise(double t, std::span<const double> x, bool whole);

  /// What projecting does to velocities: v - Z Phi_q v. Rows are few where velocities are many.
  struct Projection {
    Eigen::MatrixXd of_rows;  ///< Z: velocities for a unit of Phi_q v, a column each, with the least kinetic energy
    Eigen::MatrixXd phi_q;

    /// Takes it on the right of derivatives by velocities in use.
    void apply(Eigen::MatrixXd& derivatives) const {
      const Eigen::MatrixXd along = derivatives * of_rows;
      derivatives.noalias() -= along * phi_q;
    }
  };
  /// \returns that of a state whose equations the LoopSolver solves.
  [[nodiscard]] Projection projection() {
    Projection found{Eigen::MatrixXd::Zero(size, rows), state.constraints()};
    solve(found.of_rows, Eigen::MatrixXd::Identity(rows, rows));
    return found;
  }

  bool projects;
  Eigen::VectorXd u;  ///< in use: projected ones, or those of the state
};

RhsStatus ClosedDerivatives::Workspace::linearise(double t, std::span<const double> x, bool whole) {
  if (const RhsStatus status = place(t, q_of(x), whole); !status.ok) {
    return status;
  }
  u = rates_of(x);
  Eigen::VectorXd change;
  Eigen::MatrixXd impulses;
  if (projects) {
    const Eigen::VectorXd given = u;
    u = state.momenta_of(given);
    solve(u, state.prescribed_velocities());
    impulses = sigma;
    change = u - given;
  }
  accelerate(q_of(x), u);
  if (projects && size > 0 && !(change.cwiseAbs().maxCoeff() <= kDrift * u.cwiseAbs().maxCoeff())) {
    state.set_change(change, impulses);
  }
  sweeps.slope_cuts(state.data());
  return {};
}

ClosedDerivatives::ClosedDerivatives(const Mechanism& mechanism, const VelocityRules& rules, const CutReferences* near,
                                     std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : work_(std::make_unique<Workspace>(mechanism, rules, near, std::move(solver), set)) {}

ClosedDerivatives::~ClosedDerivatives() = default;

std::string ClosedDerivatives::without_jacobian() const {
  return LoopState::obstacle(*work_->mechanism);
}

RhsStatus ClosedDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, true); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  const bool apart = work.projects && !work.factorised;
  // Of accelerations by displacements and by velocities; of velocities in use by both.
  Eigen::MatrixXd columns(n, work.projects && !apart ? 4 * n : 2 * n);
  Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(work.rows, columns.cols());
  Eigen::MatrixXd velocity_by_turn = Eigen::MatrixXd::Zero(n, n);
  work.sweep(Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Zero(n, n));
  columns.leftCols(n) = work.swept.forces;
  wanted.leftCols(n) = work.swept.seconds;
  Workspace::Projection projection;
  if (apart) {
    projection = work.projection();
    velocity_by_turn = projection.of_rows * -work.swept.firsts;
    if (work.state.data().drifted) {
      Eigen::MatrixXd changes = -work.swept.changes;
      work.solve(changes, Eigen::MatrixXd::Zero(work.rows, n));
      velocity_by_turn += changes;
    }
  } else if (work.projects) {
    columns.middleCols(2 * n, n) = work.swept.changes;
    columns.rightCols(n) = -work.state.mass();
    wanted.middleCols(2 * n, n) = work.swept.firsts;
  }
  work.sweep(Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Identity(n, n));
  columns.middleCols(n, n) = work.swept.forces;
  wanted.middleCols(n, n) = work.swept.seconds;
  columns *= -1.0;
  wanted *= -1.0;
  work.solve(columns, wanted);
  Eigen::MatrixXd by_turn = columns.leftCols(n);
  Eigen::MatrixXd by_push = columns.middleCols(n, n);
  Eigen::MatrixXd velocity_by_push = Eigen::MatrixXd::Identity(n, n);
  if (apart) {
    by_turn.noalias() += by_push * velocity_by_turn;
    projection.apply(by_push);
    projection.apply(velocity_by_push);
  } else if (work.projects) {
    velocity_by_turn = columns.middleCols(2 * n, n);
    velocity_by_push = columns.rightCols(n);
    by_turn.noalias() += by_push * velocity_by_turn;
    by_push = (by_push * velocity_by_push).eval();
  }
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(rows.data(), total, total);
  const Eigen::Index q_size = work.mechanism->q_size();
  const std::span<const double> q = work.q_of(x);
  all.bottomRightCorner(n, n) = by_push;
  all.topRightCorner(q_size, n) = work.coordinates.rates(q, velocity_by_push);
  all.bottomLeftCorner(n, q_size) = work.coordinates.by_coordinates(q, by_turn);
  all.topLeftCorner(q_size, q_size) = work.coordinates.rates(q, work.coordinates.by_coordinates(q, velocity_by_turn));
  work.coordinates.add_rates_by_coordinates(work.u, all);
  return finite_or_why(rows);
}

RhsStatus ClosedDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                             std::span<double> product) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  const Eigen::Index q_size = work.mechanism->q_size();
  const std::span<const double> q = work.q_of(x);
  const Eigen::VectorXd turns = work.coordinates.turns_of(q, direction.first(q.size()));
  Eigen::VectorXd pushes = work.rates_of(direction);
  if (work.projects) {
    work.sweep(turns, Eigen::VectorXd::Zero(n), LoopWorkspace::Wanted::flow);
    pushes = work.state.momenta_of(pushes) - work.swept.changes;
    work.solve(pushes, -work.swept.firsts);
  }
  work.sweep(turns, pushes);
  Eigen::VectorXd forces = -work.swept.forces;
  work.solve(forces, -work.swept.seconds);
  std::copy(forces.begin(), forces.end(), product.begin() + q_size);
  work.coordinates.set_rates(q, direction.first(q.size()), work.u, pushes, product.first(q.size()));
  return finite_or_why(product);
}

RhsStatus ClosedDerivatives::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                                  std::span<double> product, const WeightsByParameter& by) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  const Eigen::Index q_size = work.mechanism->q_size();
  const std::span<const double> q = work.q_of(x);
  const std::span<double> by_q = product.first(q.size());
  Eigen::VectorXd by_turn = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd by_push = Eigen::VectorXd::Zero(n);
  work.coordinates.set_weights(q, weights.first(q.size()), work.u, by_q, by_push);
  // The equations are symmetric: weights of u' become those of r and of s by the same solution.
  Eigen::VectorXd y = work.rates_of(weights);
  work.solve(y, work.none);
  work.begin_weights(y, by);
  work.state.add_weights_of_masses(y, &LoopState::UnitMass::force, by.masses);
  Eigen::VectorXd nu = work.sigma;
  y *= -1.0;
  work.add_weights(y, nu, by_turn, by_push, nullptr, by);
  if (work.projects) {
    Eigen::VectorXd z = by_push;
    work.solve(z, work.none);
    nu = work.sigma;
    by_push = work.state.momenta_of(z);
    work.state.add_weights_of_masses(z, &LoopState::UnitMass::change, by.masses);
    z *= -1.0;
    work.add_weights_of_changes(z, nu, by_turn, by);
  }
  work.coordinates.add_weights_of_turns(q, by_turn, by_q);
  std::copy(by_push.begin(), by_push.end(), product.begin() + q_size);
  return finite_or_why(product);
}

RhsStatus ClosedDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                std::span<const RateParameter> parameters, std::span<double> rows) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  const Eigen::Index q_size = work.mechanism->q_size();
  const std::span<const double> q = work.q_of(x);
  const auto count = static_cast<Eigen::Index>(parameters.size());
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(
      rows.data(), static_cast<Eigen::Index>(x.size()), count);
  auto [columns, changes, lengths] = work.parameters_of(parameters, q, work.u);
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(n, count);
  Eigen::MatrixXd firsts = Eigen::MatrixXd::Zero(work.rows, count);
  Eigen::MatrixXd seconds = firsts;
  const bool lengthened = lengths.cols() > 0;
  if (lengthened && work.projects) {
    work.sweep(none, none, LoopWorkspace::Wanted::flow, lengths);
    changes -= work.swept.changes;
    firsts = -work.swept.firsts;
  }
  // Projected velocities depend on masses and lengths, and accelerations on them.
  const bool moves = (work.state.data().drifted && !changes.isZero(0.0)) || !firsts.isZero(0.0);
  if (moves) {
    work.solve(changes, firsts);
  }
  if (moves || lengthened) {
    work.sweep(none, changes, LoopWorkspace::Wanted::all, lengths);
    columns -= work.swept.forces;
    seconds = -work.swept.seconds;
  }
  work.solve(columns, seconds);
  all.bottomRows(n) = columns;
  all.topRows(q_size) = work.coordinates.rates(q, changes);
  return finite_or_why(rows);
}

}  // namespace mbdbench
