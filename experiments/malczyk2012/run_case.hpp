#pragma once
/// \file
/// One mechanism with one variant, ready to run.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/command_line.hpp"
#include "experiments/malczyk2012/variants.hpp"
#include "experiments/record_maker.hpp"
#include "experiments/simulation.hpp"

namespace mbdbench::malczyk2012 {

/// The paper's tolerance, absolute and relative, and its interval (s) [Malczyk2012, Sect. 4.1].
inline constexpr double kTolerance = 1e-6;
inline constexpr double kEnd = 10.0;

/// A mechanism and a formulation of it, initial state packed.
class RunCase {
 public:
  /// \throws std::invalid_argument, ParameterError, ModelError for what the registries do not have or refuse
  RunCase(const Registries& registries, std::string_view mechanism, const Variant& variant);

  [[nodiscard]] Formulation& formulation() { return *formulation_; }
  [[nodiscard]] const std::vector<double>& x0() const { return x0_; }
  /// Runs ode45 at the paper's tolerance from the initial state.
  SimulationResult run(const Registries& registries, double end, OdeSink& sink);
  /// \returns what makes the records of a run.
  [[nodiscard]] RecordMaker records(std::string_view integrator, std::string parameters) const;

 private:
  std::string key_;
  std::unique_ptr<const Mechanism> mechanism_;
  std::unique_ptr<Formulation> formulation_;
  std::string label_;
  std::vector<double> x0_;
};

/// \returns the parameters of a run's records.
std::string run_parameters(double end);

}  // namespace mbdbench::malczyk2012
