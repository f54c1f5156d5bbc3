#pragma once
/// \file
/// The sentences of [Chadaj2017], sections 3.1 to 3.4, that can be measured.
#include <vector>

#include "experiments/records/claim.hpp"
#include "experiments/records/record.hpp"

namespace mbdbench::chadaj2017 {

/// \returns the claims on accuracy and on numbers of evaluations: the same in every run.
std::vector<Claim> claims_of_records(const std::vector<Record>& records);

/// \returns those of sections 3.1, 3.2 and 3.4 on accuracy.
std::vector<Claim> accuracy_claims(const std::vector<Record>& records);

/// \returns those of section 3.3 on numbers of evaluations.
std::vector<Claim> work_claims(const std::vector<Record>& records);

/// \returns the claims on times.
std::vector<Claim> claims_of_timings(const std::vector<Record>& timings);

}  // namespace mbdbench::chadaj2017
