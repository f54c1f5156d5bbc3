#pragma once
/// \file
/// Ctrl-C and SIGTERM as a request: finish nothing new, keep what is done, exit with kExitInterrupted.

namespace mbdbench {

/// While an object of this class lives, the first SIGINT or SIGTERM only sets a flag; a second one of the same kind
/// ends the program at once. The handlers from before come back at the end. One object at a time.
class InterruptionGuard {
 public:
  InterruptionGuard();
  ~InterruptionGuard();
  InterruptionGuard(const InterruptionGuard&) = delete;
  InterruptionGuard& operator=(const InterruptionGuard&) = delete;
  InterruptionGuard(InterruptionGuard&&) = delete;
  InterruptionGuard& operator=(InterruptionGuard&&) = delete;
};

/// \returns whether a signal came since the guard was made. Cheap: one atomic load.
bool interruption_requested();

}  // namespace mbdbench
