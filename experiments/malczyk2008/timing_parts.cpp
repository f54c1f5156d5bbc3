/// \file
/// Times only. Verdicts are "trend only": the paper's machine, compiler and library are of 2008. What is judged of
/// them are the statements in timing_claims.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"

namespace mbdbench::malczyk2008 {
namespace {

constexpr const char* kOtherMachine = "another machine: Xeon 2.4 GHz of 2008, Fortran, SLATEC";

// The table prints times only.
constexpr const char* kQuotient = "quotient of times of Malczyk2008, table 1";

/// Gives the records made last the paper's numbers: its times to times, its ratio to a speedup.
void set_published(PartResult& part, std::size_t first, double one_process, double two_processes) {
  for (std::size_t i = first; i < part.timings.size(); ++i) {
    Record& record = part.timings[i];
    if (!record.value) {
      continue;
    }
    const bool ratio = record.quantity.ends_with("_speedup");
    const double published =
        ratio ? one_process / two_processes : (record.formulation == kSerial ? one_process : two_processes);
    set_trend(record, published, ratio ? expected_from(kQuotient) : published_in(kTable));
    record.note = record.note.empty() ? kOtherMachine : fmt::format("{}; {}", kOtherMachine, record.note);
  }
}

void add_counts(PartResult& part, const Task& task, const TaskTimes& times) {
  if (times.failure.empty() && times.serial) {
    part.records.push_back(records_of(task.mechanism, kSerial, run_parameters(task.end, task.step, kTolerance))
                               .measured("rhs_calls", "1", times.evaluations));
  }
}

/// What was missing or went wrong, once a part.
void add_failure(PartResult& part, const std::string& mechanism, const char* formulation, const char* quantity,
                 const JobResult& result) {
  if (!result.failure.empty()) {
    part.timings.push_back(records_of(mechanism, formulation, "").failed(quantity, "s", result.failure));
  }
}

/// Exchanges of messages, and right-hand sides of these mechanisms at their initial states.
Job right_hand_side_job(const PartContext& context, const std::vector<std::string>& mechanisms) {
  Job job;
  job.message_sizes = {kShortMessage, kLongMessage};
  for (const std::string& mechanism : mechanisms) {
    job.tasks.push_back({mechanism, 0.0, 0.0, 200, context.quick ? 0.5 : 3.0});
  }
  return job;
}

void add_exchanges(PartResult& part, const JobResult& result, Transport transport) {
  for (const MessageTime& message : result.messages) {
    part.timings.push_back(RecordMaker({.experiment = std::string(kExperiment),
                                        .mechanism = "",
                                        .formulation = "",
                                        .integrator = "",
                                        .parameters = exchange_parameters(message.numbers, transport)})
                               .timed("exchange_time", message.timing, circumstances(result)));
  }
}

}  // namespace

std::vector<int> timed_loops(bool quick) {
  return quick ? std::vector<int>{5, 15, 51, 151}
               : std::vector<int>{4, 5, 7, 9, 11, 13, 15, 21, 31, 51, 101, 151, 251, 501, 1001};
}

std::vector<int> tcp_loops(bool quick) {
  return quick ? std::vector<int>{15, 151} : std::vector<int>{15, 31, 51, 71, 101, 151, 251, 501, 1001};
}

std::vector<int> run_loops(bool quick) {
  return quick ? std::vector<int>{5, 15} : std::vector<int>{5, 7, 9, 11, 15, 21, 31, 51, 101, 151};
}

PartResult table_part(const PartContext& context, std::size_t step_index) {
  const double step = kSteps[step_index];
  Job job;
  std::vector<TableRow> rows;
  for (const TableRow& row : kTableRows) {
    if (!context.quick || row.end <= 5.0) {
      job.tasks.push_back({"slider_crank", row.end, step, 5, context.quick ? 0.3 : 2.0});
      rows.push_back(row);
    }
  }
  const JobResult result = run_job(context.registries, job, context.output);
  PartResult part;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t first = part.timings.size();
    add_counts(part, job.tasks[i], result.tasks[i]);
    add_times(part, job.tasks[i].mechanism, run_parameters(rows[i].end, step, kTolerance), "wall_time",
              result.tasks[i]);
    set_published(part, first, rows[i].one_process[step_index], rows[i].two_processes[step_index]);
  }
  add_failure(part, "slider_crank", kTwoRanks, "wall_time", result);
  return part;
}

PartResult right_hand_side_part(const PartContext& context) {
  std::vector<std::string> mechanisms = {"slider_crank"};
  for (const int joints : timed_loops(context.quick)) {
    mechanisms.push_back(loop_name(joints));
  }
  const Job job = right_hand_side_job(context, mechanisms);
  const JobResult result = run_job(context.registries, job, context.output);
  PartResult part;
  add_exchanges(part, result, Transport::shared_memory);
  for (std::size_t i = 0; i < mechanisms.size(); ++i) {
    add_times(part, mechanisms[i], "", "time_per_evaluation", result.tasks[i]);
  }
  add_failure(part, "", kTwoRanks, "exchange_time", result);
  return part;
}

PartResult tcp_part(const PartContext& context) {
  std::vector<std::string> mechanisms;
  for (const int joints : tcp_loops(context.quick)) {
    mechanisms.push_back(loop_name(joints));
  }
  const Job job = right_hand_side_job(context, mechanisms);
  const JobResult result = run_job(context.registries, job, context.output, Transport::tcp);
  PartResult part;
  add_failure(part, "", kTwoRanksTcp, "exchange_time", result);
  if (result.failure.empty()) {
    add_exchanges(part, result, Transport::tcp);
    for (std::size_t i = 0; i < mechanisms.size(); ++i) {
      const TaskTimes& times = result.tasks[i];
      const RecordMaker maker = records_of(mechanisms[i], kTwoRanksTcp, "");
      if (times.serial && times.two_ranks) {
        add_two_ranks(part, maker, "time_per_evaluation", *times.serial, *times.two_ranks);
      } else {
        part.timings.push_back(maker.failed("time_per_evaluation", "s", times.failure));
      }
    }
  }
  return part;
}

PartResult loop_part(const PartContext& context, int joints) {
  Job job;
  // A run of a large loop takes several seconds: a single one, since it is long against what disturbs it.
  job.tasks.push_back({loop_name(joints), kLoopEnd, kLoopStep, joints > 60 ? 1 : 3, context.quick ? 0.3 : 3.0});
  const JobResult result = run_job(context.registries, job, context.output);
  PartResult part;
  add_counts(part, job.tasks.front(), result.tasks.front());
  add_times(part, loop_name(joints), run_parameters(kLoopEnd, kLoopStep, kTolerance), "wall_time",
            result.tasks.front());
  add_failure(part, loop_name(joints), kTwoRanks, "wall_time", result);
  return part;
}

}  // namespace mbdbench::malczyk2008
