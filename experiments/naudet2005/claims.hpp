#pragma once
/// \file
/// The sentences of [Naudet2005] on the biped that can be measured.
#include <vector>

#include "experiments/records/claim.hpp"
#include "experiments/records/record.hpp"

namespace mbdbench::naudet2005 {

/// \returns what the paper says, and what was measured of it; the same in every run.
std::vector<Claim> claims_of_records(const std::vector<Record>& records);

}  // namespace mbdbench::naudet2005
