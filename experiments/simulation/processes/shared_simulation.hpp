#pragma once
/// \file
/// One run on several processes that hold the whole state each, share right-hand sides, and so make the same steps.
#include <span>

#include "experiments/simulation/simulation.hpp"
#include "formulations/execution/process_exchange.hpp"

namespace mbdbench {

/// As `simulate`, called by all processes together with the same numbers. Any integrator: nobody decides alone.
/// \param shared whose right-hand sides all processes evaluate together \param sink on process 0, which alone watches
/// and writes; a sink that stops, or an interruption of any process, stops all
SimulationResult simulate_shared(Formulation& shared, ProcessExchange& processes, const OdeEntry& integrator,
                                 std::span<const double> tspan, std::span<const double> x0,
                                 const SimulationOptions& options, OdeSink* sink);

}  // namespace mbdbench
