#include "experiments/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <utility>

namespace mbdbench {
namespace {

constexpr double kRedrawInterval = 0.1;
constexpr double kLineInterval = 10.0;
constexpr int kBarWidth = 30;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// \returns "8 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  return whole < 3600 ? fmt::format("{} min {} s", whole / 60, whole % 60)
                      : fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

ProgressOptions ProgressOptions::standard_error(bool quiet) {
  ProgressOptions options;
  options.quiet = quiet;
  options.terminal = isatty(STDERR_FILENO) == 1;
  return options;
}

ProgressBar::ProgressBar(std::string label, std::uint64_t total, ProgressOptions options)
    : label_(std::move(label)), total_(total), options_(std::move(options)) {
  if (options_.stream == nullptr) {
    options_.stream = &std::cerr;
  }
  if (!options_.clock) {
    options_.clock = steady_seconds;
  }
  started_ = options_.clock();
  shown_at_ = started_;
  if (options_.terminal && !options_.quiet) {
    show(started_);
  }
}

ProgressBar::~ProgressBar() {
  if (line_open_) {
    *options_.stream << std::endl;
  }
}

void ProgressBar::set(std::uint64_t done) {
  done_ = std::min(done, total_);
  if (options_.quiet) {
    return;
  }
  const double now = options_.clock();
  if (due(now)) {
    show(now);
  }
}

bool ProgressBar::due(double now) const {
  if (done_ == shown_done_) {
    return false;
  }
  if (done_ == total_) {
    return true;
  }
  if (options_.terminal) {
    return now - shown_at_ >= kRedrawInterval;
  }
  // Ten lines for work of minutes, fewer for less: a log is not filled by short work.
  return now - shown_at_ >= kLineInterval && 10 * (done_ - shown_done_) >= total_;
}

void ProgressBar::show(double now) {
  const double fraction = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
  const double elapsed = now - started_;
  std::string time;
  if (done_ == total_) {
    time = fmt::format("{} in all", duration_text(elapsed));
  } else if (done_ > 0) {
    time = fmt::format("{} left", duration_text(elapsed * (1.0 - fraction) / fraction));
  }
  const std::string numbers = fmt::format("{:3.0f} %  {}/{}  {}", std::floor(100.0 * fraction), done_, total_, time);
  if (options_.terminal) {
    const int filled = static_cast<int>(fraction * kBarWidth);
    // ESC[K clears what a longer text left.
    *options_.stream << fmt::format("\r{} [{:#<{}}{:.<{}}] {}\x1b[K", label_, "", filled, "", kBarWidth - filled,
                                    numbers)
                     << std::flush;
    line_open_ = true;
  } else {
    *options_.stream << fmt::format("{}: {}\n", label_, numbers) << std::flush;
  }
  shown_at_ = now;
  shown_done_ = done_;
}

}  // namespace mbdbench
