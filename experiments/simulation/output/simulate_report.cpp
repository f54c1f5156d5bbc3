#include "experiments/simulation/output/simulate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/simulation/output/saved_state.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

// Of reactions, relative.
constexpr double kReactionsWorthTelling = 1e-6;
// A tenth of a radian or of the mechanism: what limits of accuracy call wrong at any tolerance.
constexpr double kMotionWorthTelling = 0.1;

/// \returns the tolerance that the error control keeps, relative or absolute, whichever is larger.
std::optional<double> tolerance_of(const SimulateSetup& setup) {
  if (!setup.integrator.adaptive) {
    return std::nullopt;
  }
  const std::vector<double> absolute = ode_options(setup.options, setup.formulation->layout()).absolute_tolerance;
  return std::max(setup.options.ode.relative_tolerance, *std::max_element(absolute.begin(), absolute.end()));
}

}  // namespace

RunVerdict run_verdict(const SimulateSetup& setup, const SimulationResult& result, const RunAccuracy& accuracy,
                       const SimulateRequest& request, std::string endless) {
  RunVerdict verdict;
  verdict.limits = accuracy_limits(accuracy, tolerance_of(setup), request.limits);
  // Of a state that is singular or broken energies, markers or reactions cannot be computed: no disk is to blame.
  verdict.status = result.sink_failure.empty() ? to_string(result.ode.status)
                   : result.write_failed       ? "output_failed"
                                               : "state_failed";
  verdict.message = result.message();
  if (!endless.empty()) {
    verdict.status = "endless";
    verdict.message = std::move(endless);
  }
  if (result.succeeded()) {
    verdict.inaccuracies = inaccuracies(accuracy, verdict.limits);
    if (!verdict.inaccuracies.empty()) {
      verdict.status = "inaccurate";
      verdict.message = fmt::format("{}", fmt::join(verdict.inaccuracies, "; "));
    }
  }
  return verdict;
}

std::vector<std::string> diagnostic_notes(const RunAccuracy& accuracy) {
  std::vector<std::string> notes;
  const auto& diagnostics = accuracy.diagnostics();
  if (const auto rows = diagnostics.find("redundant_rows");
      rows != diagnostics.end() && rows->second.smallest != rows->second.largest) {
    notes.push_back(fmt::format("the number of redundant constraints changed along the run, between {} and {}",
                                rows->second.smallest, rows->second.largest));
  }
  if (const auto solutions = diagnostics.find("unconverged_solutions");
      solutions != diagnostics.end() && solutions->second.largest > 0.0) {
    const auto change = diagnostics.find("unconverged_change");
    notes.push_back(fmt::format(
        "{} solutions used all their passes{} (option iterations)", solutions->second.largest,
        change == diagnostics.end()
            ? ""
            : fmt::format("; the accelerations missed up to about {:.2g} of their size", change->second.largest)));
  }
  if (const auto reactions = diagnostics.find("unconverged_reactions");
      reactions != diagnostics.end() && reactions->second.largest > kReactionsWorthTelling) {
    notes.push_back(
        fmt::format("reactions have not converged (relative error up to {:.2g}): raise alpha or iterations, or take "
                    "passes=conjugate; the motion is judged separately",
                    reactions->second.largest));
  }
  if (accuracy.motion_ahead() > kMotionWorthTelling) {
    notes.push_back(
        fmt::format("judged by its error of energy, the motion at the end is early or late by about {:.2g} rad, or by "
                    "lengths of {:.3g} m: a tighter tolerance or a smaller step reduces it",
                    accuracy.motion_ahead(), accuracy.length_scale()));
  }
  if (!accuracy.work().failure().empty()) {
    notes.push_back("the balance of energy is not judged: " + accuracy.work().failure());
  }
  return notes;
}

nlohmann::ordered_json run_statistics(const SimulateSetup& setup, const SimulationResult& result,
                                      const RunAccuracy& accuracy, const RunVerdict& verdict, std::size_t samples) {
  const OdeStatistics& counts = result.ode.statistics;
  nlohmann::ordered_json json;
  json["mechanism"] = setup.mechanism->name();
  json["formulation"] = setup.formulation_key;
  json["formulation_options"] = setup.formulation_options;
  json["integrator"] = setup.integrator.key;
  json["relative_tolerance"] = setup.options.ode.relative_tolerance;
  json["absolute_tolerance"] = ode_options(setup.options, setup.formulation->layout()).absolute_tolerance;
  json["projection_tolerance"] = setup.settings.projection_tolerance;
  json["status"] = verdict.status;
  json["message"] = verdict.message;
  json["t_start"] = setup.times.front();
  json["t_end_requested"] = setup.times.back();
  json["t_end"] = result.ode.t;
  json["first_step"] = result.ode.first_step;
  json["nsteps"] = counts.nsteps;
  json["nfailed"] = counts.nfailed;
  json["nfevals"] = counts.nfevals;
  json["npds"] = counts.npds;
  json["ndecomps"] = counts.ndecomps;
  json["nsolves"] = counts.nsolves;
  json["niterations"] = counts.niterations;
  if (setup.integrator.takes_jacobian) {
    json["jacobian"] = to_string(result.exact_jacobian ? JacobianChoice::exact : JacobianChoice::differences);
    if (result.replaced_jacobians > 0) {
      json["jacobians_by_differences"] = result.replaced_jacobians;
    }
  }
  if (!counts.mean_local_error.empty()) {
    nlohmann::ordered_json& errors = json["mean_local_error"];
    for (std::size_t i = 0; i < counts.mean_local_error.size(); ++i) {
      errors[setup.formulation->layout()[i].name] = counts.mean_local_error[i];
    }
  }
  json["rhs_calls"] = result.rhs_calls;
  json["changed_states"] = result.changed_states;
  json["samples"] = samples;
  json["events"] = nlohmann::ordered_json::array();
  for (const FormulationChange& event : result.changes) {
    json["events"].push_back({{"t", event.t}, {"change", event.change}});
  }
  const WorkQuadrature& work = accuracy.work();
  json["energy"] = {{"initial", accuracy.initial_energy()},
                    {"largest_deviation", accuracy.largest_deviation()},
                    {"final_deviation", accuracy.final_deviation()},
                    {"largest_kinetic", accuracy.largest_kinetic_energy()},
                    {"work", work.work()},
                    {"work_uncertainty", work.uncertainty()},
                    {"exchanged", work.exchanged()},
                    {"largest_imbalance", accuracy.largest_imbalance()},
                    {"final_imbalance", accuracy.final_imbalance()},
                    {"scale", accuracy.energy_scale()},
                    {"limit", verdict.limits.energy},
                    {"largest_step_imbalance", accuracy.largest_step_imbalance()},
                    {"step_limit", verdict.limits.energy_step},
                    {"motion_ahead", accuracy.motion_ahead()}};
  if (!work.failure().empty()) {
    json["energy"]["message"] = work.failure();
  }
  json["constraints"] = {{"largest_position_residual", accuracy.largest_position_residual()},
                         {"position_limit", verdict.limits.position},
                         {"largest_velocity_residual", accuracy.largest_velocity_residual()},
                         {"velocity_limit", verdict.limits.velocity},
                         {"length_scale", accuracy.length_scale()},
                         {"largest_rate", accuracy.largest_rate()}};
  const BranchWatch& branches = accuracy.branches();
  if (branches.watches()) {
    json["constraints"]["smallest_singular_value"] = branches.smallest_value();
    json["constraints"]["singular_passages"] = branches.passages();
    json["constraints"]["branch_changes"] = nlohmann::ordered_json::array();
    for (const BranchChange& change : branches.changes()) {
      json["constraints"]["branch_changes"].push_back(
          {{"t", change.t}, {"joint", change.joint}, {"singular_value", change.closeness}});
    }
  }
  const std::span<const CouplingError> couplings = accuracy.couplings().errors();
  for (std::size_t i = 0; i < couplings.size(); ++i) {
    json["constraints"]["couplings"][setup.mechanism->couplings()[i].name] = {
        {"largest_residual_change", couplings[i].residual_change},
        {"largest_change_of_a_term", couplings[i].term_change},
        {"largest_rate_residual", couplings[i].rate_residual},
        {"largest_rate_of_a_term", couplings[i].term_rate}};
  }
  for (const TableImpulse& impulse : accuracy.table_impulses().impulses()) {
    json["tables_over_time"].push_back(
        {{"load", impulse.load}, {"impulse", impulse.whole}, {"missed", impulse.missed}});
  }
  json["diagnostics"] = nlohmann::ordered_json::object();
  for (const auto& [name, range] : accuracy.diagnostics()) {
    json["diagnostics"][name] = {{"smallest", range.smallest}, {"largest", range.largest}};
  }
  return json;
}

void write_state(const fs::path& file, const SimulateSetup& setup, double t, std::span<const double> x) {
  SavedState state;
  state.t = t;
  for (const StateComponent& component : setup.formulation->layout()) {
    state.names.push_back(component.name);
  }
  state.x.assign(x.begin(), x.end());
  state.q.resize(static_cast<std::size_t>(setup.mechanism->q_size()));
  state.u.resize(static_cast<std::size_t>(setup.mechanism->u_size()));
  if (!setup.formulation->unpack(state.t, state.x, state.q, state.u).ok) {
    state.q.clear();
    state.u.clear();
  }
  state.mechanism = setup.mechanism->name();
  state.mechanism_digest = text_digest(setup.mechanism_text);
  state.formulation = setup.formulation_key;
  state.formulation_options = setup.formulation_options;
  state.integrator = setup.integrator.key;
  state.settings = setup.settings;
  write_saved_state(file, state);
}

void write_timings(const fs::path& file, const SimulationResult& result) {
  write_json(file, {{"wall_time", result.time.wall},
                    {"processor_time", result.time.processor},
                    {"processor_share", result.time.share()},
                    {"repetitions", 1}});
}

}  // namespace mbdbench
