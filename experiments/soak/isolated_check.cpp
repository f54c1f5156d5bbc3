#include "experiments/soak/isolated_check.hpp"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <system_error>

#include "experiments/terminal/interruption.hpp"

namespace mbdbench::soak {
namespace {

/// \returns what the child says: everything that was found, as JSON.
std::string answer_of(const Registries& registries, const Mechanism& mechanism,
                      const std::vector<std::string>& formulations) {
  Findings findings;
  try {
    findings = check_mechanism(registries, mechanism, formulations);
  } catch (const std::system_error& error) {
    // Files, threads: formulations ask for none that the system must give.
    findings.disturbed = error.what();
  } catch (const std::exception& error) {
    findings.failures.push_back({fmt::format("{}", fmt::join(formulations, ";")), "exception", error.what()});
  }
  nlohmann::json json = {{"compared", findings.compared},
                         {"refused", findings.refused},
                         {"ill_conditioned", findings.ill_conditioned},
                         {"unconverged", findings.unconverged},
                         {"without_run", findings.without_run},
                         {"disturbed", findings.disturbed}};
  for (const auto& [list, name] : kFindingLists) {
    json[name] = nlohmann::json::array();
    for (const Finding& finding : findings.*list) {
      json[name].push_back({finding.formulation, finding.check, finding.what});
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

IsolatedCheck::IsolatedCheck(const Registries& registries, const Mechanism& mechanism,
                             const std::vector<std::string>& formulations, double limit)
    : process_([&](const Teller& tell) { tell(answer_of(registries, mechanism, formulations)); }, limit) {}

Findings IsolatedCheck::take() {
  const IsolatedProcess::End end = process_.take();
  Findings findings;
  const nlohmann::json json = nlohmann::json::parse(end.said, nullptr, false);
  if (!end.disturbed.empty()) {
    findings.disturbed = end.disturbed;
    return findings;
  }
  if (!end.failure.empty() || !json.is_object()) {
    findings.failures.push_back({"", "process", end.failure.empty() ? "ended without an answer" : end.failure});
    return findings;
  }
  json.at("compared").get_to(findings.compared);
  json.at("refused").get_to(findings.refused);
  json.at("ill_conditioned").get_to(findings.ill_conditioned);
  json.at("unconverged").get_to(findings.unconverged);
  json.at("without_run").get_to(findings.without_run);
  json.at("disturbed").get_to(findings.disturbed);
  for (const auto& [list, name] : kFindingLists) {
    for (const nlohmann::json& finding : json.at(name)) {
      (findings.*list).push_back({finding[0], finding[1], finding[2]});
    }
  }
  return findings;
}

Findings check_isolated(const Registries& registries, const Mechanism& mechanism,
                        const std::vector<std::string>& formulations, double limit) {
  if (interruption_requested()) {
    return {};
  }
  IsolatedCheck check(registries, mechanism, formulations, limit);
  while (!check.ended()) {
    if (interruption_requested()) {
      return {};
    }
  }
  return check.take();
}

}  // namespace mbdbench::soak
