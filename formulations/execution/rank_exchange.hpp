#pragma once
/// \file
/// How ranks (processes) that evaluate one right-hand side together pass numbers to each other.
#include <cstddef>
#include <span>

namespace mbdbench {

/// One rank's side of the connection between all of them. All ranks call the same functions in the same order; a call
/// returns when what the others give is there. Connections end the program where they break.
class RankExchange {
 public:
  RankExchange() = default;
  virtual ~RankExchange() = default;
  RankExchange(const RankExchange&) = delete;
  RankExchange& operator=(const RankExchange&) = delete;
  RankExchange(RankExchange&&) = delete;
  RankExchange& operator=(RankExchange&&) = delete;

  /// \returns 0 .. size() - 1.
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Everybody's parts to everybody. \param all the parts one behind another; this rank's is filled on entry, all on
  /// return \param bounds size() + 1 places: rank r's part is bounds[r] .. bounds[r + 1]
  virtual void share(std::span<std::byte> all, std::span<const std::size_t> bounds) = 0;
  /// Element by element the largest of all ranks' numbers, on all ranks.
  virtual void take_largest(std::span<double> numbers) = 0;
  /// Everybody's parts to rank 0. \param all as of `share`; empty on other ranks
  virtual void collect(std::span<const double> own, std::span<double> all, std::span<const std::size_t> bounds) = 0;
  /// From rank 0 everybody's part. \param all as of `collect`
  virtual void deal(std::span<const double> all, std::span<double> own, std::span<const std::size_t> bounds) = 0;
  /// Returns when all ranks have called it. Waits asleep and for ever, so that long work of others beside is not
  /// disturbed.
  virtual void rest_until_all() = 0;
  /// This rank cannot go on: when its program ends, it ends all others, which may be waiting for it.
  virtual void give_up() = 0;
  /// How long a call may wait for the others before this rank ends the program, s; 0: for ever. Connections inside one
  /// process wait for ever.
  virtual void set_patience(double /*seconds*/) {}
};

}  // namespace mbdbench
