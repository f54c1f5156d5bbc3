#pragma once
/// \file
/// Campaigns: a study in shares that a cluster computes, and what is said when they are put together.
#include <string>
#include <string_view>

#include "experiments/command_line/commands/study_command.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/study_results.hpp"
#include "experiments/studies/runner/study_runner.hpp"

namespace mbdbench {

/// Computes the share that `runner` names into its file. \returns the exit code.
/// \throws std::invalid_argument for what does not go with shares, or a folder of somebody else
int run_share(const Registries& registries, const studies::Study& study, const StudyFileRun& options,
              studies::RunnerOptions runner);

/// Says what is missing after shares were merged, which shares have it and what to do. \returns whether all is there
bool tell_missing(const StudyFileRun& options, const studies::StudyResults::Missing& missing);

/// Prints a job that computes a study in an array of shares. \param scheduler "slurm" or "hyperqueue"
void print_job(std::string_view scheduler, const studies::Study& study, const StudyFileRun& options,
               const std::string& output);

}  // namespace mbdbench
