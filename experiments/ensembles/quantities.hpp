#pragma once
/// \file
/// What an ensemble makes statistics of, at the times of its samples.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "experiments/simulation/output/motion_columns.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// \returns all names: components of the state; v.JOINT where the state has none; kinetic, potential, total; x_, y_,
/// z_, vx_, vy_, vz_ of every marker. As trajectories have them.
std::vector<std::string> all_quantities(Formulation& formulation);

/// \returns the state, the total energy and where the markers are.
std::vector<std::string> default_quantities(Formulation& formulation);

/// \param chosen names; empty: the default ones
/// \throws std::invalid_argument for a name that there is not, or twice
std::vector<std::string> chosen_quantities(Formulation& formulation, const std::vector<std::string>& chosen);

/// Keeps the quantities of one run at given times.
class QuantitySampler final : public OdeSink {
 public:
  /// \param formulation of the run; must outlive this \param names of `all_quantities` \param times of the samples
  QuantitySampler(Formulation& formulation, const std::vector<std::string>& names, std::vector<double> times);

  /// \throws std::runtime_error when the state cannot be observed
  bool sample(double t, std::span<const double> x) override;
  /// \returns the quantities at one time after another.
  [[nodiscard]] std::vector<double>& samples() { return samples_; }

 private:
  Formulation& formulation_;
  MotionColumns velocities_;
  std::vector<std::size_t> places_;  // of the names in a row of everything
  bool observes_ = false;
  bool takes_velocities_ = false;
  std::vector<double> times_;
  std::size_t next_ = 0;
  Observation observation_;
  std::vector<double> row_;
  std::vector<double> samples_;
};

}  // namespace mbdbench
