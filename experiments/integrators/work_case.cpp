#include "experiments/integrators/work_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "experiments/integrators/problems.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/simulation/simulation.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench::integrator_study {
namespace {

// Lorenz's equations forget their initial value: perturbations grow about e^0.9 a second, a hundredfold by 5 s.
constexpr double kLorenzEnd = 5.0;
// The 16-body pendulum amplifies perturbations 4e4-fold by 10 s; by 5 s errors still go with the tolerance.
constexpr double kMechanismEnd = 5.0;
// What every sensible method needs for an error of 1e-8 or less.
constexpr std::size_t kProblemLimit = 100000;
constexpr std::size_t kMechanismLimit = 20000;

struct MechanismParts {
  explicit MechanismParts(Mechanism given) : mechanism(std::move(given)), kinematics(mechanism) {}
  Mechanism mechanism;
  std::unique_ptr<Formulation> formulation;
  Kinematics kinematics;
};

Outcome poses(MechanismParts& parts, double t, std::span<const double> x) {
  std::vector<double> q(static_cast<std::size_t>(parts.mechanism.q_size()));
  std::vector<double> u(static_cast<std::size_t>(parts.mechanism.u_size()));
  const RhsStatus status = parts.formulation->unpack(t, x, q, u);
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the poses at t = {} cannot be computed: {}", t, status.message()));
  }
  parts.kinematics.set_positions(q);
  Outcome outcome;
  for (std::size_t k = 0; k < parts.mechanism.bodies().size(); ++k) {
    const BodyKinematics& body = parts.kinematics.body(static_cast<int>(k));
    outcome.coordinates.insert(outcome.coordinates.end(), body.com.begin(), body.com.end());
    outcome.rotations.push_back(body.rotation);
  }
  return outcome;
}

class Silent : public OdeSink {
 public:
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
};

/// One of the two runs behind a reference.
Outcome tight_run(const WorkCase& target, const OdeEntry& integrator, std::string& failure) {
  constexpr double kTight = 1e-13;
  OdeOptions options;
  options.relative_tolerance = kTight;
  options.absolute_tolerance = {kTight};
  Silent sink;
  const std::array tspan = {0.0, target.tf};
  const OdeResult result = integrator.solve(target.system, tspan, target.x0, options, sink);
  if (result.status != OdeStatus::ok) {
    failure = fmt::format("{} at 1e-13: {}", integrator.key, result.message);
    return {};
  }
  return target.outcome(result.t, result.x);
}

Reference find_reference(const Registries& registries, const WorkCase& target) {
  if (target.mechanism == "kepler") {
    // Two runs at tight tolerance differ by 2e-9 here: errors along the orbit grow with the square of the time.
    return {target.outcome(target.tf, target.x0), 0.0, 0.0, "exact: the start after whole revolutions", {}};
  }
  constexpr const char* kFirst = "odeint-fehlberg78";
  constexpr const char* kSecond = "ode113";
  const WorkCase first = target.is_mechanism() ? mechanism_case(registries, target.mechanism, "dense") : target;
  const WorkCase second =
      target.is_mechanism() ? mechanism_case(registries, target.mechanism, "dense-momentum") : target;
  Reference reference;
  reference.method = fmt::format("{}{} against {}{}, tolerance 1e-13", target.is_mechanism() ? "dense, " : "", kFirst,
                                 target.is_mechanism() ? "dense-momentum, " : "", kSecond);
  reference.outcome = tight_run(first, *find_integrator(registries.integrators, kFirst), reference.failure);
  const Outcome other = tight_run(second, *find_integrator(registries.integrators, kSecond), reference.failure);
  if (reference.failure.empty()) {
    reference.coordinate_uncertainty = coordinate_error(reference.outcome, other);
    reference.rotation_uncertainty = rotation_error(reference.outcome, other);
  }
  return reference;
}

}  // namespace

double coordinate_error(const Outcome& a, const Outcome& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.coordinates.size(); ++i) {
    largest = std::max(largest, std::abs(a.coordinates[i] - b.coordinates[i]));
  }
  return largest;
}

double rotation_error(const Outcome& a, const Outcome& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.rotations.size(); ++i) {
    // |R_a - R_b|_F = 2 sqrt(2) sin(angle / 2).
    const double sine = (a.rotations[i] - b.rotations[i]).norm() / (2.0 * std::sqrt(2.0));
    largest = std::max(largest, 2.0 * std::asin(std::min(1.0, sine)));
  }
  return largest;
}

WorkCase problem_case(const std::string& name) {
  Problem problem = problem_of(name);
  WorkCase made;
  made.mechanism = name;
  made.system = std::move(problem.system);
  made.x0 = std::move(problem.x0);
  made.tf = name == "lorenz" ? kLorenzEnd : problem.tf;
  made.evaluation_limit = kProblemLimit;
  made.outcome = [](double /*t*/, std::span<const double> x) { return Outcome{{x.begin(), x.end()}, {}}; };
  return made;
}

WorkCase mechanism_case(const Registries& registries, const std::string& word, const std::string& formulation) {
  const FormulationChoice choice = choose_formulation(registries.formulations, formulation);
  const auto parts = std::make_shared<MechanismParts>(find_mechanism(registries, word));
  parts->formulation = make_formulation(registries.formulations, *choice.entry, parts->mechanism, choice.options);
  WorkCase made;
  made.mechanism = word;
  made.formulation = formulation;
  made.x0 = initial_state(*parts->formulation, 0.0);
  made.system = ode_system(*parts->formulation);
  made.tf = kMechanismEnd;
  made.evaluation_limit = kMechanismLimit;
  // The system refers to the formulation, which lives as long as this function.
  made.outcome = [parts](double t, std::span<const double> x) { return poses(*parts, t, x); };
  return made;
}

std::vector<std::string> formulations_for(const Registries& registries, const std::string& word,
                                          std::span<const std::string> wanted) {
  const Mechanism mechanism = find_mechanism(registries, word);
  const auto treats = [&](const std::string& key) {
    return choose_formulation(registries.formulations, key).entry->refusal(mechanism).empty();
  };
  std::vector<std::string> keys;
  if (wanted.empty()) {
    keys.emplace_back(treats("dca") ? "dca" : "dense");
    keys.emplace_back(treats("hdca") ? "hdca" : "dense-momentum");
    return keys;
  }
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(keys), treats);
  return keys;
}

const Reference& References::of(const WorkCase& target) {
  const auto found = found_.find(target.mechanism);
  return found != found_.end() ? found->second
                               : found_.emplace(target.mechanism, find_reference(registries_, target)).first->second;
}

}  // namespace mbdbench::integrator_study
