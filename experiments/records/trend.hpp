#pragma once
/// \file
/// Whether numbers that cannot be asked to meet a paper's follow its table at least.
#include <vector>

#include "experiments/records/record.hpp"

namespace mbdbench {

/// Factor within which two numbers are of the same order of magnitude.
inline constexpr double kOrderOfMagnitude = 10.0;
/// A step along the table that changes the other's number by less, relatively, has no direction.
inline constexpr double kNoDirection = 0.1;
/// Ratios of two times of one machine agree with the table's ratio where they differ by less, relatively.
inline constexpr double kRatioOfTimes = 0.2;

/// Gives every record whose limit is a trend its verdict: `trend only` where the number is within a factor of ten of
/// the one that it is compared with and goes the same way as that from the row before; `not reproduced` otherwise, with
/// the reason in the note. The axis of a table are the records of one mechanism, formulation, integrator and quantity
/// in their order; where there is only one such record, the formulations of one mechanism, integrator and parameters;
/// where there is one of these too, the mechanisms. An absolute time of another machine and language has no order of
/// magnitude to meet: it is `direction only`, and `trend only` where its ratio to the time of the table's first
/// formulation, of the same run on the same machine, agrees with the printed ratio. Records without a number stay as
/// they are.
void judge_trends(std::vector<Record>& records);

}  // namespace mbdbench
