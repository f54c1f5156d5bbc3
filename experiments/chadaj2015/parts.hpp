#pragma once
/// \file
/// The parts of the experiment; each is one file and depends on nothing but the registries and what stands before it.
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/registries/registries.hpp"

namespace mbdbench::chadaj2015 {

/// The paper's comparison: counts, steps, first steps, initial accelerations, wall times.
PartResult table_part(const Registries& registries);

/// Figures 5 to 8 for one formulation: trajectories/FORMULATION.csv and trajectories/FORMULATION_energy_error.csv.
PartResult figures_part(const Registries& registries, std::string_view formulation,
                        const std::filesystem::path& output);

/// The third curve of figure 5 is that of a commercial program with RKF45: here `dense` with `rkf45` stands in for it,
/// trajectories/dense_rkf45.csv.
PartResult stand_in_part(const Registries& registries, const std::filesystem::path& output);

/// Times (s) at which errors in q are measured. Perturbations grow about 4e4-fold in 10 s, most of it at the end: with
/// a tolerance of 1e-6 a pointwise comparison means something up to about 8 s.
inline constexpr std::array kComparisonTimes = {2.0, 5.0, 8.0};

/// Angles at the comparison times at tight tolerance, their uncertainty, and the tip at 10 s.
PartResult reference_part(const Registries& registries);

/// One point of the work-precision diagram. \param before contains the records of the reference part
PartResult work_precision_part(const Registries& registries, std::string_view formulation, std::string_view integrator,
                               double tolerance, const std::vector<Record>& before);

/// Which kind of state limits the steps.
PartResult step_limit_part(const Registries& registries);

/// The run that controls the angles only.
PartResult partial_control_part(const Registries& registries);

/// Chains whose right-hand side is timed.
inline constexpr std::array kTimedChains = {16, 64, 256, 1024};

/// Times of one right-hand side of DCA and HDCA by the number of bodies.
PartResult cost_part(const Registries& registries);

}  // namespace mbdbench::chadaj2015
