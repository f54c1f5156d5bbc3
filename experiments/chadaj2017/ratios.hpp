#pragma once
/// \file
/// DCA against the other variants: figures 10 and 11 at equal tolerance, and the same at equal accuracy.
#include <vector>

#include "experiments/records/record.hpp"

namespace mbdbench::chadaj2017 {

/// \param quantity of DCA over that of every other variant, wherever both have it with the same parameters
/// \param ratio name of the new quantity
std::vector<Record> ratios_at_equal_tolerance(const std::vector<Record>& records, const char* quantity,
                                              const char* ratio);

/// Evaluations of DCA over those of every other variant where both reach the same largest error of K: interpolated in
/// the logarithms between the tolerances on either side, for errors of whole powers of ten that both reach.
std::vector<Record> ratios_at_equal_error(const std::vector<Record>& records);

}  // namespace mbdbench::chadaj2017
