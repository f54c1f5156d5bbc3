#include "experiments/naudet2005/naudet2005.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/naudet2005/claims.hpp"
#include "experiments/naudet2005/parts.hpp"
#include "experiments/records/claim.hpp"
#include "experiments/records/trend.hpp"
#include "experiments/records/verdict_table.hpp"

namespace mbdbench {
namespace {

using namespace naudet2005;

std::vector<ExperimentPart> all_parts(const ExperimentContext& context) {
  const Registries& registries = context.registries;
  using Before = const std::vector<Record>&;
  return {
      {"reference", 1, [&](Before) { return reference_part(registries); }},
      {"motion", 1, [&](Before) { return motion_part(registries, context.output); }},
      {"fixed_step", 3, [&](Before before) { return fixed_step_part(registries, before); }},
      {"adaptive", 3, [&](Before before) { return adaptive_part(registries, before); }},
      {"error_control", 1, [&](Before before) { return error_control_part(registries, context.output, before); }},
  };
}

}  // namespace

bool run_naudet2005(ExperimentContext& context) {
  std::optional<PartResult> all = run_parts(context, "naudet2005", all_parts(context));
  if (!all) {
    return false;
  }
  const std::vector<Claim> claims = claims_of_records(all->records);
  judge_trends(all->records);
  write_records(context.output / "records.csv", all->records);
  write_claims(context.output / "claims.csv", claims);
  fmt::print("{}\n{}", verdict_table(all->records), claim_table(claims));
  return all_reproduced(all->records);
}

}  // namespace mbdbench
