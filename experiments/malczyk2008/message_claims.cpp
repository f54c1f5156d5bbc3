#include "experiments/malczyk2008/message_claims.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/crossover.hpp"
#include "experiments/malczyk2008/message_model.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"

namespace mbdbench::malczyk2008 {
namespace {

constexpr const char* kCallTime = "time_per_evaluation";
constexpr const char* kStandIn = "one machine: TCP over its loopback interface stands in for a second node";

// What measuring alone explains: from run to run the exchange over TCP moves between 9 and 16 us, a factor of 1.33
// about the middle by which the prediction moves too, and the measured crossover between 80 and 95 joints, a factor of
// 1.09 (docs/results.md); together 1.45. What the model leaves out stands in no such number: what both ranks do, and
// that a right-hand side waits for the slower rank three times while a bare exchange finds both ranks ready. Where that
// counts, in the smallest loops, the model may miss by more: then it is said to.
constexpr double kModelFactor = 1.5;

/// One way of the messages, and what the paper has beside it.
struct Way {
  Transport transport;
  const char* formulation;
  const char* name;
  int published_crossover;
};

constexpr std::array kWays = {Way{Transport::shared_memory, kTwoRanks, "shared memory", kCrossoverOneNode},
                              Way{Transport::tcp, kTwoRanksTcp, "TCP", kCrossoverTwoNodes}};

std::optional<double> exchange_time(const std::vector<Record>& timings, const Way& way) {
  return find_value(timings, "", "", exchange_parameters(kShortMessage, way.transport), "exchange_time");
}

std::optional<double> measured_crossover(const std::vector<Record>& timings, const Way& way) {
  return crossover(loop_values(timings, way.formulation, kCallSpeedup));
}

std::optional<double> predicted_crossover(const std::vector<Record>& timings, const Way& way) {
  const auto time = exchange_time(timings, way);
  return time ? predicted_crossover(loop_values(timings, kSerial, kCallTime), *time) : std::nullopt;
}

void add_crossovers(std::vector<Record>& records, const std::vector<Record>& timings, const Way& way) {
  const RecordMaker maker = records_of("loop", way.formulation, "");
  const std::string paper = way.transport == Transport::tcp
                                ? fmt::format("{}; published: two nodes over Ethernet", kStandIn)
                                : "published: the first loop with a gain on one node";
  if (const auto joints = measured_crossover(timings, way)) {
    records.push_back(maker.trend("time_per_evaluation_crossover", "1", *joints, way.published_crossover, kText,
                                  "joints at which the speedup passes 1; " + paper));
  }
  if (const auto joints = crossover(loop_values(timings, way.formulation, kRunSpeedup))) {
    records.push_back(maker.trend("wall_time_crossover", "1", *joints, way.published_crossover, kText,
                                  "joints at which the speedup passes 1; " + paper));
  }
  if (const auto joints = predicted_crossover(timings, way)) {
    records.push_back(
        maker.measured("predicted_crossover", "1", *joints,
                       fmt::format("joints at which half of the sequential right-hand side takes as long as {} "
                                   "exchanges of {} numbers",
                                   kExchanges, kShortMessage)));
  }
}

void add_balanced_times(std::vector<Record>& records, const std::vector<Record>& timings) {
  for (const int joints : {kCrossoverOneNode, kCrossoverTwoNodes}) {
    if (const auto time = find_value(timings, loop_name(joints), kSerial, "", kCallTime)) {
      records.push_back(
          records_of(loop_name(joints), kTwoRanks, "")
              .measured("balanced_exchange_time", "s", balanced_exchange_time(*time),
                        fmt::format("time of an exchange that would put the crossover of this program to {} joints",
                                    joints)));
    }
  }
}

/// No times of ours: they come from the paper's table alone.
void add_published_estimates(std::vector<Record>& records) {
  const Bounds exchange = published_exchange_time();
  const Bounds body = published_body_time();
  for (const bool upper : {false, true}) {
    const RecordMaker maker({.experiment = std::string(kExperiment),
                             .mechanism = "slider_crank",
                             .formulation = "",
                             .integrator = "",
                             .parameters = upper ? "bound=upper" : "bound=lower"});
    records.push_back(maker.measured(
        "published_exchange_time", "s", upper ? exchange.upper : exchange.lower,
        fmt::format("estimated from the differences of {}: of an exchange on one node of the paper, if an "
                    "output costs a right-hand side",
                    kTable)));
    records.push_back(maker.measured("published_time_per_body", "s", upper ? body.upper : body.lower,
                                     "of a right-hand side, if half of 14 bodies balance three such exchanges"));
  }
}

}  // namespace

std::vector<Record> crossover_records(const std::vector<Record>& timings) {
  std::vector<Record> records;
  for (const Way& way : kWays) {
    add_crossovers(records, timings, way);
  }
  add_balanced_times(records, timings);
  add_published_estimates(records);
  return records;
}

Claim two_nodes_claim(const std::vector<Record>& timings) {
  Claim claim = claim_of(std::string(kText.text), "Over Ethernet two nodes win from 251 joints on only.",
                         "not judged: there is one machine; messages over TCP stand in for a second node");
  std::string& text = claim.measured;
  text = "one machine";
  for (const Way& way : kWays) {
    const auto time = exchange_time(timings, way);
    const auto joints = measured_crossover(timings, way);
    if (time && joints) {
      add_words(text, fmt::format("messages over {}: {:.2g} us an exchange, right-hand sides win from {:.0f} joints on",
                                  way.name, 1e6 * *time, std::ceil(*joints)));
    }
  }
  const auto balanced = [&](int joints) {
    return balanced_exchange_time(find_value(timings, loop_name(joints), kSerial, "", kCallTime).value_or(0.0));
  };
  const double one_node = balanced(kCrossoverOneNode);
  const double two_nodes = balanced(kCrossoverTwoNodes);
  if (one_node > 0.0 && two_nodes > 0.0) {
    add_words(text,
              fmt::format("at this program's speed 15 joints would need {:.2g} us an exchange, 251 joints {:.2g} us",
                          1e6 * one_node, 1e6 * two_nodes));
  }
  const Bounds exchange = published_exchange_time();
  const Bounds body = published_body_time();
  const double further = (kCrossoverTwoNodes - 1.0) / (kCrossoverOneNode - 1.0);
  add_words(text, fmt::format("if an output costs a right-hand side, table 1 suggests {:.0f} to {:.0f} us an exchange "
                              "on the paper's node and {:.0f} to {:.0f} us a "
                              "body, so that its network took {:.2g} to {:.2g} ms, {:.0f} times as long",
                              1e6 * exchange.lower, 1e6 * exchange.upper, 1e6 * body.lower, 1e6 * body.upper,
                              1e3 * further * exchange.lower, 1e3 * further * exchange.upper, further));
  return claim;
}

Claim constant_overhead_claim(const std::vector<Record>& timings) {
  Claim claim = claim_of(
      std::string(kText.text), "What keeps two processes from the ideal speedup is the constant time of communication.",
      fmt::format("with either way of the messages: half of a right-hand side and {} exchanges predict the crossover "
                  "within a factor of {}. Not judged where the prediction lies outside the loops measured",
                  kExchanges, kModelFactor));
  std::vector<bool> answers;
  std::string words;
  for (const Way& way : kWays) {
    const auto measured = measured_crossover(timings, way);
    const auto predicted = predicted_crossover(timings, way);
    if (measured && predicted) {
      answers.push_back(std::abs(std::log(*predicted / *measured)) < std::log(kModelFactor));
      add_words(words, fmt::format("{}: {:.1f} joints predicted, {:.1f} measured", way.name, *predicted, *measured));
    } else if (measured && exchange_time(timings, way)) {
      add_words(words, fmt::format("{}: not judged, the prediction lies outside the loops measured, {:.1f} measured",
                                   way.name, *measured));
    }
  }
  claim.measured = words.empty() ? "no crossover was measured, or no exchange" : words;
  // A way whose prediction lies outside is no part of the claim.
  conclude_claim(claim, answers, 0);
  return claim;
}

}  // namespace mbdbench::malczyk2008
