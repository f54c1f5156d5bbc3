#pragma once
/// \file
/// The parts of the experiment; each is one file.
#include <filesystem>
#include <string_view>

#include "experiments/experiment_parts.hpp"
#include "experiments/integrators/drift_case.hpp"
#include "experiments/integrators/work_case.hpp"
#include "experiments/registries/registries.hpp"

namespace mbdbench::integrator_study {

/// Key of the experiment.
inline constexpr std::string_view kExperiment = "integrators";

/// \throws std::invalid_argument for a key that the registries do not have
const OdeEntry& integrator_of(const Registries& registries, std::string_view key);

/// MATLAB's counts beside ours.
PartResult matlab_part(const Registries& registries);

/// Orders of one method on the problem `smooth`: by halved steps where the order is fixed, by tolerances where it is
/// adaptive.
PartResult order_part(const OdeEntry& integrator);

/// How certain a reference is. \param target any case of its mechanism
PartResult reference_part(const WorkCase& target, const Reference& reference);

/// One curve of the work-precision diagram. \param points at most so many tolerances or steps
PartResult work_precision_part(const WorkCase& target, const Reference& reference, const OdeEntry& integrator,
                               int points);

/// Energy over a long time with one method, at the cost that the case allows:
/// trajectories/drift_MECHANISM_INTEGRATOR.csv.
PartResult drift_part(const DriftCase& target, const OdeEntry& integrator, const std::filesystem::path& output);

}  // namespace mbdbench::integrator_study
