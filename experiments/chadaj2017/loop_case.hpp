#pragma once
/// \file
/// One case of the paper with one variant, ready to run.
#include <memory>
#include <string_view>
#include <vector>

#include "experiments/chadaj2017/variants.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::chadaj2017 {

/// The paper's tolerance of figures 5 to 9, absolute and relative, and its interval (s).
inline constexpr double kTolerance = 1e-6;
inline constexpr double kEnd = 10.0;

/// A mechanism and a formulation of it, initial state packed.
class LoopCase {
 public:
  /// \throws std::invalid_argument, ParameterError, ModelError for what the registries do not have or refuse
  LoopCase(const Registries& registries, std::string_view mechanism, const Variant& variant);

  [[nodiscard]] Formulation& formulation() { return *formulation_; }
  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  [[nodiscard]] const std::vector<double>& x0() const { return x0_; }

  /// Runs from the initial state with equal absolute and relative tolerance. \param times as OdeEntry::solve takes them
  SimulationResult run(const OdeEntry& integrator, double tolerance, const std::vector<double>& times, OdeSink& sink);

  /// \returns what makes the records of a run.
  [[nodiscard]] RecordMaker records(std::string_view integrator, std::string parameters) const;

 private:
  std::unique_ptr<const Mechanism> mechanism_;
  std::unique_ptr<Formulation> formulation_;
  std::string label_;
  std::vector<double> x0_;
};

/// \returns 0 to 10 s with samples every `step` s; no first step of the experiment is longer than 0.01 s would allow.
std::vector<double> sample_times(double step);

/// \returns a maker of this experiment's records. \param formulation the label of a variant
RecordMaker records_of(std::string_view mechanism, std::string_view formulation, std::string_view integrator,
                       std::string parameters);

}  // namespace mbdbench::chadaj2017
