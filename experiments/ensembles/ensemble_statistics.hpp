#pragma once
/// \file
/// What the members of an ensemble have in common: mean, spread and quantiles of every quantity over time.
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/ensembles/members/member_record.hpp"

namespace mbdbench {

/// Of the values of some members.
struct SampleStatistics {
  std::size_t count = 0;  ///< of values that are numbers; 0: all else is NaN
  double mean = 0.0;
  double deviation = 0.0;  ///< standard deviation, of the sample (n - 1); NaN of one value
  double smallest = 0.0;
  double largest = 0.0;
  double q05 = 0.0, q25 = 0.0, q50 = 0.0, q75 = 0.0, q95 = 0.0;
};

/// \param values come back sorted, without what is no number. Quantiles are linear between the values in order, the
/// first at 0, the last at 1 [Hyndman1996, definition 7].
SampleStatistics statistics_of(std::vector<double>& values);

/// Of samples that are in memory at once.
inline constexpr std::size_t kMostSampleBytes = 256UL << 20U;

/// Writes ensemble.csv: a row a time and quantity.
/// \param counted members, all of which have samples at all times
/// \param most_bytes of samples that are read at once; those of all members at one time, of one quantity, at least
/// \throws WriteError, FileError
void write_statistics(const std::filesystem::path& file, const KeptMembers& kept, std::span<const std::size_t> counted,
                      std::span<const double> times, std::span<const std::string> quantities,
                      std::size_t most_bytes = kMostSampleBytes);

/// Writes members.csv: a row a member. \param columns of the starts \param times how many samples a whole run has
/// \throws WriteError, FileError
void write_members(const std::filesystem::path& file, const KeptMembers& kept, std::span<const std::string> columns,
                   std::size_t times, std::span<const std::string> quantities);

}  // namespace mbdbench
