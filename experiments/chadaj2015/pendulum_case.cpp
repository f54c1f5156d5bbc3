#include "experiments/chadaj2015/pendulum_case.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace mbdbench::chadaj2015 {
namespace {

const FormulationEntry& formulation_of(const Registries& registries, std::string_view key) {
  const FormulationEntry* const entry = find_formulation(registries.formulations, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment chadaj2015 needs the formulation '{}'", key));
  }
  return *entry;
}

}  // namespace

PendulumCase::PendulumCase(const Registries& registries, std::string_view formulation_key)
    : mechanism_(std::make_unique<const Mechanism>(make_mechanism(registries.mechanisms, kMechanism))) {
  const FormulationEntry& entry = formulation_of(registries, formulation_key);
  formulation_ = make_formulation(registries.formulations, entry, *mechanism_);
  key_ = entry.key;
  rate_kind_ = entry.rate_kind;
  x0_ = initial_state(*formulation_, 0.0);
}

SimulationResult PendulumCase::run(const OdeEntry& integrator, double tolerance, const std::vector<double>& times,
                                   OdeSink& sink, const std::vector<StateKind>& controlled) {
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.controlled = controlled;
  return simulate(*formulation_, integrator, times, x0_, options, sink);
}

const OdeEntry& integrator_of(const Registries& registries, std::string_view key) {
  const OdeEntry* const entry = find_integrator(registries.integrators, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment chadaj2015 needs the integrator '{}'", key));
  }
  return *entry;
}

Record RecordMaker::measured(std::string quantity, std::string unit, double value, std::string note) const {
  Record record;
  record.experiment = "chadaj2015";
  record.mechanism = kMechanism;
  record.formulation = formulation_;
  record.integrator = integrator_;
  record.parameters = parameters_;
  record.quantity = std::move(quantity);
  record.unit = std::move(unit);
  record.value = value;
  record.note = std::move(note);
  return record;
}

Record RecordMaker::compared(std::string quantity, std::string unit, double value, const Comparison& comparison) const {
  Record record = measured(std::move(quantity), std::move(unit), value, std::string(comparison.reason));
  record.published_value = comparison.value;
  record.source = comparison.source;
  record.verdict = judge(record.value, record.published_value, comparison.relative_limit);
  return record;
}

Record RecordMaker::failed(std::string quantity, std::string unit, const SimulationResult& result) const {
  Record record = measured(std::move(quantity), std::move(unit), 0.0, result.message());
  record.value.reset();
  record.verdict = Verdict::failed;
  return record;
}

std::string tolerance_text(double tolerance) {
  return fmt::format("tolerance={}", tolerance);
}

}  // namespace mbdbench::chadaj2015
