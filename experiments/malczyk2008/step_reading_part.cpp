/// \file
/// What does the "step" of table 1 mean? A method of variable step chooses its own; yet a tenth of the paper's step
/// costs 2.3 to 2.8 times the time. Readings of the word are compared by the ratio of right-hand sides that they need,
/// which no machine disturbs, with the ratio of the paper's times. The paper's tolerance is not known and moves all of
/// them. A misfit proves nothing: nothing is asserted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/time_span.hpp"

namespace mbdbench::malczyk2008 {
namespace {

enum class Reading {
  output,        ///< interval of output, with a right-hand side at every output
  largest_step,  ///< upper limit of the method's steps
  restart        ///< the method starts anew after every step
};

constexpr std::array kReadings = {std::pair(Reading::output, "output"),
                                  std::pair(Reading::largest_step, "largest_step"),
                                  std::pair(Reading::restart, "restart")};
// Around what fits best; the timed runs use kTolerance.
constexpr std::array kTolerances = {1e-5, 5e-6, 2e-6, 1e-6};

/// Evaluations of one row of table 1 with one of its steps. \throws std::runtime_error for a run that fails
double evaluations(const PartContext& context, Reading reading, double tolerance, double end, double step) {
  ClosedCase crank(context.registries, "slider_crank", Program::serial, nullptr);
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  if (reading == Reading::largest_step) {
    options.ode.max_step = step;
  }
  const OdeEntry& integrator = needed_integrator(context.registries, kExperiment, kIntegrator);
  const std::vector<double> outputs = times_of({0.0, end, step});
  const std::size_t run_length = reading == Reading::restart ? 2 : outputs.size();
  std::vector<double> x = crank.x0();
  double calls = reading == Reading::output ? static_cast<double>(outputs.size()) : 0.0;
  NullSink sink;
  for (std::size_t first = 0; first + 1 < outputs.size(); first += run_length - 1) {
    const SimulationResult result =
        simulate(crank.formulation(), integrator, std::span(outputs).subspan(first, run_length), x, options, sink);
    if (!result.succeeded()) {
      throw std::runtime_error(result.message());
    }
    calls += static_cast<double>(result.rhs_calls);
    x = result.ode.x;
  }
  return calls;
}

void add_reading(PartResult& part, const PartContext& context, Reading reading, const char* name, double tolerance) {
  double misfit = 0.0;
  double shortest = HUGE_VAL;
  double longest = 0.0;
  std::string ratios;
  // Restarts are far off and cost most: the short rows tell.
  const double longest_row = context.quick || reading == Reading::restart ? 5.0 : 60.0;
  for (const TableRow& row : kTableRows) {
    if (row.end > longest_row) {
      break;
    }
    std::array<double, 2> calls{};
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
      calls[i] = evaluations(context, reading, tolerance, row.end, kSteps[i]);
      shortest = std::min(shortest, row.one_process[i] / calls[i]);
      longest = std::max(longest, row.one_process[i] / calls[i]);
    }
    const double published = row.one_process[1] / row.one_process[0];
    misfit = std::max(misfit, std::abs(calls[1] / calls[0] / published - 1.0));
    ratios += fmt::format("{}{:.2f} (published {:.2f})", ratios.empty() ? "" : ", ", calls[1] / calls[0], published);
  }
  const RecordMaker maker =
      records_of("slider_crank", kSerial, fmt::format("reading={};{}", name, tolerance_text(tolerance)));
  part.records.push_back(
      maker.measured("misfit_of_step_ratio", "1", misfit,
                     fmt::format("right-hand sides at the fine step over those at the coarse one: {}; the published "
                                 "times are {:.0f} to {:.0f} us a right-hand side",
                                 ratios, 1e6 * shortest, 1e6 * longest)));
}

}  // namespace

PartResult step_reading_part(const PartContext& context) {
  PartResult part;
  for (const auto& [reading, name] : kReadings) {
    for (const double tolerance : kTolerances) {
      try {
        add_reading(part, context, reading, name, tolerance);
      } catch (const std::runtime_error& error) {
        part.records.push_back(
            records_of("slider_crank", kSerial, fmt::format("reading={};{}", name, tolerance_text(tolerance)))
                .failed("misfit_of_step_ratio", "1", error.what()));
      }
    }
  }
  return part;
}

}  // namespace mbdbench::malczyk2008
