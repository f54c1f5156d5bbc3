#pragma once
/// \file
/// The parts of the experiment; each is one file and depends on nothing but the registries and what stands before it.
#include <filesystem>
#include <string_view>
#include <vector>

#include "experiments/experiment_parts.hpp"
#include "experiments/registries/registries.hpp"

namespace mbdbench::chadaj2017 {

/// Figures 5 to 9 for one case, ode45 at 1e-6: trajectories/CASE_VARIANT.csv and trajectories/CASE_VARIANT_errors.csv.
PartResult figures_part(const Registries& registries, std::string_view mechanism, const std::filesystem::path& output);

/// Point K of one case every second at tight tolerance, and how far two formulations are apart there.
PartResult reference_part(const Registries& registries, std::string_view mechanism);

/// Figures 10 and 11, table 2 and the work-precision diagram for one case, integrator and tolerance: work and errors of
/// every variant compared. \param before contains the records of the reference part \param quick times every run once
PartResult sweep_part(const Registries& registries, std::string_view mechanism, std::string_view integrator,
                      double tolerance, const std::vector<Record>& before, bool quick);

/// Gauge control of one case with ode45 and ode113 at 1e-6: what it costs and what it gives.
PartResult gauge_part(const Registries& registries, std::string_view mechanism);

/// Table 1: time of one right-hand side in the three cases.
PartResult call_time_part(const Registries& registries);

/// Time of one right-hand side per body against the number of bodies. \param quick stops at 256 bodies instead of 4096
PartResult growth_of_cost_part(const Registries& registries, bool quick);

}  // namespace mbdbench::chadaj2017
