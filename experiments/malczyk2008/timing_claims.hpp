#pragma once
/// \file
/// What [Malczyk2008] says of times, measured. The criteria are ours: the paper gives none.
#include <optional>
#include <string>
#include <vector>

#include "experiments/claim.hpp"
#include "experiments/record.hpp"

namespace mbdbench::malczyk2008 {

/// A speedup of a loop of so many joints.
struct LoopSpeedup {
  int joints = 0;
  double speedup = 0.0;
};

/// \returns the speedups of loops under this quantity ("wall_time_speedup", "time_per_evaluation_speedup"), by joints.
std::vector<LoopSpeedup> loop_speedups(const std::vector<Record>& timings, const std::string& quantity);

/// \returns the number of joints at which the speedup passes 1 for good, interpolated over the logarithm of the number;
/// nothing when it does not, or when the smallest loop wins already.
std::optional<double> crossover(const std::vector<LoopSpeedup>& speedups);

/// \returns records of the crossovers beside the paper's, as far as there are any.
std::vector<Record> crossover_records(const std::vector<Record>& timings);

std::vector<Claim> claims_of_timings(const std::vector<Record>& timings);

}  // namespace mbdbench::malczyk2008
