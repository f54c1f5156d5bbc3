#include "experiments/malczyk2008/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/published.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"

namespace mbdbench::malczyk2008 {
namespace {

/// \returns why a speedup would mean nothing; empty if it means something.
std::string why_no_speedup(const TimedWork& serial, const TimedWork& two_ranks) {
  if (usable_processors() < 2) {
    return "no speedup: fewer processors than ranks";
  }
  if (serial.disturbed() || two_ranks.disturbed()) {
    return fmt::format("no speedup: the machine was busy, the processes had {:.0f} % and {:.0f} % of a processor",
                       100.0 * serial.processor_share, 100.0 * two_ranks.processor_share);
  }
  return {};
}

}  // namespace

std::optional<double> find_value(const std::vector<Record>& timings, const std::string& mechanism,
                                 const char* formulation, const std::string& parameters, const std::string& quantity) {
  const auto found = std::find_if(timings.begin(), timings.end(), [&](const Record& record) {
    return record.mechanism == mechanism && record.formulation == formulation && record.parameters == parameters &&
           record.quantity == quantity;
  });
  return found == timings.end() || found->verdict == Verdict::not_measured ? std::nullopt : found->value;
}

Claim claim_of(std::string source, std::string statement, std::string criterion) {
  Claim claim;
  claim.experiment = kExperiment;
  claim.source = std::move(source);
  claim.statement = std::move(statement);
  claim.criterion = std::move(criterion);
  return claim;
}

std::string loop_name(int joints) {
  return fmt::format("loop:{}", joints);
}

RecordMaker records_of(const std::string& mechanism, const char* formulation, std::string parameters) {
  return RecordMaker({.experiment = std::string(kExperiment),
                      .mechanism = mechanism,
                      .formulation = formulation,
                      .integrator = parameters.empty() ? "" : kIntegrator,
                      .parameters = std::move(parameters)});
}

std::string run_parameters(double end, double step, double tolerance) {
  return fmt::format("end={};output_step={};{}", end, step, tolerance_text(tolerance));
}

std::string exchange_parameters(int numbers, Transport transport) {
  return fmt::format("numbers={}{}", numbers, transport == Transport::tcp ? ";messages=tcp" : "");
}

void add_two_ranks(PartResult& part, const RecordMaker& maker, const char* quantity, const TimedWork& serial,
                   const TimedWork& two_ranks) {
  const std::string reason = why_no_speedup(serial, two_ranks);
  part.timings.push_back(
      maker.measured(quantity, "s", two_ranks.wall_time, reason.empty() ? placement() : placement() + "; " + reason));
  if (two_ranks.disturbed()) {
    part.timings.back().verdict = Verdict::not_measured;
  }
  if (reason.empty()) {
    part.timings.push_back(
        maker.measured(fmt::format("{}_speedup", quantity), "1", serial.wall_time / two_ranks.wall_time));
  }
}

void add_times(PartResult& part, const std::string& mechanism, const std::string& parameters, const char* quantity,
               const TaskTimes& times) {
  if (!times.failure.empty() || !times.serial) {
    part.timings.push_back(records_of(mechanism, kSerial, parameters).failed(quantity, "s", times.failure));
    return;
  }
  Record serial = records_of(mechanism, kSerial, parameters).measured(quantity, "s", times.serial->wall_time);
  if (times.serial->disturbed()) {
    serial.verdict = Verdict::not_measured;
    serial.note = fmt::format("the machine was busy, the process had {:.0f} % of a processor",
                              100.0 * times.serial->processor_share);
  }
  part.timings.push_back(std::move(serial));
  if (times.sub_chains) {
    part.timings.push_back(
        records_of(mechanism, kSplit, parameters).measured(quantity, "s", times.sub_chains->wall_time));
  }
  if (times.two_ranks) {
    add_two_ranks(part, records_of(mechanism, kTwoRanks, parameters), quantity, *times.serial, *times.two_ranks);
  }
}

}  // namespace mbdbench::malczyk2008
