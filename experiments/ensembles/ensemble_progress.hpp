#pragma once
/// \file
/// Progress of many runs, of which several go on at a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "experiments/terminal/interruption.hpp"
#include "experiments/terminal/progress.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// Counts the simulated time of all members. For any thread.
class EnsembleProgress {
 public:
  static constexpr std::uint64_t kUnits = 1000;  // a member

  EnsembleProgress(std::size_t members, std::size_t finished, bool quiet)
      : bar_("ensemble", kUnits * members, options(quiet)) {
    bar_.skip(kUnits * finished);
  }

  void advance(std::uint64_t units) {
    const std::lock_guard lock(mutex_);
    bar_.advance(units);
  }

 private:
  static ProgressOptions options(bool quiet) {
    ProgressOptions options = ProgressOptions::standard_error(quiet);
    options.countable = false;
    return options;
  }

  std::mutex mutex_;
  ProgressBar bar_;
};

/// Tells how far some members that go together are, and passes a Ctrl-C on to their integrator.
class MemberWatch final : public OdeSink {
 public:
  MemberWatch(EnsembleProgress& progress, double start, double end, std::uint64_t members)
      : progress_(progress), start_(start), end_(end), members_(members) {}

  [[nodiscard]] bool wants_samples() const override { return false; }
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
  bool step(double t, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) override {
    constexpr auto kAll = static_cast<double>(EnsembleProgress::kUnits);
    tell(static_cast<std::uint64_t>(std::clamp(kAll * (t - start_) / (end_ - start_), 0.0, kAll)));
    return !interruption_requested();
  }
  /// The members are over, wherever they ended.
  void finish() { tell(EnsembleProgress::kUnits); }

 private:
  void tell(std::uint64_t units) {
    if (units > told_) {
      progress_.advance((units - told_) * members_);
      told_ = units;
    }
  }

  EnsembleProgress& progress_;
  double start_;
  double end_;
  std::uint64_t members_;
  std::uint64_t told_ = 0;
};

}  // namespace mbdbench
