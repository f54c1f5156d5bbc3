#include "experiments/soak/run_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "experiments/monitors/accuracy_limits.hpp"
#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/simulation/simulation.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::soak {
namespace {

constexpr std::size_t kMostEvaluationsOfRun = 300'000;
// The tolerance is changed by this to see what a motion makes of errors.
constexpr double kOtherTolerance = 10.0;

}  // namespace

RunEnd run_between(const Registries& registries, Formulation& formulation, double start, double end,
                   std::span<const double> x0, const RunTolerance& tolerance) {
  RunAccuracy accuracy(formulation);
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance.of_steps;
  options.absolute_tolerance = tolerance.of_steps;
  options.ode.max_evaluations = kMostEvaluationsOfRun;
  options.step_reached = [&](double t, std::span<const double> x) { accuracy.reached(t, x); };
  const std::array span = {start, end};
  const SimulationResult result =
      simulate(formulation, *find_integrator(registries.integrators, "ode45"), span, x0, options, accuracy);
  RunEnd ended{result.message(), false, result.ode.x, result.ode.t};
  if (result.succeeded()) {
    const std::vector<std::string> beyond = inaccuracies(accuracy, accuracy_limits(accuracy, tolerance.of_limits, {}));
    ended.failure = fmt::format("{}", fmt::join(beyond, "; "));
    ended.inaccurate = !beyond.empty();
  }
  return ended;
}

Places places(Formulation& formulation, const RunEnd& end) {
  const Mechanism& mechanism = formulation.mechanism();
  Eigen::VectorXd q(mechanism.q_size());
  Eigen::VectorXd u(mechanism.u_size());
  if (!formulation.unpack(end.t, end.x, view(q), view(u)).ok) {
    return std::nullopt;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(q));
  std::vector<Vec3> all;
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const BodyKinematics& body = kinematics.body(k);
    all.push_back(body.com);
    all.insert(all.end(), {body.rotation.col(0), body.rotation.col(1)});
  }
  return all;
}

double difference(const Places& a, const Places& b) {
  if (!a || !b) {
    return std::numeric_limits<double>::infinity();
  }
  double largest = 0.0;
  double extent = 1.0;
  for (std::size_t i = 0; i < a->size(); ++i) {
    const double apart = ((*a)[i] - (*b)[i]).norm();
    if (!std::isfinite(apart)) {
      return std::numeric_limits<double>::infinity();
    }
    largest = std::max(largest, apart);
    extent = std::max(extent, (*b)[i].norm());
  }
  return largest / extent;
}

ReferenceEnd::ReferenceEnd(const Registries& registries, const Mechanism& mechanism)
    : registries_(registries), mechanism_(mechanism), at_tolerance_(at(kRunTolerance)) {}

const Places& ReferenceEnd::at_tighter() {
  if (!at_tighter_) {
    at_tighter_ = at(kRunTolerance / kTighter);
  }
  return *at_tighter_;
}

double ReferenceEnd::sensitivity() {
  if (!sensitivity_) {
    sensitivity_ = 0.0;
    for (const double tolerance : {kOtherTolerance * kRunTolerance, kRunTolerance / kOtherTolerance}) {
      const Places other = at(tolerance);
      sensitivity_ = std::max(*sensitivity_, other ? difference(other, at_tolerance_) : 0.0);
    }
  }
  return *sensitivity_;
}

Places ReferenceEnd::at(double tolerance) const {
  const auto formulation = make_formulation(registries_.formulations,
                                            *choose_formulation(registries_.formulations, "dense").entry, mechanism_);
  const RunEnd end =
      run_between(registries_, *formulation, 0.0, kRunEnd, initial_state(*formulation, 0.0), {tolerance, tolerance});
  return end.failure.empty() ? soak::places(*formulation, end) : std::nullopt;
}

}  // namespace mbdbench::soak
