#pragma once
/// \file
/// Two ranks as two threads of one process.
#include <algorithm>
#include <array>
#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "formulations/bae_haug/exchange.hpp"

namespace mbdbench::test {

/// What both sides of a connection share.
struct ThreadConnection {
  std::array<std::vector<double>, 2> messages;
  std::barrier<> both{2};
};

/// One side of it.
class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(ThreadConnection& connection, int rank) : connection_(&connection), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  void swap(std::span<const double> own, std::span<double> other) override {
    const auto place = static_cast<std::size_t>(rank_);
    connection_->messages[place].assign(own.begin(), own.end());
    connection_->both.arrive_and_wait();
    const std::vector<double>& message = connection_->messages[1 - place];
    if (message.size() == other.size()) {
      std::copy(message.begin(), message.end(), other.begin());
    } else {
      std::fill(other.begin(), other.end(), -1e300);  // the ranks disagree on what comes next: nothing will be right
    }
    connection_->both.arrive_and_wait();
  }

 private:
  ThreadConnection* connection_;
  int rank_;
};

/// Calls `work` on both ranks at once.
inline void on_two_ranks(const std::function<void(Exchange&)>& work) {
  ThreadConnection connection;
  const auto run = [&](int rank) {
    ThreadExchange exchange(connection, rank);
    work(exchange);
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

}  // namespace mbdbench::test
