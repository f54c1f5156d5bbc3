#pragma once
/// \file
/// Rows of claims.csv by words of their sentences.
#include <algorithm>
#include <string>

#include "experiments/files/formats/csv_file.hpp"

namespace mbdbench {

/// \returns a field of the first claim whose sentence contains these words; "no such claim" where there is none.
inline std::string claim_field(const CsvTable& claims, const std::string& words, const std::string& column) {
  const auto place = std::find(claims.columns.begin(), claims.columns.end(), column) - claims.columns.begin();
  const auto found = std::find_if(claims.rows.begin(), claims.rows.end(),
                                  [&](const auto& row) { return row[2].find(words) != std::string::npos; });
  return found == claims.rows.end() ? "no such claim" : found->at(static_cast<std::size_t>(place));
}

/// \returns "3 of 4, holds" of such a claim.
inline std::string claim_outcome(const CsvTable& claims, const std::string& words) {
  return claim_field(claims, words, "held") + " of " + claim_field(claims, words, "parts") + ", " +
         claim_field(claims, words, "verdict");
}

}  // namespace mbdbench
