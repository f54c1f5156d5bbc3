#pragma once
/// \file
/// Numbers to compare with, from a CSV file; docs/using/studies/study_claims.md describes its columns.
#include <filesystem>
#include <vector>

#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// \param study with its product and observers read
/// \throws FileError with the line for a row that no run of the study answers
std::vector<Expectation> read_expectations(const std::filesystem::path& file, const Study& study);

}  // namespace mbdbench::studies
