#include "experiments/malczyk2008/measurement.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <utility>

#include "experiments/malczyk2008/closed_case.hpp"

namespace mbdbench::malczyk2008 {
namespace {

// A batch is long against the clock's resolution and short against the time slices of other processes, s.
constexpr double kBatchTime = 2e-3;
// Messages: some 20 us in memory, 1 ms over TCP.
constexpr int kMessageBatches = 1000;
constexpr int kMessagesOfABatch = 100;

TimedRepetition timed(const std::function<void()>& work) {
  const Stopwatch stopwatch;
  work();
  return stopwatch.elapsed();
}

/// Both ranks leave at the same time.
void meet(Exchange& exchange) {
  const std::array<double, 1> own{};
  std::array<double, 1> other{};
  exchange.swap(own, other);
}

/// Times work that both ranks do together. \returns the longer time and the smaller share
TimedRepetition timed_together(Exchange& exchange, const std::function<void()>& work) {
  meet(exchange);
  const TimedRepetition here = timed(work);
  const std::array<double, 2> own = {here.wall, here.share()};
  std::array<double, 2> other{};
  exchange.swap(own, other);
  const double wall = std::max(own[0], other[0]);
  return {wall, wall * std::min(own[1], other[1])};
}

/// All repetitions of a task's programs.
struct Repetitions {
  RepeatedTimes serial;
  RepeatedTimes sub_chains;
  RepeatedTimes two_ranks;
};

/// \param calls in every repetition
void keep_fastest(TaskTimes& times, const Repetitions& repetitions, std::size_t calls) {
  const auto one = [&](const RepeatedTimes& all) -> std::optional<Timing> {
    return all.count() == 0 ? std::nullopt : std::optional(all.fastest().per(static_cast<double>(calls)));
  };
  times.serial = one(repetitions.serial);
  times.sub_chains = one(repetitions.sub_chains);
  times.two_ranks = one(repetitions.two_ranks);
}

/// The programs of one task on this rank: rank 1 has no sequential ones.
struct Programs {
  std::optional<ClosedCase> serial;
  std::optional<ClosedCase> sub_chains;
  std::optional<ClosedCase> split;
};

/// Keeps why a program failed, unless another one did before: later programs and repetitions may well succeed.
void keep_first_failure(std::string& failure, const std::string& message) {
  if (failure.empty()) {
    failure = message;
  }
}

/// Repeats a task's work as often and as long as it says, but not after a failure. Rank 0 decides.
void repeat(const Task& task, const std::string& failure, const Repetitions& times, Exchange* exchange,
            const std::function<void()>& work) {
  const Stopwatch stopwatch;
  const auto disturbed = [](const RepeatedTimes& all) { return all.count() > 0 && all.fastest().disturbed(); };
  for (int done = 1;; ++done) {
    work();
    const bool again =
        done < task.repetitions || disturbed(times.serial) || disturbed(times.sub_chains) || disturbed(times.two_ranks);
    const bool enough = !failure.empty() || !again || stopwatch.elapsed().wall > task.patience;
    std::array<double, 1> decision = {enough ? 1.0 : 0.0};
    if (exchange != nullptr) {
      std::array<double, 1> other{};
      exchange->swap(decision, other);
      decision = exchange->rank() == 0 ? decision : other;
    }
    if (decision[0] == 1.0) {
      return;
    }
  }
}

/// What a program of dynamic analysis may write at every output: accelerations too, which cost a right-hand side. A
/// hypothesis on why the paper's times grow as its step becomes finer (step_reading_part.cpp).
class AccelerationSink final : public OdeSink {
 public:
  explicit AccelerationSink(Formulation& formulation) : formulation_(&formulation), xdot_(formulation.state_size()) {}
  bool sample(double t, std::span<const double> x) override {
    if (const RhsStatus status = formulation_->rhs(t, x, xdot_); !status.ok) {
      throw std::runtime_error("at an output: " + status.message());
    }
    return true;
  }

 private:
  Formulation* formulation_;
  std::vector<double> xdot_;
};

/// Rank 1 waits while rank 0 runs the sequential program.
TaskTimes time_runs(const Registries& registries, const Task& task, Programs& programs, Exchange* exchange) {
  TaskTimes times;
  const auto run = [&](ClosedCase& loop, std::vector<double>& state) {
    AccelerationSink sink(loop.formulation());
    const SimulationResult result = loop.run(registries, task.end, task.step, kTolerance, sink);
    if (!result.succeeded()) {
      keep_first_failure(times.failure,
                         result.message().empty() ? std::string(to_string(result.ode.status)) : result.message());
    }
    state = result.ode.x;
    return result.rhs_calls;
  };
  Repetitions repetitions;
  repeat(task, times.failure, repetitions, exchange, [&] {
    if (programs.serial) {
      repetitions.serial.add(
          timed([&] { times.evaluations = static_cast<double>(run(*programs.serial, times.serial_state)); }));
    }
    if (programs.split) {
      repetitions.two_ranks.add(timed_together(*exchange, [&] { run(*programs.split, times.two_rank_state); }));
    }
  });
  keep_fastest(times, repetitions, 1);
  return times;
}

/// Evaluates the right-hand side at the initial state. \returns why it could not be; empty otherwise
std::string evaluate(ClosedCase& loop, std::size_t calls, std::vector<double>& xdot) {
  for (std::size_t i = 0; i < calls; ++i) {
    if (const RhsStatus status = loop.formulation().rhs(0.0, loop.x0(), xdot); !status.ok) {
      return status.message();
    }
  }
  return {};
}

/// \param failure receives why there is no right-hand side
/// \returns how often the right-hand side fits into a batch; the same on both ranks.
std::size_t calls_of_a_batch(Programs& programs, Exchange* exchange, std::vector<double>& xdot, std::string& failure) {
  std::array<double, 1> calls = {1.0};
  if (programs.serial) {
    const auto batch_time = [&](std::size_t count) {
      return timed([&] { failure = evaluate(*programs.serial, count, xdot); }).wall;
    };
    batch_time(3);
    while (failure.empty() && batch_time(static_cast<std::size_t>(calls[0])) < kBatchTime) {
      calls[0] *= 2.0;
    }
  }
  if (exchange != nullptr) {
    std::array<double, 1> other{};
    exchange->swap(calls, other);
    calls[0] = std::max(calls[0], other[0]);
  }
  return static_cast<std::size_t>(calls[0]);
}

TaskTimes time_right_hand_sides(const Task& task, Programs& programs, Exchange* exchange) {
  TaskTimes times;
  std::vector<double> xdot(programs.serial ? programs.serial->x0().size() : programs.split->x0().size());
  const std::size_t calls = calls_of_a_batch(programs, exchange, xdot, times.failure);
  const auto batch = [&](ClosedCase& loop) { keep_first_failure(times.failure, evaluate(loop, calls, xdot)); };
  Repetitions repetitions;
  repeat(task, times.failure, repetitions, exchange, [&] {
    if (programs.serial) {
      repetitions.serial.add(timed([&] { batch(*programs.serial); }));
      repetitions.sub_chains.add(timed([&] { batch(*programs.sub_chains); }));
    }
    if (programs.split) {
      repetitions.two_ranks.add(timed_together(*exchange, [&] { batch(*programs.split); }));
    }
  });
  keep_fastest(times, repetitions, calls);
  return times;
}

/// \returns what is told of a task: of one that failed only why.
TaskTimes without_times_of_failures(TaskTimes times) {
  if (times.failure.empty()) {
    return times;
  }
  TaskTimes failed;
  failed.failure = std::move(times.failure);
  return failed;
}

}  // namespace

std::vector<TaskTimes> measure(const Registries& registries, std::span<const Task> tasks, Exchange* exchange) {
  std::vector<TaskTimes> all;
  for (const Task& task : tasks) {
    Programs programs;
    if (exchange == nullptr || exchange->rank() == 0) {
      programs.serial.emplace(registries, task.mechanism, Program::serial, nullptr);
      programs.sub_chains.emplace(registries, task.mechanism, Program::split, nullptr);
    }
    if (exchange != nullptr) {
      programs.split.emplace(registries, task.mechanism, Program::split, exchange);
    }
    all.push_back(without_times_of_failures(task.end > 0.0 ? time_runs(registries, task, programs, exchange)
                                                           : time_right_hand_sides(task, programs, exchange)));
  }
  return all;
}

std::vector<MessageTime> measure_messages(std::span<const int> sizes, Exchange& exchange) {
  std::vector<MessageTime> all;
  for (const int size : sizes) {
    const std::vector<double> own(static_cast<std::size_t>(size), 1.0);
    std::vector<double> other(own.size());
    RepeatedTimes times;
    for (int batch = 0; batch < kMessageBatches; ++batch) {
      times.add(timed_together(exchange, [&] {
        for (int i = 0; i < kMessagesOfABatch; ++i) {
          exchange.swap(own, other);
        }
      }));
    }
    all.push_back({size, times.fastest().per(kMessagesOfABatch)});
  }
  return all;
}

}  // namespace mbdbench::malczyk2008
