#include "experiments/studies/study_times.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <limits>
#include <memory>

#include "experiments/rhs_timer.hpp"
#include "experiments/simulation.hpp"
#include "experiments/studies/right_hand_sides.hpp"
#include "experiments/studies/study_cell.hpp"

namespace mbdbench::studies {
namespace {

// A run whose processor time is below this share of its wall time waited for something else.
constexpr double kUndisturbedShare = RhsTimes::kUndisturbedShare;

double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

std::vector<TimedResult> time_runs(const Registries& registries, const Study& study,
                                   const std::vector<CellKey>& cells) {
  std::vector<std::unique_ptr<StudyCase>> cases;
  cases.reserve(cells.size());
  for (const CellKey& cell : cells) {
    cases.push_back(
        std::make_unique<StudyCase>(registries, study.mechanisms[cell.mechanism], study.variants[cell.variant]));
  }
  std::vector<TimedResult> results(cells.size());
  std::vector<double> fastest(cells.size(), std::numeric_limits<double>::infinity());
  for (int repetition = 0; repetition < study.repetitions; ++repetition) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      NullSink sink;
      const double processor_start = processor_time();
      const double start = wall_clock();
      cases[i]->run(study, cells[i], sink);
      const double elapsed = wall_clock() - start;
      const double busy = processor_time() - processor_start;
      results[i].wall_times.push_back(elapsed);
      if (elapsed < fastest[i]) {
        fastest[i] = elapsed;
        results[i].disturbed = busy < kUndisturbedShare * elapsed;
      }
    }
  }
  return results;
}

Measured wall_time(const TimedResult& times) {
  if (times.wall_times.empty()) {
    return Measured::refused("not timed");
  }
  Measured measured = Measured::number(*std::min_element(times.wall_times.begin(), times.wall_times.end()));
  if (times.disturbed) {
    measured.state = CellState::disturbed;
    measured.note = "disturbed: the fastest repetition had to share its processor";
  }
  return measured;
}

bool is_sequential(const StudyVariant& variant) {
  const Parameters options = parse_parameters(variant.entry->options, variant.options, variant.entry->key);
  const bool one_rank = std::all_of(options.values().begin(), options.values().end(), [](const auto& option) {
    return option.first != "ranks" || text_of(option.second) == "1";
  });
  return one_rank && threads_of(variant) == 1;
}

}  // namespace mbdbench::studies
