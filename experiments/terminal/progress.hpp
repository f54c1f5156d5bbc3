#pragma once
/// \file
/// Progress of a long computation with the expected time left. Own code: Debian packages no progress bar for C++.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace mbdbench {

/// Where and how progress is shown.
struct ProgressOptions {
  bool quiet = false;
  /// Nothing: standard error.
  std::ostream* stream = nullptr;
  /// One line that is drawn over again; otherwise plain lines, at most one a tenth of the work and one in ten seconds.
  bool terminal = false;
  /// Time in s from any start.
  std::function<double()> clock;
  /// Columns of the terminal, asked at every drawing: its window may change. Nothing: those of standard error.
  std::function<std::size_t()> columns;
  /// What the whole is expected to take, s: told until the work itself says better. 0: not known.
  double expected = 0.0;
  /// Units mean something to the reader: "12/36".
  bool countable = true;

  /// \returns standard error as it is: a terminal or not.
  static ProgressOptions standard_error(bool quiet = false);
};

/// A bar over a known number of work units. For one thread.
class ProgressBar {
 public:
  /// \param label what is computed \param total work units; 0 counts as done
  ProgressBar(std::string label, std::uint64_t total, ProgressOptions options = ProgressOptions::standard_error());
  /// Ends the line of a terminal.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ProgressBar(ProgressBar&&) = delete;
  ProgressBar& operator=(ProgressBar&&) = delete;

  /// More units are done.
  void advance(std::uint64_t units = 1) { set(done_ + units); }
  /// So many units are done in all; more than the total counts as the total.
  void set(std::uint64_t done);
  /// Units that were there already: they say nothing of the time that the others need.
  void skip(std::uint64_t units);
  /// What is being done now, shown on terminals; "setting up" before anything is done.
  void doing(std::string what);

 private:
  [[nodiscard]] bool due(double now) const;
  void show(double now);
  [[nodiscard]] std::string time_text(double now) const;
  [[nodiscard]] std::string line(const std::string& numbers, double fraction) const;

  std::string label_;
  std::uint64_t total_;
  ProgressOptions options_;
  std::string activity_;
  std::uint64_t done_ = 0;
  std::uint64_t skipped_ = 0;
  double started_;
  double shown_at_;
  std::uint64_t shown_done_ = 0;
  bool line_open_ = false;
};

}  // namespace mbdbench
