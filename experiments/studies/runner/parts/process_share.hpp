#pragma once
/// \file
/// A study's parts on several processes: who computes which, and how all learn what was found.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "formulations/execution/process_exchange.hpp"

namespace mbdbench::studies {

/// The file of finished parts that the first process writes, and every run reads.
constexpr const char* kFirstJournal = "study.jsonl";

/// Deals pieces of the given weights to `size` takers, the heaviest first, each to the taker with the least so far.
/// \returns the taker of each piece, from 0: the same in every process
std::vector<std::size_t> takers_of(std::span<const std::uint64_t> weights, std::size_t size);

/// One finished part of those dealt.
struct FinishedPart {
  std::size_t place = 0;  ///< among the parts that were dealt
  nlohmann::json kept;    ///< its result as journals keep it
  double seconds = 0.0;   ///< that it took
};

/// One process's share of a study. All processes call the same functions in the same order.
class ProcessShare {
 public:
  /// \param processes nullptr: this process is alone, everything is its own and nobody is waited for
  explicit ProcessShare(ProcessExchange* processes) : processes_(processes) {}

  [[nodiscard]] int size() const { return processes_ == nullptr ? 1 : processes_->size(); }
  [[nodiscard]] int process() const { return processes_ == nullptr ? 0 : processes_->process(); }
  [[nodiscard]] bool first() const { return process() == 0; }
  /// \returns the name of this process's file of finished parts; every process has one, since any of them may be
  /// killed.
  [[nodiscard]] std::string journal_name() const;

  /// Deals pieces of the given weights to all processes. \returns the places of this process's, ascending
  [[nodiscard]] std::vector<std::size_t> own(std::span<const std::uint64_t> weights) const;

  /// Waits for all, asleep. \returns everybody's finished parts, in the order of processes
  [[nodiscard]] std::vector<FinishedPart> pass_on(std::vector<FinishedPart> finished) const;

  /// Waits, asleep, until all processes are here.
  void rest() const;

 private:
  ProcessExchange* processes_;
};

}  // namespace mbdbench::studies
