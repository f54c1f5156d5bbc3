#pragma once
/// \file
/// Runs that would go on without end: steps so small that the rest would take more evaluations than anybody waits for,
/// and multistep methods whose history is thrown away at nearly every step.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// Ends a run when, at the pace of its last 2e4 evaluations, what is left would take more than 1e8.
class EndlessRunWatch : public OdeSink {
 public:
  /// \param layout of the state that is watched; must outlive this, as the mechanism must \param end of the run
  EndlessRunWatch(std::span<const StateComponent> layout, const Mechanism& mechanism, double end)
      : layout_(layout), mechanism_(mechanism), end_(end) {}

  bool sample(double t, std::span<const double> x) override;
  /// \returns false when the run would not end.
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;
  /// \returns pace, component that changes fastest, loads on its joint or body, option that lifts the limit; empty
  ///          unless `step` has stopped the run.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  /// \returns the component whose last two steps differ most, relative to its size.
  [[nodiscard]] std::size_t fastest_component() const;

  std::span<const StateComponent> layout_;
  const Mechanism& mechanism_;
  double end_;
  double window_start_ = 0.0;
  std::size_t window_evaluations_ = 0;
  std::vector<double> slope_;           ///< of the last step
  std::vector<double> previous_slope_;  ///< of the one before
  std::vector<double> x_;
  double t_ = 0.0;
  std::string reason_;
};

/// Counts accepted states that were changed after the step by more than a multistep method takes as a shift of its
/// history (OdeSystem::after_step), and says what that costs.
class RestartNote : public OdeSink {
 public:
  /// \param tolerances of the run, complete: one absolute tolerance, or one a component
  RestartNote(std::string_view integrator, const OdeOptions& tolerances);

  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
  /// The state before it may be changed: SimulationOptions::step_reached.
  void reached(std::span<const double> x);
  /// Prints a note on standard error after every thousand restarts, where nearly every step caused one.
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;

 private:
  [[nodiscard]] bool restarts(std::span<const double> x) const;

  std::string integrator_;
  bool multistep_;
  double relative_tolerance_;
  std::vector<double> absolute_tolerance_;
  std::vector<double> reached_;
  std::size_t restarts_ = 0;
  std::size_t steps_at_last_note_ = 0;
};

}  // namespace mbdbench
