#include "experiments/registries/formulation_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "formulations/registry.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {

FormulationChoice choose_formulation(std::span<const FormulationEntry> registry, std::string_view word) {
  const std::size_t bracket = word.find('[');
  const std::string_view key = word.substr(0, bracket);
  FormulationChoice choice;
  choice.entry = find_formulation(registry, key);
  if (choice.entry == nullptr) {
    std::vector<std::string> keys;
    std::transform(registry.begin(), registry.end(), std::back_inserter(keys),
                   [](const FormulationEntry& entry) { return std::string(entry.key); });
    throw std::invalid_argument(
        fmt::format("there is no formulation '{}'; {}", key, suggest_name(key, keys, "formulations")));
  }
  if (bracket != std::string_view::npos) {
    if (word.back() != ']') {
      throw std::invalid_argument(
          fmt::format("formulation '{}' has options that should end with ]; give it as KEY[option=value,...]", word));
    }
    choice.options = word.substr(bracket + 1, word.size() - bracket - 2);
  }
  choice.parameters = parse_parameters(choice.entry->options, choice.options, fmt::format("formulation '{}'", key));
  return choice;
}

std::vector<std::string> formulation_words(std::span<const FormulationEntry> registry,
                                           const std::vector<std::string>& words) {
  std::vector<std::string> all = words;
  if (all.empty()) {
    std::transform(registry.begin(), registry.end(), std::back_inserter(all),
                   [](const FormulationEntry& entry) { return std::string(entry.key); });
  }
  return all;
}

std::string formulation_word(std::string_view key, std::string_view options) {
  return options.empty() ? std::string(key) : fmt::format("{}[{}]", key, options);
}

}  // namespace mbdbench
