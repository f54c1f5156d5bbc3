#include "experiments/chadaj2017/claim_facts.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "experiments/chadaj2017/record_search.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr std::string_view kOurs = "ours, beside ";

std::string unit_text(std::string_view unit) {
  return unit == "1" ? "" : " " + std::string(unit);
}

}  // namespace

void ClaimFacts::compare_cases(std::string_view parameters, std::string_view quantity, std::string_view unit,
                               const std::function<bool(double, double)>& holds) {
  for (const std::string_view mechanism : kCases) {
    const std::optional<double> dca = find_value(records_, mechanism, kDca, "ode45", parameters, quantity);
    const std::optional<double> hdca = find_value(records_, mechanism, kHdca, "ode45", parameters, quantity);
    if (dca && hdca) {
      add(holds(*dca, *hdca), fmt::format("{}: DCA {:.2g}, HDCA {:.2g}{}", mechanism, *dca, *hdca, unit_text(unit)));
    } else {
      missing(mechanism);
    }
  }
}

void ClaimFacts::check_cases(const Variant& variant, std::string_view integrator, std::string_view parameters,
                             std::string_view quantity, std::string_view unit,
                             const std::function<bool(double)>& holds) {
  for (const std::string_view mechanism : kCases) {
    if (const auto value = find_value(records_, mechanism, variant, integrator, parameters, quantity)) {
      add(holds(*value), fmt::format("{}: {:.2g}{}", mechanism, *value, unit_text(unit)));
    } else {
      missing(mechanism);
    }
  }
}

void ClaimFacts::add(bool holds, std::string words) {
  answers_.push_back(holds);
  remark(std::move(words));
}

void ClaimFacts::remark(std::string words) {
  words_ += (words_.empty() ? "" : "; ") + std::move(words);
}

void ClaimFacts::missing(std::string_view what) {
  ++missing_;
  remark(fmt::format("{}: a run failed or was disturbed", what));
}

Claim ClaimFacts::claim(const ClaimText& text) const {
  Claim claim = unmeasured_claim(text, words_);
  conclude_claim(claim, answers_, missing_);
  return claim;
}

Claim unmeasured_claim(const ClaimText& text, std::string why) {
  Claim claim;
  claim.experiment = kExperiment;
  const bool ours = text.section.starts_with(kOurs);
  claim.source = ours ? fmt::format("{}Chadaj2017, sect. {}", kOurs, text.section.substr(kOurs.size()))
                      : fmt::format("Chadaj2017, sect. {}", text.section);
  claim.statement = text.statement;
  claim.criterion = text.criterion;
  claim.measured = std::move(why);
  return claim;
}

}  // namespace mbdbench::chadaj2017
