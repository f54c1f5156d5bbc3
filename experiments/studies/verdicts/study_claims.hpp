#pragma once
/// \file
/// Whether a study's claims hold.
#include <vector>

#include "experiments/records/claim.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// \param timed those that need times, or those that need none
std::vector<Claim> judge_claims(const Study& study, const StudyResults& results, bool timed);

}  // namespace mbdbench::studies
