#pragma once
/// \file
/// Another program that answers lines on its standard output to lines on its standard input.
#include <sys/types.h>

#include <stdexcept>
#include <string>

namespace mbdbench {

/// What went wrong with an engine: not started, crashed, hangs, or an answer that cannot be understood.
class EngineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A running engine. It gets the end of its input when this ends, SIGTERM a second later, SIGKILL after another one;
/// and SIGTERM when this program is killed. What it writes to standard error is the user's to read.
class EngineProcess {
 public:
  /// \param command for the shell \param patience s; an answer that takes longer counts as none
  /// \throws EngineError when no process can be made
  EngineProcess(std::string command, double patience);
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;
  EngineProcess(EngineProcess&&) = delete;
  EngineProcess& operator=(EngineProcess&&) = delete;

  /// \param line without its end \returns the next line that the engine writes, without its end
  /// \throws EngineError "ENGINE: killed by signal 11", "ENGINE: no answer after 60 s"; every later call throws it too
  std::string ask(const std::string& line);

 private:
  void send(const std::string& text);
  std::string receive();
  [[noreturn]] void fail(const std::string& reason);
  /// Waits for its end. \returns whether it has ended.
  bool wait(double limit);
  /// \returns how it ended, in words.
  [[nodiscard]] std::string end_in_words();

  std::string command_;
  double patience_;
  int channel_ = -1;
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::string failure_;
  std::string buffer_;  ///< received beyond the last line
};

}  // namespace mbdbench
