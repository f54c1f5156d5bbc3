#include "experiments/malczyk2008/timing_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"

namespace mbdbench::malczyk2008 {
namespace {

constexpr const char* kRunSpeedup = "wall_time_speedup";
constexpr const char* kCallSpeedup = "time_per_evaluation_speedup";
constexpr const char* kNoSpeedup =
    "no speedup was measured: no MPI, fewer processors than ranks, or a busy machine (see the notes in timings.csv)";
// Speedups nearer to one another than this, relatively, count as equal.
constexpr double kLevel = 0.1;

std::optional<double> find(const std::vector<Record>& timings, const std::string& mechanism, const char* formulation,
                           const std::string& parameters, const std::string& quantity) {
  const auto found = std::find_if(timings.begin(), timings.end(), [&](const Record& record) {
    return record.mechanism == mechanism && record.formulation == formulation && record.parameters == parameters &&
           record.quantity == quantity;
  });
  return found == timings.end() ? std::nullopt : found->value;
}

std::optional<double> at(const std::vector<LoopSpeedup>& speedups, int joints) {
  for (const LoopSpeedup& entry : speedups) {
    if (entry.joints == joints) {
      return entry.speedup;
    }
  }
  return std::nullopt;
}

Claim claim_of(std::string source, std::string statement, std::string criterion) {
  Claim claim;
  claim.experiment = kExperiment;
  claim.source = std::move(source);
  claim.statement = std::move(statement);
  claim.criterion = std::move(criterion);
  return claim;
}

void conclude(Claim& claim, const std::vector<bool>& answers, std::string measured) {
  claim.verdict = judge_claim(answers);
  claim.measured = measured.empty() ? kNoSpeedup : std::move(measured);
}

void add_words(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : "; ") + more;
}

Claim no_gain_for_the_crank(const std::vector<Record>& timings) {
  Claim claim =
      claim_of(std::string(kTable), "Two processors bring no gain for the slider-crank in any case.",
               "speedup below 1 in every row that was measured undisturbed, and for the right-hand side alone");
  std::vector<bool> answers;
  std::string words;
  double smallest = HUGE_VAL;
  double largest = 0.0;
  for (const Record& record : timings) {
    if (record.mechanism == "slider_crank" && record.quantity == kRunSpeedup && record.value) {
      smallest = std::min(smallest, *record.value);
      largest = std::max(largest, *record.value);
      answers.push_back(*record.value < 1.0);
    }
  }
  if (!answers.empty()) {
    add_words(words, fmt::format("speedup {:.2f} to {:.2f} in {} rows of 16 (published 0.68 to 0.70)", smallest,
                                 largest, answers.size()));
  }
  if (const auto call = find(timings, "slider_crank", kTwoRanks, "", kCallSpeedup)) {
    answers.push_back(*call < 1.0);
    add_words(words, fmt::format("right-hand side {:.2f}", *call));
  }
  conclude(claim, answers, words);
  return claim;
}

Claim finer_step(const std::vector<Record>& timings) {
  Claim claim =
      claim_of(std::string(kTable), "A tenth of the step costs 2.3 to 2.8 times the time, not ten times.",
               "one process: within 30 % of the paper's ratio at every simulated time; read here as an output "
               "interval, with the accelerations evaluated at every output");
  std::vector<bool> answers;
  std::string words;
  for (const TableRow& row : kTableRows) {
    const auto coarse =
        find(timings, "slider_crank", kSerial, run_parameters(row.end, kSteps[0], kTolerance), "wall_time");
    const auto fine =
        find(timings, "slider_crank", kSerial, run_parameters(row.end, kSteps[1], kTolerance), "wall_time");
    if (coarse && fine) {
      const double published = row.one_process[1] / row.one_process[0];
      answers.push_back(std::abs(*fine / *coarse / published - 1.0) < 0.3);
      add_words(words, fmt::format("{} s: {:.2f} (published {:.2f})", row.end, *fine / *coarse, published));
    }
  }
  conclude(claim, answers, words.empty() ? "no times" : words);
  return claim;
}

/// Judges both the runs and the right-hand sides alone. \param judge appends answers and words on one of them
template <class Judge>
Claim on_loops(const std::vector<Record>& timings, Claim claim, const Judge& judge) {
  std::vector<bool> answers;
  std::string words;
  for (const auto& [quantity, name] : {std::pair(kRunSpeedup, "runs"), std::pair(kCallSpeedup, "right-hand sides")}) {
    const std::vector<LoopSpeedup> speedups = loop_speedups(timings, quantity);
    std::string found;
    judge(speedups, answers, found);
    if (!found.empty()) {
      add_words(words, fmt::format("{}: {}", name, found));
    }
  }
  conclude(claim, answers, words);
  return claim;
}

Claim gain_at_fifteen(const std::vector<Record>& timings) {
  return on_loops(timings,
                  claim_of(std::string(kText), "On one node two processors begin to win at 15 joints, slightly.",
                           "speedup at 15 joints above 1"),
                  [](const std::vector<LoopSpeedup>& speedups, std::vector<bool>& answers, std::string& words) {
                    if (const auto speedup = at(speedups, kCrossoverOneNode)) {
                      answers.push_back(*speedup > 1.0);
                      words = fmt::format("{:.2f}", *speedup);
                      if (const auto joints = crossover(speedups)) {
                        words += fmt::format(", 1 is passed at {:.1f} joints", *joints);
                      }
                    }
                  });
}

Claim levels_off(const std::vector<Record>& timings) {
  return on_loops(
      timings,
      claim_of(std::string(kText), "The speedup levels off at 151 joints, below the ideal one.",
               "at 151 joints within 10 % of the largest loop measured, and below 2; runs end at 151: there "
               "within 10 % of 101"),
      [](const std::vector<LoopSpeedup>& speedups, std::vector<bool>& answers, std::string& words) {
        const auto here = at(speedups, kLevelsOff);
        if (!here || speedups.size() < 2) {
          return;
        }
        const LoopSpeedup& other =
            speedups.back().joints > kLevelsOff ? speedups.back() : speedups[speedups.size() - 2];
        answers.push_back(std::abs(other.speedup / *here - 1.0) < kLevel);
        answers.push_back(*here < 2.0);
        words = fmt::format("{:.2f} at {}, {:.2f} at {}", *here, kLevelsOff, other.speedup, other.joints);
      });
}

/// What moved the crossover: the work of a body against the time of a message.
Claim messages_and_work(const std::vector<Record>& timings) {
  Claim claim = claim_of(std::string(kText), "Over Ethernet two nodes win from 251 joints on only.", "");
  claim.measured = "not measured: one machine";
  const auto small = find(timings, loop_name(15), kSerial, "", "time_per_evaluation");
  const auto message = find(timings, "", "", fmt::format("numbers={}", kShortMessage), "exchange_time");
  if (small && message) {
    const double body = *small / 14.0;
    // Three messages must cost less than the half of the bodies that the other rank takes.
    const auto needed = [&](int joints) { return 1e6 * body * (joints - 1) / 2.0 / 3.0; };
    claim.measured += fmt::format(
        ". Here a body costs {:.2f} us a right-hand side and one of its three exchanges {:.2f} us: half of the work "
        "pays for them from {:.0f} joints on. At this price of a body, 15 joints would mean {:.1f} us an exchange, and "
        "251 joints {:.0f} us: what lies between is the network, {:.0f} times as slow as the memory of one node",
        1e6 * body, 1e6 * *message, std::ceil(1.0 + 6.0 * *message / body), needed(kCrossoverOneNode),
        needed(kCrossoverTwoNodes), needed(kCrossoverTwoNodes) / needed(kCrossoverOneNode));
  }
  return claim;
}

Claim gain_for_tens(const std::vector<Record>& timings) {
  return on_loops(
      timings,
      claim_of("Malczyk2008, sect. 4", "Two processors bring a considerable gain with some tens of degrees of freedom.",
               "speedup above 1.3 at 51 joints (48 degrees of freedom)"),
      [](const std::vector<LoopSpeedup>& speedups, std::vector<bool>& answers, std::string& words) {
        if (const auto speedup = at(speedups, 51)) {
          answers.push_back(*speedup > 1.3);
          words = fmt::format("{:.2f}", *speedup);
        }
      });
}

Claim nonlinear_time(const std::vector<Record>& timings) {
  Claim claim = claim_of("Malczyk2008, sect. 4", "The run time is a nonlinear function of the degrees of freedom.",
                         "one process, from the smallest to the largest loop run: an exponent above 1.2");
  std::vector<std::pair<int, double>> times;
  for (const int joints : run_loops(false)) {
    if (const auto time =
            find(timings, loop_name(joints), kSerial, run_parameters(kLoopEnd, kLoopStep, kTolerance), "wall_time")) {
      times.emplace_back(joints, *time);
    }
  }
  if (times.size() < 2) {
    conclude(claim, {}, "too few times");
    return claim;
  }
  const auto& [least, short_time] = times.front();
  const auto& [most, long_time] = times.back();
  const double exponent = std::log(long_time / short_time) / std::log(static_cast<double>(most - 3) / (least - 3));
  conclude(claim, {exponent > 1.2},
           fmt::format("{:.3g} s with {} degrees of freedom, {:.3g} s with {}: exponent {:.2f}. One right-hand side is "
                       "linear; the dense Jacobian and its factorisation are not, and the motion needs more steps",
                       short_time, least - 3, long_time, most - 3, exponent));
  return claim;
}

}  // namespace

std::vector<LoopSpeedup> loop_speedups(const std::vector<Record>& timings, const std::string& quantity) {
  constexpr std::string_view kLoop = "loop:";
  std::vector<LoopSpeedup> speedups;
  for (const Record& record : timings) {
    if (record.quantity == quantity && record.mechanism.starts_with(kLoop) && record.value) {
      LoopSpeedup entry{0, *record.value};
      const std::string digits = record.mechanism.substr(kLoop.size());
      std::from_chars(digits.data(), digits.data() + digits.size(), entry.joints);
      speedups.push_back(entry);
    }
  }
  std::sort(speedups.begin(), speedups.end(),
            [](const LoopSpeedup& a, const LoopSpeedup& b) { return a.joints < b.joints; });
  return speedups;
}

std::optional<double> crossover(const std::vector<LoopSpeedup>& speedups) {
  for (std::size_t i = speedups.size(); i-- > 1;) {
    const LoopSpeedup& below = speedups[i - 1];
    const LoopSpeedup& above = speedups[i];
    if (above.speedup <= 1.0) {
      return std::nullopt;
    }
    if (below.speedup <= 1.0) {
      const double part = (1.0 - below.speedup) / (above.speedup - below.speedup);
      return below.joints * std::pow(static_cast<double>(above.joints) / below.joints, part);
    }
  }
  return std::nullopt;
}

std::vector<Record> crossover_records(const std::vector<Record>& timings) {
  std::vector<Record> records;
  for (const auto& [quantity, name] :
       {std::pair(kCallSpeedup, "time_per_evaluation_crossover"), std::pair(kRunSpeedup, "wall_time_crossover")}) {
    if (const auto joints = crossover(loop_speedups(timings, quantity))) {
      records.push_back(
          records_of("loop", kTwoRanks, "")
              .trend(name, "1", *joints, kCrossoverOneNode, kText,
                     "joints at which the speedup passes 1; the paper's first loop with a gain on one node; "
                     "two nodes: 251"));
    }
  }
  return records;
}

std::vector<Claim> claims_of_timings(const std::vector<Record>& timings) {
  return {no_gain_for_the_crank(timings), finer_step(timings),    gain_at_fifteen(timings), levels_off(timings),
          messages_and_work(timings),     gain_for_tens(timings), nonlinear_time(timings)};
}

}  // namespace mbdbench::malczyk2008
