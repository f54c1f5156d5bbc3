#pragma once
/// \file
/// Processes as threads of one process, which count what they exchange.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "formulations/execution/process_exchange.hpp"

namespace mbdbench {

/// How often the processes met, and what they sent.
struct ExchangeCounts {
  std::size_t shares = 0;
  std::size_t share_bytes = 0;  ///< by all processes together, each part counted once
  std::size_t reductions = 0;
  std::size_t collections = 0;
  std::size_t messages = 0;  ///< from one process to another, of all processes together
  bool operator==(const ExchangeCounts&) const = default;
};

/// What all processes share.
class ThreadProcesses {
 public:
  explicit ThreadProcesses(int size)
      : parts_(static_cast<std::size_t>(size)), all_(size), letters_(parts_.size() * parts_.size()) {}

  [[nodiscard]] int size() const { return static_cast<int>(parts_.size()); }

  /// \param own left by process \param read called with all processes' parts
  template <typename Read>
  void meet(int process, std::span<const std::byte> own, const Read& read) {
    parts_[static_cast<std::size_t>(process)] = own;
    all_.arrive_and_wait();
    read(parts_);
    all_.arrive_and_wait();
  }
  void tell(int from, int to, std::span<const std::byte> message) {
    {
      const std::lock_guard lock(mutex_);
      letters(from, to).emplace_back(message.begin(), message.end());
      ++messages_;
    }
    told_.notify_all();
  }
  void hear(int from, int to, std::span<std::byte> message) {
    std::unique_lock lock(mutex_);
    std::deque<std::vector<std::byte>>& waiting = letters(from, to);
    told_.wait(lock, [&] { return !waiting.empty(); });
    if (waiting.front().size() != message.size()) {
      std::fprintf(stderr, "process %d told %d %zu bytes, which expects %zu\n", from, to, waiting.front().size(),
                   message.size());
      std::abort();
    }
    std::copy(waiting.front().begin(), waiting.front().end(), message.begin());
    waiting.pop_front();
  }
  [[nodiscard]] std::size_t messages() const { return messages_; }

 private:
  [[nodiscard]] std::deque<std::vector<std::byte>>& letters(int from, int to) {
    return letters_[static_cast<std::size_t>(from) * parts_.size() + static_cast<std::size_t>(to)];
  }

  std::vector<std::span<const std::byte>> parts_;
  std::barrier<> all_;
  std::mutex mutex_;
  std::condition_variable told_;
  std::vector<std::deque<std::vector<std::byte>>> letters_;  // by who told and who hears
  std::atomic<std::size_t> messages_ = 0;
};

/// One process's side.
class ThreadProcessExchange final : public ProcessExchange {
 public:
  ThreadProcessExchange(ThreadProcesses& processes, int process) : processes_(&processes), process_(process) {}

  [[nodiscard]] int process() const override { return process_; }
  [[nodiscard]] int size() const override { return processes_->size(); }
  [[nodiscard]] const ExchangeCounts& counts() const { return counts_; }

  void share(std::span<std::byte> all, std::span<const std::size_t> bounds) override {
    ++counts_.shares;
    counts_.share_bytes += all.size();
    const auto r = static_cast<std::size_t>(process_);
    processes_->meet(process_, all.subspan(bounds[r], bounds[r + 1] - bounds[r]), [&](const auto& parts) {
      for (std::size_t other = 0; other < parts.size(); ++other) {
        if (other != r) {
          std::copy(parts[other].begin(), parts[other].end(), all.begin() + static_cast<std::ptrdiff_t>(bounds[other]));
        }
      }
    });
  }
  void take_largest(std::span<double> numbers) override {
    ++counts_.reductions;
    const std::vector<double> own(numbers.begin(), numbers.end());
    processes_->meet(process_, std::as_bytes(std::span(own)), [&](const auto& parts) {
      for (const std::span<const std::byte> part : parts) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          double value = 0.0;
          std::memcpy(&value, part.data() + i * sizeof(double), sizeof(double));
          numbers[i] = std::max(numbers[i], value);
        }
      }
    });
  }
  void collect(std::span<const double> own, std::span<double> all, std::span<const std::size_t> bounds) override {
    ++counts_.collections;
    processes_->meet(process_, std::as_bytes(own), [&](const auto& parts) {
      for (std::size_t r = 0; r < parts.size() && process_ == 0; ++r) {
        std::memcpy(all.data() + bounds[r], parts[r].data(), parts[r].size());
      }
    });
  }
  void deal(std::span<const double> all, std::span<double> own, std::span<const std::size_t> bounds) override {
    ++counts_.collections;
    processes_->meet(process_, std::as_bytes(all), [&](const auto& parts) {
      std::memcpy(own.data(), parts.front().data() + sizeof(double) * bounds[static_cast<std::size_t>(process_)],
                  own.size_bytes());
    });
  }
  void tell(int process, std::span<const std::byte> message) override { processes_->tell(process_, process, message); }
  void hear(int process, std::span<std::byte> message) override { processes_->hear(process, process_, message); }
  void rest_until_all() override {
    processes_->meet(process_, {}, [](const auto& /*parts*/) {});
  }
  /// The others would wait for ever.
  void give_up() override { std::abort(); }

 private:
  ThreadProcesses* processes_;
  int process_;
  ExchangeCounts counts_;
};

/// Calls `work` on so many processes at once. \returns what process 0 counted, the same on all
inline ExchangeCounts on_processes(int size, const std::function<void(ProcessExchange&)>& work) {
  ThreadProcesses processes(size);
  std::vector<ExchangeCounts> counts(static_cast<std::size_t>(size));
  const auto run = [&](int process) {
    ThreadProcessExchange exchange(processes, process);
    try {
      work(exchange);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "process %d: %s\n", process, error.what());
      std::abort();  // the others would wait for ever
    }
    counts[static_cast<std::size_t>(process)] = exchange.counts();
  };
  std::vector<std::thread> others;
  others.reserve(counts.size());
  for (int process = 1; process < size; ++process) {
    others.emplace_back(run, process);
  }
  run(0);
  for (std::thread& other : others) {
    other.join();
  }
  for (const ExchangeCounts& each : counts) {
    if (!(each == counts.front())) {
      return {std::numeric_limits<std::size_t>::max()};  // the processes disagree on what came when
    }
  }
  counts.front().messages = processes.messages();
  return counts.front();
}

}  // namespace mbdbench
