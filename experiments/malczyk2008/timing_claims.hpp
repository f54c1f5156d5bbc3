#pragma once
/// \file
/// What [Malczyk2008] says of times, measured. The criteria are ours: the paper gives none.
#include <vector>

#include "experiments/records/claim.hpp"
#include "experiments/records/record.hpp"

namespace mbdbench::malczyk2008 {

/// \param records right-hand sides of the runs
std::vector<Claim> claims_of_timings(const std::vector<Record>& timings, const std::vector<Record>& records);

}  // namespace mbdbench::malczyk2008
