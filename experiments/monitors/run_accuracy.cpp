#include "experiments/monitors/run_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "experiments/monitors/keep_largest.hpp"

namespace mbdbench {
namespace {

// Of the energy scale: next to a point of return nearly nothing moves, and a small T would count what does not happen.
constexpr double kLeastKinetic = 0.1;

}  // namespace

RunAccuracy::RunAccuracy(Formulation& formulation, const Formulation* solver)
    : formulation_(formulation),
      solver_(solver == nullptr ? &formulation : solver),
      scales_(formulation.mechanism().scales()),
      work_(formulation),
      branches_(formulation.mechanism()),
      couplings_(formulation.mechanism()),
      loads_(formulation.mechanism()),
      table_impulses_(formulation.mechanism().description()),
      q_(static_cast<std::size_t>(formulation.mechanism().q_size())),
      u_(static_cast<std::size_t>(formulation.mechanism().u_size())) {}

void RunAccuracy::observe(double t, std::span<const double> x) {
  // Only residuals are measured with rates, only work with loads.
  RhsStatus status =
      formulation_.mechanism().constrained() || loads_.follows() ? formulation_.unpack(t, x, q_, u_) : RhsStatus{};
  if (status.ok) {
    status = formulation_.observe(t, x, observation_);
  }
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the energy at t = {} cannot be computed: {}", t, status.message()));
  }
  if (formulation_.mechanism().constrained()) {
    keep_largest(largest_rate_, scales_.largest_rate(Eigen::Map<const Eigen::VectorXd>(
                                    u_.data(), static_cast<Eigen::Index>(u_.size()))));
  }
  loads_.observe(t, q_, u_);
  keep_largest(largest_kinetic_energy_, observation_.energies.kinetic);
  keep_largest(largest_position_residual_, scales_.unit * observation_.scaled_position);
  keep_largest(largest_velocity_residual_, scales_.unit * observation_.scaled_velocity);
  if (formulation_.mechanism().constrained()) {
    branches_.follow(t, q_, u_, observation_.scaled_position);
    couplings_.observe(q_, u_);
  }
  solver_->diagnostics([this](std::string_view name, double value) {
    const auto [found, is_new] = diagnostics_.try_emplace(std::string(name), ValueRange{value, value});
    found->second = {std::min(found->second.smallest, value), std::max(found->second.largest, value)};
  });
}

bool RunAccuracy::sample(double t, std::span<const double> x) {
  if (!started_) {
    observe(t, x);
    initial_energy_ = observation_.energies.total();
    initial_potential_ = observation_.energies.potential;
    initial_position_residual_ = largest_position_residual_;
    work_.start(t, x);
    t_start_ = t;
    t_ = t;
    started_ = true;
  }
  return true;
}

void RunAccuracy::reached(double t, std::span<const double> x) {
  work_.finish(t, x);
}

bool RunAccuracy::step(double t, std::span<const double> x, const OdeStatistics& so_far) {
  steps_ = so_far.nsteps;
  const double duration = std::abs(t - t_);
  const double rate_before = observation_.largest_rate;
  table_impulses_.step(t_, t);
  t_ = t;
  observe(t, x);
  work_.start(t, x);
  keep_largest(largest_potential_change_, observation_.energies.potential - initial_potential_);
  final_deviation_ = observation_.energies.total() - initial_energy_;
  keep_largest(largest_deviation_, final_deviation_);
  const double before = final_imbalance_;
  final_imbalance_ = final_deviation_ - work_.work();
  keep_largest(largest_step_imbalance_,
               std::max(0.0, std::abs(final_imbalance_ - before) - (work_.uncertainty() - uncertainty_)));
  uncertainty_ = work_.uncertainty();
  keep_largest(largest_imbalance_, final_imbalance_);
  add_motion_ahead(duration, rate_before);
  return true;
}

void RunAccuracy::add_motion_ahead(double duration, double rate_before) {
  const double kinetic = std::max(observation_.energies.kinetic, kLeastKinetic * energy_scale());
  const double imbalance = std::max(0.0, std::abs(final_imbalance_) - uncertainty_);
  if (kinetic > 0.0 && work_.failure().empty()) {
    const double rate = 0.5 * (rate_before + observation_.largest_rate);
    motion_ahead_ += duration * rate * imbalance / (2.0 * kinetic);
  }
}

double RunAccuracy::mass() const {
  double mass = 0.0;
  for (const Body& body : formulation_.mechanism().bodies()) {
    mass += body.mass;
  }
  return mass;
}

double RunAccuracy::energy_at_rest() const {
  return std::abs(initial_energy_) + mass() * formulation_.mechanism().gravity().norm() * scales_.length +
         loads_.largest();
}

double RunAccuracy::energy_scale() const {
  return std::max({largest_kinetic_energy_, largest_potential_change_, work_.exchanged()});
}

}  // namespace mbdbench
