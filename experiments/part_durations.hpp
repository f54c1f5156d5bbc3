#pragma once
/// \file
/// How long the parts of an experiment took when they were computed last, which tells how long they will take.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/experiment_parts.hpp"

namespace mbdbench {

/// Kept beside the parts as parts/durations.json, also when another build drops these. A file that cannot be read
/// counts as none.
class PartDurations {
 public:
  /// \param output directory of the experiment
  explicit PartDurations(const std::filesystem::path& output);

  /// \returns whether anything is known of these parts.
  [[nodiscard]] bool knows_any(const std::vector<ExperimentPart>& parts) const;
  /// \returns expected times, ms: what a part took last; of one that is not known its weight at the pace of the others.
  /// The declared weights where nothing is known.
  [[nodiscard]] std::vector<std::uint64_t> weights(const std::vector<ExperimentPart>& parts) const;
  /// \returns the time of so many units of known weights, s.
  static double seconds(std::uint64_t units) { return 1e-3 * static_cast<double>(units); }
  /// \throws WriteError
  void keep(const std::string& part, double seconds);

 private:
  std::filesystem::path file_;
  std::map<std::string, double> seconds_;
};

}  // namespace mbdbench
