#pragma once
/// \file
/// Runs what a study declares: references, then all runs side by side, then times, one after another. On several
/// processes each computes its share of the references and runs; times are the first process's, while the others sleep.
/// Shares are computed by processes that know nothing of one another, and merged afterwards.
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/simulation/processes/process_start.hpp"
#include "experiments/studies/runner/cells/study_division.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// How a study is run.
struct RunnerOptions {
  std::filesystem::path output;  ///< exists; finished parts in OUTPUT/parts/study.jsonl are kept and not repeated
  int jobs = 1;                  ///< runs beside one another; the results are those of one
  bool quiet = false;
  std::function<bool()> stop_requested;
  std::vector<StudyEngine> engines = {};  ///< with their versions: what another version found is computed again
  ProcessStart* start =
      nullptr;  ///< of processes that share the runs and the output directory; nullptr: this process is alone
  std::optional<StudyShare> share = std::nullopt;  ///< that this process computes; the results are of this share alone
  bool merges = false;  ///< whether what shares have finished is put together, and nothing computed
};

/// \returns everything, or what there is where shares are merged; nothing when the user asked to stop, and on processes
/// behind the first. \throws FileError for files that cannot be written, or when another run holds the directory
std::optional<StudyResults> run_study(const Registries& registries, const Study& study, const RunnerOptions& options);

}  // namespace mbdbench::studies
