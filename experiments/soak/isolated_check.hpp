#pragma once
/// \file
/// check_mechanism in a process of its own, so that a crash or a hang is a finding like any other.
#include <string>
#include <vector>

#include "experiments/soak/isolated_process.hpp"
#include "experiments/soak/soak_checks.hpp"

namespace mbdbench::soak {

/// One check under way in a child process.
class IsolatedCheck {
 public:
  /// Forks: to be called while this process has one thread. \param limit s of processor time, twenty times as much of
  /// wall time; a child that takes longer is killed \throws std::runtime_error where the system gives no process
  IsolatedCheck(const Registries& registries, const Mechanism& mechanism, const std::vector<std::string>& formulations,
                double limit);

  /// \returns whether the child has ended (waits up to 20 ms) or was killed for taking too long.
  bool ended() { return process_.ended(); }
  /// \returns what it found; a crash or hang is a failure of the check "process", a child that somebody else has killed
  /// is `disturbed`. Once, after `ended`.
  Findings take();

 private:
  IsolatedProcess process_;
};

/// The same, waited for. Once a signal asks to stop (interruption_requested), it is killed and nothing is found.
Findings check_isolated(const Registries& registries, const Mechanism& mechanism,
                        const std::vector<std::string>& formulations, double limit);

}  // namespace mbdbench::soak
