#pragma once
/// \file
/// How long the parts of a computation took when they were computed last, which tells how long they will take.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mbdbench {

/// A part by its name and what it costs beside the others, in any unit.
struct DeclaredPart {
  std::string name;
  std::uint64_t weight = 1;
};

/// What the parts are expected to cost.
struct ExpectedTimes {
  /// Of each part, ms; the declared weights where nothing is known of any.
  std::vector<std::uint64_t> weights;
  std::uint64_t total = 0;
  /// Of all, one after another, s; 0 where nothing is known.
  double seconds = 0.0;
};

/// What a part took last; of one that is not known its weight at the pace of the others.
/// \param last seconds by name of the part
ExpectedTimes expected_times(const std::map<std::string, double>& last, const std::vector<DeclaredPart>& parts);

/// The times of an experiment's parts, kept beside them as parts/durations.json, also when another build drops these. A
/// file that cannot be read counts as none.
class PartDurations {
 public:
  /// \param output directory of the experiment
  explicit PartDurations(const std::filesystem::path& output);

  /// \returns seconds by name.
  [[nodiscard]] const std::map<std::string, double>& last() const { return seconds_; }
  /// \throws WriteError
  void keep(const std::string& part, double seconds);

 private:
  std::filesystem::path file_;
  std::map<std::string, double> seconds_;
};

}  // namespace mbdbench
