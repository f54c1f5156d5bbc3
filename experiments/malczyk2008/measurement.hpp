#pragma once
/// \file
/// What is timed, on one rank or on two: runs, right-hand sides, messages. The same code in the main program and in the
/// program that mpirun starts.
///
/// The two ranks take turns with the sequential program inside one call, so that whatever else the machine does meets
/// both alike; the fastest repetition was disturbed least. Whether it was disturbed is measured: a rank that waits for
/// a message keeps its processor busy, so a rank alone on its processor uses as much processor time as wall time.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/records/timing.hpp"
#include "experiments/registries/registries.hpp"
#include "formulations/bae_haug/exchange.hpp"

namespace mbdbench::malczyk2008 {

/// What to time.
struct Task {
  std::string mechanism;
  double end = 0.0;   ///< simulated time, s; 0: right-hand sides at the initial state, not a run
  double step = 0.0;  ///< output interval, s
  /// At least so many, and more while the fastest was disturbed, but none begins later than `patience` (s).
  int repetitions = 1;
  double patience = 0.0;
};

/// What came of a task. Times are those of the fastest repetition; of two ranks, the longer time and the smaller share.
struct TaskTimes {
  std::string failure;  ///< of the first program and repetition that failed: why there are no times; empty otherwise
  std::optional<Timing> serial;
  std::optional<Timing> sub_chains;  ///< of right-hand sides: both sub-chains in one process
  std::optional<Timing> two_ranks;
  std::vector<double> serial_state;  ///< of a run: at its end
  std::vector<double> two_rank_state;
  double evaluations = 0.0;  ///< right-hand sides of the sequential run
};

/// Time of one exchange of a message.
struct MessageTime {
  int numbers = 0;
  Timing timing;
};

/// Does the tasks. Both ranks call it with the same tasks; rank 0 returns the times.
/// \param exchange nullptr: no second rank, the sequential program only
std::vector<TaskTimes> measure(const Registries& registries, std::span<const Task> tasks, Exchange* exchange);

/// Times exchanges of messages of these sizes. Both ranks call it.
std::vector<MessageTime> measure_messages(std::span<const int> sizes, Exchange& exchange);

}  // namespace mbdbench::malczyk2008
