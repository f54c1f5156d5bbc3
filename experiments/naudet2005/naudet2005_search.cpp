#include "experiments/naudet2005/naudet2005_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/naudet2005/step_control_search.hpp"

namespace mbdbench {
namespace {

using namespace naudet2005;

// Candidates of each kind that are kept in records.csv and printed.
constexpr std::size_t kKept = 20;
constexpr std::size_t kPrinted = 5;

/// One kind of candidates: all of them into a file, the best ones into the part.
PartResult search(const ExperimentContext& context, const std::string& name, const std::vector<Candidate>& candidates) {
  const std::vector<Record> all = search_records(context.registries, candidates);
  write_records(context.output / fmt::format("candidates_{}.csv", name), all);
  PartResult part;
  std::size_t kept = 0;
  for (const Record& record : all) {
    kept += record.quantity == kEvaluationMisfit ? 1 : 0;
    if (kept > kKept || !record.value) {
      break;
    }
    part.records.push_back(record);
  }
  return part;
}

void print_best(const std::vector<Record>& records) {
  std::string stepping;
  std::size_t printed = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    if (record.quantity != kEvaluationMisfit) {
      continue;
    }
    const std::string kind = record.integrator == kFehlberg ? record.parameters.substr(0, record.parameters.find(';'))
                                                            : "integrators of the suite";
    printed = kind == stepping ? printed + 1 : 1;
    if (printed == 1) {
      fmt::print("\n{}: largest misfit of the evaluations of table 3, of its local errors\n", kind);
    }
    stepping = kind;
    if (printed <= kPrinted) {
      const bool estimated = i + 1 < records.size() && records[i + 1].quantity == kLocalErrorMisfit;
      fmt::print("  {:6.1f} %  {:>8}  {} {}\n    {}\n", 100.0 * *record.value,
                 estimated ? fmt::format("{:.1f} %", 100.0 * *records[i + 1].value) : "-", record.integrator,
                 record.parameters, record.note);
    }
  }
}

}  // namespace

bool run_naudet2005_search(ExperimentContext& context) {
  std::vector<ExperimentPart> parts;
  for (const Stepping stepping : {Stepping::restarted, Stepping::carried, Stepping::cut, Stepping::free}) {
    parts.push_back(
        {to_string(stepping), stepping == Stepping::restarted ? 7U : 1U, [&context, stepping](const auto& /*before*/) {
           return search(context, to_string(stepping), fehlberg_candidates(stepping, context.quick));
         }});
  }
  parts.push_back({"suite", 1, [&context](const auto& /*before*/) {
                     return search(context, "suite", suite_candidates(context.registries, context.quick));
                   }});
  const std::optional<PartResult> all = run_parts(context, std::string(kSearch), parts);
  if (!all) {
    return false;
  }
  write_records(context.output / "records.csv", all->records);
  print_best(all->records);
  return true;
}

}  // namespace mbdbench
