#include "experiments/records/timing/timed_turns.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "experiments/terminal/interruption.hpp"
#include "formulations/execution/thread_team.hpp"

namespace mbdbench {
namespace {

/// A first call that takes longer is timed, s; others may find caches cold: a third of the time of 4096 states of a
/// chain, a tenth of that of a large Jacobian.
constexpr double kLongCall = 0.1;

/// What all processes find, each with numbers of its own.
class Agreement {
 public:
  explicit Agreement(ProcessExchange* processes) : processes_(processes) {}

  /// \returns whether any process says so.
  [[nodiscard]] bool any(bool own) const { return largest(own ? 1.0 : 0.0) > 0.0; }
  [[nodiscard]] double largest(double own) const {
    if (processes_ != nullptr) {
      processes_->take_largest(std::span(&own, 1));
    }
    return own;
  }
  /// \returns the wall time of the slowest process, with the smallest share of a processor that one of them had.
  [[nodiscard]] TimedRepetition slowest(const TimedRepetition& own) const {
    if (processes_ == nullptr) {
      return own;
    }
    const double wall = largest(own.wall);
    const double share = -largest(own.wall > 0.0 ? -own.processor / own.wall : -1.0);
    return {wall, share * wall};
  }

 private:
  ProcessExchange* processes_;
};

/// \returns nothing where the call fails.
std::optional<TimedRepetition> time_batch(const TimedCall& call, double shortest, const Agreement& all) {
  // Threads that wait for their next call would count as processor time of this one.
  ThreadTeam::rest();
  static_cast<void>(all.any(false));  // all begin together
  Stopwatch stopwatch;
  bool fine = call();
  TimedRepetition elapsed = all.slowest(stopwatch.elapsed());
  if (all.any(!fine)) {
    return std::nullopt;
  }
  std::size_t calls = 1;
  if (elapsed.processor < std::max(shortest, kLongCall)) {  // it has filled caches and started threads
    stopwatch = Stopwatch();
    elapsed = {};
    calls = 0;
  }
  for (std::size_t batch = 1; calls == 0 || elapsed.processor < shortest; batch *= 2) {
    for (std::size_t i = 0; i < batch; ++i) {
      fine = fine && call();
    }
    calls += batch;
    elapsed = all.slowest(stopwatch.elapsed());
    if (all.any(!fine)) {
      return std::nullopt;
    }
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
          statuses = std::vector<RhsStatus>(count), looked = false]() mutable {
    states.rhs(t, rows, rates, statuses);
    // Once: all calls are alike, and one thread that reads what others have written would be a tenth of an arm's time.
    const bool fine =
        looked || std::all_of(statuses.begin(), statuses.end(), [](const RhsStatus& one) { return one.ok; });
    looked = true;
    return fine;
  };
}

std::vector<RepeatedTimes> time_in_turns(const std::vector<TimedCall>& calls, int batches, double shortest,
                                         ProcessExchange* processes) {
  const Agreement all(processes);
  std::vector<RepeatedTimes> times(calls.size());
  std::vector<bool> failed(calls.size());
  for (int batch = 0; batch < batches && (batch == 0 || !all.any(interruption_requested())); ++batch) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (failed[i]) {
        continue;
      }
      if (const auto repetition = time_batch(calls[i], shortest, all)) {
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
