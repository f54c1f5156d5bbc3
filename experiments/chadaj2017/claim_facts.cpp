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

ClaimText text_of(const Statement& statement) {
  const bool ours = statement.section.starts_with(kOurs);
  const std::string_view section = ours ? statement.section.substr(kOurs.size()) : statement.section;
  return {kExperiment, fmt::format("{}Chadaj2017, sect. {}", ours ? kOurs : "", section), statement.text,
          std::string(statement.criterion)};
}

}  // namespace

void CaseFacts::compare_cases(std::string_view parameters, std::string_view quantity, std::string_view unit,
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

void CaseFacts::check_cases(const Variant& variant, std::string_view integrator, std::string_view parameters,
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

void CaseFacts::missing(std::string_view what) {
  ClaimFacts::missing(fmt::format("{}: a run failed or was disturbed", what));
}

Claim CaseFacts::claim(const Statement& statement) const {
  return ClaimFacts::claim(text_of(statement));
}

Claim unmeasured_claim(const Statement& statement, std::string why) {
  return mbdbench::unmeasured_claim(text_of(statement), std::move(why));
}

}  // namespace mbdbench::chadaj2017
