#include "experiments/malczyk2012/violation_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mechanisms/model/spectrum.hpp"

namespace mbdbench::malczyk2012 {
namespace {

// A position counts as near a singular one while the smallest singular value is below this part of its largest in the
// run: the regular motion of the five-bars keeps it above a tenth.
constexpr double kNearSingular = 1e-2;

void require(const RhsStatus& status) {
  if (!status.ok) {
    throw std::runtime_error("cannot observe the state: " + status.message());
  }
}

}  // namespace

ViolationMonitor::ViolationMonitor(Formulation& formulation, int rank)
    : formulation_(formulation),
      augmented_(dynamic_cast<AugmentedLagrangianFormulation*>(&formulation)),
      solves_accelerations_(augmented_ != nullptr || formulation.layout().back().kind == StateKind::velocity),
      rank_(rank),
      kinematics_(formulation.mechanism()),
      jacobians_(formulation.mechanism()),
      q_(static_cast<std::size_t>(formulation.mechanism().q_size())),
      u_(static_cast<std::size_t>(formulation.mechanism().u_size())),
      xdot_(formulation.state_size()) {}

ViolationMonitor::ViolationMonitor(Formulation& formulation, int rank, const std::filesystem::path& file)
    : ViolationMonitor(formulation, rank) {
  std::vector<std::string> columns = {"t", "energy_error", "position_violation", "velocity_violation",
                                      "smallest_singular_value"};
  if (solves_accelerations_) {
    columns.emplace_back("acceleration_violation");
  }
  if (augmented_ != nullptr) {
    columns.insert(columns.end(), {"position_iterations", "velocity_iterations", "acceleration_iterations"});
  }
  stream_.emplace(file, std::vector<std::string>{}, columns);
}

bool ViolationMonitor::sample(double t, std::span<const double> x) {
  if (!started_) {
    observe(t, x);
  }
  return true;
}

bool ViolationMonitor::step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) {
  observe(t, x);
  return true;
}

double ViolationMonitor::singular_value(double t, std::span<const double> x) {
  require(formulation_.unpack(t, x, q_, u_));
  kinematics_.set_positions(q_);
  jacobians_.set_positions(kinematics_);
  return singular_values(jacobians_.constraints())[rank_ - 1];
}

double ViolationMonitor::observe_joint_state(double t, std::span<const double> x, double& position, double& velocity,
                                             double& acceleration) {
  require(formulation_.observe(t, x, observation_));
  position = observation_.position_residual;
  velocity = observation_.velocity_residual;
  if (solves_accelerations_) {
    require(formulation_.rhs(t, x, xdot_));
    kinematics_.set_velocities(u_);
    jacobians_.set_velocities(kinematics_);
    const auto size = static_cast<Eigen::Index>(u_.size());
    const Eigen::Map<const Eigen::VectorXd> rates(xdot_.data() + q_.size(), size);
    const Eigen::Map<const Eigen::VectorXd> u(u_.data(), size);
    acceleration = (jacobians_.constraints() * rates + jacobians_.constraint_rate() * u).cwiseAbs().maxCoeff();
  }
  return observation_.energies.total();
}

void ViolationMonitor::observe(double t, std::span<const double> x) {
  // Before anything else is evaluated: the passes of this step.
  const AugmentedIterations passes = augmented_ != nullptr ? augmented_->iterations() : AugmentedIterations{};
  const double singular_value_here = singular_value(t, x);
  double position = 0.0;
  double velocity = 0.0;
  double acceleration = 0.0;
  double energy = 0.0;
  if (augmented_ != nullptr) {
    AbsoluteObservation absolute;
    require(augmented_->observe_absolute(t, x, absolute));
    energy = absolute.kinetic + absolute.gravitational;
    position = absolute.position_residual;
    velocity = absolute.velocity_residual;
    acceleration = absolute.acceleration_residual;
  } else {
    energy = observe_joint_state(t, x, position, velocity, acceleration);
  }
  const bool first = !started_;
  if (first) {
    started_ = true;
    initial_energy_ = energy;
  }
  const double energy_error = energy - initial_energy_;
  energy_ = std::max(energy_, std::abs(energy_error));
  position_ = std::max(position_, position);
  velocity_ = std::max(velocity_, velocity);
  if (solves_accelerations_) {
    acceleration_ = std::max(acceleration_.value_or(0.0), acceleration);
  }
  smallest_ = std::min(smallest_, singular_value_here);
  largest_singular_value_ = std::max(largest_singular_value_, singular_value_here);
  const std::array<int, 3> counts = {passes.position.last, passes.velocity.last, passes.acceleration.last};
  if (augmented_ != nullptr && !first) {
    steps_.push_back({singular_value_here, counts});
  }
  if (stream_) {
    std::vector<double> row = {t, energy_error, position, velocity, singular_value_here};
    if (solves_accelerations_) {
      row.push_back(acceleration);
    }
    if (augmented_ != nullptr) {
      row.insert(row.end(), counts.begin(), counts.end());
    }
    stream_->write(row);
  }
}

PassFigures ViolationMonitor::passes(Level level) const {
  constexpr int kFour = 4;  // as the paper says
  PassFigures figures;
  const auto steps = static_cast<double>(steps_.size());
  for (const StepPasses& step : steps_) {
    const int passes = step.passes[static_cast<std::size_t>(level)];
    const bool singular = step.singular_value < kNearSingular * largest_singular_value_;
    int& most = singular ? figures.most_singular : figures.most_regular;
    most = std::max(most, passes);
    figures.mean += static_cast<double>(passes) / steps;
    figures.share_within_four += passes <= kFour ? 1.0 / steps : 0.0;
  }
  return figures;
}

void ViolationMonitor::finish() {
  if (stream_) {
    stream_->finish();
  }
}

}  // namespace mbdbench::malczyk2012
