#include "experiments/integrators/drift_case.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "experiments/integrators/problems.hpp"
#include "experiments/integrators/work_case.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::integrator_study {
namespace {

constexpr double kQuickShare = 0.05;

struct Pendulum {
  explicit Pendulum(Mechanism given) : mechanism(std::move(given)) {}
  Mechanism mechanism;
  std::unique_ptr<Formulation> formulation;
  Observation observation;
};

}  // namespace

DriftCase kepler_drift(bool quick) {
  constexpr double kRevolutions = 500.0;
  constexpr double kEvaluationsARevolution = 1000.0;
  Problem problem = problem_of("kepler");
  DriftCase made;
  made.mechanism = problem.name;
  made.energy_unit = "1";
  made.system = std::move(problem.system);
  made.x0 = std::move(problem.x0);
  const double revolutions = quick ? 2.0 * kQuickShare * kRevolutions : kRevolutions;
  made.duration = 2.0 * M_PI * revolutions;
  made.evaluations = kEvaluationsARevolution * revolutions;
  made.energy = [](double /*t*/, std::span<const double> x) { return kepler_energy(x); };
  made.regular = true;
  return made;
}

DriftCase pendulum_drift(const Registries& registries, int bodies, double duration, double evaluations, bool quick) {
  constexpr const char* kFormulation = "hdca";
  const FormulationEntry* const entry = find_formulation(registries.formulations, kFormulation);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment integrators needs the formulation '{}'", kFormulation));
  }
  DriftCase made;
  made.mechanism = fmt::format("pendulum:{}", bodies);
  const auto pendulum = std::make_shared<Pendulum>(make_mechanism(registries.mechanisms, made.mechanism));
  pendulum->formulation = make_formulation(registries.formulations, *entry, pendulum->mechanism);
  made.formulation = kFormulation;
  made.energy_unit = "J";
  made.x0 = initial_state(*pendulum->formulation, 0.0);
  made.system = ode_system(*pendulum->formulation);
  made.duration = (quick ? kQuickShare : 1.0) * duration;
  made.evaluations = (quick ? kQuickShare : 1.0) * evaluations;
  // The system refers to the formulation, which lives as long as this function.
  made.energy = [pendulum](double t, std::span<const double> x) {
    const RhsStatus status = pendulum->formulation->observe(t, x, pendulum->observation);
    if (!status.ok) {
      throw std::runtime_error(fmt::format("the energy at t = {} cannot be computed: {}", t, status.message()));
    }
    return pendulum->observation.energies.total();
  };
  return made;
}

}  // namespace mbdbench::integrator_study
