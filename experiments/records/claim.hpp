#pragma once
/// \file
/// What a paper says in words, what was measured of it, and whether it holds.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// Whether a statement holds here.
enum class ClaimVerdict { holds, holds_in_part, does_not_hold, not_measured };

/// \returns "holds", "holds in part", "does not hold", "not measured".
std::string_view to_string(ClaimVerdict verdict);

/// \returns holds when all of the parts hold, holds_in_part when some do, does_not_hold when none does; not_measured of
/// nothing.
ClaimVerdict judge_claim(const std::vector<bool>& parts);

/// Share of a claim's parts that must have been measured; below it nothing is said.
inline constexpr double kMeasuredShare = 0.5;

/// One statement.
struct Claim {
  std::string experiment;
  std::string source;     ///< citation key and place: "Chadaj2017, sect. 3.2"
  std::string statement;  ///< the paper's, shortened
  std::string criterion;  ///< when it counts as true here
  std::string measured;   ///< with numbers and units; why not, where it was not measured
  ClaimVerdict verdict = ClaimVerdict::not_measured;
};

/// Gives a claim its verdict and puts "k of n" before what was measured. \param missing parts that could not be
/// measured, or only disturbed; where fewer than `share` of all parts are there the claim is not measured
void conclude_claim(Claim& claim, const std::vector<bool>& parts, std::size_t missing, double share = kMeasuredShare);

/// Appends to what was measured, after a semicolon.
void add_words(std::string& text, const std::string& more);

/// Claims in a CSV file with the fields of `Claim` as columns, replaced at once. \throws FileError
void write_claims(const std::filesystem::path& file, const std::vector<Claim>& claims);

/// \returns the claims as text for the console: verdict and statement, below them what was measured.
std::string claim_table(const std::vector<Claim>& claims);

}  // namespace mbdbench
