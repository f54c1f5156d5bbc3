#pragma once
/// \file
/// How long the parts of a computation took when they were computed last, which tells how long they will take.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mbdbench {

/// A part by its name and what it costs beside the others, in any unit.
struct DeclaredPart {
  std::string name;
  std::uint64_t weight = 1;
};

/// What the parts are expected to cost.
struct ExpectedTimes {
  /// Of each part, ms; the declared weights where nothing is known of any.
  std::vector<std::uint64_t> weights;
  std::uint64_t total = 0;
  /// Of all, one after another, s; 0 where nothing is known.
  double seconds = 0.0;
};

/// What a part took last; of one that is not known its weight at the pace of the others.
/// \param last seconds by name of the part
ExpectedTimes expected_times(const std::map<std::string, double>& last, const std::vector<DeclaredPart>& parts);

}  // namespace mbdbench
