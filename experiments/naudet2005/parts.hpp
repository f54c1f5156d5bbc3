#pragma once
/// \file
/// The parts of the experiment; each is one file and depends on nothing but the registries and what stands before it.
#include <filesystem>
#include <vector>

#include "experiments/command_line.hpp"
#include "experiments/experiment_parts.hpp"

namespace mbdbench::naudet2005 {

/// q1, q2, q3 at 0.85 s at tight tolerance, how far other formulations are from there, and how far the paper's own
/// kind of reference is.
PartResult reference_part(const Registries& registries);

/// Figures 5 to 8: trajectories/FORM.csv of the paper's two forms, fixed step 0.001 s; and how far each form gets
/// towards the singular position. \param output directory of the results
PartResult motion_part(const Registries& registries, const std::filesystem::path& output);

/// Table 1 and the numbers under it; other fixed-step methods. \param before contains the reference part
PartResult fixed_step_part(const Registries& registries, const std::vector<Record>& before);

/// Table 2: evaluations and end errors with ode45 and ode15s. \param before contains the reference part
PartResult adaptive_part(const Registries& registries, const std::vector<Record>& before);

/// Table 3 and figures 9 and 10: error control of all of the state or of the coordinates only, with several methods;
/// trajectories/iterations_CONTROL_FORM.csv. \param before contains the reference part
PartResult error_control_part(const Registries& registries, const std::filesystem::path& output,
                              const std::vector<Record>& before);

}  // namespace mbdbench::naudet2005
