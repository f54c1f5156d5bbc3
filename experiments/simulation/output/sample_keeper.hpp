#pragma once
/// \file
/// A sink for runs with few requested times.
#include <span>
#include <vector>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Keeps every sample.
class SampleKeeper : public OdeSink {
 public:
  bool sample(double t, std::span<const double> x) override {
    times_.push_back(t);
    states_.emplace_back(x.begin(), x.end());
    return true;
  }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] const std::vector<std::vector<double>>& states() const { return states_; }

 private:
  std::vector<double> times_;
  std::vector<std::vector<double>> states_;
};

}  // namespace mbdbench
