#pragma once
/// \file
/// What a program knows: mechanisms, formulations, integrators and experiments, as plain tables.
#include <vector>

#include "experiments/registries/experiment.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {

/// Start from `default_registries()` and append: entries of a user appear wherever those of the suite do.
struct Registries {
  std::vector<MechanismEntry> mechanisms;
  FormulationRegistry formulations;
  std::vector<OdeEntry> integrators;
  std::vector<ExperimentEntry> experiments;
};

/// \returns everything of the suite.
Registries default_registries();

}  // namespace mbdbench
