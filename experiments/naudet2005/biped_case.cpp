#include "experiments/naudet2005/biped_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/time_span.hpp"

namespace mbdbench::naudet2005 {

BipedCase::BipedCase(const Registries& registries, const Form& form)
    : form_(form),
      mechanism_(std::make_unique<const Mechanism>(make_mechanism(registries.mechanisms, kMechanism))),
      formulation_(make_published_formulation(registries, kExperiment, form.key, *mechanism_, form.options)),
      x0_(initial_state(*formulation_, 0.0)) {}

SimulationResult BipedCase::run(const OdeEntry& integrator, std::span<const double> times,
                                const SimulationOptions& options, OdeSink& sink) {
  std::vector<double> xdot(x0_.size());
  for (std::size_t i = 0; i < form_.calls_before_solver; ++i) {
    const RhsStatus status = formulation_->rhs(times.front(), x0_, xdot);
    if (!status.ok) {
      throw std::runtime_error("naudet2005: the initial state cannot be evaluated: " + status.message());
    }
  }
  SimulationResult result = simulate(*formulation_, integrator, times, x0_, options, sink);
  result.rhs_calls += form_.calls_before_solver;
  return result;
}

RecordMaker BipedCase::records(std::string_view integrator, std::string parameters) const {
  return RecordMaker({.experiment = std::string(kExperiment),
                      .mechanism = std::string(kMechanism),
                      .formulation = form_.label(),
                      .integrator = std::string(integrator),
                      .parameters = std::move(parameters)});
}

SimulationOptions with_tolerance(double tolerance) {
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  return options;
}

SimulationOptions with_step(double step) {
  SimulationOptions options;
  options.ode.fixed_step = step;
  options.ode.record_local_error = true;
  return options;
}

std::vector<double> paper_times() {
  return times_of({0.0, kEnd, 0.001});
}

double mean_error(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kIndependent; ++i) {
    sum += std::abs(a[i] - b[i]);
  }
  return sum / static_cast<double>(kIndependent);
}

double largest_error(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < kIndependent; ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

double mean_local_error(const OdeStatistics& statistics, std::size_t first) {
  if (statistics.mean_local_error.size() < first + kIndependent) {
    throw std::logic_error("naudet2005: the integrator has no estimate of local errors");
  }
  double sum = 0.0;
  for (std::size_t i = first; i < first + kIndependent; ++i) {
    sum += statistics.mean_local_error[i];
  }
  const auto steps = static_cast<double>(statistics.nsteps);
  return sum / static_cast<double>(kIndependent) * steps / (steps + 1.0);
}

std::vector<double> reference_angles(const std::vector<Record>& records) {
  std::vector<double> angles;
  for (const Record& record : records) {
    if (record.quantity.starts_with("angle.") && record.value) {
      angles.push_back(*record.value);
    }
  }
  if (angles.size() != kIndependent) {
    throw std::runtime_error("naudet2005: the reference failed; see records of quantity 'angle'");
  }
  return angles;
}

std::string step_text(double step) {
  return fmt::format("step={}", step);
}

}  // namespace mbdbench::naudet2005
