#pragma once
/// \file
/// The end of an experiment on the console: what was expected and whose number that is, ours, verdict.
#include <string>
#include <vector>

#include "experiments/records/record.hpp"

namespace mbdbench {

/// \returns a table of the records that were compared or failed, one line each; where no number is expected, the note
/// says what was asserted or what went wrong.
std::string verdict_table(const std::vector<Record>& records);

}  // namespace mbdbench
