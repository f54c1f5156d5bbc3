#pragma once
/// \file
/// Finds numbers among the records of the experiment.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/chadaj2017/variants.hpp"
#include "experiments/records/record.hpp"

namespace mbdbench::chadaj2017 {

/// \returns the number of this description; nothing where it failed, was disturbed or does not exist.
inline std::optional<double> find_value(const std::vector<Record>& records, std::string_view mechanism,
                                        const Variant& variant, std::string_view integrator,
                                        std::string_view parameters, std::string_view quantity) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.mechanism == mechanism && record.formulation == variant.label() && record.integrator == integrator &&
           record.parameters == parameters && record.quantity == quantity;
  });
  return found == records.end() ? std::nullopt : found->telling_value();
}

}  // namespace mbdbench::chadaj2017
