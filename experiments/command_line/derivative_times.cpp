#include "experiments/command_line/derivative_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "experiments/records/timing/derivative_calls.hpp"
#include "experiments/records/timing/timed_turns.hpp"
#include "experiments/terminal/text_table.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kCalls = 5;

/// \returns calls of x', derivatives, derivatives times a direction, weights times derivatives, and of forward
/// differences of x'.
std::vector<TimedCall> calls_of(Formulation& formulation, const std::vector<double>& x) {
  const std::size_t size = x.size();
  return {right_hand_side_call(formulation, 0.0, x), jacobian_call(formulation, 0.0, x),
          direction_call(formulation, 0.0, x), weights_call(formulation, 0.0, x),
          [&formulation, x, moved = x, rows = std::vector<double>(size * size),
           product = std::vector<double>(size)]() mutable {
            bool ok = formulation.rhs(0.0, x, product).ok;
            for (std::size_t j = 0; j < x.size(); ++j) {
              if (formulation.layout()[j].constant) {
                continue;  // it says what the others mean
              }
              const double step = 1.5e-8 * std::max(1.0, std::abs(x[j]));  // the root of the rounding unit
              moved[j] = x[j] + step;
              const std::span<double> changed = std::span(rows).subspan(j * x.size(), x.size());
              ok = formulation.rhs(0.0, moved, changed).ok && ok;
              moved[j] = x[j];
              for (std::size_t i = 0; i < x.size(); ++i) {
                changed[i] = (changed[i] - product[i]) / step;
              }
            }
            return ok;
          }};
}

}  // namespace

DerivativeOutcome print_derivative_times(const std::vector<DerivativeCase>& cases, int repetitions, double shortest) {
  std::vector<TimedCall> calls;
  std::vector<std::string> obstacles;
  for (const DerivativeCase& one : cases) {
    obstacles.push_back(one.made == nullptr ? one.obstacle : one.made->without_jacobian());
    if (one.made != nullptr && obstacles.back().empty()) {
      const std::vector<TimedCall> own = calls_of(*one.made, one.x);
      calls.insert(calls.end(), own.begin(), own.end());
    }
  }
  const std::vector<RepeatedTimes> times = time_in_turns(calls, repetitions, shortest);
  TextTable table;
  table.rows = {{"mechanism", "formulation", "components", "x'/us", "derivatives", "times a direction", "weights times",
                 "differences"}};
  table.numbers = {2, 3, 4, 5, 6, 7};
  DerivativeOutcome outcome;
  std::size_t first = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const DerivativeCase& one = cases[i];
    if (one.made == nullptr || !obstacles[i].empty()) {
      outcome.failed = outcome.failed || obstacles[i].starts_with("FAILED");
      table.rows.push_back({one.mechanism, one.formulation, obstacles[i]});
      continue;
    }
    std::vector<std::string> row = {one.mechanism, one.formulation, fmt::format("{}", one.x.size())};
    const bool known = times[first].count() > 0;
    const double unit = known ? times[first].fastest().seconds : 0.0;
    row.push_back(known ? fmt::format("{:.4g}", 1e6 * unit) : "FAILED");
    for (std::size_t k = first + 1; k < first + kCalls; ++k) {
      const bool there = known && times[k].count() > 0;
      outcome.failed = outcome.failed || !there;
      outcome.measured = outcome.measured || there;
      row.push_back(there ? fmt::format("{:.2f}", times[k].fastest().seconds / unit) : "FAILED");
    }
    table.rows.push_back(row);
    first += kCalls;
  }
  fmt::print("fastest times of exact derivatives, in right-hand sides\n{}", table_text(table));
  return outcome;
}

}  // namespace mbdbench
