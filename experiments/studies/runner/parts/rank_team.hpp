#pragma once
/// \file
/// What all ranks do together in the midst of what the first one does alone: runs and right-hand sides that are divided
/// among them, and exchanges of messages, timed. Nothing else of the study runs beside it.
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/records/timing/timing.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/cells/study_cell.hpp"
#include "formulations/execution/rank_exchange.hpp"

namespace mbdbench::studies {

/// What ranks did together. Times are the longest of all ranks, with the smallest share of a processor.
struct TeamRun {
  RepeatedTimes times;
  std::vector<double> end;  ///< the state after a run
  std::string refusal;      ///< why it cannot be divided among so many ranks; empty if it can
};

/// One rank's side of it.
class RankTeam {
 public:
  /// \param ranks nullptr: this process is alone
  RankTeam(const Registries& registries, const Study& study, RankExchange* ranks)
      : registries_(registries), study_(study), ranks_(ranks) {}

  /// \returns whether there are the ranks here that a variant computes on.
  [[nodiscard]] bool has_ranks_of(const StudyVariant& variant) const;

  /// Called by the first rank, while the others serve. No times: it fails.
  TeamRun run(const CellKey& cell);
  TeamRun right_hand_side(std::size_t mechanism, std::size_t variant);
  /// \param numbers that each rank sends
  RepeatedTimes exchange(int numbers);
  void dismiss();

  /// The others: asleep until the first rank calls, until it dismisses them.
  void serve();

 private:
  enum class Kind { run, right_hand_side, exchange, over };
  /// The kind, then what it is of.
  using Task = std::array<double, 5>;

  void call(Kind kind, const CellKey& cell, int numbers = 0);
  /// \returns whether there is more to do.
  bool perform(const Task& task);
  void perform_run(const CellKey& cell);
  void perform_right_hand_side(const CellKey& cell);
  void perform_part(const StudyVariant& variant, StudyCase& whole);
  void perform_exchange(std::size_t numbers);
  /// \returns the time of work that begins together.
  TimedRepetition together(const std::function<void()>& work);
  /// Batches of so many calls that each takes long enough to be timed.
  void time_batches(const std::function<void()>& call);

  const Registries& registries_;
  const Study& study_;
  RankExchange* ranks_;
  TeamRun made_;
};

}  // namespace mbdbench::studies
