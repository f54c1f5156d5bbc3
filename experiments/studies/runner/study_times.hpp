#pragma once
/// \file
/// Times of a study's runs. Nothing else of the study may run beside them.
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// Times the runs of one mechanism, integrator and control: the variants take turns, so that whatever else the machine
/// does meets all alike. \param cells that ran without a failure
std::vector<RepeatedTimes> time_runs(const Registries& registries, const Study& study,
                                     const std::vector<CellKey>& cells);

/// \returns a time, disturbed where its repetition had to share its processor, with how it was measured.
Measured measured_time(const Timing& timing);

/// \returns the wall time of a run: the fastest repetition, disturbed where that had to share its processor.
Measured wall_time(const RepeatedTimes& times);

/// Round trip of a run's times through the journal.
nlohmann::json to_json(const RepeatedTimes& times);
RepeatedTimes times_from_json(const nlohmann::json& json);

/// \returns whether another repetition of a run would tell little: few are asked for, and it is long.
bool timed_once(const Study& study, const RepeatedTimes& times);

/// \returns the processes that a variant's option of this name divides it among.
int processes_of(const StudyVariant& variant);

/// \returns what a time of a variant on processes is where there are no such processes.
Measured without_processes(const StudyVariant& variant);

/// \returns whether the variant computes on one thread and one process: what a speedup is taken against.
bool is_sequential(const StudyVariant& variant);

}  // namespace mbdbench::studies
