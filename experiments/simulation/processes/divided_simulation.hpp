#pragma once
/// \file
/// One run on several processes: every process integrates its part of the state, process 0 alone sees the whole one, at
/// samples.
#include <span>
#include <vector>

#include "experiments/simulation/simulation.hpp"
#include "formulations/execution/process_exchange.hpp"
#include "formulations/formulation_part.hpp"

namespace mbdbench {

/// Where every process's components lie in the whole state.
class WholeState {
 public:
  /// Called by all processes together, as are both functions.
  WholeState(const FormulationPart& part, ProcessExchange& processes);

  /// \param whole on process 0 the state in the order of the formulation; empty on others
  void collect(std::span<const double> own, std::span<double> whole);
  void deal(std::span<const double> whole, std::span<double> own);

  /// \returns components of all processes on process 0, 0 on others.
  [[nodiscard]] std::size_t size() const { return order_.size(); }

 private:
  ProcessExchange* processes_;
  std::vector<std::size_t> bounds_;  ///< of the processes' components one behind another
  std::vector<std::size_t> order_;   ///< process 0: which component of the whole state each of these is
  std::vector<double> ordered_;
};

/// Who watches a divided run, all of them on process 0 alone.
struct DividedRunSinks {
  /// Samples of the whole state, and the ends of those steps that hold a sample, and of the one that stops the run; of
  /// all steps where the options have `step_reached`, which is told them first.
  OdeSink* whole = nullptr;
  /// Every step, with process 0's part of the state.
  OdeSink* part = nullptr;
};

/// As `simulate` does, called by all processes together; the same steps and counts on all. A sink that throws, or an
/// interruption of any process, stops all.
/// \param x0 the whole state on process 0; empty on others \param sinks on process 0
/// \returns on process 0 with the whole final state, on others with their part of it
SimulationResult simulate_part(FormulationPart& part, ProcessExchange& processes, const OdeEntry& integrator,
                               std::span<const double> tspan, std::span<const double> x0,
                               const SimulationOptions& options, const DividedRunSinks& sinks);

}  // namespace mbdbench
