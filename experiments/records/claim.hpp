#pragma once
/// \file
/// What a paper says in words, what was measured of it, and whether it holds.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// Whether a statement holds here. By model: what it speaks of was computed from numbers that a formulation states of
/// itself, not from runs, so that it neither holds nor fails by measurement; "k of n" beside it says what the model
/// says.
enum class ClaimVerdict { holds, mostly_holds, mostly_does_not, does_not_hold, by_model, not_measured };

/// \returns "holds", "mostly holds", "mostly does not", "does not hold", "by model", "not measured".
std::string_view to_string(ClaimVerdict verdict);

/// What the parts of a claim are judged by.
enum class ClaimBasis { run, model };

/// \returns "run", "model".
std::string_view to_string(ClaimBasis basis);

/// How many parts a claim has, and what came of them.
struct ClaimCount {
  std::size_t held = 0;
  std::size_t parts = 0;  ///< that were measured
  std::size_t not_tested =
      0;  ///< that could not be measured, or only disturbed; refused ones do not exist and are none

  bool operator==(const ClaimCount&) const = default;
};

/// \returns holds when all of the parts hold, mostly_holds when at least half of them do, mostly_does_not when fewer
/// do, does_not_hold when none does; not_measured of nothing.
ClaimVerdict judge_claim(const ClaimCount& count);

/// Share of a claim's parts that must have been measured; below it nothing is said.
inline constexpr double kMeasuredShare = 0.5;

/// One statement.
struct Claim {
  std::string experiment;
  std::string source;     ///< citation key and place: "Chadaj2017, sect. 3.2"; "ours, ..." of a sentence of ours
  std::string statement;  ///< the paper's, shortened
  std::string criterion;  ///< when it counts as true here
  std::string baseline;   ///< what the compared side is, where another choice would change the verdict
  ClaimCount count;
  std::string measured;  ///< with numbers and units; why not, where it was not measured
  ClaimVerdict verdict = ClaimVerdict::not_measured;
  ClaimBasis basis = ClaimBasis::run;
};

/// \returns "3 of 4", "3 of 4, 1 not measured": what stands wherever a verdict stands; empty of a claim without parts.
std::string count_text(const ClaimCount& count);

/// Appends to what was measured, after a semicolon.
void add_words(std::string& text, const std::string& more);

/// Claims in a CSV file with the fields of `Claim` as columns, replaced at once; `held`, `parts` and `not_tested` are
/// numbers, `by` is the basis. \throws FileError
void write_claims(const std::filesystem::path& file, const std::vector<Claim>& claims);

/// \returns the claims as text for the console: verdict, k of n and statement, below them what was measured.
std::string claim_table(const std::vector<Claim>& claims);

}  // namespace mbdbench
