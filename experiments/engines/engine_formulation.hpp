#pragma once
/// \file
/// Another engine as a formulation: the suite's checks, runs and studies with accelerations that somebody else's
/// program computes.
#include <span>
#include <string>
#include <string_view>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// An engine that may take many states at a time. Its clock alone can time them: ours would be that of two programs
/// talking.
class EngineBatches {
 public:
  EngineBatches() = default;
  virtual ~EngineBatches() = default;
  EngineBatches(const EngineBatches&) = delete;
  EngineBatches& operator=(const EngineBatches&) = delete;
  EngineBatches(EngineBatches&&) = delete;
  EngineBatches& operator=(EngineBatches&&) = delete;

  [[nodiscard]] virtual bool takes_batches() const = 0;
  /// Of so many copies of a state on so many threads, all together, by the engine's clock. The accelerations must be
  /// those of the state alone. \param seconds of all copies \returns why there are none, as `rhs` does
  virtual RhsStatus time_batch(double t, std::span<const double> x, int count, int threads, double& seconds) = 0;
};

/// \returns the batches of a formulation that is an engine and takes them; nullptr otherwise.
EngineBatches* engine_batches(Formulation& formulation);

/// State (q, u). The engine's program is the default of the option `program`, so that KEY alone names it everywhere.
/// \param word "NAME=COMMAND"; kept for the rest of the program
/// \throws std::invalid_argument unless NAME is one of letters, digits, - and _, and COMMAND is not empty
FormulationEntry engine_entry(std::string_view word);

/// Starts an engine for one question. \param patience s
/// \returns its name and version, as it calls itself. \throws EngineError, EngineNotPermitted, std::runtime_error
std::string engine_version(const std::string& command, const Mechanism& mechanism, double patience);

}  // namespace mbdbench
