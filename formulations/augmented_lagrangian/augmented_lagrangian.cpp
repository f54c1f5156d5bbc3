/// \file
/// Divide and conquer with augmented Lagrangian and mass-orthogonal projections, absolute coordinates with Euler
/// parameters: any topology, redundant constraints, through singular positions.
///
/// P. Malczyk, J. Fraczek: A divide and conquer algorithm for constrained multibody system dynamics based on augmented
/// Lagrangian method with projections-based error correction, 2012.
///
/// paper symbol          -> name
///   q_i = (r_i, p_i)    -> y (r_i of the centre of mass, Euler parameters e_i), 7 numbers a body
///   Phi, Phi_q          -> rows D of every joint (AugmentedSystem::directions)
///   alpha               -> 1 / ProximalOptions::regularisation
///   mu, Omega           -> AugmentedOptions::mu, omega
///   lambda              -> AugmentedSystem::multipliers, with the opposite sign: here +D lambda acts on body b
///   lambda^N, Phi^N     -> eliminated exactly: e'' = L^T omega' / 2 - (e' . e') e, no penalty on the normalisation
///   M_11 .. M_22, C     -> not formed; see below
///
/// DEVIATES [Malczyk2012, Eq. (27)-(34)]: the paper assembles M_ij and Q_i of the penalised equations (primal form).
/// Its matrices carry alpha, and differences of terms of size alpha^2 lose alpha^2 eps from the second level of the
/// tree on (augmented_primal_form_test). Here the same equations are solved for the multipliers (dual form): (A + I /
/// alpha) lambda = r + lambda* / alpha, with A the matrix that dca and hdca assemble (augmented_lagrangian_test:
/// convergence factor 1 / (1 + alpha lambda), limit of least norm). DEVIATES [Malczyk2012, Eq. (7), (8)]: no penalty on
/// the normalisation of Euler parameters: its multipliers are eliminated exactly, so that the iterates are the paper's
/// up to that (augmented_lagrangian_test: accelerations of dense, where the penalty leaves a floor of alpha eps,
/// augmented_primal_form_test).
///
/// Cost: one assembly and k passes, O(k n) with k = 3 or 4 where constraints are regular.
#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"

#include <algorithm>
#include <cmath>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "formulations/execution/execution.hpp"

namespace mbdbench {
namespace {

// As for the length of quaternions: what the integrator leaves along e in e' is not worth a restart of its history.
constexpr double kLargestRateError = 1e-8;

}  // namespace

AugmentedLagrangianFormulation::AugmentedLagrangianFormulation(const Mechanism& mechanism,
                                                               const AugmentedOptions& options)
    : AbsoluteStateFormulation(mechanism, options),
      projection_(system_, options),
      derivatives_(mechanism, options, IterationForm::dual, near(), [this] { return system_.near(); }),
      rows_(static_cast<std::size_t>(system_.row_count())) {
  use_derivatives(derivatives_);
  if (system_.team().is_divided()) {
    rates_.resize(state_size());
    body_rates_ = system_.divided().letter_of_bodies(rates_, 2 * kAbsoluteCoordinates);
  }
}

std::unique_ptr<Formulation> AugmentedLagrangianFormulation::clone() const {
  auto copy = std::make_unique<AugmentedLagrangianFormulation>(mechanism(), options_);
  copy->look_near(*this);
  return copy;
}

void AugmentedLagrangianFormulation::diagnostics(const DiagnosticSink& sink) const {
  AbsoluteStateFormulation::diagnostics(sink);
  sink("unconverged_solutions", static_cast<double>(unconverged_));
  sink("unconverged_change", remainder_.rates);
  sink("unconverged_reactions", remainder_.multipliers);
}

RhsStatus AugmentedLagrangianFormulation::solve(double t, std::span<const double> x, int& passes) {
  place(t, x);
  const RhsStatus status = system_.assemble();
  if (status.ok) {
    passes = system_.solve_accelerations(t);
  }
  return status;
}

void AugmentedLagrangianFormulation::set_rates(std::size_t i, std::span<const double> x, std::span<double> xdot) const {
  const std::size_t at = kAbsoluteCoordinates * i;
  const Eigen::Map<const EulerParameters> e(x.data() + at + 3);
  const Mat3 to_body = system_.kinematics().body(static_cast<int>(i)).rotation.transpose();
  const Vec3 omega = to_body * velocities_[i].tail<3>();
  const Vec3 omega_rate = to_body * system_.accelerations()[i].tail<3>();
  const double length = e.norm();
  const EulerParameters unit = e / length;
  const EulerParameters unit_rate = euler_parameter_rate(unit, omega);
  double* rate = xdot.data() + at;
  double* second = xdot.data() + coordinates() + at;
  Eigen::Map<Vec3>{rate} = velocities_[i].head<3>();
  Eigen::Map<EulerParameters>{rate + 3} = length * unit_rate;
  Eigen::Map<Vec3>{second} = system_.accelerations()[i].head<3>();
  Eigen::Map<EulerParameters>{second + 3} = euler_parameter_rate(unit, omega_rate) - unit_rate.squaredNorm() * unit;
}

void AugmentedLagrangianFormulation::exchange_rates(std::span<double> xdot) {
  const auto copy = [&](const DualScope& scope, bool into_buffer) {
    scope.for_bodies({}, velocities_.size(), [&](std::size_t i) {
      double* const buffer = rates_.data() + 2 * kAbsoluteCoordinates * i;
      for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
        double* const one = xdot.data() + half * coordinates() + kAbsoluteCoordinates * i;
        double* const other = buffer + half * kAbsoluteCoordinates;
        std::copy_n(into_buffer ? one : other, kAbsoluteCoordinates, into_buffer ? other : one);
      }
    });
  };
  copy(system_.own_scope(), true);
  system_.divided().send(body_rates_);
  copy({}, false);
}

RhsStatus AugmentedLagrangianFormulation::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  place(t, x, system_.single_scope());
  const RhsStatus status = system_.assemble();
  if (!status.ok) {
    return status;
  }
  const int passes = system_.solve(t, rate_of(x));
  iterations_.acceleration.add(passes);
  remainder_ = system_.remainder();
  unconverged_ += remainder_.rates > 0.0 ? 1 : 0;
  system_.set_twin_rates(xdot);
  system_.team().run([&](const BranchShare& share) {
    system_.single_scope().for_bodies(share, velocities_.size(), [&](std::size_t i) {
      if (!system_.is_twin(i)) {
        set_rates(i, x, xdot);
      }
    });
  });
  if (system_.team().is_divided()) {
    exchange_rates(xdot);
  }
  return status;
}

RhsStatus AugmentedLagrangianFormulation::reactions(double t, std::span<const double> x, Reactions& reactions) {
  int passes = 0;
  const RhsStatus status = solve(t, x, passes);
  if (status.ok) {
    system_.reactions(system_.multipliers(), reactions);
  }
  return status;
}

RhsStatus AugmentedLagrangianFormulation::observe_absolute(double t, std::span<const double> x,
                                                           AbsoluteObservation& observation) {
  int passes = 0;
  const RhsStatus status = solve(t, x, passes);
  if (!status.ok) {
    return status;
  }
  observation.kinetic = 0.0;
  observation.gravitational = 0.0;
  for (int i = 0; i < mechanism().body_count(); ++i) {
    const BodyKinematics& body = system_.kinematics().body(i);
    const double mass = mechanism().bodies()[static_cast<std::size_t>(i)].mass;
    const Vec3 omega = body.velocity.tail<3>();
    observation.kinetic += 0.5 * (mass * body.velocity.head<3>().squaredNorm() + omega.dot(body.inertia * omega));
    observation.gravitational -= mass * mechanism().gravity().dot(body.com);
  }
  observation.position_residual = system_.position_residual(rows_);
  observation.velocity_residual = system_.velocity_residual(rows_);
  observation.acceleration_residual = system_.acceleration_residual(rows_);
  return status;
}

bool AugmentedLagrangianFormulation::normalise_rates(std::span<double> x) const {
  bool changed = false;
  for (std::size_t i = 0; i < velocities_.size(); ++i) {
    const EulerParameters e = Eigen::Map<const EulerParameters>(x.data() + kAbsoluteCoordinates * i + 3).normalized();
    Eigen::Map<EulerParameters> rate(x.data() + coordinates() + kAbsoluteCoordinates * i + 3);
    const double along = e.dot(rate);
    if (std::abs(along) > kLargestRateError * std::max(1.0, rate.norm())) {
      rate -= along * e;
      changed = true;
    }
  }
  return changed;
}

bool AugmentedLagrangianFormulation::project(double t, std::span<double> x) {
  body_velocities(y_of(x), rate_of(x), velocities_);
  const LevelOutcome positions = projection_.project_positions(t, y_of(x));
  const LevelOutcome velocities = projection_.project_velocities(t, y_of(x), velocities_);
  iterations_.position.add(positions.passes);
  iterations_.velocity.add(velocities.passes);
  if (positions.passes + velocities.passes == 0) {
    return false;
  }
  absolute_rates(y_of(x), velocities_, rate_of(x));
  return true;
}

bool AugmentedLagrangianFormulation::after_step(double t, std::span<double> x) {
  bool changed = Formulation::after_step(t, x);
  changed = normalise_rates(x) || changed;
  if (options_.projections) {
    changed = project(t, x) || changed;
  }
  follow(t, x);
  return changed;
}

namespace {

template <bool kProjections>
std::unique_ptr<Formulation> make_augmented(const Mechanism& mechanism, const Parameters& options,
                                            const Execution& execution) {
  return std::make_unique<AugmentedLagrangianFormulation>(mechanism,
                                                          augmented_options(options, kProjections, execution));
}

FormulationEntry shared(FormulationEntry entry) {
  entry.shares_right_sides = true;
  return entry;
}

}  // namespace

FormulationEntry dca_alm_entry() {
  return shared(
      {"dca-alm",
       "divide and conquer with augmented Lagrangian, absolute coordinates, penalty; through singular positions",
       "Malczyk2012",
       StateKind::velocity,
       augmented_option_specifications(false),
       refuse_for_assembly,
       make_augmented<false>,
       {.per_body = 2e4, .per_row_and_velocity = 32.0},
       nullptr});
}

FormulationEntry dca_alm_projected_entry() {
  return shared({"dca-alm-proj",
                 "the same with mass-orthogonal projections of positions and velocities after every step",
                 "Malczyk2012",
                 StateKind::velocity,
                 augmented_option_specifications(true),
                 refuse_for_assembly,
                 make_augmented<true>,
                 {.per_body = 2e4, .per_row_and_velocity = 32.0},
                 nullptr});
}

}  // namespace mbdbench
