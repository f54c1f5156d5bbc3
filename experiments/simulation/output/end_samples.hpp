#pragma once
/// \file
/// Samples at the two ends of a run alone: integrators take two times of output for every step.
#include "integrators/ode.hpp"

namespace mbdbench {

/// Passes on what lies at the ends of the run.
class EndSamples final : public OdeSink {
 public:
  EndSamples(OdeSink& inner, double start, double end) : inner_(inner), start_(start), end_(end) {}

  [[nodiscard]] bool wants_samples() const override { return inner_.wants_samples(); }
  bool sample(double t, std::span<const double> x) override {
    return (t != start_ && t != end_) || inner_.sample(t, x);
  }
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override {
    return inner_.step(t, x, so_far);
  }

 private:
  OdeSink& inner_;
  double start_;
  double end_;
};

}  // namespace mbdbench
