#pragma once
/// \file
/// One process of many that is alone: what the others would send is its own part once more, so that its pieces of work
/// between exchanges can be timed on one core without the others. Chains of equal links are congruent, so that the
/// others' parts have the same form; the numbers that come out mean nothing.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <vector>

#include "formulations/execution/process_exchange.hpp"

namespace mbdbench {

/// Process 0 of so many.
class MirroredProcesses final : public ProcessExchange {
 public:
  /// One piece of work and the message that ended it.
  struct Piece {
    double microseconds = 0.0;
    std::size_t bytes = 0;  ///< of this process; 0: the last piece
  };

  explicit MirroredProcesses(int size) : size_(size) {}

  /// A right-hand side begins.
  void begin() {
    pieces_.clear();
    start_ = Clock::now();
  }
  /// It has ended. \returns its pieces
  std::span<const Piece> end() {
    pieces_.push_back({since_start(), 0});
    return pieces_;
  }

  [[nodiscard]] int process() const override { return 0; }
  [[nodiscard]] int size() const override { return size_; }
  void share(std::span<std::byte> all, std::span<const std::size_t> bounds) override {
    const std::size_t own = bounds[1] - bounds[0];
    pieces_.push_back({since_start(), own});
    for (std::size_t at = bounds[1]; at < bounds.back() && own > 0;) {
      const std::size_t count = std::min(own, bounds.back() - at);
      std::copy_n(all.begin(), count, all.begin() + static_cast<std::ptrdiff_t>(at));
      at += count;
    }
    start_ = Clock::now();
  }
  void take_largest(std::span<double> /*numbers*/) override {}
  void collect(std::span<const double> /*own*/, std::span<double> /*all*/,
               std::span<const std::size_t> /*bounds*/) override {}
  void deal(std::span<const double> /*all*/, std::span<double> /*own*/,
            std::span<const std::size_t> /*bounds*/) override {}
  /// Messages along a tree are simulated from the pieces between exchanges of all with all (`exchange=all`).
  void tell(int /*process*/, std::span<const std::byte> /*message*/) override { std::abort(); }
  void hear(int /*process*/, std::span<std::byte> /*message*/) override { std::abort(); }
  void rest_until_all() override {}
  /// Nobody waits.
  void give_up() override {}

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double since_start() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - start_).count();
  }

  int size_;
  std::vector<Piece> pieces_;
  Clock::time_point start_;
};

}  // namespace mbdbench
