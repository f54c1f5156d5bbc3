#pragma once
/// \file
/// The sentences of [Malczyk2012] that can be measured, most of them in section 4.4.
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/claim.hpp"
#include "experiments/malczyk2012/variants.hpp"
#include "experiments/record.hpp"

namespace mbdbench::malczyk2012 {

/// \returns the claims on accuracy and iterations: the same in every run.
std::vector<Claim> claims_of_records(const std::vector<Record>& records);

/// \returns the claims on times. \param records hold the passes
std::vector<Claim> claims_of_timings(const std::vector<Record>& timings, const std::vector<Record>& records);

/// \returns the number of this description; nothing where it failed or does not exist.
std::optional<double> find_value(const std::vector<Record>& records, std::string_view mechanism, const Variant& variant,
                                 std::string_view parameters, std::string_view quantity);

}  // namespace mbdbench::malczyk2012
