/// \file
/// Times only, without limits: the paper's values are lost, and they were MATLAB's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "experiments/chadaj2017/loop_case.hpp"
#include "experiments/chadaj2017/parts.hpp"
#include "experiments/needed_entries.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr std::size_t kBatches = 9;
// Long against the clock's resolution and short enough that most batches are not interrupted, s.
constexpr double kBatchTime = 4e-3;

/// A formulation at a state, timed in batches.
struct TimedCall {
  LoopCase loop;
  std::vector<double> x;
  std::size_t calls = 1;
  std::array<double, kBatches> times{};

  /// \returns the processor's seconds of so many calls: waiting for other processes does not count.
  double run(std::size_t count) {
    std::vector<double> xdot(x.size());
    const std::clock_t start = std::clock();
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<void>(loop.formulation().rhs(0.0, x, xdot));
    }
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

  void calibrate() {
    while (run(calls) < kBatchTime) {
      calls *= 2;
    }
  }

  /// \returns the time of a call in the fastest batch, s: whatever disturbs a batch makes it slower.
  [[nodiscard]] double fastest() const { return *std::min_element(times.begin(), times.end()); }
};

/// Batches of all calls in turn, so that whatever else the machine does meets all of them alike.
void measure(std::vector<TimedCall>& calls) {
  for (TimedCall& call : calls) {
    call.calibrate();
  }
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    for (TimedCall& call : calls) {
      call.times[batch] = call.run(call.calls) / static_cast<double>(call.calls);
    }
  }
}

}  // namespace

PartResult call_time_part(const Registries& registries) {
  PartResult part;
  for (const std::string_view mechanism : kCases) {
    std::vector<TimedCall> calls;
    for (const Variant& variant : kCompared) {
      LoopCase loop(registries, mechanism, variant);
      // A moving state: at rest all velocity terms vanish.
      NullSink sink;
      const SimulationResult result =
          loop.run(needed_integrator(registries, kExperiment, "ode45"), kTolerance, {0.0, 1.0}, sink);
      if (!result.succeeded()) {
        part.timings.push_back(loop.records("", "t=1").failed("time_per_evaluation", "s", result.message()));
        continue;
      }
      calls.push_back({std::move(loop), result.ode.x});
    }
    measure(calls);
    for (TimedCall& call : calls) {
      part.timings.push_back(call.loop.records("", "t=1").measured("time_per_evaluation", "s", call.fastest()));
    }
  }
  return part;
}

PartResult growth_of_cost_part(const Registries& registries, bool quick) {
  PartResult part;
  const int largest = quick ? 256 : 4096;
  for (int bodies = 4; bodies <= largest; bodies *= 4) {
    std::vector<TimedCall> calls;
    for (const Variant& variant : {kDca, kHdca, kHdcaLeak}) {
      // The ground is one of the links.
      LoopCase loop(registries, fmt::format("loop:{}", bodies + 1), variant);
      std::vector<double> x = loop.x0();
      calls.push_back({std::move(loop), std::move(x)});
    }
    measure(calls);
    for (TimedCall& call : calls) {
      part.timings.push_back(call.loop.records("", fmt::format("bodies={}", bodies))
                                 .measured("time_per_evaluation_and_body", "s", call.fastest() / bodies));
    }
  }
  return part;
}

}  // namespace mbdbench::chadaj2017
