/// \file
/// What [Chadaj2017] says of work in section 3.3, by evaluations and by times. A ratio is DCA's work over HDCA's: above
/// 1 HDCA is better.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/chadaj2017/claim_facts.hpp"
#include "experiments/chadaj2017/claims.hpp"
#include "experiments/chadaj2017/record_search.hpp"
#include "experiments/records/line_fit.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr std::string_view kTightest = "tolerance=1e-09";
constexpr std::string_view kUsual = "tolerance=1e-06";
// Ratios nearer to 1 than this count as equal.
constexpr double kEqual = 0.1;

/// Ratios of one integrator and one variant over all tolerances.
struct Ratios {
  int above = 0;
  int all = 0;
  double smallest = 1e300;
  double largest = 0.0;
};

Ratios ratios_of(const std::vector<Record>& records, const char* quantity, std::string_view mechanism,
                 std::string_view integrator, const Variant& variant) {
  Ratios ratios;
  for (const Record& record : records) {
    if (record.quantity == quantity && record.mechanism == mechanism && record.integrator == integrator &&
        record.formulation == variant.label() && record.value) {
      ratios.above += *record.value > 1.0 ? 1 : 0;
      ++ratios.all;
      ratios.smallest = std::min(ratios.smallest, *record.value);
      ratios.largest = std::max(ratios.largest, *record.value);
    }
  }
  return ratios;
}

std::string words_of(std::string_view what, const Ratios& ratios) {
  return fmt::format("{}: above 1 at {} of {}, {:.2f} to {:.2f}", what, ratios.above, ratios.all, ratios.smallest,
                     ratios.largest);
}

/// What the other variants give, without a verdict.
void remark_variants(CaseFacts& facts, const std::vector<Record>& records, const char* quantity,
                     std::string_view integrator) {
  for (const Variant& variant : {kHdcaWorld, kHdcaLeak}) {
    Ratios sum;
    for (const std::string_view mechanism : kCases) {
      const Ratios ratios = ratios_of(records, quantity, mechanism, integrator, variant);
      sum.above += ratios.above;
      sum.all += ratios.all;
      sum.smallest = std::min(sum.smallest, ratios.smallest);
      sum.largest = std::max(sum.largest, ratios.largest);
    }
    if (sum.all > 0) {
      facts.remark(words_of(variant.label(), sum));
    }
  }
}

/// \param better whether HDCA should be the better one at most tolerances
Claim most(const std::vector<Record>& records, const char* quantity, std::string_view integrator, bool better,
           const Statement& text) {
  CaseFacts facts(records);
  for (const std::string_view mechanism : kCases) {
    const Ratios ratios = ratios_of(records, quantity, mechanism, integrator, kHdca);
    if (ratios.all == 0) {
      facts.missing(mechanism);
      continue;
    }
    const int side = better ? ratios.above : ratios.all - ratios.above;
    facts.add(2 * side > ratios.all, words_of(mechanism, ratios));
  }
  remark_variants(facts, records, quantity, integrator);
  return facts.claim(text);
}

/// \param limit what the ratio must exceed at 1e-9
Claim at_tightest(const std::vector<Record>& records, const char* quantity, std::string_view integrator, double limit,
                  const Statement& text) {
  CaseFacts facts(records);
  facts.check_cases(kHdca, integrator, kTightest, quantity, "1", [limit](double ratio) { return ratio > limit; });
  return facts.claim(text);
}

/// One case is enough: the paper's exception for ode45.
Claim one_case_at_tightest(const std::vector<Record>& records, const char* quantity) {
  CaseFacts facts(records);
  double best = 0.0;
  for (const std::string_view mechanism : kCases) {
    if (const auto ratio = find_value(records, mechanism, kHdca, "ode45", kTightest, quantity)) {
      best = std::max(best, *ratio);
      facts.remark(fmt::format("{}: {:.2f}", mechanism, *ratio));
    } else {
      facts.missing(mechanism);
    }
  }
  facts.add(best > 1.0, fmt::format("largest {:.2f}", best));
  return facts.claim({"3.3", "With ode45 there is a case in which HDCA is better, at the tolerance 1e-9 (evaluations).",
                      "ratio above 1 in some case"});
}

/// The paper's picture of ode23: better in cases 1 and 2, a little worse in case 3.
Claim of_ode23(const std::vector<Record>& records, const char* quantity, const Statement& text) {
  CaseFacts facts(records);
  for (const std::string_view mechanism : kCases) {
    const Ratios ratios = ratios_of(records, quantity, mechanism, "ode23", kHdca);
    if (ratios.all == 0) {
      facts.missing(mechanism);
      continue;
    }
    const int side = mechanism == kCases[2] ? ratios.all - ratios.above : ratios.above;
    facts.add(2 * side > ratios.all, words_of(mechanism, ratios));
  }
  remark_variants(facts, records, quantity, "ode23");
  return facts.claim(text);
}

/// What equal accuracy makes of the comparison: ours.
Claim at_equal_error(const std::vector<Record>& records) {
  CaseFacts facts(records);
  for (const Variant& variant : {kHdca, kHdcaWorld, kHdcaLeak}) {
    for (const std::string_view integrator : kIntegrators) {
      Ratios sum;
      for (const std::string_view mechanism : kCases) {
        const Ratios ratios = ratios_of(records, "evaluation_ratio_at_equal_error", mechanism, integrator, variant);
        sum.above += ratios.above;
        sum.all += ratios.all;
        sum.smallest = std::min(sum.smallest, ratios.smallest);
        sum.largest = std::max(sum.largest, ratios.largest);
      }
      if (sum.all == 0) {
        facts.missing(fmt::format("{} with {}", variant.label(), integrator));
        continue;
      }
      facts.add(2 * sum.above > sum.all, words_of(fmt::format("{} with {}", variant.label(), integrator), sum));
    }
  }
  return facts.claim({"ours, beside 3.3",
                      "At equal accuracy of K, not at equal tolerance, HDCA needs fewer evaluations than DCA.",
                      "ratio above 1 at most errors, all cases together, for each variant and integrator"});
}

Claim call_times(const std::vector<Record>& timings) {
  CaseFacts facts(timings);
  for (const std::string_view mechanism : kCases) {
    const auto dca = find_value(timings, mechanism, kDca, "", "t=1", "time_per_evaluation");
    const auto hdca = find_value(timings, mechanism, kHdca, "", "t=1", "time_per_evaluation");
    if (!dca || !hdca) {
      facts.missing(mechanism);
      continue;
    }
    const double ratio = *dca / *hdca;
    facts.add(mechanism == kCases[2] ? std::abs(ratio - 1.0) < kEqual : ratio > 1.0,
              fmt::format("{}: DCA {:.2f}, HDCA {:.2f} us", mechanism, 1e6 * *dca, 1e6 * *hdca));
  }
  return facts.claim({"3.3",
                      "Table 1: a right-hand side of HDCA takes less time in cases 1 and 2, about the same in case 3.",
                      "less in cases 1 and 2, within 10 % in case 3"});
}

/// Wall times of 10 s at 1e-6. \param holds of the times with ode45, ode113 and ode23
Claim integrators(const std::vector<Record>& timings, const std::function<bool(double, double, double)>& holds,
                  const Statement& text) {
  CaseFacts facts(timings);
  for (const std::string_view mechanism : kCases) {
    for (const Variant& variant : {kDca, kHdca}) {
      const auto ode45 = find_value(timings, mechanism, variant, "ode45", kUsual, "wall_time");
      const auto ode113 = find_value(timings, mechanism, variant, "ode113", kUsual, "wall_time");
      const auto ode23 = find_value(timings, mechanism, variant, "ode23", kUsual, "wall_time");
      if (!ode45 || !ode113 || !ode23) {
        facts.missing(mechanism);
        continue;
      }
      facts.add(holds(*ode45, *ode113, *ode23), fmt::format("{} {}: {:.1f}, {:.1f}, {:.1f} ms", mechanism, variant.key,
                                                            1e3 * *ode45, 1e3 * *ode113, 1e3 * *ode23));
    }
  }
  return facts.claim(text);
}

Claim linear_cost(const std::vector<Record>& timings) {
  // n log2(n) would be above it, fitted over the same loops; leaving the caches costs a tenth.
  constexpr double kLargestDistance = 0.2;
  CaseFacts facts(timings);
  for (const Variant& variant : {kDca, kHdca}) {
    std::vector<double> bodies;
    std::vector<double> times;
    for (const Record& record : timings) {
      if (record.quantity == "time_per_evaluation_and_body" && record.formulation == variant.label() &&
          record.telling_value()) {
        const double count = std::stod(record.parameters.substr(record.parameters.find('=') + 1));
        bodies.push_back(std::log(count));
        times.push_back(std::log(*record.value * count));
      }
    }
    if (bodies.size() < 3) {
      facts.missing("loop");
      continue;
    }
    const LineFit line = fit_line(bodies, times);
    facts.add(std::abs(line.slope - 1.0) < kLargestDistance,
              fmt::format("{}: n^{:.2f} +- {:.2f} from {:.0f} to {:.0f} bodies", variant.key, line.slope,
                          line.slope_uncertainty, std::exp(bodies.front()), std::exp(bodies.back())));
  }
  return facts.claim({"3.4", "The sequential cost stays linear in the number of bodies.",
                      "exponent of the time of a right-hand side of a loop, fitted over its length, within 0.2 of 1"});
}

}  // namespace

std::vector<Claim> work_claims(const std::vector<Record>& records) {
  constexpr const char* kRatio = "evaluation_ratio";
  return {most(records, kRatio, "ode45", false,
               {"3.3", "With ode45 HDCA is in most cases worse than DCA (evaluations).",
                "ratio below 1 at most tolerances in every case"}),
          one_case_at_tightest(records, kRatio),
          most(records, kRatio, "ode113", true,
               {"3.3", "With ode113 HDCA dominates (evaluations).", "ratio above 1 at most tolerances in every case"}),
          of_ode23(records, kRatio,
                   {"3.3", "With ode23 HDCA is better in cases 1 and 2, a little worse in case 3 (evaluations).",
                    "ratio above 1 at most tolerances in cases 1 and 2, below 1 in case 3"}),
          at_equal_error(records)};
}

std::vector<Claim> claims_of_timings(const std::vector<Record>& timings) {
  constexpr const char* kRatio = "wall_time_ratio";
  return {
      most(timings, kRatio, "ode45", false,
           {"3.3", "With ode45 HDCA is in most cases worse than DCA (wall time).",
            "ratio below 1 at most tolerances in every case"}),
      most(timings, kRatio, "ode113", true,
           {"3.3", "With ode113 HDCA dominates (wall time).", "ratio above 1 at most tolerances in every case"}),
      at_tightest(timings, kRatio, "ode113", 1.2,
                  {"3.3", "With ode113 at 1e-9 HDCA saves wall time significantly.", "ratio above 1.2"}),
      of_ode23(timings, kRatio,
               {"3.3", "With ode23 HDCA is better in cases 1 and 2, a little worse in case 3 (wall time).",
                "ratio above 1 at most tolerances in cases 1 and 2, below 1 in case 3"}),
      call_times(timings),
      integrators(timings,
                  [](double ode45, double ode113, double ode23) { return ode23 > 2.0 * std::max(ode45, ode113); },
                  {"3.3", "Table 2: ode23 is much slower than ode45 and ode113.",
                   "more than twice as long as either, DCA and HDCA (times with ode45, ode113, ode23 at 1e-6)"}),
      integrators(timings, [](double ode45, double ode113, double ode23) { return ode113 < std::min(ode45, ode23); },
                  {"3.3", "Table 2: the fastest method is ode113.",
                   "shortest time of the three, DCA and HDCA (times with ode45, ode113, ode23 at 1e-6)"}),
      linear_cost(timings),
      unmeasured_claim({"3.4", "Reactions cost only a small part of an assembly and disassembly.", ""},
                       "not timed: reactions are not made for hot loops here"),
      unmeasured_claim({"3.4", "In parallel the cost is logarithmic in the number of bodies.", ""},
                       "as many processors as bodies would be needed")};
}

std::vector<Claim> claims_of_records(const std::vector<Record>& records) {
  std::vector<Claim> claims = accuracy_claims(records);
  const std::vector<Claim> work = work_claims(records);
  // In the order of the paper: 3.1 and 3.2, 3.3, 3.4.
  const auto discussion =
      std::find_if(claims.begin(), claims.end(), [](const Claim& claim) { return claim.source.ends_with("3.4"); });
  claims.insert(discussion, work.begin(), work.end());
  return claims;
}

}  // namespace mbdbench::chadaj2017
