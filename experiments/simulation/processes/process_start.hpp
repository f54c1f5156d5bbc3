#pragma once
/// \file
/// How processes begin a run together, and how the errors of one end all.
#include <functional>
#include <string>

#include "formulations/execution/process_exchange.hpp"

namespace mbdbench {

/// Thrown on a process that ends without a word because another one tells why.
struct EndedElsewhere {};

/// One run on several processes. Until `begin` every process may fail by itself: then the first of those that failed
/// tells why and all end in order. Afterwards the others may be waiting for a process that fails, and are ended with
/// its program.
class ProcessStart {
 public:
  explicit ProcessStart(ProcessExchange& processes) : processes_(processes) {}

  [[nodiscard]] ProcessExchange& processes() { return processes_; }

  /// All processes have understood what to do, before anything is written. \param problem what this one has
  /// \throws EndedElsewhere where another process failed, std::invalid_argument where processes are about to do
  /// different things
  void compare(const std::string& problem);

  /// All processes start. \throws EndedElsewhere where another process failed
  void begin();

  /// Nobody waits for this process any longer, nor listens to it: what fails now is told by this process alone.
  void over() {
    started_ = false;
    ended_ = true;
  }

  /// Runs `work`, which calls `compare` and `begin` once each. \returns its exit code \throws what it throws where this
  /// process tells of it, otherwise EndedElsewhere
  int run(const std::function<int()>& work);

 private:
  /// \returns the first process that has failed, -1 where none has.
  int first_failed(bool failed);

  ProcessExchange& processes_;
  bool ended_ = false;    ///< a process has failed, as all know, or nobody listens
  bool started_ = false;  ///< the run has begun and is not over
};

}  // namespace mbdbench
