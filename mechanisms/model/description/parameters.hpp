#pragma once
/// \file
/// Named, typed parameters with defaults and help: of catalogue builders (`pendulum:16`) and of formulations
/// (`kappa=5`).
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mbdbench {

/// Value of a parameter.
using ParameterValue = std::variant<std::int64_t, double, std::string>;

/// A parameter that a catalogue builder or a formulation takes. The type of `default_value` is the parameter's type.
struct ParameterSpecification {
  std::string_view name;
  ParameterValue default_value;
  std::string_view help;                       ///< one line, with the unit
  double minimum = -1e300;                     ///< numbers: smallest allowed
  double maximum = 1e300;                      ///< numbers: largest allowed
  std::vector<std::string_view> choices = {};  ///< strings: the allowed ones; empty: any
  std::string_view former_name = {};           ///< deprecated, still read
  bool counts = false;                         ///< strings with choices: an integer from 1 on is allowed, too
};

/// Parameters by name; complete when a builder or a formulation sees them.
class Parameters {
 public:
  void set(std::string_view name, ParameterValue value) {
    values_.insert_or_assign(std::string(name), std::move(value));
  }
  [[nodiscard]] std::int64_t integer(std::string_view name) const { return std::get<std::int64_t>(at(name)); }
  [[nodiscard]] double number(std::string_view name) const { return std::get<double>(at(name)); }
  [[nodiscard]] const std::string& text(std::string_view name) const { return std::get<std::string>(at(name)); }
  [[nodiscard]] const std::map<std::string, ParameterValue, std::less<>>& values() const { return values_; }

 private:
  [[nodiscard]] const ParameterValue& at(std::string_view name) const { return values_.find(name)->second; }
  std::map<std::string, ParameterValue, std::less<>> values_;
};

/// \returns the value as it is written in a specification; numbers in their shortest round-trip form.
std::string text_of(const ParameterValue& value);

/// \returns what a value of this parameter may be: "an integer from 1 to 10", "one of serial, openmp".
std::string allowed_values(const ParameterSpecification& parameter);

/// A parameter that does not exist or has an unusable value; the message says what would be right.
class ParameterError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Reads `16`, `bodies=16` or `seed=7,bodies=12`; what is not given keeps its default. A value without a name belongs
/// to the first parameter and must come first. \param owner for messages: "mechanism 'pendulum'", "formulation 'hdca'"
/// \throws ParameterError
Parameters parse_parameters(std::span<const ParameterSpecification> specifications, std::string_view text,
                            std::string_view owner);

}  // namespace mbdbench
