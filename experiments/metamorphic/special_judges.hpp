#pragma once
/// \file
/// Judges of the relations that are more than the same motion twice.
#include "experiments/metamorphic/relation.hpp"

namespace mbdbench::metamorphic {

/// Accelerations of the first telling and the last against those of the two between.
std::vector<Deviation> superposed(const Case& drawn, const std::vector<Answer>& answers);

/// The balance of every body at the start.
std::vector<Deviation> balanced(const Case& drawn, const std::vector<Answer>& answers);

/// Every bit of every sample.
std::vector<Deviation> same_bits(const Case& drawn, const std::vector<Answer>& answers);

/// The second telling has the sample of the pause twice.
std::vector<Deviation> same_with_pause(const Case& drawn, const std::vector<Answer>& answers);

/// Reference, samples, and runs that end at the third and the fifth of seven samples.
std::vector<Deviation> samples_like_ends(const Case& drawn, const std::vector<Answer>& answers);

/// The first is the reference, the others have tolerances from 1e-9, a hundred times larger each.
std::vector<Deviation> digits_of_tolerance(const Case& drawn, const std::vector<Answer>& answers);

/// The angle of Case::joint is Case::special.
std::vector<Deviation> kept_as_set(const Case& drawn, const std::vector<Answer>& answers);

}  // namespace mbdbench::metamorphic
