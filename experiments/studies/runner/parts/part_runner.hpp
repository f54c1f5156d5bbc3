#pragma once
/// \file
/// Runs the parts of a study, keeps what is finished and shows how far it is.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "experiments/records/timing/part_durations.hpp"
#include "experiments/studies/runner/parts/process_share.hpp"
#include "experiments/studies/runner/parts/process_team.hpp"
#include "experiments/studies/runner/parts/result_journal.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "experiments/terminal/progress.hpp"

namespace mbdbench::studies {

/// A piece of work whose result is kept.
struct StudyPart {
  std::string key;   ///< of everything that the result depends on
  std::string name;  ///< for people
  std::uint64_t weight = 1;
  std::function<nlohmann::json()> compute;
  std::function<void(const nlohmann::json&)> adopt;
  std::filesystem::path file = {};  ///< that it writes beside its result, if it does
  std::string compared_in = {};     ///< of times: what compares them with one another, and thus is of one machine
};

/// The parts of one run. On several processes every one has its own, and all call the same functions in the same order.
class PartRunner {
 public:
  /// \param parts all that will be run \param problem what makes all processes do the same
  /// \param own where the parts that this process appends are computed \throws FileError when
  /// another run holds the directory, or what processes throw that start differently
  PartRunner(const std::string& study, const RunnerOptions& options, const std::vector<DeclaredPart>& parts,
             const std::string& problem, const PartOrigin& own);

  /// Computes this process's share of what is not known, side by side, and takes over that of the others.
  /// \returns whether all are done; false when the user asked to stop
  bool run(const std::vector<StudyPart>& parts);

  /// Times, which bear nothing beside them and are known only where this machine has measured them, one after another
  /// on the first process, which the others serve where it calls them. \param parts asked for there \returns whether
  /// all are done
  bool run_alone(const std::function<std::vector<StudyPart>()>& parts, ProcessTeam& team);

  /// A part of times whose runs are missing where shares are merged: it is missing too, whatever shares hold of it.
  void leave_undecided(const std::string& name);

  /// \returns by `compared_in` the machine that the times are of.
  [[nodiscard]] const std::map<std::string, std::string>& machines() const { return machines_; }
  /// \returns the names of the parts that are missing where shares are merged.
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  /// \returns what else the files of shares hold, in words: why finished parts are not used.
  [[nodiscard]] std::vector<std::string> unused() const;
  /// \returns what each share has contributed.
  [[nodiscard]] std::vector<ShareProvenance> shares() const;

  /// All processes have finished or stopped. \returns whether this one has all results: the first
  bool end();

 private:
  [[nodiscard]] ProgressOptions progress_options() const;
  /// What is kept of a part; nullptr where nothing is.
  using Kept = std::function<const nlohmann::json*(const StudyPart&)>;
  /// \returns those that are not known; the others are adopted.
  std::vector<const StudyPart*> open_parts(const std::vector<StudyPart>& parts, const Kept& kept);
  /// Where shares are merged, a part that is not known is missing. \returns those that are to be computed.
  std::vector<const StudyPart*> to_compute(std::vector<const StudyPart*> open);
  /// Chooses of each comparison the machine that has measured most of its times.
  void choose_machines(const std::vector<StudyPart>& parts);
  /// Learns what shares have finished, and chooses the instruction set of most of it where they are merged.
  void learn_shares();
  /// \param own places of those to be computed here \returns what was finished of them
  std::vector<FinishedPart> compute(const std::vector<const StudyPart*>& open, const std::vector<std::size_t>& own,
                                    int jobs);

  const RunnerOptions& options_;
  ProcessShare share_;
  std::unique_ptr<ResultJournal> journal_;
  ExpectedTimes expected_;
  std::map<std::string, std::uint64_t> weights_;
  ProgressBar progress_;
  std::uint64_t done_ = 0;  ///< weight of what is done on all processes
  std::map<std::string, std::string> machines_;
  std::vector<std::string> missing_;
  std::set<std::string> undecided_;
  std::set<std::string> asked_;  ///< keys of all parts that were run
  std::map<std::filesystem::path, std::multimap<std::string, KeptPart>> of_shares_;
};

}  // namespace mbdbench::studies
