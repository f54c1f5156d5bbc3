/// \file
/// The candidates of step_control_search.hpp.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "experiments/naudet2005/biped_case.hpp"
#include "experiments/naudet2005/restarted_fehlberg.hpp"
#include "experiments/naudet2005/step_control_search.hpp"
#include "experiments/time_span.hpp"

namespace mbdbench::naudet2005 {
namespace {

// Figures 9 and 10 count the solver's iterations "per time step of 0.01 s".
constexpr double kRestartInterval = 0.01;
// So small a relative tolerance leaves the absolute one alone; methods that ask for more say so and fail.
constexpr double kNoRelativeTolerance = 1e-13;

std::vector<StepRule> step_rules(bool quick) {
  using Measures = std::vector<ErrorMeasure>;
  using Sums = std::vector<ErrorSum>;
  const Measures measures = quick ? Measures{ErrorMeasure::absolute, ErrorMeasure::mixed}
                                  : Measures{ErrorMeasure::absolute, ErrorMeasure::mixed, ErrorMeasure::relative};
  const Sums sums =
      quick ? Sums{ErrorSum::largest} : Sums{ErrorSum::largest, ErrorSum::euclidean, ErrorSum::mean_square};
  const std::vector<double> safeties = quick ? std::vector{0.9} : std::vector{0.8, 0.85, 0.9, 0.95, 1.0};
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const std::vector<double> growths = quick ? std::vector{kNoLimit} : std::vector{2.0, 5.0, kNoLimit};
  std::vector<StepRule> rules;
  for (const ErrorMeasure measure : measures) {
    for (const ErrorSum sum : sums) {
      for (const bool per_unit_step : {false, true}) {
        StepRule rule{.measure = measure, .sum = sum, .per_unit_step = per_unit_step};
        for (const double exponent : {1.0 / 5.0, 1.0 / 4.0}) {
          for (const double safety : safeties) {
            for (const double growth : growths) {
              rule.exponent = exponent;
              rule.safety = safety;
              rule.largest_growth = growth;
              rules.push_back(rule);
            }
          }
        }
        rule.halving = true;
        rules.push_back(rule);
      }
    }
  }
  return rules;
}

std::vector<double> first_steps(Stepping stepping, bool quick) {
  if (quick || stepping != Stepping::restarted) {
    return {0.001};
  }
  return {0.0005, 0.00075, 0.001, 0.00125, 0.002, 0.005, kRestartInterval};
}

std::vector<double> interval_times(Stepping stepping) {
  return stepping == Stepping::free ? std::vector{0.0, kEnd} : times_of({0.0, kEnd, kRestartInterval});
}

/// Starts an integrator anew at every time. Evaluations, steps and local errors are those of all runs together.
OdeResult solve_interval_by_interval(const OdeEntry& integrator, std::span<const double> times, const OdeSystem& system,
                                     std::span<const double> x0, const OdeOptions& options) {
  NullSink sink;
  OdeResult all;
  all.x.assign(x0.begin(), x0.end());
  std::vector<double> sums(x0.size(), 0.0);
  for (std::size_t k = 1; k < times.size() && all.status == OdeStatus::ok; ++k) {
    const std::vector<double> start = all.x;
    const OdeResult run = integrator.solve(system, times.subspan(k - 1, 2), start, options, sink);
    all.status = run.status;
    all.message = run.message;
    all.t = run.t;
    all.x = run.x;
    all.statistics.nsteps += run.statistics.nsteps;
    all.statistics.nfailed += run.statistics.nfailed;
    all.statistics.nfevals += run.statistics.nfevals;
    for (std::size_t i = 0; i < run.statistics.mean_local_error.size(); ++i) {
      sums[i] += run.statistics.mean_local_error[i] * static_cast<double>(run.statistics.nsteps);
    }
  }
  if (integrator.embedded_lower_order && all.statistics.nsteps > 0) {
    for (double& sum : sums) {
      sum /= static_cast<double>(all.statistics.nsteps);
    }
    all.statistics.mean_local_error = sums;
  }
  return all;
}

/// What varies among the runs of one integrator of the registry.
struct SuiteSetting {
  bool restarted;
  double first_step;  ///< s; 0: the method's own
  bool absolute;
  bool norm_control;
};

Candidate suite_candidate(const OdeEntry& integrator, const SuiteSetting& setting) {
  Candidate candidate;
  candidate.integrator = integrator.key;
  candidate.parameters =
      fmt::format("stepping={};first_step={};measure={};sum={}", setting.restarted ? "restarted" : "free",
                  setting.first_step > 0.0 ? fmt::format("{}", setting.first_step) : "own",
                  setting.absolute ? "absolute" : "mixed", setting.norm_control ? "euclidean" : "largest");
  candidate.solve = [integrator, setting](const OdeSystem& system, std::span<const double> x0,
                                          const OdeOptions& table_options) {
    OdeOptions options = table_options;
    options.relative_tolerance = setting.absolute ? kNoRelativeTolerance : options.relative_tolerance;
    options.norm_control = setting.norm_control;
    options.initial_step = setting.first_step > 0.0 ? setting.first_step : OdeOptions::kUnset;
    const std::vector<double> times = interval_times(setting.restarted ? Stepping::restarted : Stepping::free);
    return solve_interval_by_interval(integrator, times, system, x0, options);
  };
  return candidate;
}

}  // namespace

std::string to_string(Stepping stepping) {
  return std::array{"restarted", "carried", "cut", "free"}.at(static_cast<std::size_t>(stepping));
}

std::vector<Candidate> fehlberg_candidates(Stepping stepping, bool quick) {
  std::vector<Candidate> candidates;
  for (StepRule rule : step_rules(quick)) {
    rule.restarts = stepping == Stepping::restarted;
    rule.keeps_uncut_step = stepping != Stepping::cut;
    for (const double first_step : first_steps(stepping, quick)) {
      Candidate candidate;
      candidate.integrator = kFehlberg;
      candidate.parameters =
          fmt::format("stepping={};first_step={};{}", to_string(stepping), first_step, rule_text(rule));
      candidate.solve = [rule, first_step, stepping](const OdeSystem& system, std::span<const double> x0,
                                                     const OdeOptions& table_options) {
        OdeOptions options = table_options;
        options.initial_step = first_step;
        NullSink sink;
        return controlled_fehlberg(rule, system, interval_times(stepping), x0, options, sink);
      };
      candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

std::vector<Candidate> suite_candidates(const Registries& registries, bool quick) {
  std::vector<Candidate> candidates;
  for (const OdeEntry& integrator : registries.integrators) {
    const bool wanted = !quick || integrator.key == "rkf45" || integrator.key == "ode45";
    if (!integrator.adaptive || integrator.needs_separable || !wanted) {
      continue;
    }
    for (const bool restarted : {false, true}) {
      for (const double first_step : {0.0, 0.001}) {
        for (const bool absolute : {false, true}) {
          for (const bool norm_control : {false, true}) {
            candidates.push_back(suite_candidate(integrator, {restarted, first_step, absolute, norm_control}));
          }
        }
      }
    }
  }
  return candidates;
}

}  // namespace mbdbench::naudet2005
