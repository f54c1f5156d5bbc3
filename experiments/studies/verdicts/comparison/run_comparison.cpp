#include "experiments/studies/verdicts/comparison/run_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "experiments/files/formats/json_file.hpp"
#include "experiments/studies/verdicts/comparison/file_difference.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array kInputs = {"formulation",        "formulation_options",  "integrator", "relative_tolerance",
                                "absolute_tolerance", "projection_tolerance", "t_start",    "t_end_requested"};
constexpr std::array kCounts = {"nsteps",  "nfailed",     "nfevals",   "npds",    "ndecomps",
                                "nsolves", "niterations", "rhs_calls", "samples", "changed_states"};
constexpr std::array kErrors = {std::pair("energy", "largest_imbalance"),
                                std::pair("constraints", "largest_position_residual"),
                                std::pair("constraints", "largest_velocity_residual")};
// Errors below this are rounding.
constexpr double kSmallestError = 1e-12;

Json read(const fs::path& file) {
  Json json = json_in(file);
  if (!json.is_object()) {
    throw FileError(file.string(), 0, "is not what simulate writes; name the --output of a finished run");
  }
  return json;
}

/// \returns a field; null where it is missing, or the value is no object.
Json field(const Json& json, const std::string& key) {
  return json.is_object() && json.contains(key) ? json.at(key) : Json();
}

std::string text_at(const Json& json, const char* key) {
  const Json found = field(json, key);
  return found.is_string() ? found.get<std::string>() : found.dump();
}

void add(ResultComparison& comparison, Change change, std::string what, std::string how) {
  if (change == Change::equal) {
    ++comparison.equal;
  } else {
    comparison.differences.push_back({change, std::move(what), std::move(how)});
  }
}

void compare_settings(const fs::path& a, const fs::path& b, const Json& before, const Json& after,
                      ResultComparison& comparison) {
  if (const std::string line = first_difference(a / "mechanism.toml", b / "mechanism.toml"); !line.empty()) {
    comparison.inputs.push_back(fmt::format("the mechanism is another one: {}", line));
  }
  for (const char* const key : kInputs) {
    if (field(before, key) != field(after, key)) {
      comparison.inputs.push_back(
          fmt::format("{}: {} -> {}", key, field(before, key).dump(), field(after, key).dump()));
    }
  }
  const Json settings = field(read(a / "state.json"), "settings");
  const Json settings_after = field(read(b / "state.json"), "settings");
  for (const auto& [key, value] : settings.items()) {
    const bool told = std::find(kInputs.begin(), kInputs.end(), key) != kInputs.end();
    if (!told && field(settings_after, key) != value) {
      comparison.inputs.push_back(fmt::format("{}: {} -> {}", key, value.dump(), field(settings_after, key).dump()));
    }
  }
}

void compare_error(const std::string& name, const Json& before, const Json& after, const ComparisonLimits& limits,
                   ResultComparison& comparison) {
  const double a = before.is_number() ? std::abs(before.get<double>()) : std::numeric_limits<double>::quiet_NaN();
  const double b = after.is_number() ? std::abs(after.get<double>()) : std::numeric_limits<double>::quiet_NaN();
  const double ratio = b / a;
  const bool rounding = std::max(a, b) < kSmallestError || a == b;
  // Written so that what is no number is worse.
  const Change change = rounding                           ? Change::equal
                        : ratio < 1.0 / limits.error_ratio ? Change::better
                        : ratio <= limits.error_ratio      ? Change::changed
                                                           : Change::worse;
  add(comparison, change, name, fmt::format("{} -> {}, {:.3g} times", a, b, ratio));
}

}  // namespace

bool is_run(const fs::path& directory) {
  return fs::exists(directory / "statistics.json") && fs::exists(directory / "state.json");
}

ResultComparison compare_simulations(const fs::path& a, const fs::path& b, const ComparisonLimits& limits) {
  const Json before = read(a / "statistics.json");
  const Json after = read(b / "statistics.json");
  ResultComparison comparison;
  comparison.inputs_known = true;
  compare_settings(a, b, before, after, comparison);
  if (!comparison.inputs.empty()) {
    add(comparison, Change::incomparable, "the whole run", "was made from other inputs");
    return comparison;
  }
  const std::string status = text_at(before, "status");
  const std::string status_after = text_at(after, "status");
  const Change change = status == status_after ? Change::equal : status_after == "ok" ? Change::better : Change::worse;
  add(comparison, change, "status", fmt::format("{} -> {}", status, status_after));
  for (const char* const key : kCounts) {
    const Json count = field(before, key);
    const Json count_after = field(after, key);
    add(comparison, count == count_after ? Change::equal : Change::worse, key,
        fmt::format("{} -> {}: counts must be equal", count.dump(), count_after.dump()));
  }
  for (const auto& [group, key] : kErrors) {
    compare_error(fmt::format("{} {}", group, key), field(field(before, group), key), field(field(after, group), key),
                  limits, comparison);
  }
  const std::string line = first_difference(a / "trajectory.csv", b / "trajectory.csv");
  add(comparison, line.empty() ? Change::equal : Change::worse, "trajectory.csv",
      fmt::format("differs: files must be equal; first in {}", line.substr(0, line.find(':'))));
  return comparison;
}

}  // namespace mbdbench::studies
