#pragma once
/// \file
/// The parts of the experiment; each is one file and depends on nothing but the registries.
#include <filesystem>

#include "experiments/command_line.hpp"
#include "experiments/experiment_parts.hpp"
#include "experiments/malczyk2012/variants.hpp"

namespace mbdbench::malczyk2012 {

/// All variants on one mechanism, ode45 at 1e-6, 10 s: trajectories/MODEL_VARIANT.csv, and the numbers of the table.
/// \param quick times every run once
PartResult runs_part(const Registries& registries, const Model& model, const std::filesystem::path& output, bool quick);

/// dca-alm-proj on one mechanism with penalties from 1e3 to 1e9.
PartResult penalty_part(const Registries& registries, const Model& model);

/// Time of one right-hand side and of the projections per body against the number of bodies of a loop.
/// \param quick stops at 64 bodies instead of 1024
PartResult cost_part(const Registries& registries, bool quick);

}  // namespace mbdbench::malczyk2012
