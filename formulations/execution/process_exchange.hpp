#pragma once
/// \file
/// How processes that evaluate one right-hand side together pass numbers to each other.
#include <cstddef>
#include <span>

namespace mbdbench {

/// One process's side of the connection between all of them. All processes call the same functions in the same order,
/// but `tell` and `hear`, which two of them call; a call returns when what the others give is there. Connections end
/// the program where they break.
class ProcessExchange {
 public:
  ProcessExchange() = default;
  virtual ~ProcessExchange() = default;
  ProcessExchange(const ProcessExchange&) = delete;
  ProcessExchange& operator=(const ProcessExchange&) = delete;
  ProcessExchange(ProcessExchange&&) = delete;
  ProcessExchange& operator=(ProcessExchange&&) = delete;

  /// \returns 0 .. size() - 1.
  [[nodiscard]] virtual int process() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Everybody's parts to everybody. \param all the parts one behind another; this process's is filled on entry, all on
  /// return \param bounds size() + 1 places: process r's part is bounds[r] .. bounds[r + 1]
  virtual void share(std::span<std::byte> all, std::span<const std::size_t> bounds) = 0;
  /// Element by element the largest of all processes' numbers, on all processes.
  virtual void take_largest(std::span<double> numbers) = 0;
  /// Everybody's parts to process 0. \param all as of `share`; empty on other processes
  virtual void collect(std::span<const double> own, std::span<double> all, std::span<const std::size_t> bounds) = 0;
  /// From process 0 everybody's part. \param all as of `collect`
  virtual void deal(std::span<const double> all, std::span<double> own, std::span<const std::size_t> bounds) = 0;
  /// A message to another process, which hears messages of this one in the order in which they were told.
  virtual void tell(int process, std::span<const std::byte> message) = 0;
  /// Waits for a message. \param message of the length that was told
  virtual void hear(int process, std::span<std::byte> message) = 0;
  /// Returns when all processes have called it. Waits asleep and for ever, so that long work of others beside is not
  /// disturbed.
  virtual void rest_until_all() = 0;
  /// This process cannot go on: when its program ends, it ends all others, which may be waiting for it.
  virtual void give_up() = 0;
  /// How long a call may wait for the others before this process ends the program, s; 0: for ever. Connections inside
  /// one process wait for ever.
  virtual void set_patience(double /*seconds*/) {}
};

}  // namespace mbdbench
