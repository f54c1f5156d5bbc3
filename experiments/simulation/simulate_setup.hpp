#pragma once
/// \file
/// Everything a requested run needs, found, built and checked before anything is written.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/simulation/run_settings.hpp"
#include "experiments/simulation/simulate_run.hpp"
#include "experiments/simulation/simulation.hpp"
#include "formulations/execution/process_exchange.hpp"
#include "formulations/formulation_part.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// A run that is ready to start.
struct SimulateSetup {
  std::unique_ptr<const Mechanism> mechanism;  ///< on the heap: the formulation keeps its address
  std::string mechanism_text;                  ///< TOML
  std::vector<std::string> notes;              ///< what differs from what was asked for, for the user
  /// What is integrated. With `part` only the first process has one, with `shared` all have; both for output alone.
  std::unique_ptr<Formulation> formulation;
  std::unique_ptr<FormulationPart> part;  ///< what one of several processes evaluates, or
  std::unique_ptr<Formulation> shared;    ///< what all of them evaluate together, with the whole state each
  std::string formulation_key;
  std::string formulation_options;
  OdeEntry integrator;
  RunSettings settings;
  SimulationOptions options;  ///< of `settings`, with what belongs to this run alone
  /// What a restart continues with unasked, as command line options; empty for a run from the start.
  std::vector<std::string> taken_over;
  std::vector<double> times;
  std::vector<double> x0;  ///< with `part` only the first process has one
};

/// \param processes among which the run is divided; nullptr: it is not
/// \param given in place of the mechanism that the request names; nullptr: none
/// \throws FileError, ModelError, ParameterError, std::invalid_argument saying what would be right
SimulateSetup set_up_run(const Registries& registries, const SimulateRequest& request,
                         ProcessExchange* processes = nullptr, const Mechanism* given = nullptr);

}  // namespace mbdbench
