#pragma once
/// \file
/// What all processes do together in the midst of what the first one does alone: runs and right-hand sides that are
/// divided among them, and exchanges of messages, timed. Nothing else of the study runs beside it.
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/records/timing/timing.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/cells/study_cell.hpp"
#include "formulations/execution/process_exchange.hpp"

namespace mbdbench::studies {

/// What processes did together. Times are the longest of all processes, with the smallest share of a processor.
struct TeamRun {
  RepeatedTimes times;
  std::vector<double> end;  ///< the state after a run
  std::string refusal;      ///< why it cannot be divided among so many processes; empty if it can
};

/// One process's side of it.
class ProcessTeam {
 public:
  /// \param processes nullptr: this process is alone
  ProcessTeam(const Registries& registries, const Study& study, ProcessExchange* processes)
      : registries_(registries), study_(study), processes_(processes) {}

  /// \returns whether there are the processes here that a variant computes on.
  [[nodiscard]] bool has_processes_of(const StudyVariant& variant) const;

  /// Called by the first process, while the others serve. No times: it fails.
  TeamRun run(const CellKey& cell);
  TeamRun right_hand_side(std::size_t mechanism, std::size_t variant);
  /// \param numbers that each process sends
  RepeatedTimes exchange(int numbers);
  void dismiss();

  /// The others: asleep until the first process calls, until it dismisses them.
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
  void perform_divided(const StudyVariant& variant, StudyCase& alone);
  void perform_exchange(std::size_t numbers);
  /// \returns the time of work that begins together.
  TimedRepetition together(const std::function<void()>& work);
  /// Batches of so many calls that each takes long enough to be timed.
  void time_batches(const std::function<void()>& call);

  const Registries& registries_;
  const Study& study_;
  ProcessExchange* processes_;
  TeamRun made_;
};

}  // namespace mbdbench::studies
