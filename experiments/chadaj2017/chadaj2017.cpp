#include "experiments/chadaj2017/chadaj2017.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "experiments/chadaj2017/claims.hpp"
#include "experiments/chadaj2017/parts.hpp"
#include "experiments/chadaj2017/ratios.hpp"
#include "experiments/chadaj2017/variants.hpp"
#include "experiments/experiment_parts.hpp"
#include "experiments/records/claim.hpp"
#include "experiments/records/trend.hpp"
#include "experiments/records/verdict_table.hpp"

namespace mbdbench {
namespace {

using namespace chadaj2017;

constexpr std::array kTolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
constexpr std::array kQuickTolerances = {1e-3, 1e-6, 1e-9};

std::vector<ExperimentPart> all_parts(const ExperimentContext& context) {
  const Registries& registries = context.registries;
  using Before = const std::vector<Record>&;
  std::vector<ExperimentPart> parts;
  for (const std::string_view mechanism : kCases) {
    parts.push_back({fmt::format("figures_{}", mechanism), 1,
                     [&, mechanism](Before) { return figures_part(registries, mechanism, context.output); }});
    parts.push_back({fmt::format("reference_{}", mechanism), 1,
                     [&, mechanism](Before) { return reference_part(registries, mechanism); }});
    parts.push_back(
        {fmt::format("gauge_{}", mechanism), 1, [&, mechanism](Before) { return gauge_part(registries, mechanism); }});
  }
  parts.push_back({"call_time", 1, [&](Before) { return call_time_part(registries); }});
  parts.push_back({"growth_of_cost", 1, [&](Before) { return growth_of_cost_part(registries, context.quick); }});
  const auto tolerances =
      context.quick ? std::span<const double>(kQuickTolerances) : std::span<const double>(kTolerances);
  for (const double tolerance : tolerances) {
    for (const std::string_view integrator : kIntegrators) {
      for (const std::string_view mechanism : kCases) {
        // ode23 needs ten times the evaluations for three digits more.
        const bool long_run = integrator == "ode23" && tolerance < 1e-8;
        if (long_run && context.quick) {
          continue;
        }
        const std::uint64_t weight = long_run ? 30 : 1;
        parts.push_back({fmt::format("sweep_{}_{}_{}", tolerance, integrator, mechanism), weight,
                         [&, tolerance, integrator, mechanism](Before before) {
                           return sweep_part(registries, mechanism, integrator, tolerance, before, context.quick);
                         }});
      }
    }
  }
  return parts;
}

void append(std::vector<Record>& records, const std::vector<Record>& more) {
  records.insert(records.end(), more.begin(), more.end());
}

}  // namespace

bool run_chadaj2017(ExperimentContext& context) {
  std::optional<PartResult> all = run_parts(context, "chadaj2017", all_parts(context));
  if (!all) {
    return false;
  }
  append(all->records, ratios_at_equal_tolerance(all->records, "function_evaluations", "evaluation_ratio"));
  append(all->records, ratios_at_equal_error(all->records));
  append(all->timings, ratios_at_equal_tolerance(all->timings, "wall_time", "wall_time_ratio"));
  const std::vector<Claim> claims = claims_of_records(all->records);
  const std::vector<Claim> timing_claims = claims_of_timings(all->timings);
  judge_trends(all->records);
  write_records(context.output / "records.csv", all->records);
  write_records(context.output / "timings.csv", all->timings);
  write_claims(context.output / "claims.csv", claims);
  write_claims(context.output / "timing_claims.csv", timing_claims);
  fmt::print("{}\n{}{}", verdict_table(all->records), claim_table(claims), claim_table(timing_claims));
  return all_reproduced(all->records);
}

}  // namespace mbdbench
