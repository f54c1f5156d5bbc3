#pragma once
/// \file
/// Numbers that depend on rounding: counts of steps through singular positions, ends of chaotic motions. No processor
/// or compiler has the right one; several together say how far apart right ones are.
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace mbdbench::studies {

/// What several builds gave.
struct RoundingRange {
  double lowest = 0.0;
  double highest = 0.0;
  int samples = 0;
  bool may_be_missing = false;  ///< whether some of them had no number

  /// A further build lies outside of what k have given with the probability 2 / (k + 1), so that the range counts with
  /// its own width on either side: the ratio of its ends, of positive numbers. \returns whether the value is in there
  [[nodiscard]] bool holds(double value) const;
};

/// \returns what tells a number from the others of a study.
std::string record_name(std::string_view mechanism, std::string_view formulation, std::string_view integrator,
                        std::string_view parameters, std::string_view quantity);

/// \param file rounding.csv of a reference:
/// mechanism,formulation,integrator,parameters,quantity,lowest,highest,samples,
///        missing; none where it is not there
/// \returns the ranges by the numbers' names. \throws FileError
std::map<std::string, RoundingRange> read_rounding_ranges(const std::filesystem::path& file);

}  // namespace mbdbench::studies
