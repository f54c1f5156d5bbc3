/// \file
/// Limits: counts are integers and must be equal. First steps are known with ten digits, the last of which may be off
/// by half: 1.3e-10 of the smaller one. Initial accelerations are exact fractions of g (2/3, -4/9, -4/27), of which a
/// solve with the mass matrix, condition 2.4e4, may lose eps times that: 6e-12. Wall times of another machine and
/// language can only be a trend.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/chadaj2015/published.hpp"

namespace mbdbench::chadaj2015 {
namespace {

constexpr std::array kTableFormulations = {"dca", "hdca", "dense", "dense-momentum"};
constexpr double kFirstStepLimit = 1.3e-10;
constexpr double kAccelerationLimit = 6e-12;
constexpr int kRepetitions = 5;

struct TimedRun {
  SimulationResult result;
  Timing time;
};

/// Repeats the paper's run; the median is not disturbed by the first, cold run or by what else the machine does.
TimedRun timed_run(PendulumCase& pendulum, const OdeEntry& integrator) {
  TimedRun run;
  RepeatedTimes times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    NullSink sink;
    run.result = pendulum.run(integrator, kTolerance, {0.0, kEnd}, sink);
    times.add(run.result.time);
  }
  run.time = times.median();
  return run;
}

/// \returns the record of a count that must be that of the paper's formulation in the same variables: the paper did not
/// run this one. \param before holds the records of the paper's formulations
Record equal_count(const PendulumRecordMaker& maker, const char* quantity, std::size_t value,
                   std::string_view formulation, const std::vector<Record>& before) {
  Record record = maker.measured(quantity, "1", static_cast<double>(value), fmt::format("equal to {}'s", formulation));
  const auto other = std::find_if(before.begin(), before.end(), [&](const Record& candidate) {
    return candidate.formulation == formulation && candidate.quantity == quantity;
  });
  const bool equal = other != before.end() && other->value == record.value;
  record.verdict = equal ? Verdict::exact : Verdict::not_reproduced;
  if (!equal) {
    record.note = fmt::format("should be equal to {}'s", formulation);
  }
  return record;
}

void add_counts(PartResult& part, const PendulumRecordMaker& maker, std::string_view key, StateKind kind,
                const SimulationResult& result) {
  const PublishedRun& published = published_run(kind);
  const PrototypeRun& prototype = prototype_run(kind);
  const OdeStatistics& counts = result.ode.statistics;
  const auto add = [&](const char* quantity, std::size_t value, int expected, const NumberSource& source) {
    part.records.push_back(maker.compared(quantity, "1", static_cast<double>(value),
                                          {static_cast<double>(expected), source, 0.0, "counts must be equal"}));
  };
  for (const auto& [quantity, value] :
       {std::pair("function_evaluations", counts.nfevals), std::pair("rhs_calls", result.rhs_calls)}) {
    if (key == published.formulation) {
      add(quantity, value, published.function_evaluations, kPaper);
    } else {
      part.records.push_back(equal_count(maker, quantity, value, published.formulation, part.records));
    }
  }
  add("steps", counts.nsteps, prototype.steps, kPrototype);
  add("failed_attempts", counts.nfailed, prototype.failed, kPrototype);
  part.records.push_back(
      maker.compared("first_step", "s", result.ode.first_step,
                     {prototype.first_step, kPrototype, kFirstStepLimit, "half a unit of the last digit known"}));
}

void add_initial_accelerations(PartResult& part, PendulumCase& pendulum) {
  constexpr std::array kExpected = {6.54, -4.36, -4.36 / 3.0};
  std::vector<double> xdot(pendulum.x0().size());
  const RhsStatus status = pendulum.formulation().rhs(0.0, pendulum.x0(), xdot);
  const auto first = static_cast<std::size_t>(pendulum.mechanism().q_size());
  for (std::size_t i = 0; i < kExpected.size(); ++i) {
    const PendulumRecordMaker maker(pendulum.key(), "", fmt::format("joint={}", i + 1));
    part.records.push_back(maker.compared(
        "initial_acceleration", "rad/s^2", status.ok ? xdot[first + i] : OdeOptions::kUnset,
        {kExpected[i], kPrototype, kAccelerationLimit, "exact fractions of g; rounding times the condition of M"}));
  }
}

// The paper prints times and evaluations only.
constexpr NumberSource kQuotient = expected_from("quotient of numbers of Chadaj2015, sect. III");

Record trend(Record record, double other, const NumberSource& source, const std::string& note) {
  set_trend(record, other, source);
  record.note += (record.note.empty() ? "" : "; ") + note;
  return record;
}

}  // namespace

PartResult table_part(const Registries& registries) {
  const OdeEntry& integrator = integrator_of(registries, "ode45");
  PartResult part;
  std::array<Timing, kPublishedRuns.size()> times{};
  for (const char* key : kTableFormulations) {
    PendulumCase pendulum(registries, key);
    const PendulumRecordMaker maker(key, "ode45", tolerance_text(kTolerance));
    const TimedRun run = timed_run(pendulum, integrator);
    if (!run.result.succeeded()) {
      part.records.push_back(maker.failed("function_evaluations", "1", run.result));
      continue;
    }
    add_counts(part, maker, key, pendulum.rate_kind(), run.result);
    if (pendulum.rate_kind() == StateKind::velocity) {
      add_initial_accelerations(part, pendulum);
    }
    Record time = maker.timed("wall_time", run.time);
    Record call =
        maker.timed("time_per_evaluation", run.time.per(static_cast<double>(run.result.ode.statistics.nfevals)));
    for (std::size_t i = 0; i < kPublishedRuns.size(); ++i) {
      const PublishedRun& published = kPublishedRuns[i];
      if (published.formulation == key) {
        times[i] = run.time;
        time = trend(std::move(time), published.wall_time_s, kPaper, "another machine, MATLAB");
        call = trend(std::move(call), published.wall_time_s / published.function_evaluations, kQuotient,
                     "another machine, MATLAB");
      }
    }
    part.timings.push_back(std::move(time));
    part.timings.push_back(std::move(call));
  }
  const PendulumRecordMaker ratio("hdca", "ode45", tolerance_text(kTolerance));
  if (times[0].seconds > 0.0 && times[1].seconds > 0.0) {
    Record relative = ratio.measured("wall_time_relative_to_dca", "1", times[1].seconds / times[0].seconds);
    if (times[0].disturbed() || times[1].disturbed()) {
      relative.verdict = Verdict::not_measured;
      relative.note = "of disturbed times";
    }
    part.timings.push_back(trend(std::move(relative), kPublishedRuns[1].wall_time_s / kPublishedRuns[0].wall_time_s,
                                 kQuotient, "the paper's ratio is that of the evaluations"));
  }
  return part;
}

}  // namespace mbdbench::chadaj2015
