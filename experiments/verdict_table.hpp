#pragma once
/// \file
/// The end of an experiment on the console: published, ours, verdict.
#include <string>
#include <vector>

#include "experiments/record.hpp"

namespace mbdbench {

/// \returns a table of the records that have a number to be compared with, and of all failed ones; one line each.
std::string verdict_table(const std::vector<Record>& records);

/// \returns whether no record is failed or not reproduced.
bool all_reproduced(const std::vector<Record>& records);

}  // namespace mbdbench
