#include "experiments/command_line/options/turning_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "experiments/records/number_text.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench {
namespace {

constexpr std::string_view kRatePrefix = "v.";

TurningRate turning_rate(const Mechanism& mechanism, const std::string& text) {
  const bool found = text.find('=') == std::string::npos;
  std::string name = text;
  double rate = 0.0;
  if (!found) {
    const auto [left, right] = split_assignment(text, "--turning");
    name = left;
    rate = parse_number(right, text);
  }
  std::vector<std::string> names;
  for (const StartValue& value : start_values(mechanism)) {
    if (!value.rate) {
      continue;
    }
    names.push_back(value.name.substr(kRatePrefix.size()));
    if (names.back() == name) {
      return {std::move(name), value.place, found ? mechanism.u0()[value.place] : rate, found};
    }
  }
  throw std::invalid_argument(fmt::format("--turning: mechanism '{}' has no velocity '{}'; {}", mechanism.name(), name,
                                          suggest_name(name, names, "velocities")));
}

}  // namespace

std::vector<TurningRate> turning_rates(const Mechanism& mechanism, std::span<const std::string> texts) {
  std::vector<TurningRate> rates;
  for (const std::string& text : texts) {
    TurningRate rate = turning_rate(mechanism, text);
    if (std::any_of(rates.begin(), rates.end(), [&](const TurningRate& each) { return each.place == rate.place; })) {
      throw std::invalid_argument(fmt::format("--turning: '{}' stands twice", rate.name));
    }
    rates.push_back(std::move(rate));
  }
  // Where nothing turns it is rest that is looked for.
  const bool at_rest =
      std::all_of(rates.begin(), rates.end(), [](const TurningRate& each) { return each.rate == 0.0 && !each.found; });
  return at_rest ? std::vector<TurningRate>() : rates;
}

}  // namespace mbdbench
