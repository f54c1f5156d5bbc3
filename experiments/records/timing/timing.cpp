#include "experiments/records/timing/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace mbdbench {
namespace {

TimedRepetition now() {
  timespec processor{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(),
          static_cast<double>(processor.tv_sec) + 1e-9 * static_cast<double>(processor.tv_nsec)};
}

/// Linear between neighbours. \param values not empty
double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double weight = place - std::floor(place);
  return (1.0 - weight) * values[below] + weight * values[above];
}

std::vector<double> walls(const std::vector<TimedRepetition>& repetitions) {
  std::vector<double> values;
  values.reserve(repetitions.size());
  for (const TimedRepetition& repetition : repetitions) {
    values.push_back(repetition.wall);
  }
  return values;
}

}  // namespace

Timing Timing::per(double pieces) const {
  Timing one = *this;
  one.seconds /= pieces;
  return one;
}

Timing Timing::of_threads(double threads) const {
  Timing each = *this;
  each.processor_share /= threads;
  return each;
}

std::string Timing::words() const {
  return fmt::format("{}{} repetition{}, spread {:.3g}, processor share {:.3g}", disturbed() ? "disturbed: " : "",
                     repetitions, repetitions == 1 ? "" : "s", spread, processor_share);
}

Stopwatch::Stopwatch() : start_(now()) {}

TimedRepetition Stopwatch::elapsed() const {
  const TimedRepetition end = now();
  return {end.wall - start_.wall, end.processor - start_.processor};
}

Timing RepeatedTimes::timing(double seconds, double share) const {
  const std::vector<double> times = walls(repetitions_);
  const double median = quantile(times, 0.5);
  const double distance = quantile(times, 0.75) - quantile(times, 0.25);
  return {seconds, share, median > 0.0 ? distance / median : 0.0, repetitions_.size()};
}

Timing RepeatedTimes::fastest() const {
  const auto fastest =
      std::min_element(repetitions_.begin(), repetitions_.end(),
                       [](const TimedRepetition& a, const TimedRepetition& b) { return a.wall < b.wall; });
  return timing(fastest->wall, fastest->share());
}

Timing RepeatedTimes::median() const {
  std::vector<double> shares;
  shares.reserve(repetitions_.size());
  for (const TimedRepetition& repetition : repetitions_) {
    shares.push_back(repetition.share());
  }
  return timing(quantile(walls(repetitions_), 0.5), quantile(std::move(shares), 0.5));
}

}  // namespace mbdbench
