#pragma once
/// \file
/// The suite's own experiments: papers, and questions of ours. Each is the study that experiments/studies/KEY.toml
/// declares.
#include <span>
#include <string_view>

namespace mbdbench {

/// One experiment as the registry lists it.
struct ExperimentEntry {
  std::string_view key;
  std::string_view summary;  ///< one line for `mbdbench list experiments`
  std::string_view source;   ///< citation key of docs/references.md
};

/// \returns the suite's own experiments.
std::span<const ExperimentEntry> experiment_registry();

}  // namespace mbdbench
