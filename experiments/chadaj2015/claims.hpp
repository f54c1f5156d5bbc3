#pragma once
/// \file
/// What [Chadaj2015] says in sections III and IV, measured.
#include <vector>

#include "experiments/records/claim.hpp"
#include "experiments/records/record.hpp"

namespace mbdbench::chadaj2015 {

/// \returns the claims on accuracy and evaluations: the same in every run.
std::vector<Claim> claims_of_records(const std::vector<Record>& records);

/// \returns the claims on times.
std::vector<Claim> claims_of_timings(const std::vector<Record>& timings);

}  // namespace mbdbench::chadaj2015
