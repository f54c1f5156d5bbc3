#include "experiments/terminal/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <utility>

#include "experiments/terminal/terminal.hpp"

namespace mbdbench {
namespace {

constexpr const char* kSettingUp = "setting up";
constexpr double kRedrawInterval = 0.1;
constexpr double kLineInterval = 10.0;
constexpr std::size_t kBarWidth = 30;
constexpr std::size_t kUsualColumns = 80;
constexpr double kTrustedShare = 0.05;
// A shorter bar shows nothing.
constexpr std::size_t kLeastBar = 5;

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
  options.terminal = is_terminal(STDERR_FILENO);
  return options;
}

ProgressBar::ProgressBar(std::string label, std::uint64_t total, ProgressOptions options)
    : label_(std::move(label)), total_(total), options_(std::move(options)), activity_(kSettingUp) {
  if (options_.stream == nullptr) {
    options_.stream = &std::cerr;
  }
  if (!options_.clock) {
    options_.clock = steady_seconds;
  }
  if (!options_.columns) {
    options_.columns = [] { return terminal_columns(STDERR_FILENO).value_or(kUsualColumns); };
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
  if (activity_ == kSettingUp) {
    activity_.clear();
  }
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

void ProgressBar::skip(std::uint64_t units) {
  skipped_ += units;
  set(done_ + units);
}

void ProgressBar::doing(std::string what) {
  activity_ = std::move(what);
  if (options_.terminal && !options_.quiet && done_ < total_) {
    show(options_.clock());
  }
}

std::string ProgressBar::time_text(double now) const {
  const double elapsed = now - started_;
  if (done_ == total_) {
    return fmt::format("{} in all", duration_text(elapsed));
  }
  // What is expected counts as much as a twentieth of the work would: a first part of some milliseconds says little.
  const double trusted = options_.expected > 0.0 ? kTrustedShare : 0.0;
  const double units = static_cast<double>(done_ - skipped_) + trusted * static_cast<double>(total_);
  if (units == 0.0) {
    return "";
  }
  const double rate = (elapsed + trusted * options_.expected) / units;
  return fmt::format("{} left", duration_text(rate * static_cast<double>(total_ - done_)));
}

/// \returns what fits on the terminal: label and numbers, then the bar, then what is being done.
std::string ProgressBar::line(const std::string& numbers, double fraction) const {
  // The last column stays free: some terminals begin a new line there.
  const std::size_t room = std::max<std::size_t>(options_.columns(), 2) - 1;
  // The numbers are worth more than the end of the label.
  const std::string label = label_.substr(0, room - std::min(room, numbers.size() + 1));
  std::string text = fmt::format("{} {}", label, numbers);
  const std::size_t frame = 3;
  if (text.size() + frame + kLeastBar <= room) {
    const std::size_t width = std::min(kBarWidth, room - text.size() - frame);
    const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(width));
    text = fmt::format("{} [{:#<{}}{:.<{}}] {}", label, "", filled, "", width - filled, numbers);
  }
  const std::string activity = done_ < total_ && !activity_.empty() ? "  " + activity_ : "";
  return (text + activity).substr(0, room);
}

void ProgressBar::show(double now) {
  const double fraction = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
  const std::string count = options_.countable ? fmt::format("  {}/{}", done_, total_) : "";
  const std::string time = time_text(now);
  const std::string numbers =
      fmt::format("{:3.0f} %{}{}", std::floor(100.0 * fraction), count, time.empty() ? "" : "  " + time);
  if (options_.terminal) {
    // ESC[K clears what a longer text left.
    *options_.stream << fmt::format("\r{}\x1b[K", line(numbers, fraction)) << std::flush;
    line_open_ = true;
  } else {
    *options_.stream << fmt::format("{}: {}\n", label_, numbers) << std::flush;
  }
  shown_at_ = now;
  shown_done_ = done_;
}

}  // namespace mbdbench
