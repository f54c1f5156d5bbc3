#include "mechanisms/catalogue/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/description/short_text.hpp"

namespace mbdbench {
namespace {

const MechanismEntry& find_entry(std::span<const MechanismEntry> registry, std::string_view key) {
  const auto found =
      std::find_if(registry.begin(), registry.end(), [&](const auto& entry) { return entry.key == key; });
  if (found != registry.end()) {
    return *found;
  }
  std::vector<std::string> keys;
  keys.reserve(registry.size());
  for (const MechanismEntry& entry : registry) {
    keys.emplace_back(entry.key);
  }
  throw MechanismKeyError(
      fmt::format("there is no mechanism '{}'; {}", short_text(key), suggest_name(key, keys, "mechanisms")));
}

Parameters read_parameters(const MechanismEntry& entry, std::string_view text) {
  try {
    return parse_parameters(entry.parameters, text, fmt::format("mechanism '{}'", entry.key));
  } catch (const ParameterError& error) {
    throw MechanismKeyError(error.what());
  }
}

/// \returns the shortest specification of the same mechanism: the key and the parameters that differ from their
/// defaults.
std::string canonical_name(const MechanismEntry& entry, const Parameters& parameters) {
  std::string name(entry.key);
  char separator = ':';
  for (const ParameterSpecification& parameter : entry.parameters) {
    const ParameterValue& value = parameters.values().find(parameter.name)->second;
    if (value != parameter.default_value) {
      name += fmt::format("{}{}={}", separator, parameter.name, text_of(value));
      separator = ',';
    }
  }
  return name;
}

}  // namespace

Mechanism make_mechanism(std::span<const MechanismEntry> registry, std::string_view specification) {
  const std::size_t separator = specification.find_first_of(":[");
  const MechanismEntry& entry = find_entry(registry, specification.substr(0, separator));
  std::string_view text =
      separator == std::string_view::npos ? std::string_view{} : specification.substr(separator + 1);
  if (separator != std::string_view::npos && specification[separator] == '[') {
    if (!text.ends_with(']')) {
      throw MechanismKeyError(fmt::format("mechanism '{}' has parameters that should end with ]", specification));
    }
    text.remove_suffix(1);
  }
  const Parameters parameters = read_parameters(entry, text);
  MechanismDescription description = entry.make(parameters);
  description.name = canonical_name(entry, parameters);
  description.source = entry.source;
  return Mechanism(std::move(description));
}

}  // namespace mbdbench
