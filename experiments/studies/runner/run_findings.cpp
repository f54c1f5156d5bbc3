#include "experiments/studies/runner/run_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace mbdbench::studies {
namespace {

/// \returns the place of a component of the state.
std::optional<std::size_t> component_named(const Formulation& formulation, const std::string& name) {
  const auto layout = formulation.layout();
  const auto found =
      std::find_if(layout.begin(), layout.end(), [&](const StateComponent& c) { return c.name == name; });
  return found == layout.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - layout.begin()));
}

/// Mean or largest over joint coordinates.
Measured end_error(const RunFindings& run, const Observer& observer) {
  const std::vector<double>& q = run.poses.back().q;
  const std::vector<double>& reference = run.reference->poses.back().q;
  const Mechanism& mechanism = *run.mechanism->mechanism;
  double sum = 0.0;
  double largest = 0.0;
  double count = 0.0;
  for (const std::string& name : observer.names()) {
    const auto found = mechanism.find_joint(name);
    if (!found || found->cut) {
      return Measured::refused(fmt::format("the mechanism has no joint '{}' in its tree", name));
    }
    const Joint& joint = mechanism.tree_joints()[static_cast<std::size_t>(found->index)];
    for (auto i = static_cast<std::size_t>(joint.q_offset); i < static_cast<std::size_t>(joint.q_offset + joint.nq);
         ++i) {
      const double error = std::abs(q[i] - reference[i]);
      sum += error;
      largest = std::max(largest, error);
      count += 1.0;
    }
  }
  return Measured::number(observer.quantity == Quantity::end_error ? sum / count : largest);
}

/// At one of the sample times.
Measured joint_error(const RunFindings& run, const Observer& observer) {
  const double time = std::stod(observer.subject);
  const std::vector<double> times = sample_times(run.mechanism->end, static_cast<int>(run.poses.size()) - 1);
  const auto found = std::find_if(times.begin(), times.end(), [&](double t) { return std::abs(t - time) < 1e-9; });
  if (found == times.end()) {
    return Measured::refused(fmt::format("{} s is no sample time", time));
  }
  const auto place = static_cast<std::size_t>(found - times.begin());
  return Measured::number(joint_difference(run.poses[place], run.reference->poses[place]));
}

Measured error_of(const RunFindings& run, const Observer& observer) {
  if (observer.quantity == Quantity::marker_error) {
    const auto marker = run.mechanism->mechanism->find_marker(observer.subject);
    if (!marker) {
      return Measured::refused(fmt::format("the mechanism has no marker '{}'", observer.subject));
    }
    return run.errors ? Measured::number(run.errors->markers[static_cast<std::size_t>(*marker)])
                      : Measured::refused(run.reference->failure);
  }
  if (!run.errors) {
    return Measured::refused(run.reference->failure);
  }
  if (observer.quantity == Quantity::joint_error) {
    return joint_error(run, observer);
  }
  if (observer.quantity == Quantity::end_error || observer.quantity == Quantity::largest_end_error) {
    return end_error(run, observer);
  }
  return Measured::number(observer.quantity == Quantity::position_error ? run.errors->position
                                                                        : run.errors->orientation);
}

Measured initial_rate(StudyCase& prepared, const std::string& component) {
  const auto place = component_named(prepared.formulation(), component);
  if (!place) {
    return Measured::refused(fmt::format("the state has no component '{}'", component));
  }
  std::vector<double> xdot(prepared.x0().size());
  const RhsStatus status = prepared.formulation().rhs(0.0, prepared.x0(), xdot);
  return status.ok ? Measured::number(xdot[*place]) : Measured::failed(status.message());
}

/// The start, where there is no error, is one of the points of the mean, as in [Naudet2005, table 1].
Measured local_error(const RunFindings& run, const Observer& observer) {
  const OdeStatistics& counts = run.result.ode.statistics;
  if (counts.mean_local_error.empty()) {
    return Measured::refused("the integrator has no estimate of local errors");
  }
  const std::vector<std::string> names = observer.names();
  double sum = 0.0;
  for (const std::string& name : names) {
    const auto place = component_named(run.prepared->formulation(), name);
    if (!place) {
      return Measured::refused(fmt::format("the state has no component '{}'", name));
    }
    sum += counts.mean_local_error[*place];
  }
  const auto steps = static_cast<double>(counts.nsteps);
  return Measured::number(sum / static_cast<double>(names.size()) * steps / (steps + 1.0));
}

Measured steps_limited(const RunFindings& run, const std::string& kind) {
  const auto layout = run.prepared->formulation().layout();
  if (std::none_of(layout.begin(), layout.end(), [&](const StateComponent& c) { return to_string(c.kind) == kind; })) {
    return Measured::refused(fmt::format("the state has no {}", kind));
  }
  for (const auto& [limiting, share] : run.limited) {
    if (to_string(limiting) == kind) {
      return Measured::number(share);
    }
  }
  return run.limited.empty() ? Measured::refused("known of ode45 alone") : Measured::number(0.0);
}

Measured redundant_rows(const RunFindings& run, Quantity quantity) {
  if (!run.redundant_rows) {
    return Measured::refused("the formulation does not tell how many constraints others repeat");
  }
  return Measured::number(quantity == Quantity::redundant_rows ? run.redundant_rows->largest
                                                               : run.redundant_rows->smallest);
}

/// Of the joints' constraints alone: prescribed motions and couplings count too.
double mobility(const Mechanism& mechanism) {
  return static_cast<double>(mechanism.u_size() - mechanism.constraint_size());
}

Measured degrees_of_freedom(const RunFindings& run) {
  const Measured redundant = redundant_rows(run, Quantity::fewest_redundant_rows);
  return redundant.usable() ? Measured::number(mobility(*run.mechanism->mechanism) + redundant.value) : redundant;
}

}  // namespace

Measured measured_of(const RunFindings& run, const Observer& observer) {
  const auto count = [](std::size_t value) { return Measured::number(static_cast<double>(value)); };
  const OdeStatistics& counts = run.result.ode.statistics;
  switch (observer.quantity) {
    case Quantity::evaluations:
      return count(counts.nfevals);
    case Quantity::steps:
      return count(counts.nsteps);
    case Quantity::failed_attempts:
      return count(counts.nfailed);
    case Quantity::jacobians:
      return count(counts.npds);
    case Quantity::iterations:
      return count(counts.niterations);
    case Quantity::first_step:
      return Measured::number(run.result.ode.first_step);
    case Quantity::inaccuracies:
      return count(run.inaccuracies);
    case Quantity::energy_imbalance:
      return run.imbalance;
    case Quantity::redundant_rows:
    case Quantity::fewest_redundant_rows:
      return redundant_rows(run, observer.quantity);
    case Quantity::mobility:
      return Measured::number(mobility(*run.mechanism->mechanism));
    case Quantity::degrees_of_freedom:
      return degrees_of_freedom(run);
    case Quantity::sigma_difference_error:
      return sigma_difference_error(*run.registries, run.prepared->formulation(), *run.samples,
                                    std::stod(observer.subject));
    case Quantity::rhs_calls:
      return count(run.result.rhs_calls);
    case Quantity::initial_rate:
      return initial_rate(*run.prepared, observer.subject);
    case Quantity::steps_limited:
      return steps_limited(run, observer.subject);
    case Quantity::state: {
      const auto place = component_named(run.prepared->formulation(), observer.subject);
      return place ? Measured::number(run.result.ode.x[*place])
                   : Measured::refused(fmt::format("the state has no component '{}'", observer.subject));
    }
    case Quantity::time_reached:
      return Measured::number(run.result.ode.t);
    case Quantity::local_error:
      return local_error(run, observer);
    default:
      return observer.at_steps() ? run.monitor->measured(observer) : error_of(run, observer);
  }
}

}  // namespace mbdbench::studies
