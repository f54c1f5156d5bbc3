#include "experiments/experiment_parts.hpp"

#include <numeric>

#include "experiments/progress.hpp"

namespace mbdbench {
namespace {

void append(PartResult& all, const PartResult& part) {
  all.records.insert(all.records.end(), part.records.begin(), part.records.end());
  all.timings.insert(all.timings.end(), part.timings.begin(), part.timings.end());
}

}  // namespace

std::optional<PartResult> run_parts(const ExperimentContext& context, const std::string& label,
                                    const std::vector<ExperimentPart>& parts) {
  const PartStore store(context.output);
  const std::uint64_t total =
      std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const ExperimentPart& p) { return sum + p.weight; });
  ProgressBar progress(label, total, ProgressOptions::standard_error(context.quiet));
  PartResult all;
  for (const ExperimentPart& part : parts) {
    std::optional<PartResult> result = store.find(part.name, all.records);
    if (!result) {
      if (context.stop_requested && context.stop_requested()) {
        return std::nullopt;
      }
      const DirectoryListing earlier = store.listing();
      result = part.compute(all.records);
      store.keep(part.name, *result, all.records, earlier);
    }
    append(all, *result);
    progress.advance(part.weight);
  }
  return all;
}

}  // namespace mbdbench
