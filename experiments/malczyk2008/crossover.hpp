#pragma once
/// \file
/// The size of a loop from which two ranks win.
#include <optional>
#include <string>
#include <vector>

#include "experiments/records/record.hpp"

namespace mbdbench::malczyk2008 {

inline constexpr const char* kRunSpeedup = "wall_time_speedup";             ///< quantity: of whole runs
inline constexpr const char* kCallSpeedup = "time_per_evaluation_speedup";  ///< quantity: of right-hand sides

/// What was measured of a loop of so many joints.
struct LoopValue {
  int joints = 0;
  double value = 0.0;
};

/// \returns the values of loops under this quantity ("time_per_evaluation", "wall_time_speedup"), by joints.
std::vector<LoopValue> loop_values(const std::vector<Record>& timings, const char* formulation,
                                   const std::string& quantity);

/// \returns the number of joints at which the speedup passes 1 for good, interpolated over the logarithm of the number;
/// nothing when it does not, or when the smallest loop wins already.
std::optional<double> crossover(const std::vector<LoopValue>& speedups);

}  // namespace mbdbench::malczyk2008
