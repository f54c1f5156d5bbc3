/// \file
/// FormulationCheck by differences: along the right-hand side, and from one to the next of states of a smooth motion.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/verification/derivatives/state_derivative.hpp"
#include "experiments/verification/entry_names.hpp"
#include "experiments/verification/formulation_check.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Of the velocity scale, which is a thousandth of the velocities that forces soon make: below, what projection leaves
// of drawn velocities that drives hold at zero is a few eps.
constexpr double kRest = 1e4 * std::numeric_limits<double>::epsilon();
// Rates of a smooth motion differ from step to step by what its accelerations do, times what forces, gauge and
// coordinates add; a jump by a thousandth of them is none of these.
constexpr double kRougherThanMotion = 1e3;
constexpr double kLargestJumpLimit = 0.1;
// Fourth differences span so many steps; nearer ones are a tenth, ..., a thousandth of the usual one, and twelve cover
// one.
constexpr std::size_t kJumpSteps = 4;
constexpr double kNearer = 0.1;
constexpr double kNearest = 5e-4;
// As of accelerations (verification_reference.cpp): where the power of loads and inertia forces cancels to less than
// this part of it, as of bodies that no force works on, errors are relative to this part.
constexpr double kCancelledPower = 1e-3;
// A step between neighbours takes entries of the state so far at most, unless they mean something else.
constexpr double kSameMeaning = 0.05;
}  // namespace

FormulationCheck::NeighbourRates FormulationCheck::rates_at(const NeighbouringState& neighbour) {
  NeighbourRates result;
  if (same_layout_) {
    x_ << neighbour.q, (rate_kind_ == StateKind::momentum ? neighbour.p : neighbour.u);
  } else if (!formulation_->pack(neighbour.t, view(neighbour.q), view(neighbour.u), view(x_)).ok) {
    return result;
  }
  if (formulation_->rhs(neighbour.t, view(x_), view(xdot_)).ok) {
    result.x = x_;
    result.rates = xdot_;
    for (Eigen::Index i = 0; i < xdot_.size(); ++i) {
      const StateKind kind = formulation_->layout()[static_cast<std::size_t>(i)].kind;
      result.rates[i] *= kind == StateKind::velocity || kind == StateKind::momentum ? 1.0 : 0.0;
    }
  }
  return result;
}

std::optional<FormulationCheck::Jump> FormulationCheck::largest_jump(const NeighbouringStates& neighbours,
                                                                     double scale) {
  std::vector<NeighbourRates> all;
  double size = scale;  // rates that are rounding of zero jump by all of themselves
  for (const NeighbouringState& neighbour : neighbours.states) {
    all.push_back(rates_at(neighbour));
    size = std::max(size, largest_entry(all.back().rates));
  }
  if (size == 0.0) {
    return std::nullopt;
  }
  // Fourth differences: a jump stays in them, and of coordinates in which a smooth motion bends sharply, as reduced
  // ones do, they leave the square of what second ones leave.
  constexpr std::array kWeights = {1.0, -4.0, 6.0, -4.0, 1.0};
  Jump jump;
  for (std::size_t k = 0; k + kWeights.size() <= all.size(); ++k) {
    Eigen::VectorXd fourth = Eigen::VectorXd::Zero(x_.size());
    bool comparable = true;
    for (std::size_t i = 0; i < kWeights.size(); ++i) {
      const NeighbourRates& one = all[k + i];
      comparable =
          comparable && one.x.size() > 0 &&
          (i == 0 || largest_entry(one.x - all[k + i - 1].x) < kSameMeaning * std::max(1.0, largest_entry(one.x)));
      if (comparable) {
        fourth += kWeights[i] * one.rates;
      }
    }
    if (comparable) {
      const Deviation here = relative_error(fourth, Eigen::VectorXd::Zero(fourth.size()), size);
      if (here.error > jump.size.error) {
        jump = {here, k};
      }
    }
  }
  return jump;
}

void FormulationCheck::compare_neighbours(const Reference& reference, VerificationResult& result) {
  const NeighbouringStates* states = &reference.neighbours;
  const double scale = rate_kind_ == StateKind::momentum ? reference.momentum_rate_scale : reference.acceleration_scale;
  std::optional<Jump> jump = largest_jump(*states, scale);
  if (!jump) {
    return;
  }
  const double limit =
      std::max(kSmallestDifferenceLimit, kRougherThanMotion * reference.neighbours.roughness + 16.0 * rate_limit_);
  // Coordinates near a singular position of theirs bend faster than the motion. Seen from nearer, where it was largest,
  // a bend goes and a jump stays.
  NeighbouringStates nearer;
  for (double share = kNearer; jump->size.error > limit && share > kNearest; share *= kNearer) {
    NeighbouringStates nearest;
    Jump largest;
    for (std::size_t i = jump->first; i < std::min(jump->first + kJumpSteps, states->states.size()); ++i) {
      NeighbouringStates from_here = reference_->neighbours(reference, states->states[i], share);
      const std::optional<Jump> here = largest_jump(from_here, scale);
      if (here && here->size.error > largest.size.error) {
        largest = *here;
        nearest = std::move(from_here);
      }
    }
    if (nearest.states.empty()) {
      break;
    }
    jump = largest;
    nearer = std::move(nearest);
    states = &nearer;
  }
  add(result.continuity, result, jump->size, limit, kLargestJumpLimit,
      formulation_->layout()[static_cast<std::size_t>(jump->size.entry)].name);
}

void FormulationCheck::compare_differences(const Reference& reference, VerificationResult& result) {
  const bool accelerations = !(same_layout_ && rate_kind_ == StateKind::velocity);
  // Velocities far below those that the forces soon make are rounding of rest: no energy flows.
  const bool energy = largest_entry(reference.state.u) > kRest * reference.velocity_scale;
  if (!accelerations && !energy) {
    return;
  }
  const Eigen::Index nu = mechanism_->u_size();
  Observation observation;
  const StateFunction values = [&](double t, std::span<const double> x, Eigen::VectorXd& result_values) {
    RhsStatus status = formulation_->unpack(t, x, view(q_), view(u_));
    if (status.ok) {
      status = formulation_->observe(t, x, observation);
    }
    result_values.resize(nu + 2);
    result_values << u_, observation.energies.kinetic, observation.energies.potential;
    return status.message();
  };
  // A step that is small next to the times in which the state changes.
  const double h = kDifferenceStep /
                   std::max({1.0, largest_entry(reference.state.u), std::sqrt(largest_entry(reference.accelerations))});
  const StateDerivative derivative = derivative_along(values, reference.state.t, x_, xdot_, h);
  if (!derivative.failure.empty()) {
    result.failure = derivative.failure;
    return;
  }
  if (accelerations) {
    // Where nothing moves and nothing pulls, the mechanism has no unit of time. The step of the differences is one:
    // what a formulation makes of coordinates that round is eps over its square.
    const double rest = kEps * std::max(1.0, largest_entry(reference.state.q)) / (h * h * kSmallestDifferenceLimit);
    const double given = std::max(largest_entry(reference.accelerations), reference.acceleration_scale);
    const double size = given > 0.0 ? given : rest;
    const double rounding =
        velocity_limit(reference) * std::max(largest_entry(reference.u), reference.velocity_scale) / h;
    const double iteration = converged_ ? 0.0 : kUnconvergedLimit;
    const double explained = (largest_entry(derivative.uncertainty.head(nu)) + rounding) / size + iteration;
    const Deviation deviation = relative_error(derivative.value.head(nu), reference.accelerations, size);
    add(result.acceleration, result, deviation, std::max(kSmallestDifferenceLimit, explained), kLargestDifferenceLimit,
        velocity_entry(*mechanism_, deviation.entry));
  }
  if (energy) {
    const double kinetic_rate = derivative.value[nu];
    const double potential_rate = derivative.value[nu + 1];
    double power = 0.0;
    const RhsStatus status = formulation_->power(reference.state.t, view(x_), power);
    if (!status.ok) {
      result.failure = status.message();
      return;
    }
    const double size = std::abs(kinetic_rate) + std::abs(potential_rate) + std::abs(power);
    // Where the state holds u, T is right to rounding; where u is solved for, T inherits its error.
    const double kinetic_error = rate_kind_ == StateKind::momentum ? 2.0 * limit_ : kRoundingFactor * kEps;
    const double rounding = (kinetic_error * observation.energies.kinetic +
                             kRoundingFactor * kEps * std::abs(observation.energies.potential) +
                             kRoundingFactor * kEps * reference.offset_energy) /
                            h;
    // Of the drives' forces, which are solved for.
    const double power_error = (converged_ ? std::max(limit_, missing_) : kUnconvergedLimit) * std::abs(power);
    const double iteration = converged_ ? 0.0 : kUnconvergedLimit * std::abs(kinetic_rate);
    const double uncertainty = derivative.uncertainty.tail(2).sum() + rounding + power_error + iteration;
    // Where no energy flows, as in a body that turns freely, there is nothing to compare.
    if (size > uncertainty) {
      const double terms = reference.force_terms.dot(reference.state.u.cwiseAbs());
      const double scale = std::max(size, kCancelledPower * terms);
      add(result.energy, result, {std::abs(kinetic_rate + potential_rate - power) / scale, 0},
          std::max(kSmallestDifferenceLimit, uncertainty / scale), kLargestDifferenceLimit, "");
    }
  }
}

}  // namespace mbdbench
