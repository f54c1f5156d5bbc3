#pragma once
/// \file
/// The fixture of the tests that run on every method of the registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "integrators/registry.hpp"

namespace mbdbench {

/// GoogleTest shows an entry by its key, found by argument-dependent lookup.
inline void PrintTo(const OdeEntry& entry, std::ostream* stream) {
  *stream << entry.key;
}

}  // namespace mbdbench

namespace mbdbench::test {

class EveryMethod : public testing::TestWithParam<OdeEntry> {};

/// CVODE measures errors in a root mean square norm and propagates the solution that it estimates.
inline bool is_cvode(const OdeEntry& entry) {
  return entry.key.starts_with("cvode-");
}

/// Steps over large parts of the interval, with an order that changes from one to the next.
inline bool is_extrapolation(const OdeEntry& entry) {
  return entry.key == "odeint-bulirsch-stoer";
}

/// These steppers of Boost hold vectors that live for one attempt.
inline bool allocates_in_every_attempt(const OdeEntry& entry) {
  return is_extrapolation(entry) || entry.key == "odeint-rosenbrock4";
}

/// Methods whose next step rests on the steps before, which count for nothing once the state has changed.
inline bool is_multistep(const OdeEntry& entry) {
  return entry.key == "ode113" || entry.key.starts_with("ode15s") || is_cvode(entry) ||
         entry.key == "odeint-adams-bashforth-moulton";
}

/// Evaluations that a step costs more where it holds samples inside: of methods whose extension is bootstrapped.
inline std::size_t evaluations_for_samples(const OdeEntry& entry) {
  if (entry.key == "gauss4" || entry.key == "odeint-rosenbrock4") {
    return 2;
  }
  return entry.key == "gauss6" ? 2 + 3 + 4 : entry.key == "odeint-fehlberg78" ? 4 + 5 + 6 : 0;
}

/// The most that extrapolation takes for a sample inside a step, each for itself: eight columns.
inline constexpr std::size_t kMostEvaluationsOfASample = 128;

/// The key as GoogleTest wants names.
inline std::string method_name(const testing::TestParamInfo<OdeEntry>& info) {
  std::string name(info.param.key);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ':'; }, '_');
  return name;
}

}  // namespace mbdbench::test
