#pragma once
/// \file
/// The processes of MPI_COMM_WORLD, where a launcher has started several processes of this program.
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "experiments/records/timing/waiting_watch.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/started_by_launcher.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/execution/process_exchange.hpp"

namespace mbdbench {

/// The connection through MPI. An error of MPI ends the program on all processes. Messages may have 2^31 - 1 bytes or
/// numbers: blocks of 14 kB, or states of process 0.
class MpiProcesses final : public ProcessExchange {
 public:
  explicit MpiProcesses(WaitingWatch& watch) : watch_(watch) {
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    counts_.resize(static_cast<std::size_t>(size_));
    places_.resize(static_cast<std::size_t>(size_));
  }

  [[nodiscard]] int process() const override { return process_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] bool given_up() const { return given_up_; }

  void share(std::span<std::byte> all, std::span<const std::size_t> bounds) override {
    set_parts(bounds);
    watch_.during([&] {
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), counts_.data(), places_.data(), MPI_BYTE,
                     MPI_COMM_WORLD);
    });
  }
  void take_largest(std::span<double> numbers) override {
    watch_.during([&] {
      MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_MAX,
                    MPI_COMM_WORLD);
    });
  }
  void collect(std::span<const double> own, std::span<double> all, std::span<const std::size_t> bounds) override {
    set_parts(bounds);
    watch_.during([&] {
      MPI_Gatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.data(), counts_.data(), places_.data(),
                  MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
  }
  void deal(std::span<const double> all, std::span<double> own, std::span<const std::size_t> bounds) override {
    set_parts(bounds);
    watch_.during([&] {
      MPI_Scatterv(all.data(), counts_.data(), places_.data(), MPI_DOUBLE, own.data(), static_cast<int>(own.size()),
                   MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
  }
  void tell(int process, std::span<const std::byte> message) override {
    watch_.during([&] {
      MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, process, kMessage, MPI_COMM_WORLD);
    });
  }
  void hear(int process, std::span<std::byte> message) override {
    watch_.during([&] {
      MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_BYTE, process, kMessage, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    });
  }
  void rest_until_all() override {
    MPI_Request everybody = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &everybody);
    int here = 0;
    for (MPI_Test(&everybody, &here, MPI_STATUS_IGNORE); here == 0; MPI_Test(&everybody, &here, MPI_STATUS_IGNORE)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  void give_up() override { given_up_ = true; }
  void set_patience(double seconds) override { watch_.set_patience(seconds); }

 private:
  void set_parts(std::span<const std::size_t> bounds) {
    for (std::size_t r = 0; r < counts_.size(); ++r) {
      places_[r] = static_cast<int>(bounds[r]);
      counts_[r] = static_cast<int>(bounds[r + 1] - bounds[r]);
    }
  }

  static constexpr int kMessage = 0;  // tag

  WaitingWatch& watch_;
  int process_ = 0;
  int size_ = 1;
  bool given_up_ = false;
  std::vector<int> counts_;
  std::vector<int> places_;
};

/// MPI from the start of the program to its end, and its processes in use where there are several; nothing where no
/// launcher has started it.
class MpiSession {
 public:
  MpiSession(int& argument_count, char**& arguments) : active_(launcher_variable() != nullptr) {
    if (!active_) {
      return;
    }
    watch_ = std::make_unique<WaitingWatch>([this] { end_for_all(); });
    watch_->set_patience(kProcessTimeout);
    int provided = 0;  // the thread that calls a right-hand side talks, others of its team compute
    watch_->during([&] { MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_FUNNELED, &provided); });
    processes_ = std::make_unique<MpiProcesses>(*watch_);
    process_ = processes_->process();
    if (processes_->size() > 1) {
      use_processes(processes_.get());
      // What all processes say alike only the first says.
      if (processes_->process() > 0 && std::freopen("/dev/null", "w", stdout) == nullptr) {
        MPI_Abort(MPI_COMM_WORLD, 3);
      }
    }
  }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  MpiSession(MpiSession&&) = delete;
  MpiSession& operator=(MpiSession&&) = delete;
  ~MpiSession() = default;

  /// \returns the exit code given, unless it ends all processes with it.
  [[nodiscard]] int end(int exit_code) {
    if (active_) {
      if (processes_->given_up()) {
        std::fflush(nullptr);
        MPI_Abort(MPI_COMM_WORLD, exit_code);
      }
      use_processes(nullptr);
      watch_->during([] { MPI_Finalize(); });
    }
    return exit_code;
  }

 private:
  /// The launcher ends the other processes, stopped ones too, when one ends like this. Called beside the thread that
  /// waits: nothing of MPI, and nothing of the program is taken down.
  [[noreturn]] void end_for_all() const {
    std::fprintf(
        stderr,
        "mbdbench: process %d has waited %g s for the others: one of them is stopped or hangs, and the run ends. "
        "Its last checkpoint is kept; see simulate --process-timeout\n",
        process_.load(), watch_->patience());
    _exit(kExitCheckFailed);
  }

  bool active_;
  std::atomic<int> process_ = -1;  ///< not known before MPI has started
  std::unique_ptr<WaitingWatch> watch_;
  std::unique_ptr<MpiProcesses> processes_;
};

}  // namespace mbdbench
