#include "experiments/studies/runner/study_results.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace mbdbench::studies {

Measured Measured::number(double value) {
  return std::isfinite(value) ? Measured{CellState::measured, value, {}} : failed("the number is not finite");
}

bool StudyResults::several_machines() const {
  return std::any_of(machines.begin(), machines.end(),
                     [&](const auto& entry) { return entry.second != machines.begin()->second; });
}

Measured StudyResults::of(const CellKey& cell, const Observer& observer) const {
  const auto found = cells.find(cell);
  if (found != cells.end()) {
    if (const auto value = found->second.find(observer); value != found->second.end()) {
      return value->second;
    }
  }
  return Measured::refused("not observed");
}

nlohmann::json to_json(const CellResult& result) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [observer, measured] : result) {
    json[observer.name()] = {static_cast<int>(measured.state), measured.value, measured.note};
  }
  return json;
}

CellResult cell_from_json(const nlohmann::json& json) {
  CellResult result;
  for (const auto& [name, entry] : json.items()) {
    result[parse_observer(name)] = {static_cast<CellState>(entry.at(0).get<int>()), entry.at(1).get<double>(),
                                    entry.at(2).get<std::string>()};
  }
  return result;
}

}  // namespace mbdbench::studies
