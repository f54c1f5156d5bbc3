#pragma once
/// \file
/// What the time of a message does to the crossover: records, and what the paper says of it.
#include <vector>

#include "experiments/records/claim.hpp"
#include "experiments/records/record.hpp"

namespace mbdbench::malczyk2008 {

/// \returns records of the crossovers beside the paper's, measured and predicted, and of the times of an exchange that
/// would give the paper's, as far as there are any.
std::vector<Record> crossover_records(const std::vector<Record>& timings);

Claim two_nodes_claim(const std::vector<Record>& timings);
Claim constant_overhead_claim(const std::vector<Record>& timings);

}  // namespace mbdbench::malczyk2008
