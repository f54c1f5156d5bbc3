#include "experiments/records/timing/timed_turns.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "experiments/terminal/interruption.hpp"
#include "formulations/execution/thread_team.hpp"

namespace mbdbench {
namespace {

/// \returns nothing where the call fails.
std::optional<TimedRepetition> time_batch(const TimedCall& call, double shortest) {
  // Threads that wait for their next call would count as processor time of this one.
  ThreadTeam::rest();
  Stopwatch stopwatch;
  if (!call()) {
    return std::nullopt;
  }
  TimedRepetition elapsed = stopwatch.elapsed();
  std::size_t calls = 1;
  if (elapsed.processor < shortest) {  // short: it has filled caches and started threads, and others are timed
    stopwatch = Stopwatch();
    elapsed = {};
    calls = 0;
  }
  for (std::size_t batch = 1; elapsed.processor < shortest; batch *= 2) {
    for (std::size_t i = 0; i < batch; ++i) {
      if (!call()) {
        return std::nullopt;
      }
    }
    calls += batch;
    elapsed = stopwatch.elapsed();
  }
  const auto count = static_cast<double>(calls);
  return TimedRepetition{elapsed.wall / count, elapsed.processor / count};
}

}  // namespace

TimedCall right_hand_side_call(Formulation& formulation, double t, std::vector<double> x) {
  return [&formulation, t, x = std::move(x), xdot = std::vector<double>(formulation.state_size())]() mutable {
    return formulation.rhs(t, x, xdot).ok;
  };
}

TimedCall batch_call(StateBatch& states, double t, std::span<const double> x, std::size_t count) {
  std::vector<double> rows;
  rows.reserve(count * x.size());
  for (std::size_t k = 0; k < count; ++k) {
    rows.insert(rows.end(), x.begin(), x.end());
  }
  return [&states, t, rows = std::move(rows), rates = std::vector<double>(count * x.size()),
          statuses = std::vector<RhsStatus>(count)]() mutable {
    states.rhs(t, rows, rates, statuses);
    return std::all_of(statuses.begin(), statuses.end(), [](const RhsStatus& status) { return status.ok; });
  };
}

std::vector<RepeatedTimes> time_in_turns(const std::vector<TimedCall>& calls, int batches, double shortest) {
  std::vector<RepeatedTimes> times(calls.size());
  std::vector<bool> failed(calls.size());
  for (int batch = 0; batch < batches && (batch == 0 || !interruption_requested()); ++batch) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (failed[i]) {
        continue;
      }
      if (const auto repetition = time_batch(calls[i], shortest)) {
        times[i].add(*repetition);
      } else {
        failed[i] = true;
        times[i] = {};
      }
    }
  }
  return times;
}

}  // namespace mbdbench
