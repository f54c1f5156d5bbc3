#include "mechanisms/model/description/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

/// \returns "it takes bodies (an integer from 1 to 10, default 5)" and so on.
std::string parameter_list(std::span<const ParameterSpecification> specifications) {
  if (specifications.empty()) {
    return "it takes no parameters";
  }
  std::vector<std::string> items;
  for (const ParameterSpecification& parameter : specifications) {
    items.push_back(fmt::format("{} ({}, default {})", parameter.name, allowed_values(parameter),
                                text_of(parameter.default_value)));
  }
  return fmt::format("it takes {}", fmt::join(items, ", "));
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = error == std::errc{} && end == text.data() + text.size();
  return complete ? std::optional(value) : std::nullopt;
}

template <typename Number>
std::optional<ParameterValue> parse_in_range(const ParameterSpecification& parameter, std::string_view text) {
  const std::optional<Number> value = parse_number<Number>(text);
  if (!value) {
    return std::nullopt;
  }
  const auto number = static_cast<double>(*value);
  // Written so that NaN fails.
  const bool inside = number >= parameter.minimum && number <= parameter.maximum;
  return inside ? std::optional<ParameterValue>(*value) : std::nullopt;
}

/// \returns whether it is a positive integer, as it is usually written.
bool is_count(std::string_view text) {
  const std::optional<int> count = parse_number<int>(text);
  return count && *count > 0 && text.front() != '0';
}

std::optional<ParameterValue> parse_value(const ParameterSpecification& parameter, std::string_view text) {
  if (std::holds_alternative<std::int64_t>(parameter.default_value)) {
    return parse_in_range<std::int64_t>(parameter, text);
  }
  if (std::holds_alternative<double>(parameter.default_value)) {
    return parse_in_range<double>(parameter, text);
  }
  const auto& choices = parameter.choices;
  const bool allowed = choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end() ||
                       (parameter.counts && is_count(text));
  return allowed ? std::optional<ParameterValue>(std::string(text)) : std::nullopt;
}

const ParameterSpecification& find_parameter(std::span<const ParameterSpecification> specifications,
                                             std::string_view name, std::string_view owner) {
  for (const ParameterSpecification& parameter : specifications) {
    if (parameter.name == name || (!name.empty() && parameter.former_name == name)) {
      return parameter;
    }
  }
  std::vector<std::string> known;
  for (const ParameterSpecification& parameter : specifications) {
    known.emplace_back(parameter.name);
  }
  const std::string nearest = nearest_name(name, known);
  throw ParameterError(fmt::format("{} has no parameter '{}'; {}{}", owner, name,
                                   nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", nearest),
                                   parameter_list(specifications)));
}

struct Assignment {
  const ParameterSpecification* parameter;
  std::string_view value;
};

/// Reads "name=value", or "value" for the first parameter when `first`.
Assignment read_assignment(std::span<const ParameterSpecification> specifications, std::string_view text, bool first,
                           std::string_view owner) {
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    return {&find_parameter(specifications, text.substr(0, equals), owner), text.substr(equals + 1)};
  }
  if (!first || specifications.empty() || text.empty()) {
    throw ParameterError(
        fmt::format("{}: '{}' should read name=value (only the first parameter may stand without its name); {}", owner,
                    text, parameter_list(specifications)));
  }
  return {&specifications.front(), text};
}

}  // namespace

std::string text_of(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return fmt::format("{}", *number);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return fmt::format("{}", *integer);
  }
  return std::get<std::string>(value);
}

std::string allowed_values(const ParameterSpecification& parameter) {
  if (std::holds_alternative<std::string>(parameter.default_value)) {
    return parameter.choices.empty() ? "a text"
                                     : fmt::format("one of {}{}", fmt::join(parameter.choices, ", "),
                                                   parameter.counts ? ", or an integer of at least 1" : "");
  }
  std::string text = std::holds_alternative<double>(parameter.default_value) ? "a number" : "an integer";
  constexpr double kUnlimited = 1e300;
  const bool from_below = parameter.minimum > -kUnlimited;
  const bool from_above = parameter.maximum < kUnlimited;
  if (from_below && from_above) {
    text += fmt::format(" from {} to {}", parameter.minimum, parameter.maximum);
  } else if (from_below) {
    text += fmt::format(" of at least {}", parameter.minimum);
  } else if (from_above) {
    text += fmt::format(" of at most {}", parameter.maximum);
  }
  return text;
}

Parameters parse_parameters(std::span<const ParameterSpecification> specifications, std::string_view text,
                            std::string_view owner) {
  Parameters parameters;
  std::optional<std::string_view> rest = text.empty() ? std::nullopt : std::optional(text);
  for (bool first = true; rest; first = false) {
    const std::size_t comma = rest->find(',');
    const auto [parameter, value_text] = read_assignment(specifications, rest->substr(0, comma), first, owner);
    const std::optional<ParameterValue> value = parse_value(*parameter, value_text);
    if (!value) {
      throw ParameterError(fmt::format("{}: {}={} should be {}, for example {}={}", owner, parameter->name, value_text,
                                       allowed_values(*parameter), parameter->name, text_of(parameter->default_value)));
    }
    if (parameters.values().contains(parameter->name)) {
      throw ParameterError(fmt::format("{}: parameter '{}' is given twice", owner, parameter->name));
    }
    parameters.set(parameter->name, *value);
    rest = comma == std::string_view::npos ? std::nullopt : std::optional(rest->substr(comma + 1));
  }
  for (const ParameterSpecification& parameter : specifications) {
    if (!parameters.values().contains(parameter.name)) {
      parameters.set(parameter.name, parameter.default_value);
    }
  }
  return parameters;
}

}  // namespace mbdbench
