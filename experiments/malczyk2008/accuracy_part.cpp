/// \file
/// Limits: two formulations of the prototype, at 1e-9, agree on the crank angle to 6e-8: 2e-7 rad with their own error.
/// Sub-chains sum in another order than the whole tree, so the two runs differ by what
/// their steps make of rounding: far less than the tolerance times the evaluations, 1e-7. Two ranks do the same sums as
/// one process with both sub-chains: not a bit may differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"

namespace mbdbench::malczyk2008 {
namespace {

constexpr double kTight = 1e-12;
constexpr double kAngleLimit = 2e-7;  // rad
constexpr double kOrderOfSums = 1e-7;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

/// \returns the record of a difference that must not exceed the limit.
Record bounded(Record record, double limit, std::string note) {
  record.verdict = limit == 0.0 ? Verdict::exact : Verdict::within_limit;
  if (!(record.value.value_or(HUGE_VAL) <= limit)) {
    record.verdict = Verdict::not_reproduced;
  }
  record.note = std::move(note);
  return record;
}

/// The crank without torque, with both programs.
void add_crank_angle(PartResult& part, const PartContext& context) {
  const std::string mechanism = "slider_crank:torque=0";
  const std::string parameters = run_parameters(1.0, 0.01, kTight);
  std::vector<std::vector<double>> states;
  for (const Program program : {Program::serial, Program::split}) {
    ClosedCase crank(context.registries, mechanism, program, nullptr);
    NullSink sink;
    const SimulationResult result = crank.run(context.registries, 1.0, 0.01, kTight, sink);
    const RecordMaker maker = records_of(mechanism, program == Program::serial ? kSerial : kSplit, parameters);
    if (!result.succeeded()) {
      part.records.push_back(maker.failed("crank_angle", "rad", result.message()));
      return;
    }
    part.records.push_back(maker.compared(
        "crank_angle", "rad", result.ode.x.front(),
        {kCrankAngle, kPrototype, kAngleLimit / kCrankAngle, "two formulations at 1e-9 that agree to 6e-8"}));
    states.push_back(result.ode.x);
  }
  part.records.push_back(
      bounded(records_of(mechanism, kSplit, parameters)
                  .measured("end_state_difference", "1", largest_difference(states[0], states[1])),
              kOrderOfSums, fmt::format("below {} beside {}: the same sums in another order", kOrderOfSums, kSerial)));
}

/// The end of a run on two ranks against that of one process with both sub-chains.
void add_two_rank_difference(PartResult& part, const PartContext& context, const Task& task,
                             const std::vector<double>& two_rank_state) {
  ClosedCase loop(context.registries, task.mechanism, Program::split, nullptr);
  NullSink sink;
  const SimulationResult result = loop.run(context.registries, task.end, task.step, kTolerance, sink);
  part.records.push_back(
      bounded(records_of(task.mechanism, kTwoRanks, run_parameters(task.end, task.step, kTolerance))
                  .measured("end_state_difference", "1", largest_difference(result.ode.x, two_rank_state)),
              0.0, fmt::format("must be 0 beside {}: the same sums", kSplit)));
}

}  // namespace

PartResult accuracy_part(const PartContext& context) {
  PartResult part;
  add_crank_angle(part, context);
  Job job;
  job.tasks.push_back({.mechanism = "slider_crank", .end = 1.0, .step = 0.01});
  job.tasks.push_back({.mechanism = "loop:15", .end = kLoopEnd, .step = kLoopStep});
  if (!why_no_two_ranks().empty()) {
    return part;
  }
  const JobResult result = run_job(context.registries, job, context.output);
  if (!result.failure.empty()) {
    part.records.push_back(
        records_of(job.tasks.front().mechanism, kTwoRanks, "").failed("end_state_difference", "1", result.failure));
    return part;
  }
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    if (const std::string& failure = result.tasks[i].failure; !failure.empty()) {
      part.records.push_back(
          records_of(job.tasks[i].mechanism, kTwoRanks, "").failed("end_state_difference", "1", failure));
    } else {
      add_two_rank_difference(part, context, job.tasks[i], result.tasks[i].two_rank_state);
    }
  }
  return part;
}

}  // namespace mbdbench::malczyk2008
