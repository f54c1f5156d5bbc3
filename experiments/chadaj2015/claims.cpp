/// \file
/// The criteria are ours: the paper gives none.
#include "experiments/chadaj2015/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/records/claim_facts.hpp"
#include "experiments/records/line_fit.hpp"

namespace mbdbench::chadaj2015 {
namespace {

constexpr std::string_view kOutputRun = "tolerance=1e-06;output_step=0.01";
constexpr std::string_view kRun = "tolerance=1e-06";
constexpr std::array<std::string_view, 2> kPaperFormulations = {"dca", "hdca"};

std::optional<double> find_value(const std::vector<Record>& records, std::string_view formulation,
                                 std::string_view integrator, std::string_view parameters, std::string_view quantity) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.formulation == formulation && record.integrator == integrator && record.parameters == parameters &&
           record.quantity == quantity;
  });
  return found == records.end() ? std::nullopt : found->telling_value();
}

ClaimText text_of(std::string source, std::string_view statement, std::string criterion) {
  return {"chadaj2015", std::move(source), statement, std::move(criterion)};
}

Claim constant_energy(const std::vector<Record>& records) {
  constexpr double kLineWidth = 1e-3;  // of the axis of figure 5
  ClaimFacts facts;
  for (const std::string_view formulation : kPaperFormulations) {
    const auto error = find_value(records, formulation, "ode45", kOutputRun, "largest_energy_error");
    const auto kinetic = find_value(records, formulation, "ode45", kOutputRun, "largest_kinetic_energy");
    if (error && kinetic) {
      facts.add(*error < kLineWidth * *kinetic, fmt::format("{}: {:.2g} J of {:.4g} J", formulation, *error, *kinetic));
    } else {
      facts.missing(fmt::format("{}: the run failed", formulation));
    }
  }
  return facts.claim(text_of("Chadaj2015, sect. III", "The total energy remains constant for 10 s.",
                             "largest error below a thousandth of the largest kinetic energy: the line of figure 5"));
}

/// Compares HDCA with DCA at every tolerance and with both integrators. \param holds of (HDCA's, DCA's)
Claim against_dca(const std::vector<Record>& records, std::string_view quantity,
                  const std::function<bool(double, double)>& holds, const ClaimText& text) {
  ClaimFacts facts;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Record& hdca : records) {
    const bool of_sweep = hdca.parameters.find(';') == std::string::npos;
    if (hdca.formulation != "hdca" || hdca.quantity != quantity || !of_sweep ||
        !seen.emplace(hdca.integrator, hdca.parameters).second) {
      continue;
    }
    const auto dca = find_value(records, "dca", hdca.integrator, hdca.parameters, quantity);
    const std::string run = fmt::format("{} {}", hdca.integrator, hdca.parameters);
    if (hdca.value && dca) {
      facts.add(holds(*hdca.value, *dca), fmt::format("{}: {:.4g} and {:.4g}", run, *hdca.value, *dca));
    } else {
      facts.missing(fmt::format("{}: a run failed", run));
    }
  }
  return facts.claim(text);
}

Claim consistent_energy(const std::vector<Record>& records) {
  return against_dca(
      records, "largest_energy_error", [](double hdca, double dca) { return hdca < 2.0 * dca; },
      text_of("Chadaj2015, sect. III",
              "HDCA's energy is consistent with DCA's (figure 6: the error of the total energy).",
              "HDCA's largest energy error (first, J) is at most twice DCA's, at every tolerance and with both "
              "integrators; the paper has ode45 at 1e-6 alone"));
}

Claim correct_motion(const std::vector<Record>& records) {
  constexpr double kVisible = 0.01;  // rad: what figures 7 and 8 would show
  ClaimFacts facts;
  for (const double time : kComparisonTimes) {
    const auto error = find_value(records, "hdca", "ode45", fmt::format("{};t={}", kRun, time), "angle_error");
    if (error) {
      facts.add(*error < kVisible, fmt::format("{} s: {:.2g} rad", time, *error));
    } else {
      facts.missing(fmt::format("{} s: a run failed", time));
    }
  }
  return facts.claim(text_of("Chadaj2015, sect. III",
                             "The position and the velocity of the tip are right (figures 7 and 8).",
                             "largest error of an angle against the reference below 0.01 rad at 2, 5 and 8 s (ode45, "
                             "1e-6)"));
}

Claim fewer_evaluations(const std::vector<Record>& records) {
  return against_dca(
      records, "function_evaluations", [](double hdca, double dca) { return hdca < dca; },
      text_of(
          "Chadaj2015, sect. III", "HDCA needs fewer evaluations than DCA.",
          "fewer (first) than DCA at every tolerance and with both integrators; the paper has ode45 at 1e-6 alone"));
}

Claim error_of_equal_tolerance(const std::vector<Record>& records) {
  ClaimFacts facts;
  for (const Record& ratio : records) {
    if (ratio.quantity == "angle_error_relative_to_dca" && ratio.value) {
      facts.add(*ratio.value < 1.0, fmt::format("{} {}: {:.2g}", ratio.integrator, ratio.parameters, *ratio.value));
    }
  }
  if (records.empty()) {
    facts.missing("no runs");
  }
  return facts.claim(text_of("ours, beside Chadaj2015, sect. III", "At equal tolerance HDCA is as accurate as DCA.",
                             "HDCA's largest error of an angle is not larger than DCA's (ratios below 1), where both "
                             "are below 0.1 rad"));
}

Claim faster(const std::vector<Record>& timings) {
  ClaimFacts facts;
  if (const auto ratio = find_value(timings, "hdca", "ode45", kRun, "wall_time_relative_to_dca")) {
    facts.add(*ratio < 1.0, fmt::format("{:.2f} of DCA's time (published 0.90)", *ratio));
  } else {
    facts.missing("a run failed, or a time was disturbed");
  }
  return facts.claim(text_of("Chadaj2015, sect. IV", "HDCA is slightly faster than the analogous DCA.",
                             "wall time of 10 s with ode45 at 1e-6 below DCA's"));
}

Claim linear_cost(const std::vector<Record>& timings) {
  // n log2(n) would be 0.2 above it over these chains; leaving the caches costs a tenth.
  constexpr double kLargestDistance = 0.2;
  ClaimFacts facts;
  for (const std::string_view formulation : kPaperFormulations) {
    std::vector<double> bodies;
    std::vector<double> times;
    for (const int count : kTimedChains) {
      const auto time = find_value(timings, formulation, "", fmt::format("bodies={}", count), "time_per_evaluation");
      if (time) {
        bodies.push_back(std::log(static_cast<double>(count)));
        times.push_back(std::log(*time));
      }
    }
    if (bodies.size() < kTimedChains.size()) {
      facts.missing(fmt::format("{}: no time, or a disturbed one", formulation));
      continue;
    }
    const LineFit line = fit_line(bodies, times);
    facts.add(std::abs(line.slope - 1.0) < kLargestDistance,
              fmt::format("{}: n^{:.2f} +- {:.2f}", formulation, line.slope, line.slope_uncertainty));
  }
  return facts.claim(text_of("Chadaj2015, sect. IV", "The sequential cost is O(n).",
                             fmt::format("exponent of the time of a right-hand side of chains of {} to {} bodies, "
                                         "fitted, within 0.2 of 1",
                                         kTimedChains.front(), kTimedChains.back())));
}

}  // namespace

std::vector<Claim> claims_of_records(const std::vector<Record>& records) {
  return {constant_energy(records),
          consistent_energy(records),
          correct_motion(records),
          fewer_evaluations(records),
          error_of_equal_tolerance(records),
          unmeasured_claim(text_of("Chadaj2015, sect. III", "The energies agree with those of MSC.Adams (RKF45).", ""),
                           "the program is not free and the paper's curve is not printed as numbers; in figure 5 dense "
                           "with rkf45 stands in for it, ours")};
}

std::vector<Claim> claims_of_timings(const std::vector<Record>& timings) {
  return {faster(timings), linear_cost(timings),
          unmeasured_claim(text_of("Chadaj2015, sect. IV", "With n threads the cost is O(log2 n).", ""),
                           "as many processors as bodies would be needed")};
}

}  // namespace mbdbench::chadaj2015
