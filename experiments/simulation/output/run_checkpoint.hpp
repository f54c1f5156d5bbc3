#pragma once
/// \file
/// What survives a run that is killed: its state, written every so many seconds, under a name of its own.
#include <chrono>
#include <filesystem>
#include <span>

#include "experiments/simulation/simulate_setup.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// Writes the last accepted state to a file that is replaced at once, as write_state does.
class RunCheckpoint : public OdeSink {
 public:
  /// \param setup of the run; must outlive this \param interval s of wall time between two states; 0: never
  RunCheckpoint(std::filesystem::path file, const SimulateSetup& setup, double interval);

  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
  /// \throws WriteError
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;
  /// The run has left its final state elsewhere: removes the file.
  void remove() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::filesystem::path file_;
  const SimulateSetup& setup_;
  std::chrono::duration<double> interval_;
  Clock::time_point written_;
};

}  // namespace mbdbench
