#pragma once
/// \file
/// One run: a formulation of a mechanism, an integrator, a time span. The formulation is shown to the integrator as a
/// plain first-order system; what is said of kinds of state (angles, velocities, momenta) becomes vectors over its
/// components.
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/records/timing/timing.hpp"
#include "experiments/simulation/jacobian_choice.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// Options of a run. `ode.absolute_tolerance` and `ode.error_mask` are overwritten from what stands here by kind of
/// state.
struct SimulationOptions {
  OdeOptions ode;
  /// Of the kinds that `absolute_tolerance_of` does not name.
  double absolute_tolerance = 1e-6;
  std::map<StateKind, double> absolute_tolerance_of;
  /// Told the state of every accepted step as the integrator left it, before Formulation::after_step may change it and
  /// before OdeSink::step; empty: nobody.
  std::function<void(double t, std::span<const double> x)> step_reached;
  /// Kinds under error control, in the error test and in the choice of the first step; empty means all.
  std::vector<StateKind> controlled;
  JacobianChoice jacobian = JacobianChoice::automatic;
  /// Whose exact derivatives are taken, for a formulation that shares right-hand sides with other processes: the same
  /// one on this process alone, so that all take the same steps; nullptr: the formulation's own.
  Formulation* derivatives = nullptr;
};

/// What a formulation changed after an accepted step, Formulation::last_change.
struct FormulationChange {
  double t = 0.0;
  std::string change;
};

/// How a run went.
struct SimulationResult {
  OdeResult ode;
  std::vector<FormulationChange> changes;  ///< by time
  std::size_t rhs_calls = 0;               ///< right-hand sides that the formulation evaluated during the run
  TimedRepetition time;                    ///< including what the sink did
  std::string sink_failure;                ///< what the sink threw, which stopped the run; empty otherwise
  bool write_failed = false;               ///< what it threw was that a file cannot be written
  bool exact_jacobian = false;             ///< whether df/dx came from the formulation
  std::size_t replaced_jacobians = 0;      ///< of these, by differences: at states that have no exact one
  std::size_t changed_states = 0;          ///< accepted states that Formulation::after_step changed

  [[nodiscard]] bool succeeded() const { return ode.status == OdeStatus::ok && sink_failure.empty(); }
  /// \returns why the run ended early; empty after a success.
  [[nodiscard]] const std::string& message() const { return sink_failure.empty() ? ode.message : sink_failure; }
};

/// A sink that keeps nothing: for counts and timings.
class NullSink : public OdeSink {
 public:
  [[nodiscard]] bool wants_samples() const override { return false; }
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
};

/// Passes everything on to several sinks, in order; the first that asks to stop ends the run.
class SinkChain : public OdeSink {
 public:
  explicit SinkChain(std::vector<OdeSink*> sinks) : sinks_(std::move(sinks)) {}
  [[nodiscard]] bool wants_samples() const override;
  bool sample(double t, std::span<const double> x) override;
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;

 private:
  std::vector<OdeSink*> sinks_;
};

/// \returns the formulation as an integrator sees it: status text of a failed right-hand side, after_step.
/// \param formulation must outlive the system \param derivatives whose exact ones the system gives, likewise; nullptr:
/// none \param replaced counts those that differences stand in for, where a state has none; nullptr: none may
OdeSystem ode_system(Formulation& formulation, Formulation* derivatives = nullptr, std::size_t* replaced = nullptr);

/// \returns the options over the components of a state.
/// \throws std::invalid_argument for a kind that the state does not have
OdeOptions ode_options(const SimulationOptions& options, std::span<const StateComponent> layout);

/// \returns the state of the mechanism's initial coordinates and velocities.
/// \throws std::runtime_error when the formulation cannot represent them
std::vector<double> initial_state(Formulation& formulation, double t0);

/// \throws std::invalid_argument for methods for separable systems: the mass matrix of a mechanism depends on q
void require_for_mechanisms(const OdeEntry& integrator);

/// Runs. A sink may throw: the run stops, the exception's text becomes `sink_failure`, all that was computed is
/// returned. \throws std::invalid_argument for unusable options, tspan or sizes, and as require_for_mechanisms and
/// takes_exact_jacobian do
SimulationResult simulate(Formulation& formulation, const OdeEntry& integrator, std::span<const double> tspan,
                          std::span<const double> x0, const SimulationOptions& options, OdeSink& sink);

}  // namespace mbdbench
