#include "experiments/records/claim.hpp"

#include <fmt/format.h>

#include <string>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/terminal/terminal.hpp"
#include "experiments/terminal/text_table.hpp"

namespace mbdbench {
namespace {

// The longest verdict is "mostly does not".
constexpr std::size_t kClaimIndent = 17;

}  // namespace

std::string_view to_string(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return "holds";
    case ClaimVerdict::mostly_holds:
      return "mostly holds";
    case ClaimVerdict::mostly_does_not:
      return "mostly does not";
    case ClaimVerdict::does_not_hold:
      return "does not hold";
    case ClaimVerdict::by_model:
      return "by model";
    case ClaimVerdict::not_measured:
      break;
  }
  return "not measured";
}

std::string_view to_string(ClaimBasis basis) {
  return basis == ClaimBasis::model ? "model" : "run";
}

ClaimVerdict judge_claim(const ClaimCount& count) {
  if (count.parts == 0) {
    return ClaimVerdict::not_measured;
  }
  if (count.held == count.parts) {
    return ClaimVerdict::holds;
  }
  if (count.held == 0) {
    return ClaimVerdict::does_not_hold;
  }
  return 2 * count.held >= count.parts ? ClaimVerdict::mostly_holds : ClaimVerdict::mostly_does_not;
}

std::string count_text(const ClaimCount& count) {
  if (count.parts + count.not_tested == 0) {
    return {};
  }
  const std::string text = fmt::format("{} of {}", count.held, count.parts);
  return count.not_tested == 0 ? text : fmt::format("{}, {} not measured", text, count.not_tested);
}

void add_words(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : "; ") + more;
}

void write_claims(const std::filesystem::path& file, const std::vector<Claim>& claims) {
  CsvTable table;
  table.columns = {"experiment", "source",     "statement", "criterion", "baseline", "held",
                   "parts",      "not_tested", "measured",  "verdict",   "by"};
  for (const Claim& claim : claims) {
    table.rows.push_back({claim.experiment, claim.source, claim.statement, claim.criterion, claim.baseline,
                          std::to_string(claim.count.held), std::to_string(claim.count.parts),
                          std::to_string(claim.count.not_tested), claim.measured, std::string(to_string(claim.verdict)),
                          std::string(to_string(claim.basis))});
  }
  write_csv(file, table);
}

std::string claim_table(const std::vector<Claim>& claims) {
  std::string text;
  for (const Claim& claim : claims) {
    const std::string_view verdict = to_string(claim.verdict);
    const std::string padding(kClaimIndent - verdict.size(), ' ');
    const auto line = [](const std::string& words) { return wrapped(words, kClaimIndent) + '\n'; };
    const std::string indent(kClaimIndent, ' ');
    const std::string counted = count_text(claim.count);
    // Broken before it is coloured: the terminal does not count colours.
    const std::string first = line(fmt::format("{}{}{}{}{}: {}", verdict, padding, counted, counted.empty() ? "" : "; ",
                                               claim.source, claim.statement));
    text += coloured(verdict, verdict) + first.substr(verdict.size());
    text += claim.measured.empty() ? "" : line(indent + "measured: " + claim.measured);
    text += claim.criterion.empty() ? "" : line(indent + "counts as true when: " + claim.criterion);
    text += claim.baseline.empty() ? "" : line(indent + "against: " + claim.baseline);
  }
  return text;
}

}  // namespace mbdbench
