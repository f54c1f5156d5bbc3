#pragma once
/// \file
/// What a script learns from how the program ended.

namespace mbdbench {

/// Exit codes of the program.
enum ExitCode : int {
  kExitOk = 0,
  kExitCheckFailed = 1,
  kExitBadInput = 2,
  /// A file could not be written: full disk, no permission, directory gone. What was written before is kept.
  kExitWriteFailed = 3,
  /// Stopped by Ctrl-C or SIGTERM after keeping what was done (128 + SIGINT, as shells report it).
  kExitInterrupted = 130
};

}  // namespace mbdbench
