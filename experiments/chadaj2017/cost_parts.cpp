/// \file
/// Times only, without limits: the paper's values are lost, and they were MATLAB's.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "experiments/chadaj2017/loop_case.hpp"
#include "experiments/chadaj2017/parts.hpp"
#include "experiments/records/timed_turns.hpp"
#include "experiments/registries/needed_entries.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr int kBatches = 9;
// Long against the clock's resolution and short enough that most batches are not interrupted, s.
constexpr double kBatchTime = 4e-3;

/// A formulation at a state, to be timed.
struct TimedLoop {
  LoopCase loop;
  std::vector<double> x;
};

/// \returns the times of one right-hand side of each.
std::vector<RepeatedTimes> measure(std::vector<TimedLoop>& loops) {
  std::vector<TimedCall> calls;
  calls.reserve(loops.size());
  for (TimedLoop& timed : loops) {
    calls.push_back(right_hand_side_call(timed.loop.formulation(), 0.0, timed.x));
  }
  return time_in_turns(calls, kBatches, kBatchTime);
}

/// \param pieces the record holds the time of one of so many
void add_times(PartResult& part, std::vector<TimedLoop>& loops, const std::string& parameters, const char* quantity,
               double pieces) {
  const std::vector<RepeatedTimes> times = measure(loops);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const RecordMaker maker = loops[i].loop.records("", parameters);
    part.timings.push_back(times[i].count() == 0 ? maker.failed(quantity, "s", "the right-hand side fails")
                                                 : maker.timed(quantity, times[i].fastest().per(pieces)));
  }
}

}  // namespace

PartResult call_time_part(const Registries& registries) {
  PartResult part;
  for (const std::string_view mechanism : kCases) {
    std::vector<TimedLoop> loops;
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
      loops.push_back({std::move(loop), result.ode.x});
    }
    add_times(part, loops, "t=1", "time_per_evaluation", 1.0);
  }
  return part;
}

PartResult growth_of_cost_part(const Registries& registries, bool quick) {
  PartResult part;
  const int largest = quick ? 256 : 4096;
  for (int bodies = 4; bodies <= largest; bodies *= 4) {
    std::vector<TimedLoop> loops;
    for (const Variant& variant : {kDca, kHdca, kHdcaLeak}) {
      // The ground is one of the links.
      LoopCase loop(registries, fmt::format("loop:{}", bodies + 1), variant);
      std::vector<double> x = loop.x0();
      loops.push_back({std::move(loop), std::move(x)});
    }
    add_times(part, loops, fmt::format("bodies={}", bodies), "time_per_evaluation_and_body", bodies);
  }
  return part;
}

}  // namespace mbdbench::chadaj2017
