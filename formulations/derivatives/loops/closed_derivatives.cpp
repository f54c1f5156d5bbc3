#include "formulations/derivatives/loops/closed_derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "formulations/derivatives/loops/loop_state.hpp"
#include "formulations/derivatives/loops/saddle_solver.hpp"
#include "formulations/derivatives/loops/turned_coordinates.hpp"
#include "formulations/derivatives/rate_parameters.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// Projections that change velocities by rounding alone change nothing else.
constexpr double kDrift = 4.0 * std::numeric_limits<double>::epsilon();

RhsStatus finite_or_why(std::span<const double> values) {
  const auto bad = std::find_if_not(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  return bad == values.end() ? RhsStatus{} : RhsStatus{false, {}, "a derivative is not finite", *bad};
}

}  // namespace

struct ClosedDerivatives::Workspace {
  Workspace(const Mechanism& m, bool p, std::unique_ptr<LoopSolver> s, const InstructionSet& set)
      : mechanism(&m),
        projects(p && m.constrained()),
        fast(std::move(s)),
        sweeps(compiled_for(set, baseline_closed_sweeps, avx2_closed_sweeps, avx512_closed_sweeps)),
        state(m, sweeps.width),
        coordinates(m),
        size(m.u_size()),
        rows(m.constraint_size()),
        u(Eigen::VectorXd::Zero(size)),
        sigma(Eigen::VectorXd::Zero(rows)),
        none(Eigen::VectorXd::Zero(rows)) {}

  /// What all derivatives at a state share. \param whole with M, Phi_q and their factors
  RhsStatus linearise(double t, std::span<const double> x, bool whole);
  RhsStatus factorise();
  /// M v = p + Phi_q^T sigma, Phi_q v = w; sets `sigma`. \param v p, receives v
  void solve(Eigen::VectorXd& v, const Eigen::VectorXd& wanted);
  [[nodiscard]] std::string_view joint_of_row(Eigen::Index row) const;

  /// r and s along displacements (`turns`) or along velocities of all quasi-velocities; r2 and s1 along displacements.
  void sweep_all(bool turns, Eigen::Ref<Eigen::MatrixXd> r, Eigen::Ref<Eigen::MatrixXd> s, Eigen::MatrixXd* r2,
                 Eigen::MatrixXd* s1);

  const Mechanism* mechanism;
  bool projects;
  std::unique_ptr<LoopSolver> fast;
  linear::ClosedSweeps sweeps;
  LoopState state;
  std::optional<SaddleSolver> factors;  ///< made when first asked for
  bool factorised = false;              ///< whether they are those of the state
  TurnedCoordinates coordinates;
  Eigen::Index size;
  Eigen::Index rows;
  Eigen::VectorXd u;  ///< in use: projected ones, or those of the state
  Eigen::VectorXd sigma;
  Eigen::VectorXd none;  ///< by row of Phi
  std::vector<AlignedMemory> memory;
};

std::string_view ClosedDerivatives::Workspace::joint_of_row(Eigen::Index row) const {
  for (const Joint& joint : mechanism->cut_joints()) {
    if (row >= joint.row_offset && row < joint.row_offset + joint.nc) {
      return joint.name;
    }
  }
  for (const Joint& joint : mechanism->tree_joints()) {
    if (row >= joint.motion_offset && row < joint.motion_offset + static_cast<int>(joint.motions.size())) {
      return joint.name;
    }
  }
  for (const Coupling& coupling : mechanism->couplings()) {
    if (row == coupling.row) {
      return coupling.name;
    }
  }
  return {};
}

RhsStatus ClosedDerivatives::Workspace::factorise() {
  state.set_matrices();
  if (!factors) {
    factors.emplace(size, mechanism->scales().rows);
  }
  switch (factors->factorise(state.mass(), state.constraints(), mechanism->generic_rank().rank)) {
    case SaddleSolver::Outcome::no_mass_matrix:
      return {false,
              {},
              "the mass matrix is not positive definite or not finite, its smallest diagonal entry is",
              size == 0 ? 0.0 : state.mass().diagonal().minCoeff<Eigen::PropagateNaN>()};
    case SaddleSolver::Outcome::lost_rank:
      return {false, joint_of_row(factors->lost_row()), kSingularPosition, factors->lost_pivot()};
    case SaddleSolver::Outcome::factorised:
      break;
  }
  return {};
}

void ClosedDerivatives::Workspace::solve(Eigen::VectorXd& v, const Eigen::VectorXd& wanted) {
  if (factorised) {
    factors->solve(v, wanted);
    sigma = factors->multipliers();
  } else {
    fast->solve(v, wanted, sigma);
  }
}

RhsStatus ClosedDerivatives::Workspace::linearise(double t, std::span<const double> x, bool whole) {
  const std::span<const double> q = x.first(index_of(mechanism->q_size()));
  state.set_positions(t, q);
  factorised = whole;
  if (const RhsStatus status = whole ? factorise() : fast->set_positions(q); !status.ok) {
    return status;
  }
  u = Eigen::Map<const Eigen::VectorXd>(x.data() + mechanism->q_size(), size);
  Eigen::VectorXd change;
  Eigen::VectorXd impulses;
  if (projects) {
    const Eigen::VectorXd given = u;
    u = state.momenta_of(given);
    solve(u, state.prescribed_velocities());
    impulses = sigma;
    change = u - given;
  }
  state.set_velocities(q, u);
  Eigen::VectorXd accelerations = state.wanted_forces();
  solve(accelerations, state.wanted_accelerations());
  state.set_accelerations(accelerations, sigma);
  if (projects && size > 0 && !(change.cwiseAbs().maxCoeff() <= kDrift * u.cwiseAbs().maxCoeff())) {
    state.set_change(change, impulses);
  }
  sweeps.slope_cuts(state.data());
  return {};
}

void ClosedDerivatives::Workspace::sweep_all(bool turns, Eigen::Ref<Eigen::MatrixXd> r, Eigen::Ref<Eigen::MatrixXd> s,
                                             Eigen::MatrixXd* r2, Eigen::MatrixXd* s1) {
  const Eigen::Index width = sweeps.width;
  if (memory.empty()) {
    for (const Eigen::Index count : {size, size, size, rows, size, rows}) {
      memory.push_back(aligned_memory(index_of(std::max<Eigen::Index>(1, count) * width)));
    }
  }
  linear::LoopDirections directions;
  double* const moving = memory[turns ? 0 : 1].get();
  directions.turns = memory[0].get();
  directions.pushes = memory[1].get();
  directions.forces = memory[2].get();
  directions.seconds = memory[3].get();
  directions.change_forces = memory[4].get();
  directions.firsts = memory[5].get();
  const auto unpack = [width](const double* packs, Eigen::Index count, Eigen::Index first, auto& to) {
    const Eigen::Index lanes = std::min(width, to.cols() - first);
    for (Eigen::Index lane = 0; lane < lanes; ++lane) {
      for (Eigen::Index i = 0; i < count; ++i) {
        to(i, first + lane) = packs[i * width + lane];
      }
    }
  };
  for (Eigen::Index first = 0; first < size; first += width) {
    const Eigen::Index count = std::min(width, size - first);
    for (Eigen::Index lane = 0; lane < count; ++lane) {
      moving[(first + lane) * width + lane] = 1.0;
    }
    sweeps.directions(state.data(), directions);
    for (Eigen::Index lane = 0; lane < count; ++lane) {
      moving[(first + lane) * width + lane] = 0.0;
    }
    unpack(directions.forces, size, first, r);
    unpack(directions.seconds, mechanism->cut_row_count(), first, s);
    if (s1 != nullptr) {
      unpack(directions.firsts, mechanism->cut_row_count(), first, *s1);
      if (state.data().drifted) {
        unpack(directions.change_forces, size, first, *r2);
      }
    }
  }
}

ClosedDerivatives::ClosedDerivatives(const Mechanism& mechanism, bool projects, std::unique_ptr<LoopSolver> solver,
                                     const InstructionSet& set)
    : work_(std::make_unique<Workspace>(mechanism, projects, std::move(solver), set)) {}

ClosedDerivatives::~ClosedDerivatives() = default;

std::string ClosedDerivatives::obstacle(const Mechanism& mechanism) {
  return LoopState::obstacle(mechanism);
}

RhsStatus ClosedDerivatives::jacobian(double t, std::span<const double> x, std::span<double> rows) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, true); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  // Of accelerations by displacements and by velocities; of velocities in use by both.
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n, work.projects ? 4 * n : 2 * n);
  Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(work.rows, columns.cols());
  Eigen::MatrixXd r2 = Eigen::MatrixXd::Zero(n, work.projects ? n : 0);
  Eigen::MatrixXd s1 = Eigen::MatrixXd::Zero(work.rows, work.projects ? n : 0);
  work.sweep_all(true, columns.leftCols(n), wanted.leftCols(n), work.projects ? &r2 : nullptr,
                 work.projects ? &s1 : nullptr);
  work.sweep_all(false, columns.middleCols(n, n), wanted.middleCols(n, n), nullptr, nullptr);
  if (work.projects) {
    columns.middleCols(2 * n, n) = r2;
    columns.rightCols(n) = -work.state.mass();
    wanted.middleCols(2 * n, n) = s1;
  }
  columns *= -1.0;
  wanted *= -1.0;
  work.factors->solve(columns, wanted);
  Eigen::MatrixXd by_turn = columns.leftCols(n);
  Eigen::MatrixXd by_push = columns.middleCols(n, n);
  Eigen::MatrixXd velocity_by_turn = Eigen::MatrixXd::Zero(n, n);
  Eigen::MatrixXd velocity_by_push = Eigen::MatrixXd::Identity(n, n);
  if (work.projects) {
    velocity_by_turn = columns.middleCols(2 * n, n);
    velocity_by_push = columns.rightCols(n);
    by_turn.noalias() += by_push * velocity_by_turn;
    by_push = (by_push * velocity_by_push).eval();
  }
  const auto total = static_cast<Eigen::Index>(x.size());
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(rows.data(), total, total);
  const Eigen::Index q_size = work.mechanism->q_size();
  const std::span<const double> q = x.first(index_of(q_size));
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
  const std::span<const double> q = x.first(index_of(q_size));
  const Eigen::VectorXd turns = work.coordinates.turns_of(q, direction.first(q.size()));
  Eigen::VectorXd pushes = Eigen::Map<const Eigen::VectorXd>(direction.data() + q_size, n);
  Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd seconds = Eigen::VectorXd::Zero(work.rows);
  Eigen::VectorXd changes = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd firsts = Eigen::VectorXd::Zero(work.rows);
  linear::LoopDirections directions{turns.data(),   none.data(),    forces.data(),
                                    seconds.data(), changes.data(), firsts.data()};
  if (work.projects) {
    work.sweeps.direction(work.state.data(), directions);
    pushes = work.state.momenta_of(pushes) - changes;
    firsts *= -1.0;
    work.solve(pushes, firsts);
  }
  directions.pushes = pushes.data();
  work.sweeps.direction(work.state.data(), directions);
  forces *= -1.0;
  seconds *= -1.0;
  work.solve(forces, seconds);
  std::copy(forces.begin(), forces.end(), product.begin() + q_size);
  work.coordinates.set_rates(q, direction.first(q.size()), work.u, pushes, product.first(q.size()));
  return finite_or_why(product);
}

RhsStatus ClosedDerivatives::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                                  std::span<double> product, std::span<double> by_forces,
                                                  std::span<double> by_masses) {
  Workspace& work = *work_;
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  const Eigen::Index q_size = work.mechanism->q_size();
  const std::span<const double> q = x.first(index_of(q_size));
  const std::span<double> by_q = product.first(q.size());
  Eigen::VectorXd by_turn = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd by_push = Eigen::VectorXd::Zero(n);
  work.coordinates.set_weights(q, weights.first(q.size()), work.u, by_q, by_push);
  // The equations are symmetric: weights of u' become those of r and of s by the same solution.
  Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(weights.data() + q_size, n);
  work.solve(y, work.none);
  std::copy_n(y.begin(), by_forces.size(), by_forces.begin());
  std::fill(by_masses.begin(), by_masses.end(), 0.0);
  work.state.add_weights_of_masses(y, &LoopState::UnitMass::force, by_masses);
  Eigen::VectorXd nu = work.sigma;
  y *= -1.0;
  linear::LoopWeights sums{y.data(), nu.data(), by_turn.data(), by_push.data()};
  work.sweeps.weights(work.state.data(), sums);
  if (work.projects) {
    Eigen::VectorXd z = by_push;
    work.solve(z, work.none);
    nu = work.sigma;
    by_push = work.state.momenta_of(z);
    work.state.add_weights_of_masses(z, &LoopState::UnitMass::change, by_masses);
    z *= -1.0;
    sums = {z.data(), nu.data(), by_turn.data(), nullptr};
    work.sweeps.change_weights(work.state.data(), sums);
  }
  work.coordinates.add_weights_of_turns(q, by_turn, by_q);
  std::copy(by_push.begin(), by_push.end(), product.begin() + q_size);
  return finite_or_why(product);
}

RhsStatus ClosedDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                                std::span<const RateParameter> parameters, std::span<double> rows) {
  Workspace& work = *work_;
  std::vector<ParameterPlace> places;
  for (const RateParameter& parameter : parameters) {
    places.push_back(place_of(*work.mechanism, parameter));
  }
  if (const RhsStatus status = work.linearise(t, x, false); !status.ok) {
    return status;
  }
  const Eigen::Index n = work.size;
  const Eigen::Index q_size = work.mechanism->q_size();
  const std::span<const double> q = x.first(index_of(q_size));
  const auto count = static_cast<Eigen::Index>(parameters.size());
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(
      rows.data(), static_cast<Eigen::Index>(x.size()), count);
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n, count);
  Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(n, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const ParameterPlace& place = places[index_of(k)];
    if (place.body >= 0) {
      work.state.add_unit_mass(place.body, columns.col(k), changes.col(k));
    } else {
      columns(place.u, k) = place.kind == ParameterKind::joint_force ? 1.0
                            : place.kind == ParameterKind::damping   ? -work.u[place.u]
                                                                     : place.rest - q[index_of(place.q)];
    }
  }
  Eigen::VectorXd forces(n);
  Eigen::VectorXd unused = Eigen::VectorXd::Zero(std::max(n, work.rows));
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < count; ++k) {
    Eigen::VectorXd seconds = Eigen::VectorXd::Zero(work.rows);
    Eigen::VectorXd own = columns.col(k);
    if (work.state.data().drifted && places[index_of(k)].body >= 0) {
      // Projected velocities depend on masses, and accelerations on them.
      Eigen::VectorXd change = changes.col(k);
      work.solve(change, work.none);
      work.sweeps.direction(work.state.data(),
                            {still.data(), change.data(), forces.data(), seconds.data(), unused.data(), unused.data()});
      own -= forces;
      seconds *= -1.0;
      changes.col(k) = change;
    } else {
      changes.col(k).setZero();
    }
    work.solve(own, seconds);
    columns.col(k) = own;
  }
  all.bottomRows(n) = columns;
  all.topRows(q_size) = work.coordinates.rates(q, changes);
  return finite_or_why(rows);
}

}  // namespace mbdbench
