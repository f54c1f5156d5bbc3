#pragma once
/// \file
/// What a study observes of right-hand sides alone: time, memory, how they divide among workers and what these say to
/// each other. Nothing else of the study may run beside it.
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/runner/parts/process_team.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// \returns all observers `of_right_hand_side` of one mechanism, a variant each; times are taken in turns.
/// \param machine for the model of workers \param team for variants on processes
std::vector<CellResult> observe_right_hand_sides(const Registries& registries, const Study& study,
                                                 std::size_t mechanism, const MachineLimits& machine,
                                                 ProcessTeam& team);

}  // namespace mbdbench::studies
