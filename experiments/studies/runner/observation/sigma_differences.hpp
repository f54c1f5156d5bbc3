#pragma once
/// \file
/// Constraint forces as [Chadaj2017, Sect. 3.4] means to get them: lambda = sigma' by differences of the impulses sigma
/// of the cut joints.
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/runner/study_results.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench::studies {

/// States of a run at its sample times.
class StateSamples : public OdeSink {
 public:
  struct Sample {
    double t = 0.0;
    std::vector<double> x;
  };
  bool sample(double t, std::span<const double> x) override {
    samples_.push_back({t, {x.begin(), x.end()}});
    return true;
  }
  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::vector<Sample> samples_;
};

/// Central differences of sigma along the motion through every sample against lambda of the formulation `dense`:
/// neither shares code with the other. sigma solves Phi_q^T sigma = M u - p with the rows of Phi_q as the model has
/// them, along the world's axes where they can be.
/// \param interval of the differences, s: their own error falls with its square
/// \returns the largest difference over rows and samples over the largest |lambda|; or why there is none: the state has
///          no momenta, or rows are redundant, so that neither sigma nor lambda is unique
Measured sigma_difference_error(const Registries& registries, Formulation& formulation,
                                const std::vector<StateSamples::Sample>& samples, double interval);

}  // namespace mbdbench::studies
