/// \file
/// The criteria are ours: the paper gives none.
#include "experiments/naudet2005/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "experiments/naudet2005/biped_case.hpp"
#include "experiments/naudet2005/parts.hpp"
#include "experiments/naudet2005/restarted_fehlberg.hpp"
#include "experiments/records/claim_facts.hpp"

namespace mbdbench::naudet2005 {
namespace {

/// What was measured for one statement.
class Facts : public ClaimFacts {
 public:
  Facts(const std::vector<Record>& records, std::string source, std::string_view statement, std::string criterion)
      : records_(records), text_{kExperiment, std::move(source), statement, std::move(criterion)} {}

  /// \returns the number of this description; where it does not exist the claim counts as not measured.
  double value(const Form& form, std::string_view integrator, const std::string& parameters,
               std::string_view quantity) {
    const auto found = std::find_if(records_.begin(), records_.end(), [&](const Record& record) {
      return record.formulation == form.label() && record.integrator == integrator && record.parameters == parameters &&
             record.quantity == quantity;
    });
    if (found == records_.end() || !found->value) {
      complete_ = false;
      return std::nan("");
    }
    return *found->value;
  }

  [[nodiscard]] Claim claim() const {
    return complete_ ? ClaimFacts::claim(text_) : unmeasured_claim(text_, "a run failed or is missing");
  }

 private:
  const std::vector<Record>& records_;
  ClaimText text_;
  bool complete_ = true;
};

constexpr const char* kFixed = "Naudet2005, fixed step";
constexpr const char* kAdaptive = "Naudet2005, adaptive steps";
constexpr const char* kOurs = "ours, beside Naudet2005";

/// End errors of both of the paper's forms with one fixed-step method.
Claim smaller_end_errors(const std::vector<Record>& records, std::string_view integrator, const char* statement) {
  Facts facts(records, kFixed, statement,
              fmt::format("{}: the Hamiltonian form's end error is the smaller one at every step from 0.01 s to "
                          "0.0005 s",
                          integrator));
  for (const FixedStepRow& row : kFixedStepRows) {
    if (row.step < 0.0005) {
      continue;
    }
    const double lagrange = facts.value(kLagrange, integrator, step_text(row.step), "end_error");
    const double hamilton = facts.value(kHamilton, integrator, step_text(row.step), "end_error");
    facts.add(hamilton < lagrange, fmt::format("{} s: {:.2g} and {:.2g} rad", row.step, lagrange, hamilton));
  }
  return facts.claim();
}

Claim smaller_local_errors(const std::vector<Record>& records) {
  Facts facts(records, kFixed, "The local errors of the coordinates are consistently smaller for the Hamiltonian form.",
              "at every step of table 1");
  for (const FixedStepRow& row : kFixedStepRows) {
    const double lagrange = facts.value(kLagrange, "rkf45-fixed", step_text(row.step), "local_error");
    const double hamilton = facts.value(kHamilton, "rkf45-fixed", step_text(row.step), "local_error");
    facts.add(hamilton < lagrange, fmt::format("{} s: {:.3g} and {:.3g} rad", row.step, lagrange, hamilton));
  }
  return facts.claim();
}

Claim errors_of_rates(const std::vector<Record>& records, const Form& form, const char* quantity, bool larger,
                      const char* statement) {
  Facts facts(records, kFixed, statement, "at every step of table 1");
  for (const FixedStepRow& row : kFixedStepRows) {
    const double coordinates = facts.value(form, "rkf45-fixed", step_text(row.step), "local_error");
    const double rates = facts.value(form, "rkf45-fixed", step_text(row.step), quantity);
    facts.add((rates > coordinates) == larger,
              fmt::format("{} s: {:.2g} times that of the coordinates", row.step, rates / coordinates));
  }
  return facts.claim();
}

Claim constraint_violation(const std::vector<Record>& records) {
  Facts facts(records, kFixed, "The Hamiltonian equations have a positive effect on the violation of the constraints.",
              "max |Phi| and max |Phi'| at the step 0.001 s are the smaller ones");
  constexpr const char* kRun = "step=0.001;output";
  for (const auto& [quantity, unit] :
       {std::pair("largest_position_violation", "m"), std::pair("largest_velocity_violation", "m/s")}) {
    const double lagrange = facts.value(kLagrange, "rkf45-fixed", kRun, quantity);
    const double hamilton = facts.value(kHamilton, "rkf45-fixed", kRun, quantity);
    facts.add(hamilton < lagrange, fmt::format("{:.2g} and {:.2g} {}", lagrange, hamilton, unit));
  }
  return facts.claim();
}

Claim singular_position(const std::vector<Record>& records) {
  Facts facts(records, "Naudet2005, model",
              "The algorithm is singular where the two dependent links lie along one line; 0.85 s avoid that.",
              "a run of 1 s ends soon after 0.85 s");
  constexpr const char* kRun = "tolerance=1e-09;duration=1";
  const double fixed = facts.value(kHamilton, "ode45", kRun, "time_reached");
  const double switching = facts.value(kHamiltonSwitching, "ode45", kRun, "time_reached");
  facts.add(fixed > kEnd && fixed < 0.9, fmt::format("ends at {:.4f} s", fixed));
  facts.remark(fmt::format("with other dependent joints chosen on the way it reaches {} s", switching));
  return facts.claim();
}

/// Evaluations at equal tolerance.
Claim fewer_evaluations(const std::vector<Record>& records, const Form& lagrange, const Form& hamilton,
                        const char* source, const char* statement) {
  Facts facts(records, source, statement, "between 29.5 % and 40.5 % fewer in every row of table 2");
  for (const AdaptiveRow& row : kAdaptiveRows) {
    const std::string tolerance = tolerance_text(row.tolerance);
    const double saved = 1.0 - facts.value(hamilton, row.integrator, tolerance, "rhs_calls") /
                                   facts.value(lagrange, row.integrator, tolerance, "rhs_calls");
    facts.add(saved > 0.295 && saved < 0.405,
              fmt::format("{} {}: {:.0f} %", row.integrator, row.tolerance, 100.0 * saved));
  }
  return facts.claim();
}

/// \returns the evaluations at which a form's end error would be `error`, between two tolerances of ode45; nothing
/// outside.
std::optional<double> evaluations_at(Facts& facts, const Form& form, double error) {
  std::optional<std::pair<double, double>> last;
  for (const AdaptiveRow& row : kAdaptiveRows) {
    if (row.integrator != "ode45") {
      continue;
    }
    const std::string tolerance = tolerance_text(row.tolerance);
    const std::pair point = {std::log(facts.value(form, row.integrator, tolerance, "end_error")),
                             std::log(facts.value(form, row.integrator, tolerance, "rhs_calls"))};
    const double wanted = std::log(error);
    if (last && last->first >= wanted && wanted >= point.first) {
      return std::exp(last->second +
                      (point.second - last->second) * (last->first - wanted) / (last->first - point.first));
    }
    last = point;
  }
  return {};
}

Claim at_equal_error(const std::vector<Record>& records) {
  Facts facts(records, kOurs,
              "At equal end error, not at equal tolerance, the Hamiltonian form needs fewer evaluations.",
              "ode45, interpolated between tolerances");
  for (const double error : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
    const auto lagrange = evaluations_at(facts, kLagrange, error);
    const auto hamilton = evaluations_at(facts, kHamilton, error);
    if (lagrange && hamilton) {
      facts.add(*hamilton < *lagrange, fmt::format("{} rad: {:.0f} and {:.0f}", error, *lagrange, *hamilton));
    }
  }
  return facts.claim();
}

// All that the records of table 3 have: the method inferred, and the suite's.
constexpr std::array kTable3Methods = {kRestartedFehlberg, "rkf45", "ode45", "ode113", "ode15s"};

std::string control_text(const char* control) {
  return fmt::format("{};control={}", tolerance_text(kErrorControlTolerance), control);
}

Claim cost_of_velocities(const std::vector<Record>& records) {
  Facts facts(records, kAdaptive, "The errors of the velocities fully account for the extra cost of the Lagrange form.",
              "more than 20 % more evaluations with full error control, within 5 % with the coordinates alone");
  for (const char* integrator : kTable3Methods) {
    const double full = facts.value(kLagrange, integrator, control_text("full"), "rhs_calls") /
                        facts.value(kHamilton, integrator, control_text("full"), "rhs_calls");
    const double partial = facts.value(kLagrange, integrator, control_text("partial"), "rhs_calls") /
                           facts.value(kHamilton, integrator, control_text("partial"), "rhs_calls");
    facts.add(full > 1.2 && std::abs(partial - 1.0) < 0.05,
              fmt::format("{}: {:+.0f} %, {:+.1f} %", integrator, 100.0 * (full - 1.0), 100.0 * (partial - 1.0)));
  }
  return facts.claim();
}

Claim accuracy_without_velocities(const std::vector<Record>& records) {
  Facts facts(records, kAdaptive, "Without error control of the velocities the accuracy does not deteriorate much.",
              "the Lagrange form's end error grows less than tenfold");
  for (const char* integrator : kTable3Methods) {
    const double full = facts.value(kLagrange, integrator, control_text("full"), "end_error");
    const double partial = facts.value(kLagrange, integrator, control_text("partial"), "end_error");
    facts.add(partial < 10.0 * full, fmt::format("{}: {:.2g} and {:.2g} rad", integrator, full, partial));
  }
  return facts.claim();
}

/// Between full control and none: the tolerance of velocities and momenta is relaxed.
Claim relaxed_velocities(const std::vector<Record>& records) {
  Facts facts(records, kAdaptive,
              "Relaxing the tolerance of velocities and momenta has the same effect as removing it.",
              "at a thousand times the tolerance the Lagrange form needs at most 5 % more evaluations than the "
              "Hamiltonian one, and its end error grows less than tenfold");
  for (const std::string_view integrator : kRelaxedMethods) {
    const std::string relaxed = relaxed_text(kRelaxedTolerances.back());
    const double lagrange = facts.value(kLagrange, integrator, relaxed, "rhs_calls");
    const double hamilton = facts.value(kHamilton, integrator, relaxed, "rhs_calls");
    const double full = facts.value(kLagrange, integrator, control_text("full"), "end_error");
    const double error = facts.value(kLagrange, integrator, relaxed, "end_error");
    facts.add(lagrange < 1.05 * hamilton && error < 10.0 * full,
              fmt::format("{}: {:+.0f} %, end error {:.2g} and {:.2g} rad", integrator,
                          100.0 * (lagrange / hamilton - 1.0), full, error));
  }
  return facts.claim();
}

}  // namespace

std::vector<Claim> claims_of_records(const std::vector<Record>& records) {
  return {
      singular_position(records),
      smaller_end_errors(records, "rkf45-fixed",
                         "With fixed steps the end errors are consistently smaller for the Hamiltonian form."),
      smaller_local_errors(records),
      smaller_end_errors(records, "rk2", "A second order Runge-Kutta method gives similar results."),
      smaller_end_errors(records, "trapezoidal", "The implicit trapezoidal method gives similar results."),
      constraint_violation(records),
      errors_of_rates(records, kLagrange, "local_error_of_velocities", true,
                      "The local errors of the velocities are consistently larger than those of the coordinates."),
      errors_of_rates(records, kHamilton, "local_error_of_momenta", false,
                      "The canonical momenta have an even smaller local error."),
      fewer_evaluations(records, kLagrange, kHamilton, kAdaptive,
                        "The Hamiltonian equations are evaluated less often, by 30 % to 40 %."),
      fewer_evaluations(records, kLagrangeReduced, kHamiltonReduced, kOurs,
                        "The exactly reduced pair, six entries each, shows the same."),
      at_equal_error(records),
      cost_of_velocities(records),
      accuracy_without_velocities(records),
      relaxed_velocities(records),
      unmeasured_claim({kExperiment, "Naudet2005, O(n) formulations",
                        "The recursive algorithm costs O(n) and needs few arithmetic operations.", ""},
                       "the biped has one size; mbdbench bench times right-hand sides of chains of any length"),
  };
}

}  // namespace mbdbench::naudet2005
