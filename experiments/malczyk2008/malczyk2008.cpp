#include "experiments/malczyk2008/malczyk2008.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/message_claims.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"
#include "experiments/malczyk2008/timing_claims.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"
#include "experiments/records/claim.hpp"
#include "experiments/records/provenance.hpp"
#include "experiments/records/trend.hpp"
#include "experiments/records/verdict_table.hpp"

namespace mbdbench {
namespace {

using namespace malczyk2008;

std::vector<ExperimentPart> all_parts(const PartContext& context) {
  using Before = const std::vector<Record>&;
  std::vector<ExperimentPart> parts;
  parts.push_back({"accuracy", 2, [&](Before) { return accuracy_part(context); }});
  parts.push_back({"step_reading", 5, [&](Before) { return step_reading_part(context); }});
  parts.push_back({"right_hand_sides", 10, [&](Before) { return right_hand_side_part(context); }});
  parts.push_back({"right_hand_sides_tcp", 10, [&](Before) { return tcp_part(context); }});
  for (std::size_t step = 0; step < kSteps.size(); ++step) {
    parts.push_back(
        {fmt::format("table_{}", kSteps[step]), 10, [&context, step](Before) { return table_part(context, step); }});
  }
  for (const int joints : run_loops(context.quick)) {
    parts.push_back({fmt::format("loop_{}", joints), joints > 60 ? 20U : 3U,
                     [&context, joints](Before) { return loop_part(context, joints); }});
  }
  return parts;
}

bool made_with(const PartResult& all, std::string_view formulation) {
  const auto with = [&](const Record& record) { return record.formulation == formulation && record.value; };
  return std::any_of(all.records.begin(), all.records.end(), with) ||
         std::any_of(all.timings.begin(), all.timings.end(), with);
}

/// What the rows with two ranks were really made with, rows of an earlier, interrupted run included.
void note_ranks(const std::filesystem::path& file, const PartResult& all) {
  std::string messages;
  for (const auto& [formulation, transport, name] : {std::tuple(kTwoRanks, Transport::shared_memory, "shared memory"),
                                                     std::tuple(kTwoRanksTcp, Transport::tcp, "TCP, loopback")}) {
    if (made_with(all, formulation)) {
      const std::string parameters = exchange_parameters(kShortMessage, transport);
      const auto exchange = std::find_if(all.timings.begin(), all.timings.end(), [&](const Record& record) {
        return record.quantity == "exchange_time" && record.parameters == parameters;
      });
      messages += fmt::format("{}{}{}", messages.empty() ? "" : "; ", name,
                              exchange == all.timings.end() ? "" : fmt::format(" ({})", exchange->note));
    }
  }
  if (!messages.empty()) {
    add_ranks(file, 2, messages);
  }
}

}  // namespace

bool run_malczyk2008(ExperimentContext& context) {
  const std::string missing = why_no_two_ranks();
  if (!missing.empty()) {
    fmt::print(stderr, "malczyk2008: one process only: {}\n", missing);
  }
  const PartContext part_context{context.registries, context.output, context.quick};
  std::optional<PartResult> all = run_parts(context, std::string(kExperiment), all_parts(part_context));
  if (!all) {
    return false;
  }
  note_ranks(context.output / "provenance.json", *all);
  const std::vector<Record> crossovers = crossover_records(all->timings);
  all->timings.insert(all->timings.end(), crossovers.begin(), crossovers.end());
  const std::vector<Claim> claims = claims_of_timings(all->timings, all->records);
  judge_trends(all->records);
  judge_trends(all->timings);
  write_records(context.output / "records.csv", all->records);
  write_records(context.output / "timings.csv", all->timings);
  write_claims(context.output / "timing_claims.csv", claims);
  fmt::print("{}\n{}\n{}", verdict_table(all->records), verdict_table(all->timings), claim_table(claims));
  return all_reproduced(all->records);
}

}  // namespace mbdbench
