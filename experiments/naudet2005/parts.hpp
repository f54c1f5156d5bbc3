#pragma once
/// \file
/// The parts of the experiment; each is one file and depends on nothing but the registries and what stands before it.
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/registries/registries.hpp"

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

/// Methods and absolute tolerances of velocities and momenta of the runs between full error control and none.
inline constexpr std::array<std::string_view, 4> kRelaxedMethods = {"rkf45", "ode45", "ode113", "ode15s"};
inline constexpr std::array kRelaxedTolerances = {1e-5, 1e-4, 1e-3};

/// \returns "tolerance=1e-06;rate_tolerance=0.001".
std::string relaxed_text(double rate_tolerance);

/// Table 3 and figures 9 and 10: error control of all of the state or of the coordinates only, with several methods;
/// trajectories/iterations_CONTROL_FORM.csv. \param before contains the reference part
PartResult error_control_part(const Registries& registries, const std::filesystem::path& output,
                              const std::vector<Record>& before);

}  // namespace mbdbench::naudet2005
