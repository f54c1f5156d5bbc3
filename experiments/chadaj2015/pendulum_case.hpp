#pragma once
/// \file
/// The paper's mechanism with one formulation, ready to run, and records of what comes out.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/records/record_maker.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::chadaj2015 {

inline constexpr std::string_view kMechanism = "pendulum:16";
/// The paper's tolerance, absolute and relative.
inline constexpr double kTolerance = 1e-6;
/// The paper's interval, s.
inline constexpr double kEnd = 10.0;

/// One formulation of the pendulum, initial state packed.
class PendulumCase {
 public:
  /// \throws std::invalid_argument for a key that the registries do not have
  PendulumCase(const Registries& registries, std::string_view formulation_key);

  [[nodiscard]] Formulation& formulation() { return *formulation_; }
  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  [[nodiscard]] std::string_view key() const { return key_; }
  /// \returns velocity or momentum.
  [[nodiscard]] StateKind rate_kind() const { return rate_kind_; }
  [[nodiscard]] const std::vector<double>& x0() const { return x0_; }

  /// Runs from the initial state with equal absolute and relative tolerance. \param times as OdeEntry::solve takes them
  SimulationResult run(const OdeEntry& integrator, double tolerance, const std::vector<double>& times, OdeSink& sink,
                       const std::vector<StateKind>& controlled = {});

 private:
  std::unique_ptr<const Mechanism> mechanism_;
  std::unique_ptr<Formulation> formulation_;
  std::string_view key_;
  StateKind rate_kind_;
  std::vector<double> x0_;
};

/// \throws std::invalid_argument for a key that the registries do not have
const OdeEntry& integrator_of(const Registries& registries, std::string_view key);

/// Makes the records of one run of the paper's mechanism.
class PendulumRecordMaker : public RecordMaker {
 public:
  PendulumRecordMaker(std::string_view formulation, std::string_view integrator, std::string parameters)
      : RecordMaker({.experiment = "chadaj2015",
                     .mechanism = std::string(kMechanism),
                     .formulation = std::string(formulation),
                     .integrator = std::string(integrator),
                     .parameters = std::move(parameters)}) {}

  /// The record of a run that did not reach its end.
  [[nodiscard]] Record failed(std::string quantity, std::string unit, const SimulationResult& result) const {
    return RecordMaker::failed(std::move(quantity), std::move(unit), result.message());
  }
};

}  // namespace mbdbench::chadaj2015
