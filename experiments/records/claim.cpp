#include "experiments/records/claim.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/files/csv_file.hpp"
#include "experiments/terminal/terminal.hpp"
#include "experiments/terminal/text_table.hpp"

namespace mbdbench {
namespace {

// The longest verdict is "does not hold".
constexpr std::size_t kClaimIndent = 15;

}  // namespace

std::string_view to_string(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return "holds";
    case ClaimVerdict::holds_in_part:
      return "holds in part";
    case ClaimVerdict::does_not_hold:
      return "does not hold";
    case ClaimVerdict::not_measured:
      break;
  }
  return "not measured";
}

ClaimVerdict judge_claim(const std::vector<bool>& parts) {
  if (parts.empty()) {
    return ClaimVerdict::not_measured;
  }
  const auto true_parts = static_cast<std::size_t>(std::count(parts.begin(), parts.end(), true));
  if (true_parts == parts.size()) {
    return ClaimVerdict::holds;
  }
  return true_parts > 0 ? ClaimVerdict::holds_in_part : ClaimVerdict::does_not_hold;
}

void conclude_claim(Claim& claim, const std::vector<bool>& parts, std::size_t missing, double share) {
  const auto true_parts = static_cast<std::size_t>(std::count(parts.begin(), parts.end(), true));
  std::string counted = fmt::format("{} of {}", true_parts, parts.size());
  if (missing > 0) {
    counted += fmt::format(", {} not measured", missing);
  }
  if (!claim.measured.empty()) {
    add_words(counted, claim.measured);
  }
  claim.measured = counted;
  const auto all = static_cast<double>(parts.size() + missing);
  claim.verdict = static_cast<double>(parts.size()) < share * all ? ClaimVerdict::not_measured : judge_claim(parts);
}

void add_words(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : "; ") + more;
}

void write_claims(const std::filesystem::path& file, const std::vector<Claim>& claims) {
  CsvTable table;
  table.columns = {"experiment", "source", "statement", "criterion", "measured", "verdict"};
  for (const Claim& claim : claims) {
    table.rows.push_back({claim.experiment, claim.source, claim.statement, claim.criterion, claim.measured,
                          std::string(to_string(claim.verdict))});
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
    // Broken before it is coloured: the terminal does not count colours.
    const std::string first = line(fmt::format("{}{}{}: {}", verdict, padding, claim.source, claim.statement));
    text += coloured(verdict, verdict) + first.substr(verdict.size());
    text += line(indent + "measured: " + claim.measured);
    text += claim.criterion.empty() ? "" : line(indent + "counts as true when: " + claim.criterion);
  }
  return text;
}

}  // namespace mbdbench
