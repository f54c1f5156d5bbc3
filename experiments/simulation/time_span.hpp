#pragma once
/// \file
/// The time span of a run as a user writes it, and as integrators take it.
#include <optional>
#include <string_view>
#include <vector>

namespace mbdbench {

/// From `start` to `end` (s). With an `output_step` samples come at start, start + output_step, ..., end; without one,
/// at the integrator's own steps.
struct TimeSpan {
  double start = 0.0;
  double end = 0.0;
  std::optional<double> output_step;
};

/// Reads `T` (from 0 to T), `t0:tf` or `t0:dt:tf`. \throws std::invalid_argument saying what would be right
TimeSpan parse_time_span(std::string_view text);

/// \returns the times for OdeEntry::solve.
std::vector<double> times_of(const TimeSpan& span);

/// \returns the times for a run that continues at t: `t`, then what is left of the span.
/// \throws std::invalid_argument when t is not before the end
std::vector<double> times_after(const TimeSpan& span, double t);

}  // namespace mbdbench
