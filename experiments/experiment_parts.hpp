#pragma once
/// \file
/// Experiments in parts: every finished part is kept, so that an interrupted run continues with the next one.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/records/part_store.hpp"
#include "experiments/records/record.hpp"
#include "experiments/registries/experiment.hpp"

namespace mbdbench {

/// One part of an experiment.
struct ExperimentPart {
  std::string name;          ///< of its file
  std::uint64_t weight = 1;  ///< expected share of the time, any unit
  /// \param before all records of the parts before this one. May write further files, each replaced at once.
  std::function<PartResult(const std::vector<Record>& before)> compute;
};

/// Computes the parts in order, showing progress, and keeps each (PartStore): a part that is there and whole is not
/// computed again. \returns everything, in order; nothing when the user asked to stop
/// \throws WriteError for a part's file that cannot be written
std::optional<PartResult> run_parts(const ExperimentContext& context, const std::string& label,
                                    const std::vector<ExperimentPart>& parts);

}  // namespace mbdbench
