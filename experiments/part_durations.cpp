#include "experiments/part_durations.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/json_file.hpp"

namespace mbdbench {
namespace {

constexpr double kUnitsPerSecond = 1000.0;

std::uint64_t units(double seconds) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(kUnitsPerSecond * seconds)));
}

}  // namespace

PartDurations::PartDurations(const std::filesystem::path& output) : file_(output / "parts" / "durations.json") {
  std::ifstream stream(file_);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) {
    return;
  }
  for (const auto& [part, seconds] : json.items()) {
    if (seconds.is_number() && seconds.get<double>() >= 0.0) {
      seconds_[part] = seconds.get<double>();
    }
  }
}

bool PartDurations::knows_any(const std::vector<ExperimentPart>& parts) const {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const ExperimentPart& part) { return seconds_.contains(part.name); });
}

std::vector<std::uint64_t> PartDurations::weights(const std::vector<ExperimentPart>& parts) const {
  double known_seconds = 0.0;
  double known_weight = 0.0;
  for (const ExperimentPart& part : parts) {
    if (const auto found = seconds_.find(part.name); found != seconds_.end()) {
      known_seconds += found->second;
      known_weight += static_cast<double>(part.weight);
    }
  }
  std::vector<std::uint64_t> all;
  all.reserve(parts.size());
  for (const ExperimentPart& part : parts) {
    const auto found = seconds_.find(part.name);
    if (found != seconds_.end()) {
      all.push_back(units(found->second));
    } else if (known_weight > 0.0) {
      all.push_back(units(known_seconds / known_weight * static_cast<double>(part.weight)));
    } else {
      all.push_back(part.weight);
    }
  }
  return all;
}

void PartDurations::keep(const std::string& part, double seconds) {
  seconds_[part] = seconds;
  write_json(file_, nlohmann::ordered_json(seconds_));
}

}  // namespace mbdbench
