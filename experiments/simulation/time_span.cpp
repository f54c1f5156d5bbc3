#include "experiments/simulation/time_span.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "experiments/records/number_text.hpp"

namespace mbdbench {
namespace {

// The integrator takes the requested times as a list: 80 MB of them.
constexpr double kMostSamples = 1e7;

[[noreturn]] void refuse(std::string_view text, std::string_view reason) {
  throw std::invalid_argument(
      fmt::format("time '{}': {}; write T, t0:tf or t0:dt:tf, for example 10 or 0:0.01:10", text, reason));
}

}  // namespace

TimeSpan parse_time_span(std::string_view text) {
  std::vector<double> numbers;
  for (std::string_view rest = text;;) {
    const std::size_t colon = rest.find(':');
    numbers.push_back(parse_number(rest.substr(0, colon), fmt::format("time '{}'", text)));
    if (colon == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(colon + 1);
  }
  if (numbers.size() > 3) {
    refuse(text, fmt::format("{} numbers are too many", numbers.size()));
  }
  TimeSpan span;
  span.end = numbers.back();
  span.start = numbers.size() == 1 ? 0.0 : numbers.front();
  if (span.end == span.start) {
    refuse(text, "the run would have no length");
  }
  if (numbers.size() == 3) {
    const double step = numbers[1];
    const double count = (span.end - span.start) / step;
    if (!(count > 0.0) || step == 0.0) {
      refuse(text, fmt::format("steps of {} do not lead from {} to {}", step, span.start, span.end));
    }
    if (count > kMostSamples) {
      refuse(text, fmt::format("more than {:.0e} samples", kMostSamples));
    }
    span.output_step = step;
  }
  return span;
}

std::vector<double> times_of(const TimeSpan& span) {
  if (!span.output_step) {
    return {span.start, span.end};
  }
  // A last interval shorter than a millionth of the step is rounding of the division.
  const double count = std::ceil((span.end - span.start) / *span.output_step - 1e-6);
  std::vector<double> times;
  for (std::size_t i = 0; static_cast<double>(i) < count; ++i) {
    times.push_back(span.start + static_cast<double>(i) * *span.output_step);
  }
  times.push_back(span.end);
  return times;
}

std::vector<double> times_after(const TimeSpan& span, double t) {
  const double direction = span.end > span.start ? 1.0 : -1.0;
  if (direction * (span.end - t) <= 0.0) {
    throw std::invalid_argument(
        fmt::format("the saved state is at t = {}, not before the end of the run at t = {}", t, span.end));
  }
  std::vector<double> times = {t};
  const std::vector<double> all = times_of(span);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (direction * (all[i] - t) > 0.0) {
      times.push_back(all[i]);
    }
  }
  return times;
}

}  // namespace mbdbench
