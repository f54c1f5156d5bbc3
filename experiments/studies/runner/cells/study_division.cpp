#include "experiments/studies/runner/cells/study_division.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include "experiments/studies/runner/cells/study_weights.hpp"
#include "experiments/studies/runner/parts/process_share.hpp"

namespace mbdbench::studies {
namespace {

// Slurm's and other schedulers' arrays end far below.
constexpr int kMostShares = 1000000;

/// \returns the whole number that a text is; nothing where it is none.
std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

/// \returns the share of "K<separator>N"; nothing where the text says none.
std::optional<StudyShare> share_in(std::string_view text, std::string_view separator) {
  const std::size_t middle = text.find(separator);
  if (middle == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<int> number = whole_number(text.substr(0, middle));
  const std::optional<int> count = whole_number(text.substr(middle + separator.size()));
  return number && count && *count >= 1 && *count <= kMostShares && *number >= 1 && *number <= *count
             ? std::optional(StudyShare{*number, *count})
             : std::nullopt;
}

constexpr std::string_view kPrefix = "share.";
constexpr std::string_view kSuffix = ".jsonl";

}  // namespace

std::string StudyShare::text() const {
  return fmt::format("{}/{}", number, count);
}

std::string StudyShare::journal_name() const {
  return fmt::format("{}{}_of_{}{}", kPrefix, number, count, kSuffix);
}

StudyShare parse_share(std::string_view text) {
  if (const std::optional<StudyShare> share = share_in(text, "/")) {
    return *share;
  }
  throw std::invalid_argument(
      fmt::format("--share '{}': must be K/N, the K-th of N shares, with K from 1 to N and N up to {}, such as 3/100",
                  text, kMostShares));
}

std::map<std::filesystem::path, StudyShare> share_files(const std::filesystem::path& output) {
  std::map<std::filesystem::path, StudyShare> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(output / "parts", none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
      const std::string_view middle =
          std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
      if (const std::optional<StudyShare> share = share_in(middle, "_of_")) {
        files.emplace(entry.path(), *share);
      }
    }
  }
  return files;
}

bool is_timed(const Study& study, std::size_t mechanism) {
  return (study.needs_times() && study.mechanisms[mechanism].timed) || study.times_right_hand_sides(mechanism);
}

StudyDivision::StudyDivision(const Study& study, int count) {
  std::vector<std::uint64_t> weights;
  std::map<std::size_t, std::size_t> piece_of_mechanism;
  std::map<CellKey, std::size_t> piece_of_cell;
  for (const CellKey& cell : study.cells()) {
    const bool runs = !study.mechanisms[cell.mechanism].integrators.empty();
    std::uint64_t weight = runs ? run_weight(study, cell) : 0;
    if (!is_timed(study, cell.mechanism)) {
      piece_of_cell[cell] = weights.size();
      weights.push_back(weight);
      continue;
    }
    const auto [piece, made] = piece_of_mechanism.try_emplace(cell.mechanism, weights.size());
    if (made) {
      weights.push_back(study.times_right_hand_sides(cell.mechanism) ? right_hand_side_weight(study, cell.mechanism)
                                                                     : 0);
    }
    weight += runs && study.needs_times() ? timing_weight(study, cell, 1) : 0;
    weights[piece->second] += weight;
    piece_of_cell[cell] = piece->second;
  }
  pieces_ = weights.size();
  const std::vector<std::size_t> takers = takers_of(weights, static_cast<std::size_t>(count));
  for (const auto& [cell, piece] : piece_of_cell) {
    shares_[cell] = static_cast<int>(takers[piece]) + 1;
  }
}

}  // namespace mbdbench::studies
