#include "experiments/chadaj2015/chadaj2015.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "experiments/chadaj2015/claims.hpp"
#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/experiment_parts.hpp"
#include "experiments/records/claim.hpp"
#include "experiments/records/trend.hpp"
#include "experiments/records/verdict_table.hpp"

namespace mbdbench {
namespace {

using namespace chadaj2015;

constexpr std::array kFormulations = {"dca", "hdca"};
constexpr std::array kIntegrators = {"ode45", "odeint-dopri5"};
constexpr std::array kTolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
constexpr std::array kQuickTolerances = {1e-3, 1e-6, 1e-9};

std::vector<ExperimentPart> all_parts(const ExperimentContext& context) {
  const Registries& registries = context.registries;
  using Before = const std::vector<Record>&;
  std::vector<ExperimentPart> parts;
  parts.push_back({"table", 4, [&](Before) { return table_part(registries); }});
  for (const char* const formulation : kFormulations) {
    parts.push_back({fmt::format("figures_{}", formulation), 1,
                     [&, formulation](Before) { return figures_part(registries, formulation, context.output); }});
  }
  parts.push_back({"stand_in", 1, [&](Before) { return stand_in_part(registries, context.output); }});
  parts.push_back({"cost", 1, [&](Before) { return cost_part(registries); }});
  parts.push_back({"step_limits", 1, [&](Before) { return step_limit_part(registries); }});
  parts.push_back({"partial_control", 1, [&](Before) { return partial_control_part(registries); }});
  parts.push_back({"reference", 20, [&](Before) { return reference_part(registries); }});
  const auto tolerances =
      context.quick ? std::span<const double>(kQuickTolerances) : std::span<const double>(kTolerances);
  for (const double tolerance : tolerances) {
    for (const char* const integrator : kIntegrators) {
      for (const char* const formulation : kFormulations) {
        parts.push_back({fmt::format("work_precision_{}_{}_{}", tolerance, integrator, formulation), 1,
                         [&registries, tolerance, integrator, formulation](Before before) {
                           return work_precision_part(registries, formulation, integrator, tolerance, before);
                         }});
      }
    }
  }
  return parts;
}

std::optional<double> value_of(const std::vector<Record>& records, const char* formulation, const Record& like) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.formulation == formulation && record.quantity == like.quantity &&
           record.integrator == like.integrator && record.parameters == like.parameters;
  });
  return found == records.end() ? std::nullopt : found->value;
}

// Beyond this (rad) an error has outgrown what a perturbation does to the motion: the runs are two different motions.
constexpr double kSaturated = 0.1;

/// \returns HDCA's error in q relative to DCA's wherever both mean something: what equal tolerance hides.
std::vector<Record> error_ratios(const std::vector<Record>& records) {
  std::vector<Record> ratios;
  for (const Record& hdca : records) {
    if (hdca.formulation == "hdca" && hdca.quantity == "angle_error" && hdca.value) {
      const std::optional<double> dca = value_of(records, "dca", hdca);
      if (dca && std::max(*dca, *hdca.value) < kSaturated) {
        const PendulumRecordMaker maker("hdca", hdca.integrator, hdca.parameters);
        ratios.push_back(maker.measured("angle_error_relative_to_dca", "1", *hdca.value / *dca));
      }
    }
  }
  return ratios;
}

}  // namespace

bool run_chadaj2015(ExperimentContext& context) {
  std::optional<PartResult> all = run_parts(context, "chadaj2015", all_parts(context));
  if (!all) {
    return false;
  }
  const std::vector<Record> ratios = error_ratios(all->records);
  all->records.insert(all->records.end(), ratios.begin(), ratios.end());
  const std::vector<Claim> claims = claims_of_records(all->records);
  const std::vector<Claim> timing_claims = claims_of_timings(all->timings);
  judge_trends(all->records);
  judge_trends(all->timings);
  write_records(context.output / "records.csv", all->records);
  write_records(context.output / "timings.csv", all->timings);
  write_claims(context.output / "claims.csv", claims);
  write_claims(context.output / "timing_claims.csv", timing_claims);
  fmt::print("{}\n{}\n{}{}", verdict_table(all->records), verdict_table(all->timings), claim_table(claims),
             claim_table(timing_claims));
  return all_reproduced(all->records);
}

}  // namespace mbdbench
