#include "experiments/chadaj2017/run_monitor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace mbdbench::chadaj2017 {
namespace {

// Before, start-up and not growth decides.
constexpr double kFitFrom = 1.0;

}  // namespace

void GrowthFit::add(double t, double value) {
  largest_ = std::max(largest_, std::abs(value));
  if (t <= kFitFrom || largest_ == 0.0) {
    return;
  }
  const double x = std::log(t);
  const double y = std::log(largest_);
  count_ += 1.0;
  sum_x_ += x;
  sum_y_ += y;
  sum_xx_ += x * x;
  sum_xy_ += x * y;
}

std::optional<double> GrowthFit::exponent() const {
  const double determinant = count_ * sum_xx_ - sum_x_ * sum_x_;
  if (count_ < 3.0 || determinant <= 0.0) {
    return std::nullopt;
  }
  return (count_ * sum_xy_ - sum_x_ * sum_y_) / determinant;
}

RunMonitor::RunMonitor(Formulation& formulation, const std::filesystem::path& file) : formulation_(formulation) {
  stream_.emplace(
      file, std::vector<std::string>{},
      std::vector<std::string>{"t", "energy_error", "position_violation", "velocity_violation", "asymmetry", "sigma"});
}

bool RunMonitor::sample(double t, std::span<const double> x) {
  if (!started_) {
    observe(t, x);
  }
  return true;
}

bool RunMonitor::step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) {
  observe(t, x);
  return true;
}

void RunMonitor::observe(double t, std::span<const double> x) {
  const RhsStatus status = formulation_.observe(t, x, observation_);
  if (!status.ok) {
    throw std::runtime_error("cannot observe the state: " + status.message());
  }
  if (!started_) {
    started_ = true;
    initial_energy_ = observation_.energies.total();
    axis_ = observation_.marker_positions.front().x();
  }
  energy_error_ = observation_.energies.total() - initial_energy_;
  energy_.add(t, energy_error_);
  position_.add(t, observation_.position_residual);
  velocity_.add(t, observation_.velocity_residual);
  sigma_.add(t, observation_.largest_sigma);
  const double asymmetry = std::abs(observation_.marker_positions.front().x() - axis_);
  asymmetry_ = std::max(asymmetry_, asymmetry);
  const auto layout = formulation_.layout();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (layout[i].kind == StateKind::velocity || layout[i].kind == StateKind::momentum) {
      largest_rate_ = std::max(largest_rate_, std::abs(x[i]));
    }
  }
  if (stream_) {
    stream_->write(std::array{t, energy_error_, observation_.position_residual, observation_.velocity_residual,
                              asymmetry, observation_.largest_sigma});
  }
}

void RunMonitor::finish() {
  if (stream_) {
    stream_->finish();
  }
}

}  // namespace mbdbench::chadaj2017
