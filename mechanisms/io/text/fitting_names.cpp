#include "mechanisms/io/text/fitting_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {

std::string FittingNames::fit(std::string_view name, int components) {
  std::string fitting(name);
  std::replace_if(
      fitting.begin(), fitting.end(),
      [](char c) { return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')); }, '_');
  if (fitting.empty() || (fitting.front() >= '0' && fitting.front() <= '9')) {
    fitting.insert(0, 1, '_');
  }
  fitting.resize(std::min(fitting.size(), kLongestName));
  const auto is_free = [&](const std::string& candidate) {
    bool free = !taken_.contains(candidate);
    for (int component = 2; component <= components; ++component) {
      free = free && !taken_.contains(fmt::format("{}_{}", candidate, component));
    }
    return free;
  };
  std::string chosen = fitting;
  for (int number = 2; !is_free(chosen); ++number) {
    const std::string ending = fmt::format("__{}", number);
    chosen = fitting.substr(0, std::min(fitting.size(), kLongestName - ending.size())) + ending;
  }
  taken_.insert(chosen);
  for (int component = 2; component <= components; ++component) {
    taken_.insert(fmt::format("{}_{}", chosen, component));
  }
  return chosen;
}

}  // namespace mbdbench
