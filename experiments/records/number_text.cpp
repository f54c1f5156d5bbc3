#include "experiments/records/number_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace mbdbench {

double parse_number(std::string_view text, std::string_view what) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || !std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("{}: '{}' is not a finite number", what, text));
  }
  return value;
}

std::pair<std::string_view, std::string_view> split_assignment(std::string_view text, std::string_view option) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0 || sign + 1 == text.size()) {
    throw std::invalid_argument(fmt::format("{}: '{}' must read name=value", option, text));
  }
  return {text.substr(0, sign), text.substr(sign + 1)};
}

}  // namespace mbdbench
