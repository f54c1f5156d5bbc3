#pragma once
/// \file
/// Where the point K is at the requested times.
#include <stdexcept>
#include <vector>

#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench::chadaj2017 {

/// Time between samples of K, s; a whole second, so that records can name the times.
inline constexpr double kPointStep = 1.0;

/// Keeps the position of the first marker at every sample.
class PointSamples : public OdeSink {
 public:
  /// \param formulation of the run; must outlive the samples
  explicit PointSamples(Formulation& formulation) : formulation_(formulation) {}

  /// \throws std::runtime_error when the state cannot be observed
  bool sample(double t, std::span<const double> x) override {
    const RhsStatus status = formulation_.observe(t, x, observation_);
    if (!status.ok) {
      throw std::runtime_error("cannot observe the state: " + status.message());
    }
    positions_.push_back(observation_.marker_positions.front());
    return true;
  }

  /// \returns the positions (m), the first at t = 0.
  [[nodiscard]] const std::vector<Vec3>& positions() const { return positions_; }

 private:
  Formulation& formulation_;
  Observation observation_;
  std::vector<Vec3> positions_;
};

}  // namespace mbdbench::chadaj2017
