#pragma once
/// \file
/// Many runs of one mechanism and what they have in common: `mbdbench simulate --ensemble`.
#include "experiments/ensembles/ensemble_request.hpp"
#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// Runs all members that the folder does not hold yet, on all threads and processes, then writes members.csv,
/// ensemble.csv and ensemble.json. Finished members survive however the program ends; the same request goes on.
/// \returns the exit code: 0 all members reached their end and are accurate; 1 some failed or are inaccurate; 130
/// interrupted \throws std::exception (FileError, ModelError, std::invalid_argument, ...) for requests that cannot be
/// run, WriteError
int run_ensemble(const Registries& registries, const EnsembleRequest& request);

}  // namespace mbdbench
