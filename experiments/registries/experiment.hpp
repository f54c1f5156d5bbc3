#pragma once
/// \file
/// The interface of an experiment: a published table or figure, or a question of ours.
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace mbdbench {

struct Registries;
class ProgressBar;

/// What an experiment may use and where it writes.
struct ExperimentContext {
  const Registries& registries;
  /// Directory of this experiment's results; exists. Finished parts found here from an interrupted run are kept.
  std::filesystem::path output;
  /// A smaller version for a first look.
  bool quick = false;
  /// \returns whether the user asked to stop: finish nothing new, keep what is done, return.
  std::function<bool()> stop_requested;
  /// No progress on standard error.
  bool quiet = false;
};

/// One experiment as the registry lists it.
struct ExperimentEntry {
  std::string_view key;
  std::string_view summary;  ///< one line for `mbdbench list experiments`
  std::string_view source;   ///< citation key of docs/references.md
  /// \returns whether every verdict that the experiment asserts came out right. Without it the experiment is the study
  /// that experiments/studies/KEY.toml declares.
  bool (*run)(ExperimentContext& context) = nullptr;
};

/// \returns the suite's own experiments.
std::span<const ExperimentEntry> experiment_registry();

}  // namespace mbdbench
