/// \file
/// Times only, without limits: the paper gives none.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>

#include "experiments/malczyk2012/parts.hpp"
#include "experiments/malczyk2012/run_case.hpp"
#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"

namespace mbdbench::malczyk2012 {
namespace {

constexpr std::size_t kBatches = 9;
// Long against the clock's resolution and short enough that most batches are not interrupted, s.
constexpr double kBatchTime = 4e-3;
// A step's error in positions, m and 1: what a projection has to take back.
constexpr double kDisturbance = 1e-6;

constexpr std::array kTimed = {kDca, kDcaProximal, kHdca, kPlainPenalty, kProjected};

/// One thing to time, in batches.
struct TimedCall {
  std::function<void()> call;
  std::size_t calls = 1;
  std::array<double, kBatches> times{};

  /// \returns the processor's seconds of so many calls: waiting for other processes does not count.
  double run(std::size_t count) const {
    const std::clock_t start = std::clock();
    for (std::size_t i = 0; i < count; ++i) {
      call();
    }
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  /// \returns the time of a call in the fastest batch, s: whatever disturbs a batch makes it slower.
  [[nodiscard]] double fastest() const { return *std::min_element(times.begin(), times.end()); }
};

void measure(std::vector<TimedCall>& calls) {
  for (TimedCall& timed : calls) {
    while (timed.run(timed.calls) < kBatchTime) {
      timed.calls *= 2;
    }
  }
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    for (TimedCall& timed : calls) {
      timed.times[batch] = timed.run(timed.calls) / static_cast<double>(timed.calls);
    }
  }
}

/// \returns the state with every position off by about kDisturbance.
std::vector<double> disturbed(const Formulation& formulation, std::vector<double> x) {
  double sign = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const StateKind kind = formulation.layout()[i].kind;
    if (kind == StateKind::position || kind == StateKind::quaternion) {
      x[i] += sign * kDisturbance;
      sign = -sign;
    }
  }
  return x;
}

}  // namespace

PartResult cost_part(const Registries& registries, bool quick) {
  PartResult part;
  const int largest = quick ? 64 : 1024;
  for (int bodies = 4; bodies <= largest; bodies *= 4) {
    std::vector<RunCase> cases;
    cases.reserve(kTimed.size());
    for (const Variant& variant : kTimed) {
      // The ground is one of the links.
      cases.emplace_back(registries, fmt::format("loop:{}", bodies + 1), variant);
    }
    std::vector<TimedCall> calls;
    calls.reserve(cases.size() + 1);
    for (RunCase& timed : cases) {
      calls.push_back({[&formulation = timed.formulation(), x = timed.x0(), xdot = timed.x0()]() mutable {
        static_cast<void>(formulation.rhs(0.0, x, xdot));
      }});
    }
    // The projections of a step, of the last case.
    Formulation& projected = cases.back().formulation();
    calls.push_back({[&projected, start = disturbed(projected, cases.back().x0()), x = cases.back().x0()]() mutable {
      x = start;
      static_cast<void>(projected.after_step(0.0, x));
    }});
    measure(calls);
    const std::string parameters = fmt::format("bodies={}", bodies);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      part.timings.push_back(
          cases[i].records("", parameters).measured("time_per_evaluation_and_body", "s", calls[i].fastest() / bodies));
    }
    const RecordMaker maker = cases.back().records("", parameters);
    part.timings.push_back(maker.measured("time_per_projection_and_body", "s", calls.back().fastest() / bodies));
    const auto& augmented = dynamic_cast<AugmentedLagrangianFormulation&>(projected);
    part.records.push_back(maker.measured("position_iterations", "1", augmented.iterations().position.last));
    part.records.push_back(maker.measured("velocity_iterations", "1", augmented.iterations().velocity.last));
    part.records.push_back(maker.measured("acceleration_iterations", "1", augmented.iterations().acceleration.last));
  }
  return part;
}

}  // namespace mbdbench::malczyk2012
