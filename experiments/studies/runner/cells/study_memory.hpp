#pragma once
/// \file
/// Whether a study fits the machine, before it starts: a run that the system kills takes the others with it.
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// Runs hold a formulation (two where the work of loads is taken), their integrator's matrices and what they are
/// compared with; right-hand sides of one mechanism are timed in turns, so that all its variants exist at once. \param
/// jobs runs side by side \throws MemoryRefusal naming the largest, what it needs and what there is
void require_memory(const Registries& registries, const Study& study, int jobs);

}  // namespace mbdbench::studies
