#include "experiments/experiment_parts.hpp"

#include <cstddef>

#include "experiments/records/part_durations.hpp"
#include "experiments/records/timing.hpp"
#include "experiments/terminal/progress.hpp"

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
  PartDurations durations(context.output);
  std::vector<DeclaredPart> declared;
  declared.reserve(parts.size());
  for (const ExperimentPart& part : parts) {
    declared.push_back({part.name, part.weight});
  }
  const ExpectedTimes expected = expected_times(durations.last(), declared);
  ProgressOptions options = ProgressOptions::standard_error(context.quiet);
  options.countable = false;
  options.expected = expected.seconds;
  ProgressBar progress(label, expected.total, options);
  PartResult all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ExperimentPart& part = parts[i];
    if (std::optional<PartResult> kept = store.find(part.name, all.records)) {
      append(all, *kept);
      progress.skip(expected.weights[i]);
      continue;
    }
    if (context.stop_requested && context.stop_requested()) {
      return std::nullopt;
    }
    progress.doing(part.name);
    const DirectoryListing earlier = store.listing();
    const Stopwatch stopwatch;
    const PartResult result = part.compute(all.records);
    durations.keep(part.name, stopwatch.elapsed().wall);
    store.keep(part.name, result, all.records, earlier);
    append(all, result);
    progress.advance(expected.weights[i]);
  }
  return all;
}

}  // namespace mbdbench
