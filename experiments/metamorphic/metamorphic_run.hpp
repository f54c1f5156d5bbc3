#pragma once
/// \file
/// Many relations, drawn one after another from a seed, each with every formulation in a process of its own.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/metamorphic/relation.hpp"
#include "experiments/terminal/progress.hpp"

namespace mbdbench::metamorphic {

/// What is wanted.
struct RunOptions {
  std::int64_t seed = 1;
  std::int64_t comparisons = 0;  ///< at least so many; 0: as many as go into `minutes`
  double minutes = 1.0;
  int jobs = 1;
  std::vector<std::string> relations;     ///< names; empty: all
  std::vector<std::string> formulations;  ///< empty: all of the registry, and a variant with options with each case
  std::filesystem::path working;  ///< a folder for files of the runs, made where it is missing, removed at the end
  bool quiet = false;
};

/// Numbers of one class.
struct Count {
  std::int64_t agreed = 0;
  std::int64_t integration = 0;  ///< differed by errors of integration, which smaller steps took away
  std::int64_t disagreed = 0;
  std::int64_t refused = 0;
  std::map<std::string, std::int64_t> reasons;  ///< of refusals, with # for numbers
  [[nodiscard]] std::int64_t compared() const { return agreed + integration + disagreed; }
};

/// What can be drawn again.
struct Disagreement {
  std::string relation;
  std::string formulation;
  std::int64_t seed = 0;
  int bodies = 0;
  std::string what;
};

/// What a run found.
struct Report {
  std::map<std::string, Count> counts;  ///< by class
  std::vector<Disagreement> disagreements;
  std::map<std::string, std::int64_t> disturbed;  ///< why comparisons could not be made, and how many
  [[nodiscard]] std::int64_t compared() const;
};

/// \returns the case of a class and a seed with so many bodies.
Case draw_case(std::string_view relation, std::int64_t seed, int bodies);

/// \throws std::invalid_argument for a class or a formulation that does not exist
void require_known(const Registries& registries, const RunOptions& options);

/// Draws and compares until enough was done or somebody interrupts. \throws as `require_known`
Report run_metamorphic(const Registries& registries, const RunOptions& options);

/// \returns one with fewer bodies in which the same formulation fails the same class, if a few trials find any.
/// \param working as in `RunOptions`
Disagreement reduced(const Registries& registries, const Disagreement& found, const std::filesystem::path& working);

/// Writes metamorphic.json, metamorphic.csv and, for the first of each class and formulation, the tellings as TOML
/// files with the commands that run them in failures/. \returns the directories of failures
std::vector<std::filesystem::path> write_report(const Registries& registries, const Report& report,
                                                const RunOptions& options, const std::filesystem::path& output);

}  // namespace mbdbench::metamorphic
