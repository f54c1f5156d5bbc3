#include "experiments/malczyk2008/measurement.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <exception>
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

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return seconds_of(time);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TimedWork timed(const std::function<void()>& work) {
  const double processor = processor_seconds();
  const double wall = wall_seconds();
  work();
  const double elapsed = wall_seconds() - wall;
  return {elapsed, elapsed > 0.0 ? (processor_seconds() - processor) / elapsed : 1.0};
}

/// Both ranks leave at the same time.
void meet(Exchange& exchange) {
  const std::array<double, 1> own{};
  std::array<double, 1> other{};
  exchange.swap(own, other);
}

/// Times work that both ranks do together. \returns the longer time and the smaller share
TimedWork timed_together(Exchange& exchange, const std::function<void()>& work) {
  meet(exchange);
  const TimedWork here = timed(work);
  const std::array<double, 2> own = {here.wall_time, here.processor_share};
  std::array<double, 2> other{};
  exchange.swap(own, other);
  return {std::max(own[0], other[0]), std::min(own[1], other[1])};
}

void keep_fastest(std::optional<TimedWork>& fastest, const TimedWork& work) {
  if (!fastest || work.wall_time < fastest->wall_time) {
    fastest = work;
  }
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
void repeat(const Task& task, TaskTimes& times, Exchange* exchange, const std::function<void()>& work) {
  const double start = wall_seconds();
  for (int done = 1;; ++done) {
    work();
    const bool disturbed = (times.serial && times.serial->disturbed()) ||
                           (times.sub_chains && times.sub_chains->disturbed()) ||
                           (times.two_ranks && times.two_ranks->disturbed());
    const bool enough =
        !times.failure.empty() || (done >= task.repetitions && !disturbed) || wall_seconds() - start > task.patience;
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
  repeat(task, times, exchange, [&] {
    if (programs.serial) {
      keep_fastest(times.serial,
                   timed([&] { times.evaluations = static_cast<double>(run(*programs.serial, times.serial_state)); }));
    }
    if (programs.split) {
      keep_fastest(times.two_ranks, timed_together(*exchange, [&] { run(*programs.split, times.two_rank_state); }));
    }
  });
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
      return timed([&] { failure = evaluate(*programs.serial, count, xdot); }).wall_time;
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
  repeat(task, times, exchange, [&] {
    if (programs.serial) {
      keep_fastest(times.serial, timed([&] { batch(*programs.serial); }));
      keep_fastest(times.sub_chains, timed([&] { batch(*programs.sub_chains); }));
    }
    if (programs.split) {
      keep_fastest(times.two_ranks, timed_together(*exchange, [&] { batch(*programs.split); }));
    }
  });
  for (std::optional<TimedWork>* work : {&times.serial, &times.sub_chains, &times.two_ranks}) {
    if (*work) {
      (*work)->wall_time /= static_cast<double>(calls);
    }
  }
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
    std::optional<TimedWork> fastest;
    for (int batch = 0; batch < kMessageBatches; ++batch) {
      keep_fastest(fastest, timed_together(exchange, [&] {
                     for (int i = 0; i < kMessagesOfABatch; ++i) {
                       exchange.swap(own, other);
                     }
                   }));
    }
    all.push_back({size, {fastest->wall_time / kMessagesOfABatch, fastest->processor_share}});
  }
  return all;
}

}  // namespace mbdbench::malczyk2008
