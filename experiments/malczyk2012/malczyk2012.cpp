#include "experiments/malczyk2012/malczyk2012.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "experiments/claim.hpp"
#include "experiments/experiment_parts.hpp"
#include "experiments/malczyk2012/claims.hpp"
#include "experiments/malczyk2012/parts.hpp"
#include "experiments/trend.hpp"
#include "experiments/verdict_table.hpp"

namespace mbdbench {
namespace {

using namespace malczyk2012;

std::vector<ExperimentPart> all_parts(const ExperimentContext& context) {
  const Registries& registries = context.registries;
  using Before = const std::vector<Record>&;
  std::vector<ExperimentPart> parts;
  parts.reserve(2 * kModels.size());
  for (const Model& model : kModels) {
    parts.push_back({fmt::format("runs_{}", model.name), 2,
                     [&, model](Before) { return runs_part(registries, model, context.output, context.quick); }});
  }
  for (const Model& model : kSweptModels) {
    parts.push_back(
        {fmt::format("penalty_{}", model.name), 1, [&, model](Before) { return penalty_part(registries, model); }});
  }
  parts.push_back({"cost", 1, [&](Before) { return cost_part(registries, context.quick); }});
  return parts;
}

}  // namespace

bool run_malczyk2012(ExperimentContext& context) {
  std::optional<PartResult> all = run_parts(context, "malczyk2012", all_parts(context));
  if (!all) {
    return false;
  }
  const std::vector<Claim> claims = claims_of_records(all->records);
  const std::vector<Claim> timing_claims = claims_of_timings(all->timings, all->records);
  judge_trends(all->records);
  write_records(context.output / "records.csv", all->records);
  write_records(context.output / "timings.csv", all->timings);
  write_claims(context.output / "claims.csv", claims);
  write_claims(context.output / "timing_claims.csv", timing_claims);
  fmt::print("{}\n{}{}", verdict_table(all->records), claim_table(claims), claim_table(timing_claims));
  return all_reproduced(all->records);
}

}  // namespace mbdbench
